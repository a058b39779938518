"""The way from a trace to a plan: every rewrite, in the order in which it is applied, in one list.

No rewrite changes a number: each is exact for every input, infinities, NaN and the sign of zero included.
Only sums of products (`loop_fission`) and of rows at places (`scattered_sums`) are added up in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...array.named_tuples import NamedTuple
from ..program import verify
from ..program.program import Program
from .loop_fission import with_products_apart
from .loop_rolling import rolled
from .recurrent_layers import in_steps
from .scattered_sums import scattered_sums
from .simplification import algebra, common_subexpressions, computed_once, dead_code, dead_equations
from .written_parts import parts_apart

if TYPE_CHECKING:
    from ..emit.modules import Kernels
    from ..lower.equations import Result
    from .memory_plan import Plan


class Stage(NamedTuple):
    """One rewrite."""

    #: What it rewrites: the equations of a ``"trace"``, those of a call and its pullback as ``"halves"``, of
    #: each ``"half"`` alone, a ``"program"``, or the ``"plan"`` of a lowered program.
    of: str
    #: Takes what it rewrites and returns the new one.
    change: Callable[..., Any]


def _on_demand(name: str) -> Callable[..., Any]:
    """Return a function of `memory_plan`, which programs found on disk do not import."""

    def change(plan: Plan) -> Any:
        from . import memory_plan

        return getattr(memory_plan, name)(plan)

    change.__name__ = name
    return change


PIPELINE = (
    # A call and its pullback, as the recorder has written them down.
    Stage("trace", in_steps),
    Stage("halves", computed_once),
    # The call, then its pullback, before it is decided what the one saves for the other.
    Stage("half", parts_apart),
    Stage("half", dead_equations),
    Stage("half", rolled),
    Stage("half", dead_equations),
    Stage("half", with_products_apart),
    # What algebra makes equal is then found to be so, and what nobody reads any more goes last.
    Stage("program", algebra),
    Stage("program", common_subexpressions),
    Stage("program", scattered_sums),
    Stage("program", dead_code),
    # `lower.equations.lower` has made nodes of the equations.
    Stage("plan", _on_demand("scheduled")),
    Stage("plan", _on_demand("emitted")),
    Stage("plan", _on_demand("cut")),
    Stage("plan", _on_demand("with_bodies")),
    Stage("plan", _on_demand("laid_out")),
)


def rewritten(of: str, value: object, *others: Any) -> Any:
    """Apply the rewrites of one kind, in order."""
    given: dict[Callable[..., Any], Any] = {}
    for stage in PIPELINE:
        # What a rewrite has given, and none has changed since, it would give again.
        if stage.of == of and given.get(stage.change) is not value:
            value = given[stage.change] = stage.change(value, *others)
    return value


def optimized(program: Program) -> Program:
    """Return the program after every pass, verified; where `verify.KINDS` is set, before and after each."""
    if verify.KINDS:
        verify.verify(program, verify.KINDS)
    for stage in PIPELINE:
        if stage.of == "program":
            program = stage.change(program)
            if verify.KINDS or stage.change is dead_code:
                verify.verify(program, verify.KINDS)
    return program


def planned(lowered: Result, kernels: Kernels, whole: bool = True) -> Plan:
    """Return the plan of a lowered program, or of one that is not `whole` but the body of a loop."""
    from .memory_plan import Plan

    plan: Plan = rewritten("plan", Plan(lowered, kernels, whole))
    return plan
