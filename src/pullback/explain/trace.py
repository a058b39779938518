"""Keep the trace: the calls of public functions that a program makes, with their tensors, line and module.

The graph of autograd holds what has a derivative; the trace holds what happened to values, also where no
history was recorded: `detach`, `argmax`, a round trip through NumPy. So a value can be followed itself, from
the loss back to where it came from.

The trace is kept for one turn of a training loop and only while it is on; off, it costs nothing.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from ..core.blame import Place, next_sequence, own_file, place_at
from ..core.modes import change, modes
from ..core.node import LEAF
from ..core.value import TensorBase
from ..tensor.interception import activate, deactivate
from ..tensor.tensor import Tensor
from .walk import looking, node_of, nodes_of, reachable

#: Events that are kept at most; a longer turn loses its beginning.
MOST_EVENTS = 50_000

#: Calls on the way to one that are followed back.
MOST_CALLS = 2_000

#: Frames of the program that are kept of a call which lost the history.
MOST_FRAMES = 12

#: Where the modules lie that look on.
_HERE = os.path.dirname(__file__) + os.sep

#: Where Python's own library lies.
_PYTHON = os.path.dirname(os.__file__) + os.sep

#: Calls whose result is not a tensor of the library.
LEAVING = ("item", "tolist", "numpy", "__float__", "__int__", "__array__")


#: Functions whose calls within are those of derivatives; `Trace.differentiated` writes down what they give.
DIFFERENTIATING = ("grad", "backward")


@dataclass(eq=False, slots=True)
class Event:
    """One call of a public function.

    Attributes
    ----------
    name : str
        Of the function, without its module: "cross_entropy", "add".
    function : callable or None
        What does the call again; None where that cannot be done.
    entry : str
        Name of the function of pullback's that the program called, in which the call was made.
    args, kwargs
        As they were given.
    inputs : list of (tensor, Event or None)
        Its tensors, each with the event that made it.
    outputs : list of tensors
    wanted : bool
        Whether an input required grad at the time.
    kept : bool
        Whether a result does.
    recording : bool
        Whether history was recorded.
    module : module or None
        The innermost one whose call it was made in.
    frames : list of (code, position)
        The program's frames, the innermost first; more than one where history was lost.
    number : int
        Divides the nodes made before it from those made after.
    """

    name: str
    args: Any
    kwargs: Any
    module: Any
    number: int = field(default_factory=next_sequence)
    function: Callable[..., Any] | None = None
    entry: str = ""
    inputs: list[tuple[Any, Event | None]] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    frames: list[tuple[CodeType, int]] = field(default_factory=list)
    wanted: bool = False
    kept: bool = False
    recording: bool = True

    @property
    def place(self) -> Place | None:
        """Return the program's line."""
        return place_at(*self.frames[0]) if self.frames else None

    @property
    def line(self) -> str:
        """Return the program's line for a sentence, " (line 12)"; nothing where it is not known."""
        return f" (line {self.place.line})" if self.place is not None else ""

    @property
    def at_line(self) -> str:
        """Return the same as " at line 12"."""
        return f" at line {self.place.line}" if self.place is not None else ""

    def argument(self, position: int, name: str, default: Any = None) -> Any:
        """Return an argument by position or by name."""
        if name in self.kwargs:
            return self.kwargs[name]
        return self.args[position] if position < len(self.args) else default

    def maker_of(self, tensor: Any) -> Event | None:
        """Return the event that made one of the inputs."""
        return next((maker for t, maker in self.inputs if t is tensor), None)

    def lost(self) -> bool:
        """Return whether the history ended here: an input had one, no result has."""
        return self.wanted and not self.kept


