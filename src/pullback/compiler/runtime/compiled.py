"""Compiled functions: choose the program that fits a call, or trace one, or run the function eagerly.

A function keeps a few specialisations. One fits while its guards hold: the arguments' structure, shapes,
dtypes and other values, grad mode, and everything that the function read when it was traced. A call that none
fits traces the function again; a function that cannot be traced, or is traced too often, runs eagerly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter as _now
from typing import Any

from ...core.backend import in_parts
from ...core.modes import DEFAULT, NO_GRAD, modes
from ...core.tracer import Exchanges, is_tracing, turn
from ...core.warn import warn
from ..frontend.bytecode.instructions import SUPPORTED
from ..frontend.capture import capture
from ..frontend.captured import Captured
from ..frontend.collector import uncollected
from ..frontend.state.arguments import taken_apart
from ..frontend.state.deferred import Succeeds
from ..frontend.state.guards import SCALARS
from ..frontend.state.knowledge import Knowledge
from ..frontend.state.optimizer_state import MOMENTA, RATES, FirstState
from ..frontend.unsupported import STANCE, OnlyNow, Unsupported
from . import native_call
from .executable import Refused
from .helper_processes import at_work, begin_told
from .object_layout import layout
from .progress import told
from .recurring import Recurring
from .specialised_source import MISS
from .specialization import Specialization

#: Specialisations of one function before it runs eagerly, and how many more calls get that come again.
RECOMPILE_LIMIT, _RECURRING = 8, 56
#: Traces of one call, each of which knows more than the one before.
_ROUNDS = 12
#: Why a call runs eagerly that fits a program otherwise.
_SHARED = "it writes to a tensor whose memory another one shares"
#: Errors of an op on numbers that it does not take, as a singular matrix, and of Python's own operators;
#: memory that is missing is none.
_OPS_RAISE = (RuntimeError, ValueError, IndexError, ArithmeticError, TypeError)


class Compiled:
    """A function with its specialisations, of which there are at most `limit` before it runs eagerly,
    whatever comes.

    `fullgraph` raises where the numbers of a tensor decide what the function does, instead of running it
    eagerly; `check` compares every value with eager's in every call.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        fullgraph: bool = False,
        limit: int | None = None,
        check: bool = False,
    ) -> None:
        self.function = function
        #: What is called once no program is made of the function.
        self._eagerly = in_parts(function)
        self.fullgraph = fullgraph
        self.limit, self._more = (RECOMPILE_LIMIT, _RECURRING) if limit is None else (limit, 0)
        self.check = check
        self.specializations: list[Specialization] = []
        self.shortcuts: list[Callable[..., Any]] = []
        self.eager_because: str | None = None
        self._recurring: Recurring | None = None
        self._traces = 0
        #: The seconds that the traces took.
        self._took = 0.0
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
        recurring = self._recurring
        if self.eager_because is not None and (recurring is None or not self._plain() or recurring.passes()):
            return self._eagerly(*args, **kwargs)
        if not self._plain():
            return self._outside(args, kwargs)
        leaves, spec, nodes = taken_apart(args, kwargs, self._knowledge.records)
        ended, ran = turn.ended, 0
        for specialization in self.specializations:
            if specialization.fits(leaves, spec, nodes):
                if specialization.would_raise():
                    specialization.put_back()
                    return self.function(*args, **kwargs)
                if specialization.overlaps(leaves):
                    specialization.put_back()
                    return self._this_time(_SHARED, args, kwargs)
                found = self._run(specialization, leaves, args, kwargs)
                if found is not MISS:
                    if recurring is not None:
                        recurring.serve()
                    return found
                ran += 1
        if self.eager_because is not None:
            if recurring is None:
                return self._eagerly(*args, **kwargs)
            if not recurring.wants(leaves, spec, ran, self._took / max(self._traces, 1)):
                return recurring.eagerly(self._eagerly, args, kwargs)
        if self.specializations and STANCE:
            if "fail_on_recompile" in STANCE:
                raise RuntimeError("Detected recompile when torch.compile stance is 'fail_on_recompile'.")
            return self.function(*args, **kwargs)
        others = (pair for each in self.specializations for pair in each.exchanged(leaves, spec))
        if self._knowledge.comes_anew(others):
            # Programs of one object each do no other call, and keep what the object holds.
            self._forget()
            leaves, spec, _ = taken_apart(args, kwargs, self._knowledge.records)
        return self._traced(args, kwargs, leaves, spec, ended)

    def reset(self) -> None:
        """Forget all programs."""
        self._forget()
        self._turns = RATES
        self._knowledge = Knowledge()
        self._knowledge.speculates = not self.fullgraph

    def _forget(self) -> None:
        self.specializations.clear()
        self.shortcuts.clear()
        self.eager_because = self._recurring = None
        self._traces = self._raised = 0
        self._took = 0.0

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

    def _traced(self, args: Any, kwargs: Any, leaves: Sequence[Any], spec: Any, ended: int) -> Any:
        """Trace a call and do it by its program; `ended` traces had come to their end when none fitted it."""
        with turn:
            if turn.ended != ended:
                # What another thread traced may have a program for it, or was in the way of one.
                specialization: Any = partial(self, *args, **kwargs)
            elif self._traces >= self.limit and self._recurring is None:
                why = f"it was traced {self._traces} times and each call needs another program"
                specialization = partial(self._give_up, why, args, kwargs, more=self._more)
            else:
                begun = _now()
                try:
                    with at_work(), told(self._name()):
                        specialization = self._specialized(args, kwargs, leaves, spec)
                finally:
                    turn.ended += 1
                    self._took += _now() - begun
        if not isinstance(specialization, Specialization):
            return specialization()
        captured = specialization.captured
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
        self, args: Any, kwargs: Any, leaves: Sequence[Any], spec: object
    ) -> Specialization | Callable[[], Any]:
        """Trace and compile; where that cannot be done, what to call instead."""
        # A momentum that has changed will change again.
        self._turns = self._turns.union(*(_turned(s.captured) for s in self.specializations))
        for earlier in self.specializations:
            self._knowledge.changed(earlier.captured.guards)
            earlier.put_back()
        try:
            # Offsets in objects are found while nothing else runs.
            layout()
            begin_told(native_call.begun)
        except Exception as error:  # noqa: BLE001  # whatever the compiler stumbles over, the function runs
            return partial(self._give_up, _failed(error), args, kwargs)
        try:
            with uncollected():
                captured = self.captured(args, kwargs, self._varying(leaves, spec))
        except (OnlyNow, Unsupported) as reason:
            if self._knowledge.tell_by_identity():
                return partial(self, *args, **kwargs)
            if type(reason) is Unsupported:
                return partial(self._give_up, str(reason), args, kwargs, breaks=True)
            self._traces += 1
            return partial(self.function, *args, **kwargs)
        except Exchanges as reason:
            return partial(self._in_parts, str(reason), args, kwargs)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # what a trace stumbles over, eager may do
            if not _message(error).startswith("a traced value has no data"):
                # Its traceback leads to what the trace holds, and to this error.
                error = error if self.fullgraph else error.with_traceback(None)
                return partial(self._after, error, args, kwargs)
            return partial(self._give_up, _control_flow(error), args, kwargs, breaks=True)
        self._traces += 1
        try:
            with uncollected():
                specialization = Specialization(captured, leaves, spec)
        except BaseException as error:
            captured.undo()
            if not isinstance(error, Exception):
                raise
            # Whatever the compiler stumbles over, the function runs.
            return partial(self._give_up, _failed(error), args, kwargs)
        if specialization.would_raise():
            captured.undo()
            return partial(self.function, *args, **kwargs)
        if specialization.overlaps(leaves):
            captured.undo()
            return partial(self._give_up, _SHARED, args, kwargs)
        self._raised = 0
        self.specializations.append(specialization)
        if specialization.shortcut is not None:
            ways = self.shortcuts if self._recurring is None else self._recurring.ways
            ways.append(specialization.shortcut)
        return specialization

    def _varying(self, leaves: Sequence[Any], spec: object) -> frozenset[int]:
        """Find the numbers among the arguments that were others in an earlier call."""
        found: set[int] = set()
        for earlier in self.specializations:
            found |= earlier.differing(leaves, spec)
        return frozenset(found)

    def captured(self, args: object, kwargs: object, varying: frozenset[int] = frozenset()) -> Captured:
        """Trace until nothing new is found out, first with rates and momenta that may change."""
        if not SUPPORTED:
            raise Unsupported("the bytecode of this version of Python is not known")
        first = FirstState()
        try:
            return self._captured(args, kwargs, varying, first)
        except BaseException:
            first.take_back()
            raise

    def _captured(self, args: object, kwargs: object, varying: frozenset[int], first: FirstState) -> Captured:
        turning = [self._turns, *(t for t in (RATES, frozenset[str]()) if t < self._turns)]
        for _ in range(_ROUNDS):
            self._knowledge.dials = False
            stands_in = not self._knowledge.decisive.issuperset(varying)
            try:
                captured = capture(
                    self.function, args, kwargs, self._knowledge, first, turning[0], varying, self.check
                )
            except BaseException as error:
                first.take_back()
                if type(error) is Unsupported and (self._knowledge.settle(varying) or stands_in):
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
            if captured.draws is not None:
                captured.draws.put_back()
            if failed:
                # It may have looked at the state of an optimizer before the step that makes it.
                if first.made or all(isinstance(guard, Succeeds) for guard in failed):
                    raise OnlyNow
                raise Unsupported("the function changes what it reads in a way that is not seen")
            captured.undo = partial(_undo, first, captured)
            return captured
        raise Unsupported("each trace of a call finds another program")

    def _run(
        self, specialization: Specialization, leaves: Sequence[Any], args: Any, kwargs: Any,
        undo: Callable[[], None] | None = None,
    ) -> Any:  # fmt: skip
        drawn = [(generator, generator.mark()) for generator in specialization.forward.generators]
        if specialization.captured.writes and not specialization.takes_writes(leaves):
            specialization.put_back()
            if undo is not None:
                undo()
            why = "it writes to elements that share memory or to an inference tensor"
            return self._this_time(why, args, kwargs)
        try:
            found = specialization.run(leaves)
            if found is MISS:
                specialization.take_back(leaves)
                for generator, state in drawn:
                    generator.return_to(state)
            return found
        except BaseException as error:
            # No tensor is changed yet.
            specialization.take_back(leaves)
            for generator, state in drawn:
                generator.return_to(state)
            if undo is not None:
                undo()
            if specialization.forward.has_exchanged or not isinstance(error, _OPS_RAISE):
                raise
            if isinstance(error, Refused) and specialization.captured.asked:
                return MISS  # what decides may be other numbers than at the trace
        # Eager does all of the call, up to the error that it raises, or that the function handles.
        return self.function(*args, **kwargs)

    def _after(self, error: BaseException, args: Any, kwargs: Any) -> Any:
        """Run eagerly what raised when it was traced: it may raise in eager, too, in this call."""
        if self.fullgraph and _is_plain(error):
            raise error
        try:
            result = self.function(*args, **kwargs)
        except (Exception, SystemExit):
            # To trace what will only raise again is work for nothing.
            self._raised += 1
            if self._raised >= self.limit:
                self._warn(f"it was traced {self._raised} times, and raised each time")
            raise
        self._warn(f"tracing raised {type(error).__name__}: {_message(error)}")
        return result

    def _give_up(self, why: str, args: Any, kwargs: Any, breaks: bool = False, more: int = 0) -> Any:
        if self.fullgraph and breaks:
            raise Unsupported(f"compile(fullgraph=True): {why}")
        self._warn(why, more)
        return self._eagerly(*args, **kwargs)

    def _in_parts(self, why: str, args: Any, kwargs: Any) -> Any:
        """Run eagerly what exchanges tensors between processes, with its modules compiled by themselves."""
        if self.fullgraph:
            raise Unsupported(f"compile(fullgraph=True): {why}")
        self.eager_because = why
        warn(f"compile: {self._name()} runs in parts: {why}")
        return self._eagerly(*args, **kwargs)

    def _say_once(self, why: str) -> None:
        if why not in self._said and self.eager_because is None:
            self._said.add(why)
            self._say(why)

    def _warn(self, why: str, more: int = 0) -> None:
        self.eager_because = why
        if self.specializations:
            ways = self.shortcuts if self._recurring is None else self._recurring.ways
            self._recurring = Recurring(list(ways), more)
            self.shortcuts[:] = [self._recurring.call]
        if why not in self._said:
            self._say(why)

    def _say(self, why: str) -> None:
        warn(f"compile: {self._name()} runs eagerly: {why}")

    def _name(self) -> str:
        return getattr(self.function, "__qualname__", type(self.function).__name__)


def _turned(captured: Captured) -> frozenset[str]:
    """Return the momenta of optimizers that are no longer what they were."""
    return frozenset(
        guard.key for guard in captured.guards
        if guard.key in MOMENTA and isinstance(guard.container, dict) and "params" in guard.container
        and not guard.holds()
    )  # fmt: skip


def _is_plain(error: BaseException) -> bool:
    """Return whether an error holds no tensor or number of a trace: ``ValueError(f"{loss.item()}")`` does."""
    own = [held for name, held in vars(error).items() if name != "__notes__"]
    return all(type(held) in SCALARS for held in (*error.args, *own))


def _message(error: BaseException) -> str:
    """Return what an error says that a trace has raised."""
    return str(error) if _is_plain(error) else "with values of the call"


def _undo(first: FirstState, captured: Captured) -> None:
    """Take back what a traced call has done when its program does not do it."""
    first.take_back()
    if captured.draws is not None:
        captured.draws.put_back()


def _failed(error: BaseException) -> str:
    """Say that the compiler failed."""
    return f"the compiler failed: {type(error).__name__}: {error}"


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
