"""Look at what optimizers hold: of which model, held by several, made anew, or of nothing that is trained."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.blame import Place, place_at
from ...nn.parameter import Parameter
from ..source import At
from .collected import Findings, located
from .makers import values_of
from .reach import listed
from .written import rebinding

if TYPE_CHECKING:
    from .loop import Loop

#: Objects of one kind for one purpose that are made in a loop.
ENOUGH = 3


@dataclass
class Watched:
    """Hold what is known of one optimizer."""

    optimizer: Any
    at: At | None
    #: Where it was made, and where the function was called that made it; None at the top of a program.
    inner: At | None = None
    outer: At | None = None
    steps: int = 0
    #: Steps of turns that were looked at in full.
    looked: int = 0
    step_at: At | None = None
    rates: list[float] = field(default_factory=list)
    largest: tuple[float, Any] = (0.0, None)
    smallest: float = math.inf
    with_gradient: int = 0
    #: Steps that changed no weight although there were gradients.
    idle: int = 0
    #: The largest learning rate of each group.
    highest: list[float] = field(default_factory=list)
    shrinking: int = 0

    def parameters(self) -> Iterable[Any]:
        """Return what it holds."""
        for group in self.optimizer.param_groups:
            yield from group["params"]


def held_again(known: Watched, findings: Findings) -> None:
    """Say where an optimizer is given the same weights several times."""
    most = max(Counter(map(id, known.parameters())).values(), default=0)
    if most > 1 and known.at is not None:
        findings.tell("held several times", known.at, most=most)


def betas(known: Watched, findings: Findings) -> None:
    """Say where the two averages of Adam are given in the wrong order."""
    for group in known.optimizer.param_groups:
        given = group.get("betas")
        if known.at is None or not isinstance(given, (tuple, list)) or len(given) != 2:
            continue
        if all(isinstance(b, (int, float)) for b in given) and given[0] >= 0.98 > given[1]:
            findings.tell("betas swapped", known.at, given=tuple(given), second=given[1], first=given[0])
            return


def report_anew(loop: Loop) -> None:
    """Say where an optimizer or a schedule is made anew in each turn, and forgets what it knew."""
    lines: dict[tuple[Any, frozenset[int]], list[Watched]] = {}
    for known in loop.optimizers.values():
        key = known.inner, frozenset(map(id, known.parameters()))
        lines.setdefault(key, []).append(known)
    for (inner, _), several in lines.items():
        if inner is None or len([w for w in several if w.steps]) < ENOUGH or not several[0].optimizer.state:
            continue
        loop.findings.tell("optimizer made anew", inner, count=len(several))
    made: dict[tuple[Any, int], list[int]] = {}
    for number, (schedule, at) in loop.schedules_made.items():
        _, _, steps = loop.schedulers.get(number, (None, None, 0))
        made.setdefault((at, id(getattr(schedule, "optimizer", None))), []).append(steps)
    for (at, _), counts in made.items():
        if at is not None and len(counts) >= ENOUGH:
            loop.findings.tell("schedule made anew", at, count=len(counts))


def _twins(one: Watched, other: Watched) -> bool:
    """Return whether two optimizers were made on one line for the same weights, one after the other."""
    same = one.inner is not None and one.inner == other.inner
    return same and {*map(id, one.parameters())} == {*map(id, other.parameters())}


def report_held(
    loop: Loop, name_of: Callable[[Any], str | None], told: set[int], made_at: Callable[[Any], At | None],
    used_at: Callable[[Any], Place | None],
) -> None:  # fmt: skip
    """Say where optimizers and what is trained do not fit."""
    if not loop.optimizers or not loop.graded or loop.failed:
        return
    for known in loop.optimizers.values():
        mine = {id(p): p for p in known.parameters()}
        if known.steps and not known.looked:
            continue  # made after the turns that were looked at
        if mine and not set(mine) & set(loop.graded) and not set(mine) & told:
            frozen = [p for p in mine.values() if not p.requires_grad]
            if len(frozen) == len(mine):
                cause = "All parameters of this optimizer are frozen (`requires_grad` is False)"
            else:
                cause = "No loss that went backward was computed from the parameters of this optimizer"
            loop.findings.tell("another model", known.at, cause=cause, names=listed(mine.values(), name_of))
    report_overlap(loop, name_of)
    loose = [
        leaf for key, leaf in loop.graded.items()
        if key not in loop.ever_held and key not in told and isinstance(leaf, Parameter)
        and not _written(loop, leaf)
    ]  # fmt: skip
    if not loose:
        return
    at = next((w.at for w in loop.optimizers.values() if w.at is not None), None)
    student = any(key in loop.graded for key in loop.ever_held)
    strangers = [leaf for leaf in loose if student and used_at(leaf) is not None]
    if strangers:
        loop.findings.tell(
            "not trained, with history", used_at(strangers[0]), names=listed(strangers, name_of)
        )
    loose = [leaf for leaf in loose if not strangers or used_at(leaf) is None]
    if not loose:
        return
    made = made_at(loose[0])
    late = made is not None and loop.order.get(made, -1) > loop.order.get(at, math.inf)
    place = made if late else at
    why = f" The optimizer was made before it, at {place_at(*at)}." if late and at is not None else ""
    loop.findings.tell(
        "no optimizer holds it", place, names=listed(loose, name_of),
        are="are" if len(loose) > 1 else "is", them="them" if len(loose) > 1 else "it", why=why,
        first="make the optimizer after the model has its final layers, " if late else ""
    )


def _written(loop: Loop, leaf: Any) -> bool:
    """Return whether the program itself has changed a leaf since the first backward."""
    then, now = loop.first_values.get(id(leaf)), values_of(leaf)
    return then is not None and now is not None and not np.array_equal(then, now, equal_nan=True)


def report_overlap(loop: Loop, name_of: Callable[[Any], str | None]) -> None:
    """Say where two optimizers hold one weight."""
    owners: dict[int, Watched] = {}
    for known in loop.optimizers.values():
        for p in known.parameters():
            other = owners.setdefault(id(p), known)
            if other is not known and known.at is not None and not _twins(known, other):
                first = located(other.at)
                loop.findings.tell("held twice", known.at, name=name_of(p) or "a weight", first=first)
                return


def report_unchanged(loop: Loop, name_of: Callable[[Any], str | None]) -> None:
    """Say where weights have gradients, nothing steps, and nothing ever changed them."""
    if loop.optimizers or loop.backwards < 2 or not loop.first_values:
        return
    leaves = [leaf for key, leaf in loop.graded.items() if key in loop.first_values]
    pairs = [(loop.first_values[id(x)], values_of(x)) for x in leaves]
    if not pairs or any(now is None or not np.array_equal(then, now) for then, now in pairs):
        return
    place = rebinding(loop.sources)
    if place is None and (loop.backwards < 3 or not all(isinstance(x, Parameter) for x in leaves)):
        return  # gradients may be all that is wanted
    calls = {at for x in leaves for at in loop.reached_from.get(id(x), ())}
    called = next(iter(calls)) if len(calls) == 1 else None
    if place is None and called is not None:
        place = place_at(*called)
    seen = loop.by_line.get(called, []) if called is not None else []
    same = len(seen) > 2 and len(set(seen)) == 1
    if not same and rebinding(loop.sources) is None and any(id(x) in loop.reads.read_whole for x in leaves):
        return  # the program collects gradients of different losses
    loop.findings.tell(
        "never updated", place,
        (f"the loss is {seen[0]:.4g} in each of {len(seen)} calls of backward",) if same else (),
        names=listed(leaves, name_of), have="have" if len(leaves) > 1 else "has"
    )