class Trace:
    """Write events down while it is on, the oldest first; `listeners` are told of each."""

    def __init__(self, module: Callable[[], Any]) -> None:
        self.events: deque[Event] = deque()
        self.listeners: list[Callable[[Event], None]] = []
        self.on = False
        self._module = module
        self._makers: dict[int, Event] = {}
        self._by_node: dict[int, Event] = {}
        self._marks: dict[Any, int] = {}
        self._wrapped: list[tuple[str, Any]] = []
        self._within = False

    # --- on and off -----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to write down."""
        if self.on:
            return
        self.on = True
        activate()
        change(function_modes=(*modes().function_modes, self))
        for name in (*LEAVING, "detach", "data", "__pow__", "__rpow__", "__ipow__"):
            held = Tensor.__dict__.get(name)
            if held is not None:
                self._wrapped.append((name, held))
                setattr(Tensor, name, self._watched(name, held))

    def stop(self) -> None:
        """Write down no more; what was written stays until `clear`."""
        if not self.on:
            return
        self.on = False
        for name, held in self._wrapped:
            setattr(Tensor, name, held)
        self._wrapped = []
        change(function_modes=tuple(mode for mode in modes().function_modes if mode is not self))
        deactivate()

    def clear(self) -> None:
        """Forget all events."""
        for event in self.events:
            event.inputs = []
        self.events.clear()
        self._makers.clear()
        self._by_node.clear()

    def turn(self, call: Any) -> None:
        """Note that the program called backward from a line; nothing is kept of turns before the last one."""
        last = self._marks.get(call, -1)
        self._marks[call] = next_sequence()
        self._forget(last)

    def _forget(self, before: int) -> None:
        events = self.events
        while events and (events[0].number < before or len(events) > MOST_EVENTS):
            event = events.popleft()
            for tensor in (*event.outputs, *statistics_of(event)):
                if self._makers.get(id(tensor)) is event:
                    del self._makers[id(tensor)]
                node = node_of(tensor)
                if self._by_node.get(id(node)) is event:
                    del self._by_node[id(node)]
            event.inputs = []

    # --- writing down ---------------------------------------------------------------------------------------

    def maker_of(self, tensor: Any) -> Event | None:
        """Return the event that gave a tensor its present value."""
        return self._makers.get(id(tensor))

    def makers_in(self, tensor: Any) -> list[Event]:
        """Return the calls that made parts of a tensor's graph, where no call is known that made it."""
        nodes = reachable(nodes_of([tensor]))
        return [event for node in nodes if (event := self._by_node.get(id(node))) is not None]

    def differentiated(self, call: Any, result: Any, frame: FrameType) -> Event:
        """Write down what a call of `autograd.grad` gave; return the event."""
        event = Event("grad", call.outputs, {}, self._module())
        event.frames = frames_from(frame)
        event.entry = "grad"
        for tensor in (*call.outputs, *call.inputs):
            if isinstance(tensor, TensorBase):
                event.inputs.append((tensor, self._makers.get(id(tensor))))
        event.wanted = True
        event.outputs = list(tensors_of((result,), {}))
        event.kept = any(t._node is not None for t in event.outputs)
        for tensor in event.outputs:
            self._makers[id(tensor)] = event
        self.events.append(event)
        return event

    def applied(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """Write down the call of a custom function."""
        event = self._begun(name, args, kwargs)
        for tensor in tensors_of((result,), {}):
            # A function of the library's may hand on what public calls within it have made.
            made = next((e for e in reversed(self.events) if any(_same(t, tensor) for t in e.outputs)), None)
            if made is not None:
                event.inputs.append((made.outputs[0], made))
        self._ended(event, result)

    def made_leaf(self, data: Any, leaf: Any) -> None:
        """Write down that a result became a new leaf."""
        event = self._begun("Parameter", (data,), {})
        self._ended(event, leaf)
        event.kept = False
        event.frames = frames_from(sys._getframe(1))

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Do a call and write it down."""
        kwargs = kwargs or {}
        event = self._begun(getattr(function, "__name__", ""), args, kwargs)
        event.function = function
        result = function(*args, **kwargs)
        if not looking.get() and self.on and event.entry not in DIFFERENTIATING:
            self._ended(event, result)
        return result

    def _watched(self, name: str, held: Any) -> Any:
        if isinstance(held, property):

            def getter(tensor: Any) -> Any:
                event = self._begun(name, (tensor,), {})
                event.function = held.__get__
                result = held.__get__(tensor)
                if not looking.get():
                    self._ended(event, result)
                return result

            def setter(tensor: Any, value: Any) -> None:
                event = self._begun(name, (value,), {})
                held.__set__(tensor, value)
                if not looking.get() and not _own_use(event):
                    self._ended(event, None)
                    event.outputs = [tensor]
                    event.kept = False
                    self._makers[id(tensor)] = event

            return property(getter, setter, held.fdel, held.__doc__)

        def method(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if self._within:
                return held(tensor, *args, **kwargs)
            event = self._begun(name, (tensor, *args), kwargs)
            event.function = held
            self._within = True
            try:
                result = held(tensor, *args, **kwargs)
            finally:
                self._within = False
            if not looking.get() and not _own_use(event):
                self._ended(event, result)
            return result

        return method

    def _begun(self, name: str, args: Any, kwargs: Any) -> Event:
        event = Event(name, args, kwargs, self._module())
        makers = self._makers
        for tensor in tensors_of(args, kwargs):
            event.inputs.append((tensor, makers.get(id(tensor))))
            event.wanted = event.wanted or tensor._node is not None
        event.recording = modes().grad
        inner = frame = sys._getframe(2)
        while is_foreign(frame.f_code.co_filename) and frame.f_back is not None:
            if not frame.f_code.co_filename.startswith(_HERE):  # what looks on was not called by the program
                inner = frame
            frame = frame.f_back
        event.entry = inner.f_code.co_name
        event.frames.append((frame.f_code, frame.f_lasti))
        return event

    def _ended(self, event: Event, result: Any) -> None:
        outputs = list(tensors_of((result,), {}))
        if result is None and event.inputs and (event.name == "__setitem__" or event.name.endswith("_")):
            outputs = [event.inputs[0][0]]
        event.outputs = outputs
        given = [tensor for tensor, _ in event.inputs]
        # A leaf that the call made has no history, though it requires grad: `tensor(x, requires_grad=True)`.
        event.kept = any(
            t._node is not None and (t._node is not LEAF or any(t is x for x in given)) for t in outputs
        )
        if event.lost():
            event.frames = frames_from(sys._getframe(1))
        for tensor in statistics_of(event):
            self._makers[id(tensor)] = event
        for tensor in outputs:
            self._makers[id(tensor)] = event
            if (node := node_of(tensor)) is not None:
                self._by_node[id(node)] = event
        self.events.append(event)
        if len(self.events) > MOST_EVENTS:
            self._forget(-1)
        for listener in self.listeners:
            listener(event)


def _own_use(event: Event) -> bool:
    """Return whether the library called by itself, not the program: printing a tensor, an optimizer."""
    return event.entry in ("__repr__", "__format__", "__str__", "step", "zero_grad", "train")


def statistics_of(event: Event) -> list[Any]:
    """Return the running statistics that a call of batch norm writes."""
    if event.name != "batch_norm" or not event.argument(5, "training", False):
        return []
    given = event.argument(1, "running_mean"), event.argument(2, "running_var")
    return [tensor for tensor in given if isinstance(tensor, TensorBase)]


def _same(first: Any, second: Any) -> bool:
    return first is second or first._value is second._value


def is_foreign(file: str) -> bool:
    """Return whether a file is no part of the program: pullback's, or Python's own library."""
    return own_file[file] or file.startswith("<frozen ") or (
        file.startswith(_PYTHON) and "site-packages" not in file
    )  # fmt: skip


def frames_from(frame: FrameType | None) -> list[tuple[CodeType, int]]:
    """Return the program's frames from one outward."""
    found: list[tuple[CodeType, int]] = []
    while frame is not None and len(found) < MOST_FRAMES:
        if not is_foreign(frame.f_code.co_filename):
            found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return found


def behind(
    event: Event | None, most: int = MOST_CALLS, follows: Callable[[Event, Any], bool] = lambda e, t: True
) -> Iterator[Event]:
    """Yield a call and those on the way to it, up to weights and data; `follows` says past which inputs."""
    seen: set[Event] = set()
    waiting = [] if event is None else [event]
    while waiting and len(seen) < most:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            yield current
            waiting += [
                maker for tensor, maker in current.inputs
                if maker is not None and tensor._node is not LEAF and follows(current, tensor)
            ]  # fmt: skip


def tensors_of(args: Any, kwargs: Any, depth: int = 3) -> Iterator[Any]:
    """Return tensors in arguments, also within lists, tuples and dicts."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, TensorBase):
            yield value
        elif depth and isinstance(value, (list, tuple)):
            yield from tensors_of(value, {}, depth - 1)
        elif depth and type(value) is dict:
            yield from tensors_of((), value, depth - 1)
