"""Writing a call of a function down: its programs, and how their values are tied to tensors.

The function runs once on tracers, as rewritten code (`frontend`). Every tensor that it comes upon is a
*cell*: read when a call begins, and written back when the call changes it. Where a result requires grad, the
pullback is traced right after it, and the trace is cut in two programs: one for the call, one for the
covectors that come later. What the second reads of the first is saved; what is cheap to compute again is not.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from ...array import dtypes, locks
from ...array.strides import strides_of
from ...core import engine, warn
from ...core.backward_task import Capture
from ...core.calls import edge_of
from ...core.levels import fresh_level
from ...core.marked import Marked
from ...core.modes import DEFAULT, NO_GRAD, Modes, modes, set_modes
from ...core.node import LEAF, AccumulateGrad, Node, accumulator
from ...core.op import TABLE
from ...core.tracer import Equation, Recorder, Reference, Tracer, seeing, tracing
from ...core.value import TensorBase, wrap
from ...nn.parameter import Buffer, Parameter
from ...ops.cheap import CHEAP
from ...tensor.random import default_generator
from ...tensor.sparse import Sparse
from ...tensor.tensor import Tensor
from ...torch_names.amp.autocast_mode import settings, traced_apart
from ...utils._pytree import tree_flatten, tree_unflatten
from ..passes.loop_rolling import Roller
from ..passes.pipeline import rewritten
from ..passes.simplification import needed
from ..program.program import Program
from ..runtime.placement import Memory
from . import (
    calls,
    exchanges,
    operations,
    rewritten_calls,  # noqa: F401  # fills in what rewritten code calls
)
from .arguments import taken_apart
from .deferred import Argument, Deferred, Item, Number, Numbers
from .guards import SCALARS, Alike, Contents, Guard, answer
from .heard_warnings import WarnAgain
from .outgoing import Given, outgoing
from .results import Made, Result, Results
from .session import Effect, Knowledge, Session, current
from .sparse_inputs import SparseInputs
from .unsupported import Again, OnlyNow, Unsupported

#: Shape and dtype.
Kind = tuple[tuple[int, ...], np.dtype[Any]]

#: Classes of tensors that a program may be given.
_CLASSES = (Tensor, Parameter, Buffer)
#: Of more results than this, each counts as reaching every tensor that any of them reaches.
MANY = 16


class Cell(NamedTuple):
    """Say where a call finds a tensor: its arguments' tensor of a number, a fixed one, what stands in
    a place, a number that it makes a tensor of, or the gradient of a cell.
    """

    kind: str
    where: Any

    def tensor(self, arguments: Sequence[Any], cells: Sequence[Any]) -> Any:
        """Return the tensor that stands there now."""
        if self.kind == "argument":
            return arguments[self.where]
        if self.kind == "place":
            now = self.where.read(self.where.container, self.where.key)
            return now if isinstance(now, TensorBase) else None
        if self.kind == "fixed":
            return self.where
        if self.kind == "number":
            return self.where.tensor()
        parent = cells[self.where]
        return None if parent is None else parent._grad


class Saved(NamedTuple):
    """Hold what the pullback reads: an output of the forward program, or a cell that the call does
    not change.
    """

    output: int | None
    cell: int | None
    #: The new tensor that it is, whose version counts; the output is its array unless that lies otherwise.
    made: int | None


class Captured:
    """A call written down.

    Attributes
    ----------
    program, pullback : Program
        `pullback` takes the saved values and the covectors; None where no result requires grad.
    cells : list of Cell
        The tensors whose values are the program's inputs, in order.
    writes : list of (int, int)
        (cell, output): what the call writes in place.
    grads : list of (int, int or None)
        (cell, output): what `.grad` of a cell is after the call; None for None.
    made : list of Made
        The new tensors among the results, and those that results are views of.
    results : list of Result
        Of the leaves of what the function returned, then of the arguments of the effects.
    effects : list of (callable, structure)
        What the call does to Python's objects after its program: functions, and the trees of their arguments,
        whose leaves are the last of `results`.
    guards : list of Guard
        What must be as it was for the program to be right.
    """

    program: Program
    pullback: Program | None
    cells: list[Cell]
    writes: list[tuple[int, int]]
    #: Cells that require no grad before the call and do after it.
    new_leaves: list[int]
    #: How often each of these is written to, as its version counts.
    counts: list[int]
    grads: list[tuple[int, int | None]]
    made: list[Made]
    results: list[Result]
    effects: list[tuple[Callable[..., Any], Any]]
    guards: list[Guard]
    #: Those of them that are what backward will read of custom functions.
    later: list[Guard]
    #: Numbers that the program depends on: the place among the results, and what it must be.
    late: list[tuple[int, Any]]
    #: The lines at which the function has asked for them.
    asked: list[str]
    #: The numbers among the arguments that may be others in each call, by their places among the leaves, and
    #: where a call puts them.
    varying: frozenset[int]
    numbers: Numbers
    #: The tensors that the function came upon, read by the program or not: an argument is none of them.
    met: list[Any]
    #: Arguments that the function came upon elsewhere, too: their numbers, and which tensors they must be.
    alike: dict[int, Any]
    #: The containers of the user's that the call changes, by identity: none of them is an argument.
    changed: set[int]
    #: Cells whose gradients the call adds to.
    accumulated: list[int]
    #: Of those, the hooks by which their gradients are reduced over processes, which the program does.
    reduced: dict[int, Any]
    #: The program's inputs that are not in C order, with their strides.
    strides: dict[int, tuple[int, ...]]
    structure: Any
    saved: list[Saved]
    #: Of the inputs that get covectors: the cell, and the pullback's output.
    pulled: list[tuple[int, int | None]]
    #: Shape and dtype of the results that have a history.
    differentiable: list[Kind]
    #: For each of them, the outputs of the pullback that its covector reaches.
    arrives: list[set[int]]
    #: Of those that cannot be pulled back (the function has done so itself, say), and the error.
    refused: list[tuple[Kind, Exception]]
    #: Cells whose `.grad` must be None, or not None, as at the trace.
    grad_absent: list[int]
    grad_present: list[int]
    #: Takes back what the trace has left, as the state of an optimizer.
    undo: Callable[[], None]
    #: The user's instructions that equations come from, by the number of a value; None where none are noted.
    places: dict[int, Any] | None


class _Slots(NamedTuple):
    tensor: Any
    value: Any
    node: Any
    view: Any
    level: int
    counter: list[int]
    grad: Any
    accumulator: Any
    hooks: Any
    rearranged: Any
    retained: bool


def capture(
    function: Callable[..., Any], args: Any, kwargs: Any, knowledge: Knowledge, first: Any,
    turning: frozenset[str], varying: frozenset[int] = frozenset(), places: bool = False,
) -> Captured | None:  # fmt: skip
    """Run ``function(*args, **kwargs)`` on tracers and write it down.

    Parameters
    ----------
    knowledge : Knowledge
        What earlier traces have found out; this one adds to it.
    first : FirstState
        Makes the state of optimizers that have none.
    turning
        The options of optimizers that are numbers of the program.
    varying
        The numbers among the arguments that may be others in each call, by their places among the leaves.
    places
        Note the user's line of every equation.

    Returns
    -------
    Captured or None
        None where the trace has found out something that makes another program of it: it must be done again.

    Raises
    ------
    Unsupported
        What the function does cannot be written down.
    """
    try:
        return _Capture(function, args, kwargs, knowledge, first, turning, varying, places).run()
    except Again:
        knowledge.phantoms = False
        return None


#: Traces that are under way, in any thread.
_running: set[_Capture] = set()


def _give_up() -> None:
    for other in list(_running):
        if other._thread != threading.get_ident():
            other.give_up()
            _running.discard(other)


locks.in_child(_give_up)


class _Capture:
    def __init__(
        self, function: Callable[..., Any], args: Any, kwargs: Any, knowledge: Knowledge, first: Any,
        turning: frozenset[str], varying: frozenset[int], places: bool,
    ) -> None:  # fmt: skip
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.knowledge = knowledge
        self.phantoms = knowledge.phantoms
        self.tensors: list[Any] = []
        self.cells: list[Cell] = []
        self.inputs: list[int] = []
        self.phantom: dict[int, Any] = {}
        self.phantom_values: set[int] = set()
        self._strides: dict[int, tuple[int, ...]] = {}
        self._sparse = SparseInputs(lambda why: self.session.refusal(why))
        self._index: dict[int, int] = {}
        self._before: list[_Slots] = []
        self._leaves: list[bool] = []
        self._rearranged: list[Any] = []
        self._with_grads: set[int] = set()
        self._leaves_given, _, self._nodes = taken_apart(args, kwargs)
        self._numbers = Numbers()
        self._given = {id(t): t for t in self._leaves_given if isinstance(t, TensorBase)}
        #: Arguments that the function comes upon elsewhere, too, by their number.
        self._alike: dict[int, Any] = {}
        self.recorder = Recorder(fresh_level())
        self.recorder.places = {} if places else None
        self.recorder.lifts = True
        self.recorder.size = self._size
        self._thread = threading.get_ident()
        self._drawn: Any = None
        self._heard, self._hears = warnings.catch_warnings(record=True), False
        self._varying = frozenset(self._loose()) & varying - knowledge.decisive
        self.session = Session(
            self._meet, self._is_stand_in, lambda t: id(t) in self._index, lambda t: id(t) in self._given,
            self._has_history, self._traced, self._number_of, knowledge, first, turning,
        )  # fmt: skip
    def _add(self, t: Any, cell: Cell) -> None:
        known = self._index.get(id(t))
        if known is not None:
            if "grad" in (cell.kind, self.cells[known].kind):
                raise self.session.refusal("a gradient is found elsewhere, too", OnlyNow)
            return
        if type(t) not in _CLASSES:
            raise self.session.refusal(f"it is given a {type(t).__name__}, which is a class of tensors")
        if type(t._value) is Marked:
            raise self.session.refusal("a tensor is a view that conjugates or negates")
        if t._level or type(t._value) is not ndarray:
            raise self.session.refusal("a tensor belongs to a transform that is running")
        hooks = t._leaf_hooks
        if hooks is not None and (hooks.tensor or hooks.retained or hooks.pre):
            raise self.session.refusal("a leaf has hooks")
        self._index[id(t)] = at = len(self.tensors)
        self.tensors.append(t)
        self.cells.append(cell)
        self._convert(at)
        if self._before[at].grad is not None:
            self._with_grads.add(at)
            self._add(self._before[at].grad, Cell("grad", at))

    def _meet(self, t: Any, place: Any, told: bool = False) -> None:
        """Make a tensor that the function comes upon an input, unless it is one; `place` is the guard of the
        place that it is found by, or the number that it stands for.

        A tensor that is found by a place and otherwise, too, is told by its identity after all: a call that
        finds another one in the place is another program's. One that is `told` from others is not found.
        """
        if isinstance(t, Sparse):
            self._meet_sparse(t, place)
            return
        known = self._index.get(id(t))
        if known is not None:
            cell = self.cells[known]
            if place is None:
                if cell.kind == "place":
                    self.cells[known] = Cell("fixed", t)
                    self.session.guards.append(cell.where)
                elif cell.kind == "argument":
                    self._alike[cell.where] = t
                elif cell.kind == "grad" and not told:
                    raise self.session.refusal("a gradient is found elsewhere, too", OnlyNow)
            elif cell.kind == "place":
                self.session.guards.append(Alike(place, cell.where))
            elif cell.kind == "fixed":
                self.session.guards.append(place)
            else:
                why = "a place that each call changes holds an argument or a gradient"
                raise self.session.refusal(why, OnlyNow)
            return
        if not isinstance(t._value, Tracer):
            kind = "number" if type(place) is Number else "place"
            self._add(t, Cell("fixed", t) if place is None else Cell(kind, place))

    def _meet_sparse(self, t: Sparse, place: Any) -> None:
        values = t._plain
        if type(values._value) is Tracer and id(values) not in self._index:
            return  # the trace has made it
        guard = self._sparse.meet(t)
        if place is not None:
            self.session.guards.append(place)
        if guard is not None:
            self.session.guards.append(guard)
            self._meet(values, None)

    def _is_stand_in(self, t: Any) -> bool:
        return any(t is each for each in self.phantom.values())

    def _has_history(self, t: Any) -> bool:
        """Return whether an input is the result of something that happened before the call."""
        return self._before[self._index[id(t)]].node not in (None, LEAF)

    def _convert(self, at: int) -> None:
        """Let a tensor hold a value of the program until the trace ends."""
        t, recorder = self.tensors[at], self.recorder
        self._before.append(
            _Slots(
                t, t._value, t._node, t._view, t._level, t._counter, t._grad, t._accumulator, t._leaf_hooks,
                t._rearranged, t._retained,
            )
        )
        lies = t._value
        t._value = recorder.new(lies.shape, lies.dtype)
        if not lies.flags.c_contiguous:
            recorder.layouts.given(t._value.index, lies)
            self._strides[t._value.index] = strides_of(lies)
        t._level = recorder.level
        t._view = None
        t._counter = [0]
        if t._node is not None:
            t._node = LEAF
            t._accumulator = None
            # Those that come after its gradient run where that is left on it, which is not in the program.
            t._leaf_hooks = None
        self.inputs.append(t._value.index)
        self._leaves.append(t._node is LEAF)
        self._rearranged.append(t._rearranged)
        # If no stand-in for an absent gradient is read, its absence does not matter.
        if self.phantoms and t._node is LEAF and t._grad is None:
            stand_in = wrap(recorder.new(t._value.shape, t._value.dtype), None, recorder.level)
            t._grad = self.phantom[at] = stand_in
            self.phantom_values.add(stand_in._value.index)

    # --- the run --------------------------------------------------------------------------------------------

    def run(self) -> Captured | None:
        """Trace; None where it must be done again."""
        recorder, session = self.recorder, self.session
        self._drawn = drawn = default_generator.get_state()
        _running.add(self)
        given = frozenset(warn.GIVEN)
        found = None
        before, precisions = modes(), settings()
        token = current.set(session)
        try:
            session.seen(self.function)
            operations.check_operators(session)
            for n, t in enumerate(self._given.values()):
                self._add(t, Cell("argument", n))
            for leaf in self._leaves_given:
                if not isinstance(leaf, TensorBase):
                    session.seen(leaf)
            for container in self._nodes:
                session.arguments[id(session.made(container))] = container
            with seeing(lambda f: calls.callback(session, f)), traced_apart() as asked:
                with self._heard as told, tracing(recorder):
                    self._hears = True
                    warnings.simplefilter("always")
                    result = calls.call(self.function, *self._with_numbers())
                    exchanges.check(session, recorder)
                    session.close()
                self._hears = False
                if settings() != precisions:
                    raise Unsupported("the function leaves autocast other than it found it")
                if asked:
                    session.note(Contents(answer, settings, (), precisions), (id(settings), "answer"))
                recorder.check_lifted()
                self._sparse.check()
                if recorder.refused is not None:
                    raise recorder.refused
                self._follow_modes(before)
                if told and len(warn.GIVEN) - len(given) == len(told):
                    raise OnlyNow
                for warning in told:
                    session.effects.insert(0, Effect(WarnAgain(warning), ()))
                if not np.array_equal(default_generator.get_state()._value, drawn._value):
                    raise Unsupported("the function draws random numbers that depend on none of its tensors")
                found = self._written_down(result)
            if session.refused is not None:
                found = None
                raise session.refused
            if found is None:
                self.knowledge.phantoms = False
            elif session.changing():
                found = None
            return found
        finally:
            session.close()
            session.rollback()
            # A context may not have been left.
            set_modes(before)
            current.reset(token)
            warn.GIVEN.intersection_update(given)
            if found is None:
                default_generator.set_state(drawn)
            self._put_back()
            _running.discard(self)

    def _put_back(self) -> None:
        """Let the tensors hold what they held before the trace."""
        self._sparse.put_back()
        for slots in self._before:
            t = slots.tensor
            t._value, t._node, t._view, t._level = slots.value, slots.node, slots.view, slots.level
            t._counter, t._grad, t._accumulator = slots.counter, slots.grad, slots.accumulator
            if t._leaf_hooks is not slots.hooks:
                t._leaf_hooks = slots.hooks
            if t._rearranged is not slots.rearranged:
                t._rearranged = slots.rearranged
            if t._retained is not slots.retained:
                t._retained = slots.retained

    def give_up(self) -> None:
        """Undo, in a forked child, what the thread that traces in the parent would undo at its end."""
        self.session.rollback()
        self._put_back()
        if self._drawn is not None:
            default_generator.set_state(self._drawn)
        if self._hears:
            self._heard.__exit__(None, None, None)

    def _with_numbers(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments, with what stands for those that are other numbers in other calls."""
        given = [
            Argument(self.session, place, value, self._numbers) if place in self._varying else value
            for place, value in zip(self._places(), (*self.args, *self.kwargs.values()), strict=True)
        ]
        count = len(self.args)
        return tuple(given[:count]), dict(zip(self.kwargs, given[count:], strict=True))

    def _places(self) -> Iterator[int]:
        """Yield the place among the leaves where each argument begins."""
        at = 0
        for value in (*self.args, *self.kwargs.values()):
            yield at
            at += len(taken_apart((value,), {})[0])

    def _loose(self) -> Iterator[int]:
        """Yield the places of the arguments that are numbers; those in containers are parts of a program."""
        for place, value in zip(self._places(), (*self.args, *self.kwargs.values()), strict=True):
            if type(value) in (int, float):
                yield place

    def _size(self, size: Any) -> int:
        """Return a traced integer, in the call that is traced."""
        return self.session.size(Item(self.session, int, size, None))

    def _number_of(self, t: Any) -> Any:
        """Return the number of a traced tensor of one element, in the call that is traced."""
        recorder = self.recorder
        number = recorder.operand(t._value)[0].index
        equations = needed(recorder.equations, [number], recorder.dtypes)
        if any(
            "while" in equation.op or TABLE[equation.op].exchanges for equation in recorder.equations
        ):
            # With other numbers it might not end; and others do not exchange twice.
            raise self.session.refusal("the numbers of a traced tensor decide what happens next")
        drawn = default_generator.get_state()
        try:
            program = self._program(equations, self.inputs, [number])
            (found,) = program.run(*(slots.value for slots in self._before))
        finally:
            default_generator.set_state(drawn)
        return found.item()

    def _follow_modes(self, before: Modes) -> None:
        """Leave grad mode as the function leaves it after each call; refuse other modes that it leaves."""
        now = modes()
        if now == before:
            return
        if now is not DEFAULT and now is not NO_GRAD:
            raise Unsupported("the function leaves modes other than it found them")
        self.session.effect(set_modes, now)
        set_modes(before)

    def _outgoing(self, value: Any, seen: set[int]) -> tuple[list[Any], Any]:
        leaves, structure = tree_flatten(outgoing(self.session, value, seen))
        self._check_values(leaves)
        if any(leaf is dial.cell for leaf in leaves for dial in self.session.dials):
            raise Unsupported("a learning rate is a result")
        return leaves, structure

    def _written_down(self, result: Any) -> Captured | None:
        recorder, out = self.recorder, Captured()
        out.places = recorder.places
        numbers: list[int] = []

        def output_of(number: int) -> int:
            numbers.append(number)
            return len(numbers) - 1

        def output(t: Any) -> int:
            # What does not depend on a cell, as the gradient of a plain sum, is a constant of the program.
            return output_of(recorder.operand(t._value)[0].index)

        self._check_cells()
        out.new_leaves = [at for at, t in enumerate(self.tensors) if t._node is LEAF and not self._leaves[at]]
        kinds = ("argument", "fixed")
        if any(self._had_grad(at) or self.cells[at].kind not in kinds for at in out.new_leaves):
            raise Unsupported("a tensor that has a gradient, or that each call finds anew, becomes a leaf")
        out.writes = [
            (at, output(t)) for at, t in enumerate(self.tensors) if t._value.index != self.inputs[at]
        ]
        out.counts = [max(self.tensors[at]._counter[0], 1) for at, _ in out.writes]
        out.grads = []
        out.grad_absent, out.grad_present = [], []
        changed_grads: set[int] = set()
        grads: dict[int, int] = {}
        for at, t in enumerate(self.tensors):
            g, own = t._grad, self.phantom.get(at)
            new = at in out.new_leaves
            if new or (not self.phantoms and t._node is LEAF and not self._had_grad(at)):
                out.grad_absent.append(at)
            if own is not None:
                if g is own:
                    if own._value.index not in self.phantom_values:
                        return None
                    continue
                changed_grads.add(at)
            elif g is None or id(g) in self._index:
                if g is not None and self.cells[self._index[id(g)]] != Cell("grad", at):
                    raise Unsupported("a tensor that the function is given becomes a gradient")
                if g is None and self._had_grad(at):
                    changed_grads.add(at)
                    out.grads.append((at, None))
                continue
            if g is None:
                out.grads.append((at, None))
                continue
            if g._node is not None or g._view is not None or id(g) in grads:
                raise Unsupported("a gradient has a history, or shares its memory")
            grads[id(g)] = at
            out.grads.append((at, output(g)))
        met: set[int] = set()
        leaves, out.structure = self._outgoing(result, met)
        out.effects = []
        for effect in self.session.net_effects():
            target, *values = effect.args or (None,)
            more, structure = self._outgoing((Given(target), *values)[: len(effect.args)], met)
            out.effects.append((effect.function, structure))
            leaves += more
        out.late = []
        for deferred, expected in self.session.late:
            out.late.append((len(leaves), expected))
            leaves.append(deferred)
        leaves += self.session.may_raise
        if self.session.could_tell(leaves):
            self.knowledge.picks = False
            return None
        out.asked = self.session.asked
        out.guards = self.session.guards
        out.numbers = self._numbers
        out.varying = self._varying - self.knowledge.decisive
        self._numbers.values = {n: self._leaves_given[n] for n in self._varying}
        out.alike, out.changed = self._alike, self.session.changed()
        out.met = [cell.where for cell in self.cells if cell.kind == "fixed"]
        found = Results(recorder, self._index, grads, Memory(recorder, self.inputs), output_of)
        out.results = found.of(leaves)
        out.made = found.made
        roots = found.roots
        forward = list(recorder.equations)
        out.pullback, out.saved, out.pulled, out.refused = None, [], [], []
        out.arrives, out.later = [], []
        pulled: list[Any] = []
        covectors: list[Any] = []
        reached: list[set[int]] = []
        if roots:
            wanted = [at for at, t in enumerate(self.tensors) if t._node is LEAF]
            covectors = [recorder.new(t._value.shape, t._value.dtype) for t in roots]
            out.pulled = [(at, None) for at in wanted]
            refused: dict[int, Exception] = {}
            before = self._held()
            with self.session.later() as out.later:
                try:
                    pulled = self._pull_back(roots, covectors, wanted)
                except RuntimeError as error:
                    # Mostly, the function has pulled back itself; a second time is refused, as in eager.
                    refused = self._refused(roots, covectors, wanted, error)
                    del recorder.equations[len(forward) :]
                    self._part(out, roots, covectors, refused)
                    if roots:
                        pulled = self._pull_back(roots, covectors, wanted)
                self._check_ends(roots, found.tensors)
                reached = self._reached(roots, covectors, wanted)
            if any(a is not b for a, b in zip(before, self._held(), strict=True)):
                raise Unsupported("pulling its results back writes to tensors, or calls backward")
        forward = self._taken_apart(len(forward), numbers)
        out.differentiable = [self._kind(m) for m in out.made if m.differentiable is not None]
        if self.phantoms and self._phantom_was_read(recorder.equations, numbers):
            return None
        if roots:
            forward = self._cut(out, forward, numbers, covectors, pulled)
            out.arrives = [
                {place for n, (_, place) in enumerate(out.pulled) if place is not None and n in found}
                for found in reached
            ]
        else:
            forward = rewritten("half", forward, Roller(recorder), numbers)
        out.program = self._program(needed(forward, numbers, recorder.dtypes), self.inputs, numbers)
        self._trim(out, changed_grads)
        out.strides = {n: self._strides[n] for n in out.program.inputs if n in self._strides}
        return out

    def _taken_apart(self, count: int, numbers: Sequence[int]) -> list[Equation]:
        """Return the first equations, those of the call, with the steps of its recurrent layers; the others
        follow them again.
        """
        recorder = self.recorder
        first, later = recorder.equations[:count], recorder.equations[count:]
        read = {o.index for e in later for o in e.operands if isinstance(o, Reference)}
        forward: list[Equation] = rewritten("trace", first, recorder, [*numbers, *read])
        recorder.equations[:count] = forward
        return forward

    def _traced(self, t: Any) -> bool:
        value = t._value
        return isinstance(value, Tracer) and value.recorder is self.recorder

    def _had_grad(self, at: int) -> bool:
        return at in self._with_grads

    @staticmethod
    def _check_values(leaves: Sequence[Any]) -> None:
        """Refuse results that no call could give again."""
        kinds = (TensorBase, Deferred, Given, *SCALARS, dtypes.dtype)
        for leaf in leaves:
            if isinstance(leaf, Node):
                raise Unsupported("the function returns a node of the graph")
            if type(leaf) is slice and all(type(p) in SCALARS for p in (leaf.start, leaf.stop, leaf.step)):
                continue
            if not isinstance(leaf, kinds) and type(leaf).__hash__ is None:
                raise Unsupported(f"the function returns a {type(leaf).__name__}")

    def _check_cells(self) -> None:
        """Refuse what a call cannot do to the tensors it is given."""
        for at, t in enumerate(self.tensors):
            if not self._traced(t):
                raise Unsupported("the data of a tensor that the function is given are replaced")
            if t._view is not None or t._rearranged is not self._rearranged[at]:
                raise Unsupported("a tensor that the function is given is transposed in place")
            if t._node not in (None, LEAF) or (self._leaves[at] and t._node is None):
                raise Unsupported("a tensor that the function is given gets or loses a history")
            if t._leaf_hooks is not None or t._retained:
                raise Unsupported("a tensor that the function is given gets hooks")
            if t._value.shape != self.recorder.shapes[self.inputs[at]]:
                raise Unsupported("a tensor that the function is given changes its shape")

    def _phantom_was_read(self, equations: Sequence[Equation], numbers: Sequence[int]) -> bool:
        if not self.phantom:
            return False
        read = {o.index for e in equations for o in e.operands if isinstance(o, Reference)}
        return not self.phantom_values.isdisjoint(read | set(numbers))

    def _pull_back(self, roots: Sequence[Any], covectors: Sequence[Any], wanted: Sequence[int]) -> list[Any]:
        edges = [accumulator(self.tensors[at]) for at in wanted]
        starts = [edge_of(t) for t in roots]
        nodes = [getattr(e, "node", e) for e in starts]
        found = Capture(edges, nodes)
        pairs = list(zip(starts, covectors, strict=True))
        engine.run_backward(pairs, keep_graph=True, create_graph=False, capture=found, accumulate=False)
        return found.results

    def _check_ends(self, roots: Sequence[Any], made: Sequence[Any]) -> None:
        """Refuse results that covectors lead from to leaves among the results, or with hooks: each call would
        have to tie them together anew.
        """
        results = set(map(id, made))
        seen: set[int] = set()
        waiting = [edge_of(t) for t in roots]
        while waiting:
            node = waiting.pop()
            node = getattr(node, "node", node)
            if node is None or id(node) in seen:
                continue
            seen.add(id(node))
            leaf = node.variable if isinstance(node, AccumulateGrad) else None
            if leaf is not None and id(leaf) not in self._index and (
                id(leaf) in results or leaf._leaf_hooks is not None
            ):  # fmt: skip
                raise Unsupported("a result leads back to a leaf that the function makes")
            if node._hooks:
                raise Unsupported("a hook stands on the way that covectors take from a result")
            waiting += node._edges

    def _held(self) -> list[Any]:
        """Return what tensors and gradients hold."""
        grads = [t._grad for t in self.tensors]
        return [*(t._value for t in self.tensors), *grads, *(None if g is None else g._value for g in grads)]

    def _reached(
        self, roots: Sequence[Any], covectors: Sequence[Any], wanted: Sequence[int]
    ) -> list[set[int]]:
        """Return which of the wanted tensors get a covector from each root alone."""
        everything = set(range(len(wanted)))
        if len(roots) <= 1 or len(roots) > MANY:
            return [everything] * len(roots)
        before = len(self.recorder.equations)
        found = []
        for root, covector in zip(roots, covectors, strict=True):
            pulled = self._pull_back([root], [covector], wanted)
            found.append({n for n in everything if pulled[n] is not None})
        del self.recorder.equations[before:]
        return found

    def _refused(
        self, roots: Sequence[Any], covectors: Sequence[Any], wanted: Sequence[int], error: Exception
    ) -> dict[int, Exception]:
        """Return which roots cannot be pulled back, and why."""
        if len(roots) == 1:
            return {0: self._lasting(error)}
        found: dict[int, Exception] = {}
        for n, root in enumerate(roots):
            try:
                self._pull_back([root], [covectors[n]], wanted)
            except RuntimeError as own:
                found[n] = self._lasting(own)
        return found

    def _lasting(self, error: Exception) -> Exception:
        """Return the error of a pullback as every call will give it."""
        if self.recorder.refused is not None:
            raise Unsupported(f"results cannot be pulled back: {error}")
        return error.with_traceback(None)

    def _kind(self, made: Made) -> Kind:
        return self.recorder.shapes[made.number], self.recorder.dtypes[made.number]

    def _part(
        self, out: Captured, roots: list[Any], covectors: list[Any], refused: dict[int, Exception]
    ) -> None:
        """Set the roots that cannot be pulled back apart from the others."""
        left = [n for n in range(len(roots)) if n not in refused]
        place = {n: k for k, n in enumerate(left)}
        for k, made in enumerate(out.made):
            n = made.differentiable
            if n is None:
                continue
            if n in refused:
                out.refused.append((self._kind(made), refused[n]))
            out.made[k] = made._replace(
                differentiable=place.get(n), refused=len(out.refused) - 1 if n in refused else None
            )
        roots[:] = [roots[n] for n in left]
        covectors[:] = [covectors[n] for n in left]

    # --- cutting the trace in two ---------------------------------------------------------------------------

    def _cut(
        self, out: Captured, forward: list[Equation], numbers: list[int], covectors: Sequence[Any],
        pulled: Sequence[Any],
    ) -> list[Equation]:  # fmt: skip
        recorder = self.recorder
        later = recorder.equations[len(forward) :]
        targets: list[int] = []
        for n, (at, _) in enumerate(out.pulled):
            value = pulled[n]
            if value is None:
                continue
            if isinstance(value, TensorBase):
                value = value._value
            if not isinstance(value, Tracer):
                _, seen = recorder.operand(value)
                value = Tracer(recorder, recorder._constant_of[id(seen)][1])
            targets.append(value.index)
            out.pulled[n] = (at, len(targets) - 1)
        own = {c.index for c in covectors}
        kept = needed(later, targets, recorder.dtypes)
        read = {o.index for e in kept for o in e.operands if isinstance(o, Reference)}
        roller = Roller(recorder)
        wanted = [*numbers, *read, *targets]
        forward = rewritten("half", forward, roller, wanted)
        kept = rewritten("half", kept, roller, targets)
        maker = {o: e for e in forward for o in e.outputs}
        made = {o for e in kept for o in e.outputs}
        again: dict[int, Equation] = {}
        saved: dict[int, None] = {}

        def ask(number: int) -> None:
            waiting = [number]
            while waiting:
                v = waiting.pop()
                if v in made or v in own or v in recorder.constants or v in again or v in saved:
                    continue
                equation = maker.get(v)
                if equation is None or not _is_cheap(equation, numbers):
                    saved[v] = None
                    continue
                again.update(dict.fromkeys(equation.outputs, equation))
                waiting.extend(o.index for o in equation.operands if isinstance(o, Reference))

        for equation in kept:
            for o in equation.operands:
                if isinstance(o, Reference):
                    ask(o.index)
        for target in targets:
            ask(target)
        repeated = [e for e in forward if e.outputs[0] in again]
        at_input = {number: at for at, number in enumerate(self.inputs)}
        written = {at for at, _ in out.writes}
        by_number = {m.number: n for n, m in reversed([*enumerate(out.made)])}
        for v in saved:
            cell = at_input.get(v)
            if cell is not None and cell not in written:
                out.saved.append(Saved(None, cell, None))
            elif v in by_number:
                made_as = out.made[by_number[v]]
                if made_as.placement is None:
                    out.saved.append(Saved(made_as.output, None, by_number[v]))
                else:
                    numbers.append(v)
                    out.saved.append(Saved(len(numbers) - 1, None, by_number[v]))
            else:
                numbers.append(v)
                out.saved.append(Saved(len(numbers) - 1, None, None))
        out.pullback = self._program([*repeated, *kept], [*saved, *(c.index for c in covectors)], targets)
        return forward

    def _program(
        self, equations: Iterable[Equation], inputs: Sequence[int], outputs: Sequence[int]
    ) -> Program:
        equations = list(equations)
        read = {o.index for e in equations for o in e.operands if isinstance(o, Reference)} | set(outputs)
        constants = {k: v for k, v in self.recorder.constants.items() if k in read}
        program = Program(
            inputs, equations, outputs, constants, self.recorder.shapes, self.recorder.dtypes
        )
        program.verify()
        return program

    def _trim(self, out: Captured, changed_grads: set[int]) -> None:
        """Leave out cells that the program does not read and the call does not change."""
        program = out.program
        read = {o.index for e in program.equations for o in e.operands if isinstance(o, Reference)}
        read |= set(program.outputs)
        touched = {at for at, _ in (*out.writes, *out.grads, *out.pulled)}
        touched |= {at for r in _sources(out.results) if (at := _cell_of(r)) is not None}
        asked = {at for at, t in enumerate(self.tensors) if id(t) in self.session.asked_grads}
        touched |= asked
        touched |= {at for at, cell in enumerate(self.cells) if cell.kind == "grad" and cell.where in asked}
        placed = [m.placement for m in out.made if m.placement is not None]
        touched |= {placement.cell for placement in placed if placement.cell is not None}
        touched |= {s.cell for s in out.saved if s.cell is not None}
        keep = [at for at, number in enumerate(self.inputs) if number in read or at in touched]
        for at in list(keep):
            parent = self.cells[at].where if self.cells[at].kind == "grad" else None
            if parent is not None:
                out.grad_present.append(parent)
                if parent not in keep:
                    keep.append(parent)
        keep.sort()
        place = {at: n for n, at in enumerate(keep)}
        out.cells = []
        for at in keep:
            cell = self.cells[at]
            out.cells.append(Cell("grad", place[cell.where]) if cell.kind == "grad" else cell)
        program.inputs = tuple(self.inputs[at] for at in keep)
        out.writes = [(place[at], n) for at, n in out.writes]
        out.grads = [(place[at], n) for at, n in out.grads]
        out.pulled = [(place[at], n) for at, n in out.pulled]
        out.results = [_renumbered(r, place) for r in out.results]
        out.made = [
            m if m.placement is None or m.placement.cell is None
            else m._replace(placement=m.placement._replace(cell=place[m.placement.cell]))
            for m in out.made
        ]  # fmt: skip
        out.saved = [s if s.cell is None else s._replace(cell=place[s.cell]) for s in out.saved]
        written = {at for at, _ in out.writes}
        out.accumulated = sorted(
            {at for at, _ in out.grads}
            | {cell.where for at, cell in enumerate(out.cells) if cell.kind == "grad" and at in written}
        )
        out.reduced = {}
        for n in out.accumulated:
            slots = self._before[keep[n]]
            if slots.hooks is None:
                continue
            if id(slots.tensor) not in self.session.reduced or not slots.hooks.has_one_after():
                raise Unsupported("a leaf has hooks")
            out.reduced[n] = slots.hooks
        out.grad_absent = [place[at] for at in out.grad_absent if at in place]
        out.grad_present = [place[at] for at in out.grad_present]


