"""Run one trace of a function, compiled: see whether it fits a call, and do to tensors what the call does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray
from numpy.lib.array_utils import byte_bounds

from ...array import dtypes
from ...core.accumulation import conforming
from ...core.blame import freed_by_caller, written_again
from ...core.calls import edge_of
from ...core.modes import modes
from ...core.node import LEAF, Output
from ...core.overlap import takes_writes
from ...core.value import TensorBase, settled, wrap
from ...core.versions import NoVersions, bump
from ...core.views import bring_up_to_date
from ..frontend.captured import Captured, rebuilt
from ..frontend.results import Made, counter
from ..frontend.state.deferred import GivenArray
from ..frontend.state.guards import SCALARS, dict_of, is_same
from ..frontend.state.recorded_warnings import WarnAgain
from ..passes.missing_covectors import without
from ..passes.pipeline import optimized
from . import specialised_call
from .boundary import boundary, refusal
from .executable import Executable
from .guards import Watch, overlap
from .object_layout import layout
from .specialised_source import MISS

if TYPE_CHECKING:
    from ..inspection.checking import Check

#: Guards that are asked one by one.
_FEW_GUARDS = 16


class Specialization:
    """One trace of a function, compiled."""

    def __init__(self, captured: Captured, leaves: Sequence[Any], spec: Any) -> None:
        self.captured = captured
        captured.program = optimized(captured.program)
        captured.program.strides = captured.strides
        if captured.pullback is not None:
            captured.pullback = optimized(captured.pullback)
        self.forward = Executable(captured.program, captured.writes)
        self.pullback = None if captured.pullback is None else Executable(captured.pullback)
        #: Pullbacks of covectors of which some do not arrive, by which.
        self._partial: dict[tuple[int, ...], tuple[Executable, list[int | None]]] = {}
        self._pull: Any = None
        if self.pullback is not None:
            self._pull = specialised_call.backward(self.pullback, self._pull_slowly)
        if captured.later:
            self._pull = self._unless_changed(self._pull)
        self.shortcut = specialised_call.forward(
            captured, self.forward, leaves, spec, self.tensors(leaves), modes(), self._pull
        )
        if self.shortcut is not None and captured.draws is not None:
            self.shortcut = self._drawing(self.shortcut)
        self._checks: list[Check | None] = [None, None]
        if captured.places is not None:
            # The short way compares nothing.
            self.shortcut, self._pull = None, self._pull_slowly
            from ..inspection.checking import Check

            programs = (captured.program, captured.pullback)
            self._checks = [None if p is None else Check(p, captured.places) for p in programs]
        self._spec = spec
        self._kinds = list(kinds_of(leaves, captured.varying))
        #: A tensor that the function closes over and gets as an argument, too, is another program's.
        self._fixed = set(map(id, captured.met))
        #: What the program has read of the user's state.
        self._read = {id(guard.container) for guard in captured.guards}
        self._places = any(cell.kind == "place" for cell in captured.cells)
        #: Arguments that are told by their identity must not be freed, lest another object have it.
        self._held = list(leaves)
        self._watch: Watch | None = None
        #: The guard that did not hold when all were asked: it will mostly not hold again.
        self._failed: Any = None
        self._mode = modes()
        self._default = dtypes.get_default_dtype()
        self._cells = [
            None if cell.kind == "argument"
            else (type(t), t._value.shape, t._value.dtype, _history(t), _layout(t._value))
            for cell, t in zip(captured.cells, self.tensors(leaves), strict=True)
        ]
        self.put_back()

    def fits(self, leaves: Sequence[Any], spec: object, nodes: Sequence[Any]) -> bool:
        """Return whether the call's arguments and everything else are as at the trace."""
        if modes() != self._mode or spec != self._spec or dtypes.get_default_dtype() is not self._default:
            return False
        # The first that is another one decides: a batch is a list of hundreds, and programs are eight.
        if len(leaves) != len(self._kinds) or not all(
            a == b and (len(a) != 2 or is_same(a[1], b[1]))  # of numbers, signs of zero count, too
            for a, b in zip(kinds_of(leaves, self.captured.varying), self._kinds, strict=True)
        ):  # fmt: skip
            return False
        if any(id(leaf) in self._fixed for leaf in leaves):
            return False
        if self.captured.elsewhere and any(id(node) in self.captured.elsewhere for node in nodes):
            return False
        self.captured.numbers.values = {n: leaves[n] for n in self.captured.varying}
        if self.captured.holds_given:
            self.captured.numbers.containers = nodes
            if self.captured.changes_given and not self._are_apart(nodes):
                return False
        if self.captured.alike:
            arguments = _tensors(leaves)
            if any(arguments[n] is not t for n, t in self.captured.alike.items()):
                return False
        if self._holds() and self._cells_fit(leaves):
            return True
        self.put_back()
        return False

    def _drawing(self, shortcut: Callable[..., Any]) -> Callable[..., Any]:
        """Return the short way of a call that draws numbers, which go back if it does not reach its end."""

        def drawing(args: object, kwargs: object) -> Any:
            found = MISS
            try:
                found = shortcut(args, kwargs)
            finally:
                if found is MISS:
                    self.put_back()
            return found

        return drawing

    def put_back(self) -> None:
        """Put generators back from which numbers were drawn for a call that this does not do."""
        if self.captured.draws is not None:
            self.captured.draws.put_back()

    def _are_apart(self, nodes: Sequence[Any]) -> bool:
        """Return whether containers that the call changes are not seen otherwise than by their places."""
        changed = [id(node) for node in nodes if not isinstance(node, tuple)]
        return len(set(changed)) == len(changed) and self._read.isdisjoint(changed)

    def differing(self, leaves: Sequence[Any], spec: object) -> set[int]:
        """Return the places among the arguments of numbers and texts that are others than at the trace."""
        if spec != self._spec or len(leaves) != len(self._kinds):
            return set()
        return {
            n for n, (leaf, kind) in enumerate(zip(leaves, self._kinds, strict=True))
            if type(leaf) in (int, float, str) and kind[0] is type(leaf) and not is_same(leaf, kind[1])
        }  # fmt: skip

    def exchanged(self, leaves: Sequence[Any], spec: object) -> Iterator[tuple[Any, Any]]:
        """Yield the arguments that are other objects than at the trace, after those of the trace."""
        if spec == self._spec:
            for leaf, held in zip(leaves, self._held, strict=True):
                if leaf is not held and type(leaf) is type(held):
                    yield held, leaf

    def _holds(self) -> bool:
        """Return whether what the function read of Python's state is as at the trace."""
        if self._watch is not None:
            return self._watch.holds()
        if self._failed is not None and not self._failed.holds():
            return False
        guards = self.captured.guards
        where = layout() if len(guards) > _FEW_GUARDS else None
        # The words are read before the guards are asked: what changes after that changes a word.
        watch = None if where is None else Watch(guards, where)
        self._failed = next((guard for guard in guards if not guard.holds()), None)
        if self._failed is not None:
            return False
        self._watch = watch
        return True

    def _cells_fit(self, leaves: Sequence[Any]) -> bool:
        captured = self.captured
        tensors = self.tensors(leaves)
        for t, expected in zip(tensors, self._cells, strict=True):
            if expected is None:
                continue
            value = None if t is None else t._value
            if type(value) is not ndarray:
                return False
            if (type(t), value.shape, value.dtype, _history(t), _layout(value)) != expected:
                return False
        if self._places and len({id(t) for t in tensors}) < len(tensors):
            return False
        if any(tensors[at]._grad is not None for at in captured.grad_absent):
            return False
        if not all(names.isdisjoint(dict_of(tensors[at], None)) for at, names in captured.unset.items()):
            return False
        # What backward inside the function leaves on a leaf goes through its hooks in eager code.
        for at in captured.accumulated:
            hooks = tensors[at]._leaf_hooks
            known, kind = captured.hooked.get(at, (None, None))
            if hooks is not known or (hooks is not None and hooks.on_leaf() != kind):
                return False
        return all(tensors[at]._grad is not None for at in captured.grad_present)

    def tensors(self, leaves: Sequence[Any]) -> list[Any]:
        """Return the tensors of the cells, which no trace of another thread uses."""
        arguments = _tensors(leaves)
        found: list[Any] = []
        waiting = []
        for cell in self.captured.cells:
            if cell.kind == "grad":
                waiting.append(len(found))
                found.append(None)
            else:
                found.append(cell.tensor(arguments, found))
        for at in waiting:
            found[at] = self.captured.cells[at].tensor(arguments, found)
        for t in found:
            if t is not None and type(t._value) is not ndarray:
                settled(t)
        return found

    def overlaps(self, leaves: Sequence[Any]) -> bool:
        """Return whether the call writes to memory of which another tensor that it is given has a part.

        Where tensors are copied together, the same is asked of them.
        """
        written = {at for at, _ in self.captured.writes}.union(self.captured.copied)
        if not written:
            return False
        bounds = (byte_bounds(t._value) for t in self.tensors(leaves))
        return overlap([(*pair, at in written) for at, pair in enumerate(bounds)])

    def takes_writes(self, leaves: Sequence[Any]) -> bool:
        """Return whether what the call writes to can be written, element by element; else eager does it."""
        cells, inference = self.tensors(leaves), modes().inference
        return all(
            takes_writes(cells[at]._value) and (inference or not cells[at]._inference)
            for at, _ in self.captured.writes
        )

    def would_raise(self) -> bool:
        """Return whether a warning of the call is an error now, so that eager code goes no further."""
        return any(type(f) is WarnAgain and f.is_error() for f, _ in self.captured.effects)

    def run(self, leaves: Sequence[Any]) -> Any:
        """Do the call: run the program, write back what it writes, and return what the function returns."""
        captured = self.captured
        cells = self.tensors(leaves)
        for at in captured.new_leaves:
            cells[at].requires_grad_()
        arrays = [_contiguous(settled(t)) for t in cells]
        if self._checks[0] is not None:
            self._checks[0].report(arrays)
        values = self.forward.run(*arrays)
        node, refusing = None, []
        if captured.differentiable or captured.refused:
            edges = [edge_of(cells[at]) for at, _ in captured.pulled]
            node = self._boundary(edges) if captured.differentiable else None
            refusing = [refusal(*kind, error, led_to)(edges) for kind, error, led_to in captured.refused]
        grads: list[tuple[Any, Any, int | None]] = [
            (cells[at], None if n is None else wrap(conforming(values[n], cells[at]._value)), times)
            for at, n, times in captured.grads
        ]
        made: list[Any] = []
        for new in captured.made:
            history: Any = LEAF if new.leaf else None
            if new.differentiable is not None:
                history = Output(node, new.differentiable)  # type: ignore[arg-type]  # made above
            elif new.refused is not None:
                history = Output(refusing[new.refused], 0)
            made.append(wrap(_array_of(new, values, cells), history))
            made[-1]._counter = new.counter()
        if not self._is_as_expected(cells, made):
            return MISS
        results: list[Any] = []
        for result in captured.results:
            if result.kind == "again":
                results.append(results[result.at])
            else:
                results.append(None if result.reads_gradient() else result.tensor(cells, made))
        if node is not None and self.pullback is not None:
            node._saved = tuple(self._saved(values, cells, made))
        # Up to here nothing has changed that the user holds; from here on nothing fails.
        for (at, position), count in zip(captured.writes, captured.counts, strict=True):
            t = cells[at]
            t._value[...] = values[position]
            if count:
                bump(t)
            if count > 1 and not t._inference:
                written_again(t._counter, count - 1)
        for t, grad, times in grads:
            t._grad = grad
            if times != 0:
                grad._counter = counter(times)
        for n, result in enumerate(captured.results):
            if result.reads_gradient():
                results[n] = result.tensor(cells, made)
            elif result.kind == "again":
                results[n] = results[result.at]
        answer, *given = rebuilt(captured, results)
        captured.numbers.containers = ()
        for (function, _), values_given in zip(captured.effects, given, strict=True):
            function(*values_given)
        return answer

    def take_back(self, leaves: Sequence[Any]) -> None:
        """Let what a run that came to nothing has made leaves be none, and have drawn nothing."""
        if self.captured.new_leaves:
            cells = self.tensors(leaves)
            for at in self.captured.new_leaves:
                cells[at]._node = None
        self.put_back()

    def _is_as_expected(self, cells: Sequence[Any], made: Sequence[Any]) -> bool:
        """Return whether the numbers that have decided what the function does are as at the trace."""
        results = self.captured.results
        return all(is_same(results[at].tensor(cells, made), expected) for at, expected in self.captured.late)

    def _boundary(self, edges: Sequence[Any]) -> Any:
        captured = self.captured
        return boundary(
            edges, freed_by_caller(3), [shape for shape, _ in captured.differentiable],
            [dtype for _, dtype in captured.differentiable], self._pull,
            [position for _, position in captured.pulled], apart=captured.apart,
        )  # fmt: skip

    def _saved(self, values: Sequence[ndarray], cells: Sequence[Any], made: Sequence[Any]) -> Any:
        for saved in self.captured.saved:
            if saved.cell is not None:
                t = cells[saved.cell]
                yield _contiguous(t._value), t._counter, t._counter[0], t if saved.itself else None
            elif saved.made is not None:
                t = made[saved.made]
                lies_so = self.captured.made[saved.made].placement is None
                array = t._value if lies_so else values[saved.output]  # type: ignore[index]  # given then
                yield array, t._counter, t._counter[0], None
            else:
                yield values[saved.output], None, 0, None  # type: ignore[index]  # one of the three is given

    def _unless_changed(self, pull: Any) -> Any:
        """Return a pullback that is refused where the code of custom functions is another one by then."""

        def checked(*args: Any) -> Any:
            if not all(guard.holds() for guard in self.captured.later):
                raise RuntimeError(
                    "compile: what the backward of a custom function reads has changed since the call"
                )
            return pull(*args)

        return checked

    def _pull_slowly(
        self, saved: Sequence[ndarray], covectors: Sequence[ndarray | None]
    ) -> Sequence[ndarray | None]:
        assert self.pullback is not None
        given = [_contiguous(v) for v in covectors if v is not None]
        if len(given) == len(covectors):
            if self._checks[1] is not None:
                self._checks[1].report([*saved, *given])
            return self.pullback.run(*saved, *given)
        absent = tuple(n for n, v in enumerate(covectors) if v is None)
        partial = self._partial.get(absent)
        if partial is None:
            program = self.pullback.program
            linear = program.inputs[len(saved) :]
            part, places = without(program, linear, [linear[n] for n in absent])
            partial = self._partial[absent] = Executable(part), places
        executable, places = partial
        found = executable.run(*saved, *given)
        reached = set().union(*(
            numbers for v, numbers in zip(covectors, self.captured.arrives, strict=True) if v is not None
        ))  # fmt: skip
        outputs = self.pullback.program.outputs
        return [
            self._arrived(outputs[n], place, found) if n in reached else None
            for n, place in enumerate(places)
        ]

    def _arrived(self, number: int, place: int | None, found: Sequence[ndarray]) -> ndarray:
        """Return a covector, or the zero that a rule gives without looking at its covector."""
        assert self.pullback is not None
        program = self.pullback.program
        return np.zeros(program.shapes[number], program.dtypes[number]) if place is None else found[place]


