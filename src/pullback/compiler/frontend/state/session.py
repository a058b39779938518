"""See what one trace does to Python's state, with the numbers and generators that it makes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ....core.modes import modes
from ....core.value import TensorBase, wrap
from ..unsupported import user_line
from .deferred import Deferred, GivenArray, Item, Memory, Number, formula
from .effects import copied, name_of
from .exchanged import is_plain
from .guards import Guard, answer
from .writes import Writes

if TYPE_CHECKING:
    from ..cells import Cells
    from .knowledge import Knowledge

#: The session whose trace runs in this thread.
current: ContextVar[Session] = ContextVar("pullback_frontend")

#: Numbers of tensors that a program may depend on, and how many it may where they cost little.
ASKED, ASKED_CHEAPLY = 32, 256
#: Elements that may be computed for the numbers so that they cost little, an equation counted as more: half a
#: second. Conjugate gradients that stop when the residual is small ask 60 times, of 3,000 equations in all.
CHEAP, EQUATION = 2**28, 4096

class Session(Writes):
    """The reads, writes and numbers of one trace.

    Parameters
    ----------
    cells : Cells
        The tensors that the trace comes upon.
    present : callable
        Returns the numbers of a traced tensor in the call that is traced, as an array.
    """

    def __init__(
        self, cells: Cells, present: Callable[[Any], Any], knowledge: Knowledge, first: Any,
        turning: frozenset[str],
    ) -> None:  # fmt: skip
        super().__init__(cells, knowledge)
        self.present = present
        #: Traced tensors that are parts of the program, by the number of the value.
        self._fixed: dict[int, Any] = {}
        self.first = first
        self.turning = turning
        self.dials: list[Any] = []
        #: Tensors that stand for numbers which each call works out, by the number and the dtype.
        self._numbers: dict[Any, Any] = {}
        #: Leaves whose gradients the program reduces over processes, by identity.
        self.reduced: dict[int, Any] = {}
        #: By identity, tensors that are copied together, which share no memory in any call.
        self.copied: set[int] = set()
        #: The reductions of which the function has done the forward part.
        self.passes: list[Any] = []
        #: The work done for numbers of traced tensors.
        self.evaluated = 0
        #: Tensors whose gradients were looked for, by identity.
        self.asked_grads: set[int] = set()
        #: The numbers, by their places in `late`, that the program itself compares.
        self.required: set[int] = set()
        self._generators: WeakSet[Any] = WeakSet()
        #: Where torch's generators stood before the function was given them.
        self.streams: dict[Any, Any] = {}
        #: Readings of clocks, in order, and what holds those of a call.
        self.clocks: list[Any] = []
        self.readings: Any = None
        #: Numbers drawn from generators that are no tensors', if there are any.
        self.draws: Any = None
        #: The tensors that have the memory of arrays that were drawn, and which part it is, by identity.
        self.arrays: dict[int, Any] = {}

    def may_ask(self, share: float = 0.5) -> bool:
        """Return whether less than a share of the numbers is asked that a program may depend on."""
        most = ASKED_CHEAPLY if self.evaluated < CHEAP else ASKED
        return self.knowledge.speculates and len(self.late) < most * share

    def speculate(self, value: Deferred) -> Any:
        """Return a number as it is in this call; each call compares it before it changes anything."""
        if not self.may_ask(1.0):
            raise self.refusal("the numbers of a traced tensor decide what happens next")
        from .number_inputs import requires

        found = value.present()
        if requires(value, found):
            self.required.add(len(self.late))
        self.late.append((value, found))
        self.asked.append(user_line())
        return found

    def size(self, value: Deferred) -> int:
        """Return how many elements a selection has, in this call, as `speculate`."""
        found = int(self.speculate(value))
        if not self.knowledge.recurs(len(self.late), found):
            raise self.refusal("how many elements are selected is another number in each call")
        return found

    def fixed(self, t: Any) -> Any:
        """Return a traced tensor as it is in this call; each call compares its elements, as `speculate`."""
        number = t._value.index
        if number not in self._fixed:
            found = wrap(self.present(t).copy())
            self.speculate(Item(self, bool, (t == found).all(), bool))
            if not self.knowledge.recurs(len(self.late), found._value.tobytes()):
                raise self.refusal("the elements that decide what happens next are others in each call")
            self._fixed[number] = found
        return self._fixed[number]

    def ask(self, f: Any, *args: Any) -> Any:
        """Return what a function without effects answers, which each call asks again."""
        found = f(*args)
        self.note(Guard(answer, f, args, found), (id(f), "answer", *args))
        return found

    def number(self, value: Deferred, dtype: Any) -> Any:
        """Return a tensor for a number that each call works out before its program; None if none can be."""
        if modes().saved_hooks:
            # Nodes save a number as it is; hooks would be given the tensor, and work it out again.
            return None
        key = (formula(value), dtype)
        known = self._numbers.get(key)
        if known is None:
            made = (Memory if isinstance(value, GivenArray) else Number)(value, dtype)
            known = made.traced()
            if known is None:
                return None
            self._numbers[key] = known
            self._keep.append(value)
            self.cells.meet(known, made)
        return known

    def could_tell(self, results: Iterable[Any]) -> bool:
        """Return whether a copy for a view (`Recorder.pick`) was written to, or given out beside its base."""
        kept = {id(t._counter) for t in results if isinstance(t, TensorBase)}
        held = {id(t._counter) for t in self.cells.tensors}
        held |= {id(t._counter) for memory in self.cells.recorder.shared for t in memory.held()} | kept
        return self.cells.recorder.picks.could_tell(kept, held)

    def dial(self, container: dict[str, Any], key: str, kind: Any) -> Any:
        """Make an option of an optimizer a number of the program; return what stands for it."""
        name = (id(container), "dial", key)
        known = self._noted.get(name)
        if known is None:
            self.knowledge.dials = True
            known = kind(container, key, container[key])
            self.note(known, name)
            self.dials.append(known)
            self.cells.meet(known.cell, None)
        return known

    def stream(self, generator: Any) -> Any:
        """Return a generator of torch's, having noted where it stands."""
        self.streams.setdefault(generator, generator.get_state())
        return generator

    def generator(self, made: object) -> None:
        """Note a generator that runs rewritten code."""
        self.fresh.add(id(made))
        self._generators.add(made)

    def close(self) -> None:
        """Close the generators left in the middle: what they do then might not come at its moment."""
        for each in list(self._generators):
            if each.gi_frame is None or not each.gi_suspended:
                continue
            before = len(self.effects), len(self.guards)
            try:
                each.close()
            except Exception as error:  # noqa: BLE001  # whatever it is, eager will raise it
                self.refusal(f"a generator that is left in the middle raises {type(error).__name__}")
            if before != (len(self.effects), len(self.guards)):
                self.refusal("a generator is left in the middle")

    def _moved(self) -> Iterator[tuple[Any, Any]]:
        """Yield the places of lists and deques changed as a whole, as full queues, and what is there now."""
        for container in self._keep:
            if id(container) in self._entry and isinstance(container, (list, deque)):
                for n, value in enumerate(copied(container)):
                    if isinstance(value, TensorBase):
                        yield (id(container), "item", n), value

    def changing(self) -> bool:
        """Note the places that were read and then written to; whether they are news."""
        news = self.exchanged.finish(self.changed(), self.changes_given)
        assigned = [(name, effect.args[-1]) for effect in self.net_effects() if (name := name_of(effect))]
        for name, value in (*assigned, *self._moved()):
            guard = self._noted.get(name)
            if guard is None:
                continue
            kinds = [isinstance(each, TensorBase) or 2 * is_plain(each) for each in (guard.value, value)]
            if kinds in ([1, 1], [2, 2]):
                if name not in self.knowledge.places and guard.value is not value:
                    self.knowledge.places[name] = guard
                    news = True
            elif type(guard.value) in (int, float) and name not in self.knowledge.fixed:
                if name not in self.knowledge.counters:
                    self.knowledge.counters[name] = guard
                    news = True
        return news
