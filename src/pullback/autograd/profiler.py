"""torch.autograd.profiler: how often each function is called, and how long it takes.

While a profile runs, every call of a public function is an event named as in torch's dispatcher
(``aten::linear``), and every node that is pulled back is one with the node's name. A function's work is not
taken apart any further: what it is made of inside differs from torch. Memory, stacks and flops are not
recorded. Without a profile nothing is measured and a call costs what it always does.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable
from time import perf_counter_ns
from typing import Any, TypeVar, cast

from ..core.modes import change, modes
from ..core.value import TensorBase, dtype_of, shape_of
from ..tensor.interception import activate, deactivate
from ..torch_names.absent_devices import uninstantiable
from .profiler_util import EventList, FunctionEvent, FunctionEventAvg, nested

F = TypeVar("F", bound=Callable[..., Any])


class Recorder:
    """Take down events as they begin and end; what `Modes.watcher` holds."""

    def __init__(self, record_shapes: bool) -> None:
        self.record_shapes = record_shapes
        self.began = perf_counter_ns()
        self.rows: list[list[Any]] = []
        self.open: list[int] = []

    def enter(self, name: str, args: tuple[object, ...] = (), user: bool = False) -> int:
        """Begin an event and return its position."""
        shapes = [_shape(a) for a in args] if self.record_shapes else []
        position = len(self.rows)
        parent = self.open[-1] if self.open else -1
        self.rows.append([name, perf_counter_ns(), 0, shapes, user, parent, threading.get_ident(), False])
        self.open.append(position)
        return position

    def beside(self, name: str, tensors: Iterable[object]) -> Callable[[], None]:
        """Begin an event that goes on while others begin and end; return what ends it."""
        shapes = []
        for one in tensors if self.record_shapes else ():
            # a complex tensor travels as pairs
            shapes.append([*shape_of(one), 2] if dtype_of(one).kind == "c" else list(shape_of(one)))
        row = [name, perf_counter_ns(), 0, shapes, False, -1, threading.get_ident(), True]
        self.rows.append(row)

        def end() -> None:
            row[2] = perf_counter_ns()

        return end

    def leave(self, position: int) -> None:
        """End it, and what was left open within it."""
        now = perf_counter_ns()
        while self.open and self.open[-1] >= position:
            self.rows[self.open.pop()][2] = now

    def __call__(
        self, label: str, function: Callable[..., Any], args: tuple[object, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call a public function as an event."""
        position = self.enter("aten::" + label, args)
        try:
            return function(*args, **kwargs)
        finally:
            self.leave(position)

    def events(self) -> EventList:
        """Return the recorded events."""
        now = perf_counter_ns()
        made = []
        for number, (name, start, end, shapes, user, _, thread, beside) in enumerate(self.rows):
            span = ((start - self.began) / 1e3, ((end or now) - self.began) / 1e3)
            made.append(FunctionEvent(number + 1, name, *span, thread, shapes, user))
            made[-1].is_async = beside
        return nested(made, [row[5] for row in self.rows])


def _shape(value: object) -> list[Any]:
    if isinstance(value, TensorBase):
        return list(shape_of(value))
    if isinstance(value, (list, tuple)) and any(isinstance(v, TensorBase) for v in value):
        return [_shape(v) for v in value]
    return []


class record_function:
    """A ``with`` block, or a decorated function, that is an event of the program's own.

    Parameters
    ----------
    name : str
    args : str, optional
        Taken for torch's sake.
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args
        self._open: list[tuple[Any, int]] = []

    def __enter__(self) -> record_function:
        recorder = modes().watcher
        self._open.append((recorder, -1 if recorder is None else recorder.enter(self.name, user=True)))
        return self

    def __exit__(self, *_: object) -> None:
        recorder, position = self._open.pop()
        if recorder is not None:
            recorder.leave(position)

    def __call__(self, function: F) -> F:
        @functools.wraps(function)
        def decorated(*args: object, **kwargs: object) -> Any:
            with record_function(self.name, self.args):
                return function(*args, **kwargs)

        return cast("F", decorated)


class profile:
    """A ``with`` block whose calls are recorded.

    Parameters
    ----------
    enabled : bool
        Whether anything is recorded.
    record_shapes : bool
        Whether the shapes of arguments are.
    use_device, use_cuda, with_flops, profile_memory, with_stack, with_modules, use_kineto, use_cpu
        Taken for torch's sake.
    """

    def __init__(
        self, enabled: bool = True, *, use_cuda: bool = False, use_device: str | None = None,
        record_shapes: bool = False, with_flops: bool = False, profile_memory: bool = False,
        with_stack: bool = False, with_modules: bool = False, use_kineto: bool = False, use_cpu: bool = True,
        **_: object,
    ) -> None:
        self.enabled = enabled
        self.record_shapes = record_shapes
        self.entered = False
        self.function_events: EventList | None = None
        self._recorder: Recorder | None = None
        self._before: Any = None

    def __enter__(self) -> Any:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self._recorder = Recorder(self.record_shapes)
        activate()
        self._before = change(watcher=self._recorder).watcher
        return self

    def __exit__(self, *_: object) -> None:
        if self.enabled and self._recorder is not None:
            change(watcher=self._before)
            deactivate()
            self.function_events = self._recorder.events()
            self._recorder = None

    def _events(self) -> EventList:
        if self.function_events is None:
            if self._recorder is not None:
                return self._recorder.events()
            raise RuntimeError("Profiler didn't finish running")
        return self.function_events

    def __repr__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self.function_events is None else str(self._events())

    __str__ = __repr__

    def table(self, *args: Any, **kwargs: Any) -> str:
        """Return the events as a table; see `EventList.table`."""
        return self._events().table(*args, **kwargs)

    def export_chrome_trace(self, path: str) -> None:
        """Write the events as a trace that chrome://tracing and Perfetto show."""
        self._events().export_chrome_trace(path)

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Return one average for each name; see `EventList.key_averages`."""
        return self._events().key_averages(group_by_input_shape)

    def total_average(self) -> FunctionEventAvg:
        """Return the average of all events."""
        return self._events().total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """Return the time of all events, those within others counted once, in microseconds."""
        return self._events().self_cpu_time_total


#: What marks ranges for the profilers of vendors.
globals().update(
    uninstantiable(
        ["emit_nvtx", "emit_itt"], "torch.autograd.profiler",
        "{} needs the profiler of a device, which is not there."
    )
)

__all__ = [
    "EventList", "FunctionEvent", "FunctionEventAvg",
    "emit_itt", "emit_nvtx",  # noqa: F822  # made above
    "profile", "record_function",
]  # fmt: skip
