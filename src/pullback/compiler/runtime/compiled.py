"""Compiled functions: which program fits a call, and what a call does to the tensors it is given.

A function keeps a few specialisations. One fits while its guards hold: the arguments' structure, shapes,
dtypes and other values, grad mode, and everything that the function read when it was traced. A call that none
fits traces the function again; a function that cannot be traced, or is traced too often, runs eagerly.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray
from numpy.lib.array_utils import byte_bounds

from ...array import dtypes
from ...core.accumulation import conforming
from ...core.backend import in_parts
from ...core.blame import freed_by_caller, written_again
from ...core.calls import edge_of
from ...core.modes import DEFAULT, NO_GRAD, modes
from ...core.node import LEAF, Output
from ...core.overlap import takes_writes
from ...core.tracer import Exchanges, is_tracing
from ...core.value import TensorBase, wrap
from ...core.versions import bump
from ..frontend.arguments import taken_apart
from ..frontend.bytecode import SUPPORTED
from ..frontend.capture import Captured, capture, rebuilt
from ..frontend.collector import uncollected
from ..frontend.deferred import Succeeds
from ..frontend.guards import SCALARS, is_same
from ..frontend.heard_warnings import WarnAgain
from ..frontend.optimizer_state import MOMENTA, RATES, FirstState
from ..frontend.results import Made
from ..frontend.session import Knowledge
from ..frontend.unsupported import STANCE, OnlyNow, Unsupported
from ..passes.missing_covectors import without
from ..passes.pipeline import optimized
from . import specialised_call
from .boundary import boundary, refusal
from .executable import Executable
from .guards import Watch, overlap
from .helper_processes import at_work
from .object_layout import layout
from .progress import told
from .specialised_call import MISS

if TYPE_CHECKING:
    from ..inspection.checking import Check

#: Specialisations of one function before it runs eagerly.
RECOMPILE_LIMIT = 8
#: Traces of one call, each of which knows more than the one before.
_ROUNDS = 12
#: Why a call runs eagerly that fits a program otherwise.
_SHARED = "it writes to a tensor whose memory another one shares"
#: Errors of an op on numbers that it does not take, as a singular matrix, and of Python's own operators;
#: memory that is missing is none.
#: Guards that are asked one by one.
_FEW_GUARDS = 16
_OPS_RAISE = (RuntimeError, ValueError, IndexError, ArithmeticError, TypeError)


class Specialization:
    """One trace of a function, compiled.

    Attributes
    ----------
    captured : Captured
    forward, pullback : Executable
    """

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
        self._checks: list[Check | None] = [None, None]
        if captured.places is not None:
            # The short way compares nothing.
            self.shortcut, self._pull = None, self._pull_slowly
            from ..inspection.checking import Check

            programs = (captured.program, captured.pullback)
            self._checks = [None if p is None else Check(p, captured.places) for p in programs]
        self._spec = spec
        self._kinds = _kinds(leaves, captured.varying)
        #: A tensor that the function closes over and gets as an argument, too, is another program's.
        self._fixed = set(map(id, captured.met))
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

    def fits(self, leaves: Sequence[Any], spec: Any, nodes: Sequence[Any]) -> bool:
        """Return whether the call's arguments and everything else are as at the trace."""
        if modes() != self._mode or spec != self._spec or dtypes.get_default_dtype() is not self._default:
            return False
        if any(id(leaf) in self._fixed for leaf in leaves):
            return False
        if self.captured.changed and any(id(node) in self.captured.changed for node in nodes):
            return False
        if not _same_kinds(_kinds(leaves, self.captured.varying), self._kinds):
            return False
        self.captured.numbers.values = {n: leaves[n] for n in self.captured.varying}
        if self.captured.alike:
            arguments = _tensors(leaves)
            if any(arguments[n] is not t for n, t in self.captured.alike.items()):
                return False
        return self._holds() and self._cells_fit(leaves)

    def differing(self, leaves: Sequence[Any], spec: Any) -> set[int]:
        """Return the places among the arguments of numbers that are others than at the trace."""
        if spec != self._spec or len(leaves) != len(self._kinds):
            return set()
        return {
            n for n, (leaf, kind) in enumerate(zip(leaves, self._kinds, strict=True))
            if type(leaf) in (int, float) and kind[0] is type(leaf) and not is_same(leaf, kind[1])
        }  # fmt: skip

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
        # What backward inside the function leaves on a leaf goes through its hooks in eager code.
        for at in captured.accumulated:
            hooks = tensors[at]._leaf_hooks
            if hooks is not captured.reduced.get(at) or (hooks is not None and not hooks.has_one_after()):
                return False
        return all(tensors[at]._grad is not None for at in captured.grad_present)

    def tensors(self, leaves: Sequence[Any]) -> list[Any]:
        """Return the tensors of the cells."""
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
        return found

    def overlaps(self, leaves: Sequence[Any]) -> bool:
        """Return whether the call writes to memory of which another tensor that it is given has a part."""
        written = {at for at, _ in self.captured.writes}
        if not written:
            return False
        bounds = (byte_bounds(t._value) for t in self.tensors(leaves))
        return overlap([(*pair, at in written) for at, pair in enumerate(bounds)])

    def takes_writes(self, leaves: Sequence[Any]) -> bool:
        """Return whether what the call writes to can be written element by element: eager says what is wrong
        with what cannot, or makes of it what the program does not know.
        """
        cells = self.tensors(leaves)
        return all(takes_writes(cells[at]._value) for at, _ in self.captured.writes)

    def would_raise(self) -> bool:
        """Return whether a warning of the call is an error now, so that eager code goes no further."""
        return any(type(f) is WarnAgain and f.is_error() for f, _ in self.captured.effects)

    def run(self, leaves: Sequence[Any]) -> Any:
        """Do the call: run the program, write back what it writes, and return what the function returns."""
        found = MISS
        cells = self.tensors(leaves)
        fresh = [cells[at] for at in self.captured.new_leaves]
        for t in fresh:
            t.requires_grad_()
        try:
            found = self._run(cells)
        finally:
            if found is MISS:
                for t in fresh:
                    t._node = None
        return found

    def _run(self, cells: Sequence[Any]) -> Any:
        captured = self.captured
        arrays = [_contiguous(t._value) for t in cells]
        if self._checks[0] is not None:
            self._checks[0].report(arrays)
        values = self.forward.run(*arrays)
        node, refusing = None, []
        if captured.differentiable or captured.refused:
            edges = [edge_of(cells[at]) for at, _ in captured.pulled]
            node = self._boundary(edges) if captured.differentiable else None
            refusing = [refusal(*kind, error)(edges) for kind, error in captured.refused]
        grads = [
            (cells[at], None if n is None else wrap(conforming(values[n], cells[at]._value)))
            for at, n in captured.grads
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
        results = [
            None if result.kind == "grad" else result.tensor(cells, made) for result in captured.results
        ]
        if node is not None and self.pullback is not None:
            node._saved = tuple(self._saved(values, cells, made))
        # Up to here nothing has changed that the user holds; from here on nothing fails.
        for (at, position), count in zip(captured.writes, captured.counts, strict=True):
            t = cells[at]
            t._value[...] = values[position]
            bump(t)
            if count > 1 and not t._inference:
                written_again(t._counter, count - 1)
        for t, grad in grads:
            t._grad = grad
        for n, result in enumerate(captured.results):
            if result.kind == "grad":
                results[n] = result.tensor(cells, made)
        answer, *given = rebuilt(captured, results)
        for (function, _), values_given in zip(captured.effects, given, strict=True):
            function(*values_given)
        return answer

    def _is_as_expected(self, cells: Sequence[Any], made: Sequence[Any]) -> bool:
        """Return whether the numbers that have decided what the function does are as at the trace."""
        results = self.captured.results
        return all(
            is_same(results[at].tensor(cells, made), expected) for at, expected in self.captured.late
        )

    def _boundary(self, edges: Sequence[Any]) -> Any:
        captured = self.captured
        return boundary(
            edges, freed_by_caller(3), [shape for shape, _ in captured.differentiable],
            [dtype for _, dtype in captured.differentiable], self._pull,
            [position for _, position in captured.pulled],
        )  # fmt: skip

    def _saved(self, values: Sequence[ndarray], cells: Sequence[Any], made: Sequence[Any]) -> Any:
        for saved in self.captured.saved:
            if saved.cell is not None:
                t = cells[saved.cell]
                yield _contiguous(t._value), t._counter, t._counter[0]
            elif saved.made is not None:
                t = made[saved.made]
                lies_so = self.captured.made[saved.made].placement is None
                array = t._value if lies_so else values[saved.output]  # type: ignore[index]  # given then
                yield array, t._counter, t._counter[0]
            else:
                yield values[saved.output], None, 0  # type: ignore[index]  # one of the three is given

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


def _turned(captured: Captured) -> frozenset[str]:
    """Return the momenta of optimizers that are no longer what they were."""
    return frozenset(
        guard.key for guard in captured.guards
        if guard.key in MOMENTA and isinstance(guard.container, dict) and "params" in guard.container
        and not guard.holds()
    )  # fmt: skip


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
    return t._node if t._node is None or t._node is LEAF else Output


def _tensors(leaves: Sequence[Any]) -> list[Any]:
    """Return the tensors among the arguments, each once."""
    return list({id(t): t for t in leaves if isinstance(t, TensorBase)}.values())


def _contiguous(array: ndarray) -> ndarray:
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def _kinds(leaves: Sequence[Any], varying: frozenset[int]) -> list[Any]:
    """Return what guards compare of the arguments.

    A tensor that comes again is told by where it came first, a number that varies by its type.
    """
    seen: dict[int, int] = {}
    kinds: list[Any] = []
    for n, leaf in enumerate(leaves):
        if isinstance(leaf, TensorBase):
            value = leaf._value
            shape, lies = (value.shape, _layout(value)) if type(value) is ndarray else (None, None)
            first = seen.setdefault(id(leaf), len(seen))
            kinds.append((type(leaf), shape, value.dtype, lies, _history(leaf), leaf._level, first))
        elif type(leaf) in SCALARS:
            kinds.append((type(leaf), None if n in varying else leaf))
        else:
            kinds.append((type(leaf), id(leaf)))
    return kinds


def _same_kinds(now: Sequence[Any], then: Sequence[Any]) -> bool:
    """Return whether arguments are as at the trace; of numbers, signs of zero count, too."""
    return len(now) == len(then) and all(
        a == b and (len(a) != 2 or is_same(a[1], b[1])) for a, b in zip(now, then, strict=True)
    )


class Compiled:
    """A function with its specialisations.

    Parameters
    ----------
    function : callable
    fullgraph : bool
        Raise where the numbers of a tensor decide what the function does, instead of running it eagerly.
    limit : int
        Specialisations before it runs eagerly.
    check : bool
        Compare every value with eager's in every call.
    """

    def __init__(
        self, function: Callable[..., Any], fullgraph: bool = False, limit: int | None = None,
        check: bool = False,
    ) -> None:
        self.function = function
        #: What is called once no program is made of the function.
        self._eagerly = in_parts(function)
        self.fullgraph = fullgraph
        self.limit = RECOMPILE_LIMIT if limit is None else limit
        self.check = check
        self.specializations: list[Specialization] = []
        self.shortcuts: list[Callable[..., Any]] = []
        self.eager_because: str | None = None
        self._traces = 0
        self._turns = RATES
        self._knowledge = Knowledge()
        self._knowledge.speculates = not fullgraph
        #: Why the last call under other modes ran eagerly, if there was one.
        self.outside: str | None = None
        self._raised = 0
        self._said: set[str] = set()
        #: Told of each new specialisation.
        self.when_traced: Callable[[], None] | None = None

    def entry(self) -> Callable[..., Any]:
        """Return the function that users call: it tries the short ways first."""
        ways, otherwise = self.shortcuts, self.__call__

        def compiled(*args: Any, **kwargs: Any) -> Any:
            if STANCE:
                return otherwise(*args, **kwargs)
            for way in ways:
                result = way(args, kwargs)
                if result is not MISS:
                    return result
            return otherwise(*args, **kwargs)

        return compiled

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function by the program that fits."""
        if is_tracing() or "force_eager" in STANCE:
            return self.function(*args, **kwargs)
        if self.eager_because is not None:
            return self._eagerly(*args, **kwargs)
        if not self._plain():
            return self._outside(args, kwargs)
        leaves, spec, nodes = taken_apart(args, kwargs)
        for specialization in self.specializations:
            if specialization.fits(leaves, spec, nodes):
                if specialization.would_raise():
                    return self.function(*args, **kwargs)
                if specialization.overlaps(leaves):
                    return self._this_time(_SHARED, args, kwargs)
                found = self._run(specialization, leaves, args, kwargs)
                if found is not MISS:
                    return found
        if self.specializations and STANCE:
            if "fail_on_recompile" in STANCE:
                raise RuntimeError("Detected recompile when torch.compile stance is 'fail_on_recompile'.")
            return self.function(*args, **kwargs)
        return self._traced(args, kwargs, leaves, spec)

    def reset(self) -> None:
        """Forget all programs."""
        self.specializations.clear()
        self.shortcuts.clear()
        self.eager_because = None
        self._traces = self._raised = 0
        self._turns = RATES
        self._knowledge = Knowledge()
        self._knowledge.speculates = not self.fullgraph

    @staticmethod
    def _plain() -> bool:
        """Return whether programs are made under the modes in force: grad and inference mode, autocast."""
        now = modes()
        if now is DEFAULT or now is NO_GRAD:
            return True
        return now._replace(grad=True, inference=False, autocast=None) == DEFAULT

    def _outside(self, args: Any, kwargs: Any) -> Any:
        """Run under a profiler, or eagerly under modes that programs are not made for."""
        watcher = modes().watcher
        if watcher is not None:
            from ...autograd.profiler import Recorder

            if isinstance(watcher, Recorder):
                from ..inspection.profiled import called

                return called(self, self._name(), watcher, args, kwargs)
        why = "it is called under modes that see each op"
        if self.fullgraph:
            raise Unsupported(f"compile(fullgraph=True): {why}")
        self.outside = why
        self._say_once(why)
        return self.function(*args, **kwargs)

    def _this_time(self, why: str, args: Any, kwargs: Any) -> Any:
        """Run one call eagerly."""
        result = self.function(*args, **kwargs)
        self._say_once(why)
        return result

    def _traced(self, args: Any, kwargs: Any, leaves: Sequence[Any], spec: Any) -> Any:
        if self._traces >= self.limit:
            return self._give_up(
                f"it was traced {self._traces} times and each call needs another program", args, kwargs
            )
        with at_work(), told(self._name()):
            specialization = self._specialized(args, kwargs, leaves, spec)
        if not isinstance(specialization, Specialization):
            return specialization()
        captured = specialization.captured
        if specialization.would_raise():
            captured.undo()
            return self.function(*args, **kwargs)
        if specialization.overlaps(leaves):
            captured.undo()
            return self._give_up(_SHARED, args, kwargs)
        self._raised = 0
        self.specializations.append(specialization)
        if specialization.shortcut is not None:
            self.shortcuts.append(specialization.shortcut)
        if self.when_traced is not None:
            self.when_traced()
        if specialization.shortcut is not None:
            # It writes over the old values; the long way has them beside the new ones for a moment.
            try:
                result = specialization.shortcut(args, kwargs)
            except BaseException:
                captured.undo()
                raise
            if result is not MISS:
                return result
        found = self._run(specialization, leaves, args, kwargs, captured.undo)
        # Native code may round otherwise than the trace did.
        return self.function(*args, **kwargs) if found is MISS else found

    def _specialized(
        self, args: Any, kwargs: Any, leaves: Sequence[Any], spec: Any
    ) -> Specialization | Callable[[], Any]:
        """Trace and compile; where that cannot be done, what to call instead."""
        # A momentum that has changed will change again.
        self._turns = self._turns.union(*(_turned(s.captured) for s in self.specializations))
        for earlier in self.specializations:
            self._knowledge.changed(earlier.captured.guards)
        try:
            # Offsets in objects are found while nothing else runs.
            layout()
            with uncollected():
                captured = self.captured(args, kwargs, self._varying(leaves, spec))
        except OnlyNow:
            self._traces += 1
            return partial(self.function, *args, **kwargs)
        except Exchanges as reason:
            return partial(self._in_parts, str(reason), args, kwargs)
        except Unsupported as reason:
            return partial(self._give_up, str(reason), args, kwargs, breaks=True)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # what a trace stumbles over, eager may do
            if not _text(error).startswith("a traced value has no data"):
                return partial(self._after, error, args, kwargs)
            return partial(self._give_up, _control_flow(error), args, kwargs, breaks=True)
        self._traces += 1
        try:
            with uncollected():
                return Specialization(captured, leaves, spec)
        except BaseException as error:
            captured.undo()
            if not isinstance(error, Exception):
                raise
            # Whatever the compiler stumbles over, the function runs.
            why = f"the compiler failed: {type(error).__name__}: {error}"
            return partial(self._give_up, why, args, kwargs)

    def _varying(self, leaves: Sequence[Any], spec: Any) -> frozenset[int]:
        """Find the numbers among the arguments that were others in an earlier call."""
        found: set[int] = set()
        for earlier in self.specializations:
            found |= earlier.differing(leaves, spec)
        return frozenset(found)

    def captured(
        self, args: Any, kwargs: Any, varying: frozenset[int] = frozenset()
    ) -> Captured:
        """Trace until nothing new is found out; rates and momenta may be others later if the function does
        not look at them.
        """
        if not SUPPORTED:
            raise Unsupported("the bytecode of this version of Python is not known")
        first = FirstState()
        turning = [self._turns, *(t for t in (RATES, frozenset[str]()) if t < self._turns)]
        for _ in range(_ROUNDS):
            self._knowledge.dials = False
            try:
                captured = capture(
                    self.function, args, kwargs, self._knowledge, first, turning[0], varying, self.check
                )
            except BaseException as error:
                first.take_back()
                if type(error) is Unsupported and self._knowledge.settle(varying):
                    continue
                if not isinstance(error, RuntimeError) or not self._knowledge.dials or len(turning) == 1:
                    raise
                # What the function looks at is a number of the program then.
                del turning[0]
                continue
            changed = () if captured is None else captured.writes
            if captured is None or first.find_unused({id(captured.cells[at].where) for at, _ in changed}):
                first.take_back()
                continue
            failed = [guard for guard in captured.guards if not guard.holds()]
            if failed:
                if all(isinstance(guard, Succeeds) for guard in failed):
                    first.take_back()
                    raise OnlyNow
                if not first.made:
                    raise Unsupported("the function changes what it reads in a way that is not seen")
                # It has looked at the state of an optimizer before the step that makes it.
                first.take_back()
                raise OnlyNow
            captured.undo = first.take_back
            return captured
        raise Unsupported("each trace of a call finds another program")

    def _run(
        self, specialization: Specialization, leaves: Sequence[Any], args: Any, kwargs: Any,
        undo: Callable[[], None] | None = None,
    ) -> Any:  # fmt: skip
        drawn = [(generator, generator.mark()) for generator in specialization.forward.generators]
        if specialization.captured.writes and not specialization.takes_writes(leaves):
            if undo is not None:
                undo()
            return self._this_time("it writes to elements that share memory", args, kwargs)
        try:
            found = specialization.run(leaves)
            if found is MISS:
                for generator, state in drawn:
                    generator.return_to(state)
            return found
        except BaseException as error:
            # No tensor is changed yet.
            for generator, state in drawn:
                generator.return_to(state)
            if undo is not None:
                undo()
            if specialization.forward.has_exchanged or not isinstance(error, _OPS_RAISE):
                raise
        # Eager does all of the call, up to the error that it raises, or that the function handles.
        return self.function(*args, **kwargs)

    def _after(self, error: BaseException, args: Any, kwargs: Any) -> Any:
        """Run eagerly what raised when it was traced: it may raise in eager, too, in this call."""
        if self.fullgraph:
            raise error
        try:
            result = self.function(*args, **kwargs)
        except (Exception, SystemExit):
            # To trace what will only raise again is work for nothing.
            self._raised += 1
            if self._raised >= self.limit:
                self._warn(f"it was traced {self._raised} times, and raised each time")
            raise
        self._warn(f"tracing raised {type(error).__name__}: {_text(error)}")
        return result

    def _give_up(self, why: str, args: Any, kwargs: Any, breaks: bool = False) -> Any:
        if self.fullgraph and breaks:
            raise Unsupported(f"compile(fullgraph=True): {why}")
        self._warn(why)
        return self._eagerly(*args, **kwargs)

    def _in_parts(self, why: str, args: Any, kwargs: Any) -> Any:
        """Run eagerly what exchanges tensors between processes, with its modules compiled by themselves."""
        if self.fullgraph:
            raise Unsupported(f"compile(fullgraph=True): {why}")
        self.eager_because = why
        warnings.warn(f"compile: {self._name()} runs in parts: {why}", UserWarning, stacklevel=6)
        return self._eagerly(*args, **kwargs)

    def _say_once(self, why: str) -> None:
        if why not in self._said and self.eager_because is None:
            self._said.add(why)
            self._say(why)

    def _warn(self, why: str) -> None:
        self.eager_because = why
        self._say(why)

    def _say(self, why: str) -> None:
        warnings.warn(f"compile: {self._name()} runs eagerly: {why}", UserWarning, stacklevel=6)

    def _name(self) -> str:
        return getattr(self.function, "__qualname__", type(self.function).__name__)


def _text(error: BaseException) -> str:
    """Return an error's text; none where it is of numbers that only later calls know."""
    return str(error) if all(isinstance(part, SCALARS) for part in error.args) else ""


def _control_flow(error: BaseException) -> str:
    """Say which line asked a traced value for its number."""
    from ...core.blame import own_file

    place = ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not own_file[code.co_filename]:
            place = f"{code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{place}: the numbers of a traced tensor decide what happens next"
