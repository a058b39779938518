"""Write a call of a function down: run it once on tracers, and note what ties its values to tensors.

The function runs as rewritten code (`frontend`). Every tensor that it comes upon is a *cell* (`cells`): read
when a call begins, and written back when the call changes it. Where a result requires grad, the pullback is
traced right after it (`pulled_back`), and the trace is cut in two programs (`split_backward`).
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...array import locks
from ...core import warn
from ...core.body import generators
from ...core.device import default_name
from ...core.levels import fresh_level
from ...core.modes import DEFAULT, NO_GRAD, Modes, modes, set_modes
from ...core.node import LEAF
from ...core.op import TABLE
from ...core.recorder import Equation, Recorder, read_by
from ...core.settings import SETTINGS
from ...core.traced_calls import Patterns
from ...core.tracer import Tracer, seeing, tracing, turn
from ...core.value import TensorBase, wrap
from ...tensor.random import default_generator
from ...tensor.tree import tree_flatten
from ...torch_names.amp.autocast_mode import settings, traced_apart
from ..passes.loop_rolling import Roller
from ..passes.pipeline import rewritten
from ..passes.simplification import needed
from ..program.layouts import settled
from ..runtime.helper_processes import expect
from ..runtime.placement import Memory
from .captured import Captured, Cell
from .cells import Cells
from .functions import collectives, native_functions
from .operations import (
    calls,
    formatting,
    operators,
    registered,  # noqa: F401  # fills in what rewritten code calls
)
from .outgoing import Given, GivenContainer, Met, check_values, outgoing
from .pulled_back import ResultsPulledBack, kind_of
from .results import Results
from .split_backward import cut, program_of, trim
from .state.arguments import StandIns, taken_apart
from .state.deferred import Argument, GivenArray, Item, Numbers
from .state.effects import freeze, give_data
from .state.guards import ABSENT, Contents, Guard, answer, dict_item
from .state.knowledge import Knowledge
from .state.recorded_warnings import hearing
from .state.session import EQUATION, Session, current
from .unsupported import Again, OnlyNow, Unsupported


def capture(
    function: Callable[..., Any], args: object, kwargs: object, knowledge: Knowledge, first: object,
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
        with turn:
            return _Capture(function, args, kwargs, knowledge, first, turning, varying, places).run()
    except Again:
        knowledge.phantoms = False
        return None


#: Bytes of values that are kept for other numbers that a trace asks for.
_KEPT = 2**27

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
        knowledge.composing = None
        self._leaves_given, self._spec, self._nodes = taken_apart(args, kwargs, knowledge.records)
        self._numbers = Numbers()
        self._numbers.containers = tuple(self._nodes)
        self._holds_given = False
        self.recorder = Recorder(fresh_level())
        self.recorder.places = {} if places else None
        self.recorder.lifts = True
        self.recorder.patterns = Patterns(self.recorder)
        self.recorder.picks.allowed = knowledge.picks
        self.recorder.size, self.recorder.number = self._size, self._number
        given = (t for t in self._leaves_given if isinstance(t, TensorBase))
        self.cells = Cells(self.recorder, given, knowledge.phantoms)
        #: By number, the values that were computed for numbers of traced tensors.
        self._known: dict[int, Any] = {}
        self._thread = threading.get_ident()
        self._heard, self._hears = warnings.catch_warnings(), False
        arrays = {n for n, leaf in enumerate(self._leaves_given) if GivenArray.fits(leaf)}
        self._varying = (varying - knowledge.decisive) | arrays
        self.session = self.cells.session = Session(self.cells, self._present, knowledge, first, turning)

    # --- the run --------------------------------------------------------------------------------------------

    def run(self) -> Captured | None:
        """Trace; None where it must be done again."""
        recorder, session = self.recorder, self.session
        session.streams[default_generator] = default_generator.get_state()
        _running.add(self)
        given = frozenset(warn.GIVEN)
        found = None
        before, precisions = modes(), settings()
        token = current.set(session)
        try:
            self._look_at_arguments()
            with seeing(lambda f: native_functions.callback(session, f)), traced_apart() as asked:
                with self._heard, tracing(recorder):
                    self._hears = True
                    warnings.simplefilter("always")
                    warnings.showwarning = hearing(session.effect)
                    result = calls.call(self.function, *self._with_numbers())
                    collectives.check(session, recorder)
                    session.close()
                self._hears = False
                if settings() != precisions:
                    raise Unsupported("the function leaves autocast other than it found it")
                if asked:
                    session.note(Contents(answer, settings, (), precisions), (id(settings), "answer"))
                self._note_settings()
                recorder.check_lifted()
                self.cells.check_sparse()
                if recorder.refused is not None:
                    raise recorder.refused
                self._follow_modes(before)
                if len(warn.GIVEN) > len(given):
                    raise OnlyNow
                streams = session.streams.items()
                if any(not np.array_equal(g.get_state()._value, state._value) for g, state in streams):
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
            try:
                self._undo(before, given, found)
            except KeyboardInterrupt:
                # It goes on when what the user holds is whole again.
                self._undo(before, given, found)
                raise
            finally:
                current.reset(token)
                _running.discard(self)
                if found is None:
                    # Without the cycles of the trace what it holds is freed with the call.
                    for part in (session, recorder, self.cells):
                        vars(part).clear()

    def _undo(self, before: Any, given: frozenset[str], found: Captured | None) -> None:
        """Put back what the trace has changed; twice is as good as once."""
        self.session.close()
        self.session.rollback()
        if self.session.draws is not None:
            self.session.draws.end_trace()
        # A context may not have been left.
        set_modes(before)
        warn.GIVEN.intersection_update(given)
        if found is None:
            self._put_streams_back()
        self.cells.put_back()

    def _note_settings(self) -> None:
        """Guard settings that functions of ours look at, which are not rewritten."""
        session, own = self.session, vars(SETTINGS)
        for name in ("warns_always", "chooses_devices"):
            session.note(Guard(dict_item, own, name, own.get(name, ABSENT)), (id(own), "item", name))
        # No word tells what a thread's device is: it is asked for where one was ever chosen.
        if SETTINGS.chooses_devices:
            session.ask(default_name)

    def _look_at_arguments(self) -> None:
        session = self.session
        session.seen(self.function)
        operators.check_operators(session)
        for n, t in enumerate(self.cells.given.values()):
            self.cells.add(t, Cell("argument", n))
        for leaf in self._leaves_given:
            if not isinstance(leaf, TensorBase):
                session.seen(leaf)
        for container in self._nodes:
            session.arguments[id(session.made(container))] = container

    def give_up(self) -> None:
        """Undo, in a forked child, what the thread that traces in the parent would undo at its end."""
        self.session.rollback()
        self.cells.put_back()
        self._put_streams_back()
        if self._hears:
            self._heard.__exit__(None, None, None)

    def _put_streams_back(self) -> None:
        for generator, state in self.session.streams.items():
            generator.set_state(state)

    def _with_numbers(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments, with what stands for those that are other numbers in other calls."""
        session = self.session

        def argument(place: int, value: object) -> Argument:
            kind = GivenArray if GivenArray.fits(value) else Argument
            return kind(session, place, value, self._numbers)

        stand_ins = StandIns(self._nodes, self._varying, argument, session.stand_in)
        args, spec = self.args, self._spec.children_specs
        given = stand_ins.within(args, spec[0])
        named = {
            name: stand_ins.within(value, child)
            for (name, value), child in zip(self.kwargs.items(), spec[1].children_specs, strict=True)
        }
        self._varying = frozenset(stand_ins.used)
        for before, now in stand_ins.tuples:
            session.arguments[id(session.made(now))] = now
            self._nodes[:] = [now if node is before else node for node in self._nodes]
        return given, named

    def _size(self, size: object) -> int:
        """Return a traced integer, in the call that is traced."""
        return self.session.size(Item(self.session, int, size, None))

    def _number(self, value: Any) -> Any:
        """Return a traced number that code of this package asks a tensor for, in the call that is traced."""
        alone = formatting.as_it_is_now(wrap(value, None, value._level))
        return Item(self.session, type(value.dtype.type(0).item()), alone, None).known()

    def _present(self, t: Any) -> np.ndarray:
        """Return the numbers of a traced tensor in the call that is traced."""
        recorder = self.recorder
        number = recorder.operand(t._value)[0].index
        equations = needed(recorder.equations, [number], recorder.dtypes)
        if any("while" in e.op or TABLE[e.op].exchanges for e in recorder.equations):
            # With other numbers it might not end; and others do not exchange twice.
            raise self.session.refusal("the numbers of a traced tensor decide what happens next")
        if self.cells.stand_in_was_read(equations, [number]):
            raise self.session.refusal("a number depends on a gradient that is absent", Again)
        streams = {g: g.mark() for e in equations for g in generators(e.op, e.attrs)}
        known: dict[int, Any] = {} if streams else self._known
        known |= zip(self.cells.inputs, (slots.value for slots in self.cells.before), strict=True)
        left = [e for e in equations if known.keys().isdisjoint(e.outputs)]
        asked = [number] if streams or number in known else [out for e in left for out in e.outputs]
        self.session.evaluated += sum(EQUATION + math.prod(recorder.shapes[out]) for out in asked)
        try:
            read = [*(read_by(left) | {*asked}) & known.keys()]
            program = program_of(recorder, left, read, asked)
            known |= zip(asked, program.run(*map(known.__getitem__, read)), strict=True)
        finally:
            for stream, mark in streams.items():
                stream.return_to(mark)
        if sum(value.nbytes for value in known.values()) > _KEPT:
            self._known = {}
        return known[number]

    def _follow_modes(self, before: Modes) -> None:
        """Leave grad mode as the function leaves it after each call; refuse other modes that it leaves."""
        now = modes()
        if now == before:
            return
        if now is not DEFAULT and now is not NO_GRAD:
            raise Unsupported("the function leaves modes other than it found them")
        self.session.effect(set_modes, now)
        set_modes(before)

    # --- what it comes to -----------------------------------------------------------------------------------

    def _written_down(self, result: object) -> Captured | None:
        recorder, cells, session, out = self.recorder, self.cells, self.session, Captured()
        expect(len(recorder.equations))
        out.places = recorder.places
        numbers: list[int] = []

        def output_of(number: int) -> int:
            numbers.append(number)
            return len(numbers) - 1

        def output(t: Any) -> int:
            # What does not depend on a cell, as the gradient of a plain sum, is a constant of the program.
            return output_of(recorder.operand(t._value)[0].index)

        cells.check()
        out.new_leaves, out.draws = cells.new_leaves(), session.draws
        for t in cells.former_leaves():
            session.effect(freeze, t)
        if session.draws is not None:
            session.effect(session.draws.keep)
        for at, given in cells.given_data.items():
            session.effect(give_data, cells.tensors[at], given)
        changed = [
            (at, t) for at, t in enumerate(cells.tensors) if at not in cells.given_data
            and (t._value.index != cells.inputs[at] or recorder.times_written(t))
        ]  # fmt: skip
        out.writes = [(at, output(t)) for at, t in changed]
        out.counts = [recorder.times_written(t) for _, t in changed]
        grads = self._gradients(out, output)
        if grads is None:
            return None
        leaves = self._leaves(out, result)
        if session.could_tell(leaves):
            self.knowledge.picks = False
            return None
        self._note_conditions(out)
        found = Results(recorder, cells.index, grads, Memory(recorder, cells.inputs), output_of)
        out.results = found.of(leaves)
        out.made = found.made
        out.pullback, out.saved, out.pulled, out.refused, out.arrives, out.later = None, [], [], [], [], []
        count, roots = len(recorder.equations), found.roots
        # What comes after the call goes on behind the histories that it was given.
        recorder.pulls = None
        back = ResultsPulledBack(out, cells, session, roots, found.tensors) if roots else None
        forward = self._taken_apart(count, numbers, [] if back is None else back.pulled)
        out.differentiable = [kind_of(cells, m) for m in out.made if m.differentiable is not None]
        _check_given(cells, out)
        if cells.phantoms and cells.stand_in_was_read(recorder.equations, numbers):
            return None
        if back is not None and roots:
            forward = cut(out, cells, forward, numbers, back.covectors, back.pulled)
            out.arrives = back.arrives(out)
            out.apart = back.apart(out)
        else:
            forward = rewritten("half", forward, Roller(recorder), numbers)
        out.program = program_of(recorder, forward, cells.inputs, numbers)
        trim(out, cells, session)
        out.strides = {n: cells.strides[n] for n in out.program.inputs if n in cells.strides}
        out.strides |= settled(recorder)
        return out

    def _note_conditions(self, out: Captured) -> None:
        """Note what must be so when the program is called again."""
        cells, session = self.cells, self.session
        out.asked = session.asked
        out.guards = session.guards
        out.numbers = self._numbers
        out.varying = self._varying - self.knowledge.decisive
        self._numbers.values = {n: self._leaves_given[n] for n in self._varying}
        out.alike, out.unset, out.elsewhere = cells.alike, cells.unset, session.changed() | session.apart
        out.met = [cell.where for cell in cells.found if cell.kind == "fixed"]

    def _gradients(self, out: Captured, output: Callable[[Any], int]) -> dict[int, int] | None:
        """Note what `.grad` of each cell is after the call; return the cells by the identity of what was made
        for them. None where a stand-in was written to.
        """
        cells = self.cells
        out.grads, out.grad_absent, out.grad_present = [], [], []
        grads: dict[int, int] = {}
        for at, t in enumerate(cells.tensors):
            g, own = t._grad, cells.phantom.get(at)
            asks = at in cells.absent or (own is None and id(t) in self.session.asked_grads)
            asks = asks or (not cells.phantoms and (t._node is LEAF or cells.was_leaf(at)))
            if (asks or at in out.new_leaves) and not cells.had_gradient(at):
                out.grad_absent.append(at)
            if own is not None and g is own:
                if own._value.index not in cells.phantom_values:
                    return None
            elif g is None:
                if own is not None or cells.had_gradient(at):
                    out.grads.append((at, None, 0))
            elif cells.is_cell(g):
                if own is not None or cells.found[cells.index[id(g)]] != Cell("grad", at):
                    raise Unsupported("a tensor that the function is given becomes a gradient")
            else:
                shares = any(len(m.held()) > 1 and m.holds(g) for m in cells.recorder.shared)
                if g._node is not None or g._view is not None or shares or id(g) in grads:
                    raise Unsupported("a gradient has a history, or shares its memory")
                grads[id(g)] = at
                times = None if g._inference else cells.recorder.times_written(g)
                out.grads.append((at, output(g), times))
        return grads

    def _leaves(self, out: Captured, result: object) -> list[Any]:
        """Return the leaves of the result, of what effects are given, and the numbers that were asked for."""
        met, session = Met(), self.session
        session.given_container = self._given_container
        effects = session.net_effects()
        outgoing(session, result, met)
        for effect in effects:
            try:
                for part in effect.args[1:]:
                    outgoing(session, part, met)
            except Unsupported as reason:
                if session.adds_a_key(effect) and session.knowledge.is_first():
                    raise OnlyNow(str(reason)) from None
                raise
        met.again()
        leaves, out.structure = self._flat(outgoing(session, result, met))
        out.effects = []
        for effect in effects:
            target, *values = effect.args or (None,)
            given = session.given_container(target) if id(target) in session.arguments else Given(target)
            args = (given, *values)[: len(effect.args)]
            more, structure = self._flat(tuple(outgoing(session, part, met) for part in args))
            out.effects.append((effect.function, structure))
            leaves += more
        out.holds_given, out.changes_given = self._holds_given, session.changes_given
        out.late = []
        for n, (deferred, expected) in enumerate(session.late):
            if n not in session.required:
                out.late.append((len(leaves), expected))
                leaves.append(deferred)
        leaves += self.session.may_raise
        return leaves

    def _given_container(self, container: object) -> GivenContainer:
        """Return what stands for a container among the arguments."""
        places = [n for n, node in enumerate(self._nodes) if node is container]
        if len(places) > 1:
            raise self.session.refusal("a container that the function is given twice is changed, or a result")
        self._holds_given = True
        return GivenContainer(self._numbers, places[0])

    def _flat(self, tree: object) -> tuple[list[Any], Any]:
        leaves, structure = tree_flatten(tree)
        check_values(leaves)
        if any(leaf is dial.cell for leaf in leaves for dial in self.session.dials):
            raise Unsupported("a learning rate is a result")
        return leaves, structure

    def _taken_apart(self, count: int, numbers: Sequence[int], pulled: Sequence[Any]) -> list[Equation]:
        """Return the call's equations with steps for recurrent layers; the others follow them again."""
        recorder = self.recorder
        first, later = recorder.equations[:count], recorder.equations[count:]
        first = rewritten("trace", first, recorder, numbers, later)
        values = (t._value if isinstance(t, TensorBase) else t for t in pulled)
        wanted = [*numbers, *(v.index for v in values if isinstance(v, Tracer))]
        forward: list[Equation]
        forward, later = rewritten("halves", (first, later), wanted)
        recorder.equations[:] = [*forward, *later]
        return forward


def _check_given(cells: Cells, out: Captured) -> None:
    """Refuse results that would tell which memory a tensor had when they were made: histories and views."""
    if not cells.given_data:
        return
    for result in out.results:
        source = result
        while source.source is not None:
            source = source.source
        if source is not result and source.kind == "cell" and source.at in cells.given_data:
            raise Unsupported("a result is a view of a tensor whose .data were assigned")