def _array_of(new: Made, values: Sequence[ndarray], cells: Sequence[Any]) -> ndarray:
    """Return the array of a new tensor."""
    placement = new.placement
    if placement is not None and placement.cell is not None:
        return placement.of(cells[placement.cell]._value)
    array = values[new.output]  # type: ignore[index]  # only what lies in a cell has none
    return array if placement is None else placement.of(array)


def _layout(array: ndarray) -> Any:
    """Return what guards compare of how a tensor lies: nothing where it is in C order."""
    return None if array.flags.c_contiguous else array.strides


def _history(t: Any) -> Any:
    """Return what guards compare of a tensor's place in a graph."""
    if t._view is not None:
        try:
            bring_up_to_date(t)
        except RuntimeError:
            return t._view  # it must not be used any more, which is no program's
    if t._inference:
        return NoVersions
    return t._node if t._node is None or t._node is LEAF else Output


def _tensors(leaves: Sequence[Any]) -> list[Any]:
    """Return the tensors among the arguments, each once."""
    return list({id(t): t for t in leaves if isinstance(t, TensorBase)}.values())


def _contiguous(array: ndarray) -> ndarray:
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def kinds_of(leaves: Sequence[Any], varying: frozenset[int]) -> Iterator[Any]:
    """Yield what guards compare of the arguments.

    A tensor that comes again is told by where it came first, a number that varies by its type.
    """
    seen: dict[int, int] = {}
    for n, leaf in enumerate(leaves):
        if isinstance(leaf, TensorBase):
            value = leaf._value
            shape, lies = (value.shape, _layout(value)) if type(value) is ndarray else (None, None)
            first = seen.setdefault(id(leaf), len(seen))
            yield type(leaf), shape, value.dtype, lies, _history(leaf), leaf._level, first
        elif type(leaf) in SCALARS:
            yield type(leaf), None if n in varying else leaf
        elif n in varying:
            yield GivenArray.kind_of(leaf)
        else:
            yield type(leaf), id(leaf)
