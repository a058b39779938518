"""The program that a trace writes down: equations, the constants that they read, and which tensors share
memory.

A `Recorder` holds one program under construction. Its values are `tracer.Tracer`s, which hand over every op
that runs on them.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np
from numpy import ndarray

from ..array.dtypes import get_default_dtype
from ..array.layout import is_dense
from ..array.named_tuples import NamedTuple
from . import facade
from .blame import user_frame
from .bulk import unwrapped
from .op import TABLE
from .overlap import FULL, PARTIAL
from .picks import Picks
from .recorded_constants import bits_of, kept, same
from .shared_memory import SharedMemory
from .tracer import Tracer, tracing
from .value import TensorBase, array_of, dtype_of, shape_of
from .versions import NoVersions, version_of

if TYPE_CHECKING:
    from .op import Op
    from .traced_calls import Patterns
    from .traced_layout import Layouts


class Reference(NamedTuple):
    """Operand of an equation: value number `index` of the program."""

    index: int  # type: ignore[assignment]  # narrower here than in the base

    def __repr__(self) -> str:
        return f"v{self.index}"


#: The types of operands that are no values of a program.
NUMBERS = (type(None), bool, int, float, complex)
#: In place of the kind of an operand that is neither a value of the program nor a number.
_OTHER = -1
#: Without the function around it that a class of named tuples has, in a third of the time.
_new_tuple = tuple.__new__


class Equation(NamedTuple):
    """``outputs = op(*operands, *attrs)``; an operand is a `Reference`, a Python number or None."""

    op: str
    operands: tuple[Any, ...]
    attrs: tuple[Any, ...]
    outputs: tuple[int, ...]
    several: bool


def read_by(equations: Iterable[Equation]) -> set[int]:
    """Return the numbers of the values that equations read."""
    return {o[0] for e in equations for o in e.operands if type(o) is Reference}


class Recorder:
    """Hold what a trace has written down so far: `shapes` and `dtypes` of every value by number, `equations`,
    and as `constants` values that were arrays when they met a tracer, as they were then.

    `silent` has, by the identity of a version counter, which is kept so that no other one gets it, the
    counter and how many writes it counts of which eager's does not know: those by ``.data`` and of running
    statistics. `refused` is why an op could not be written down; a program that caught the error went on
    without knowing why.
    """

    def __init__(self, level: int) -> None:
        self.level = level
        self.shapes: list[tuple[int, ...]] = []
        self.dtypes: list[np.dtype[Any]] = []
        self.equations: list[Equation] = []
        self.constants: dict[int, ndarray] = {}
        self.shared: list[SharedMemory] = []
        self.silent: dict[int, tuple[list[int], int]] = {}
        #: Version counters of tensors of one memory, which may be gone, by the number of its value.
        self._beside: dict[int, list[list[int]]] = {}
        #: Of each equation, by the number of its first output: the user's instruction, where it is asked for.
        self.places: dict[int, tuple[CodeType, int]] | None = None
        self.refused: BaseException | None = None
        #: Whether tensors with a history that the trace has made become constants when they meet its values,
        #: as outside of a loop's body; those that have, and the numbers of the constants.
        self.lifts = False
        #: Nodes that have saved a tensor whose writes by ops do not count as changes (`saved.renew`), by the
        #: identity of its version counter.
        self.uncounted: dict[int, list[Any]] = {}
        #: Returns a traced integer as it is in the call that is traced: a size, which is then a part of the
        #: program; None where that cannot be.
        self.size: Callable[[Any], int] | None = None
        #: The same of a whole number or truth value that code of this package asks a tensor for.
        self.number: Callable[[Any], int] | None = None
        #: Told from which nodes a pass of backward begins that asks for some places only, and for which.
        self.pulls: Callable[[Iterable[Any], Iterable[Any]], None] | None = None
        #: Takes a tensor and the one whose data it is given, where each call can do so; tensors that were.
        self.gives: Callable[[Any, Any], bool] | None = None
        self.replaced: list[ref[Any]] = []
        #: Returns whether what a leaf has for a gradient stands for one that is absent in each call.
        self.absent: Callable[[Any], bool] | None = None
        #: Arrays that are no tensors', whose memory tensors may have.
        self.lent: list[ndarray] = []
        #: Copies that stand for views.
        self.picks = Picks()
        self.lifted: list[tuple[ndarray, int]] = []
        #: The random draws so far, and those that are next while a stretch runs a second time, if one does.
        self.draws: list[Equation] = []
        self._again: list[Equation] | None = None
        #: By the number of a value, the equation that makes it.
        self.makers: dict[int, Equation] = {}
        self._constant_of: dict[int, tuple[ndarray, int]] = {}
        self._constant_like: dict[tuple[Any, ...], int] = {}
        #: Shapes and dtypes that came up, by number; the number of each value's; what ops made of them.
        self._kinds: dict[tuple[tuple[int, ...], np.dtype[Any]], int] = {}
        self._pairs: list[tuple[tuple[int, ...], np.dtype[Any]]] = []
        self._kind_of: list[int] = []
        #: Returns a number that values of one shape and dtype have in common.
        self.kind_of = self._kind_of.__getitem__
        #: Each value as an operand.
        self.references: list[Reference] = []
        #: Writes down what is like something that it wrote before, where its owner has that done.
        self.patterns: Patterns | None = None
        #: How often it was asked how values would lie in memory.
        self.layouts_asked = 0
        self._results: dict[Any, Any] = {}
        self._layouts: Layouts | None = None
        self._thread = get_ident()

    @property
    def layouts(self) -> Layouts:
        """Return how the values would lie in memory."""
        self.layouts_asked += 1
        if self._layouts is None:
            from .traced_layout import Layouts

            self._layouts = Layouts(self)
        return self._layouts

    @contextmanager
    def repeating(self, start: int) -> Iterator[None]:
        """Let draws be the ones that were written down from number `start` on, for a ``with`` block."""
        before, self._again = self._again, self.draws[start:]
        try:
            with tracing(self):
                yield
        finally:
            self._again = before

    def drawn(self, op: Op, attrs: tuple[object, ...]) -> Equation | None:
        """Return the draw that an op repeats; None where it is a new one."""
        if self._again is None:
            return None
        found = self._again.pop(0) if self._again else None
        if found is None or found.op != op.name or found.attrs != attrs:
            raise self.refuse(RuntimeError("a stretch that runs again draws other random numbers"))
        return found

    def new(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
        """Return a tracer for a new value."""
        pair = tuple(shape), dtype
        if (kind := self._kinds.get(pair)) is None:
            kind = self._kinds[pair] = len(self._pairs)
            self._pairs.append(pair)
        return Tracer(self, self.new_of(kind).index)

    def new_of(self, kind: int) -> Reference:
        """Return a new value of a shape and dtype that came up before (see `kind_of`)."""
        shape, dtype = self._pairs[kind]
        self.shapes.append(shape)
        self.dtypes.append(dtype)
        self._kind_of.append(kind)
        references = self.references
        made = _new_tuple(Reference, (len(references),))
        references.append(made)
        return made

    def results(self, op: Op, kinds: Sequence[Any], seen: Sequence[object], attrs: tuple[object, ...]) -> Any:
        """Return (shape, dtype) of each result of an op on what its shape rule sees (see `operand`).

        `kinds` are the operands' (see `kind_of`), of numbers their types and themselves, `_OTHER` of others.
        """
        if op.shape is not None or _OTHER in kinds:
            return op.result_shapes(tuple(seen), attrs)
        key = (op, attrs, get_default_dtype(), *kinds)
        if (found := self._results.get(key)) is None:
            found = self._results[key] = op.result_shapes(tuple(seen), attrs)
        return found

    def record(self, op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...]) -> Any:
        """Append an equation and return tracers for its outputs."""
        operands, seen = [], []
        kinds: list[Any] = []
        for v in inputs:
            if type(v) is Tracer and v.recorder is self:
                held: Any = self.references[v.index]
                shown = v
            else:
                held, shown = self.operand(v)
            operands.append(held)
            seen.append(shown)
            if type(held) is Reference:
                kinds.append(self._kind_of[held.index])
            else:
                kinds.append((type(held), held) if type(held) in NUMBERS else _OTHER)
        if op.in_order and op.is_view:
            self.layouts.check(op, operands[0].index, attrs)
        if op.draws and (known := self.drawn(op, attrs)) is not None:
            return Tracer(self, known.outputs[0])
        try:
            results = self.results(op, kinds, seen, attrs)
        except RuntimeError as error:
            if "depends on the data" in str(error):
                self.refuse(error)
            raise
        outputs = [self.new(shape, dtype) for shape, dtype in results]
        several = op.many or len(op.outputs) > 1
        if self.places is not None:
            frame = user_frame(sys._getframe(2))
            self.places[outputs[0].index] = (frame.f_code, frame.f_lasti)
        numbers = tuple([o.index for o in outputs])
        equation = _new_tuple(Equation, (op.name, tuple(operands), attrs, numbers, several))
        self.equations.append(equation)
        if op.draws:
            self.draws.append(equation)
        for number in numbers:
            self.makers[number] = equation
        return tuple(outputs) if several else outputs[0]

    def operand(self, value: object) -> tuple[Any, Any]:
        """Return (what the equation holds, what the shape rule sees) for an input of an op."""
        if isinstance(value, Tracer):
            if value.recorder is not self:
                raise RuntimeError("a value of one trace was used in another")
            return self.references[value.index], value
        if isinstance(value, TensorBase):
            value = array_of(value)
        value = unwrapped(value)
        if isinstance(value, (ndarray, np.generic)):
            array = np.asarray(value)
            known = self._constant_of.get(id(array))
            # The function may write to the array later, or may have since it met a tracer first.
            if known is None or not same(self.constants[known[1]], array):
                self._constant_of[id(array)] = known = (array, self._constant(array))
            return Reference(known[1]), array
        plain: Any
        for plain in (int, float):
            if isinstance(value, plain) and type(value) not in NUMBERS:
                # A member of an enumeration, say: the program has the number alone.
                value = plain.__pos__(value)
        return value, value

    def _constant(self, array: ndarray) -> int:
        """Return the number of a new constant, or of one with the same numbers: what a step makes anew in
        each repetition is one constant, so that the repetitions are the same equations.
        """
        if (key := bits_of(array)) is not None and key in self._constant_like:
            return self._constant_like[key]
        number = self._new_constant(array)
        if key is not None:
            self._constant_like[key] = number
        return number

    def _new_constant(self, array: ndarray) -> int:
        number = self.new(array.shape, array.dtype).index
        self.constants[number] = kept(array)
        if not array.flags.forc and not is_dense(array):
            self.layouts.spread(number, array)
        return number

    def numbers_of(self, index: int) -> ndarray:
        """Refuse to say what a value's numbers are: they are known when the program runs."""
        error = RuntimeError("a traced value has no data: its numbers are known only when the program runs")
        error.add_note(
            "item(), numpy(), bool() and Python control flow on a traced tensor cannot be written down."
        )
        raise self.refuse(error)

    def lift(self, t: Any) -> None:
        """Make a tensor with a history a constant of the program, so that traced values have one, too."""
        # Two that are alike are two values still, each with a history of its own.
        number = self._new_constant(np.asarray(t._value))
        self.lifted.append((t._value, number))
        t._value = Tracer(self, number)
        t._level = self.level

    def check_lifted(self) -> None:
        """Refuse where a view was written to whose base has become a constant before."""
        if not all(same(self.constants[number], np.asarray(array)) for array, number in self.lifted):
            self.refuse(RuntimeError("the function writes to a view of a tensor that it makes"))

    def refuse(self, error: BaseException) -> BaseException:
        """Remember that an op could not be written down; return the error."""
        if self.refused is None:
            self.refused = error
        return error

    def written(self, x: Any, new: Tracer) -> Tracer:
        """Return what a tensor holds after a write, given what is written.

        A value that is another tensor's, too, is copied, lest they seem to share memory.
        """
        last = self.equations[-1] if self.equations else None
        if last is None or new.index not in last.outputs or TABLE[last.op].is_view:
            new = facade.clone(new)
        self.picks.before_write(x)
        self._tell_saved(x)
        before = x._value
        if type(before) is ndarray and any(np.may_share_memory(before, array) for array in self.lent):
            self.refuse(RuntimeError("the function writes to a tensor that shares the memory of an array"))
        # Tensors of one memory have one counter, or one is what `detach` gave; no more is known of them.
        if type(x._counter) is NoVersions and (
            sys.getrefcount(x._counter) > 2 or any(t._inference for m in self.shared for t in m.held())
        ):
            self.refuse(RuntimeError("the function writes to an inference tensor that has views"))
        self.layouts.written(before, new.index)
        return new

    def pick(self, copy: object, source: Any, key: object = None) -> Any:
        """Note, and return, a copy that stands for a view of a tensor, or for itself."""
        if not self.picks.allowed or source._inference:
            self.refuse(RuntimeError("the function can tell that a tensor shares no memory with another one"))
        self.picks.note(copy, source, key)
        return copy

    def wrote_last(self, t: Any) -> bool:
        """Return whether the last equation gave a tensor its value, but for views, which read no elements."""
        owner = t if t._view is None else t._view.base
        for equation in reversed(self.equations):
            if owner._value.index in equation.outputs or not TABLE[equation.op].is_view:
                return owner._value.index in equation.outputs
        return False

    def share(self, source: Any, tensor: Any, how: str) -> None:
        """Note that `tensor` is what ``source.detach()`` or ``source.data`` gave.

        What other threads do meanwhile is not part of the trace.
        """
        if get_ident() != self._thread:
            return
        owner = source if source._view is None else source._view.base
        self.shared = [memory for memory in self.shared if len(memory.held()) > 1]
        memory = next((m for m in self.shared if any(t is owner for t in m.held())), None)
        if memory is None:
            memory = SharedMemory(owner)
            self.shared.append(memory)
        memory.add(tensor, source, how)
        if how != "detach":
            for number in {t._value.index for t in (source, owner) if isinstance(t._value, Tracer)}:
                self._beside.setdefault(number, []).extend((source._counter, tensor._counter))

    def _tell_saved(self, written: Any) -> None:
        """Count a write for what was saved of tensors of the same memory that are gone."""
        owner = written if written._view is None else written._view.base
        counters = self._beside.pop(getattr(owner._value, "index", -1), None)
        held = {id(t._counter) for t in self.beside(written)} if counters else set()
        for counter in {id(c): c for c in counters or () if id(c) not in held}.values():
            if type(counter) is not NoVersions:
                counter[0] += 1

    def is_same(self, tensor: Any, other: Any) -> bool:
        """Return whether another tensor is all of a tensor's memory and lies in it alike: ``t.data -= d``
        gives `t` what ``t.data`` was.
        """
        if other._value is not tensor._value or any(t._view or t._rearranged for t in (tensor, other)):
            return False
        return any(memory.holds(tensor, other) for memory in self.shared if memory.whole)

    def beside(self, tensor: Any) -> list[Any]:
        """Return a tensor, that of which it is a view, and what shares their memory otherwise."""
        owner = tensor if tensor._view is None else tensor._view.base
        found = [tensor, owner]
        for memory in self.shared:
            held = memory.held()
            if any(t is owner or t is tensor for t in held):
                found += (t if t._view is None else t._view.base for t in held)
        return found

    def sharing(self, written: Any) -> list[Any]:
        """Return the other tensors that get what is written to a tensor, because they share its memory.

        A write is refused where that is not plain: the values of the others would not be known to change.
        """
        owner = written if written._view is None else written._view.base
        given = [t for at in self.replaced if (t := at()) is not None]
        for memory in self.shared:
            if len(held := memory.held()) > 1 and any(t is owner for t in held):
                kinds = {(tuple(shape_of(t)), dtype_of(t)) for t in held}
                plain = memory.whole and len(kinds) == 1 and not any(t is g for t in held for g in given)
                if not plain or any(t._view is not None or t._rearranged for t in held):
                    raise self.refuse(
                        RuntimeError("the function writes to memory that a detached tensor shares")
                    )
                return [t for t in held if t is not owner]
        if any(owner is t for t in given):
            raise self.refuse(RuntimeError("the function writes to a tensor that it has given other data"))
        return []

    def is_shared(self, tensor: object, other: object) -> bool:
        """Return whether two tensors have one memory, so that one gets what is written to the other."""
        return any(t is other for t in self.sharing(tensor))

    def tell_sharing(self, written: Any, sharing: Iterable[Any]) -> None:
        """Give the tensors that share a tensor's memory what was written to it, or to a view of it.

        One with versions of its own counts the write, too: what was saved of it cannot be had any more, and
        its views follow the version.
        """
        owner = written if written._view is None else written._view.base
        for t in sharing:
            t._value, t._level = owner._value, owner._level
            if t._counter is not owner._counter and type(t._counter) is not NoVersions:
                t._counter[0] += 1
                self.uncount(t)

    def uncount(self, t: Any) -> None:
        """Note that a write that a tensor's version counts is one that eager's does not."""
        self.silent[id(t._counter)] = (t._counter, self._unknown_to_eager(t) + 1)

    def times_written(self, t: object) -> int:
        """Return how often a tensor was written to, as its version counts in eager."""
        return int(version_of(t)) - self._unknown_to_eager(t)

    def _unknown_to_eager(self, t: Any) -> int:
        known = self.silent.get(id(t._counter))
        return 0 if known is None else known[1]

    def check_apart(self, written: Any, overlap: bool, operands: Iterable[Any], apart: bool = False) -> None:
        """Refuse an update in place whose elements, or whose operands' elements, share memory where eager
        does not allow it. What it allows, as a view written onto itself, reads all before it writes; where
        operands must lie `apart`, that is not allowed, either.
        """
        view = written._view
        owner = written if view is None else view.base
        if not overlap and view is not None and any(step[0].overlaps for step in view.steps):
            self.refuse(RuntimeError("the function writes to elements that share memory"))
        for operand in operands:
            if isinstance(operand, TensorBase) and (apart or operand is not written):
                read = operand if operand._view is None else operand._view.base
                if read is not owner and not any(memory.holds(read, owner) for memory in self.shared):
                    continue
                found = self.layouts.overlap(owner, written, operand)
                if found == PARTIAL or (apart and found == FULL):
                    self.refuse(RuntimeError("the function writes to memory that it reads in the same op"))