def _sources(results: Iterable[Result]) -> Iterator[Result]:
    """Yield the results, and the tensors that numbers among them are computed from."""
    for result in results:
        if result.kind == "number":
            yield from _sources(result.at[1].values())
        else:
            yield result


def _cell_of(result: Result) -> int | None:
    """Return the cell that a result is, shares the memory of, or is the gradient of."""
    while result.source is not None:
        result = result.source
    return result.at if result.kind in ("cell", "grad") else None


def _renumbered(result: Result, place: dict[int, int]) -> Result:
    if result.kind == "number":
        value, sources = result.at
        return result._replace(at=(value, {t: _renumbered(r, place) for t, r in sources.items()}))
    if result.source is not None:
        return result._replace(source=_renumbered(result.source, place))
    return result._replace(at=place[result.at]) if result.kind in ("cell", "grad") else result


def _is_cheap(equation: Equation, numbers: Sequence[int]) -> bool:
    op = TABLE[equation.op]
    if any(o in numbers for o in equation.outputs):
        return False
    return op.kind == "view" or equation.op in CHEAP


def rebuilt(captured: Captured, leaves: Sequence[Any]) -> list[Any]:
    """Return what the function returned, of the tensors of a call, and the arguments of each effect."""
    found, at = [], 0
    for structure in (captured.structure, *(structure for _, structure in captured.effects)):
        found.append(tree_unflatten(leaves[at : at + structure.num_leaves], structure))
        at += structure.num_leaves
    return found
