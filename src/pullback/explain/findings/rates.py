"""Look at how far steps go: learning rates, schedules, weight decay, clipping, and losses without bound."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ...core.blame import Place, place_at
from ...core.value import dtype_of, shape_of
from ..answer import Answer
from ..scene import code_of, last_place, paths_in, returning, scope_at
from ..shown import norm
from ..source import changed_at
from .makers import values_of
from .reach import listed
from .written import attribute_set

if TYPE_CHECKING:
    from .held import Watched
    from .loop import Loop

#: A step that changes a weight by more than this times its size is too large, where the loss does not fall.
LARGE_STEP = 1.0

#: Steps that change weights by less than this times their size change nothing.
SMALL_STEP = 1e-6

#: A rate this much smaller than the largest one is as good as none.
FALLEN = 1e-3

#: A loss that has grown by this factor before it is not finite has diverged.
GROWN = 100

#: Weights that lose this part of themselves in each step by decay cannot grow.
DECAYED = 0.02

#: Decay this many times as large as the gradient outweighs the loss.
OUTWEIGHED = 20

#: Gradients clipped to this part of themselves at every step hardly move anything.
CLIPPED = 1e3

#: Steps, calls or losses that are needed to speak of all of them.
ENOUGH = 3

Naming = Callable[[Any], "str | None"]


def shrinks(optimizer: Any) -> bool:
    """Return whether weight decay moves the weights of an optimizer more than their gradients do."""
    decoupled = type(optimizer).__name__ in ("AdamW", "NAdamW")
    for group in optimizer.param_groups:
        decay, rate = group.get("weight_decay", 0), group.get("lr", 0)
        if not isinstance(decay, (int, float)) or not decay or not isinstance(rate, (int, float)):
            continue
        if decay * rate > DECAYED:
            return True
        for p in [] if decoupled else group["params"]:
            gradient = None if p._grad is None or p.dim() < 2 else norm(values_of(p._grad))
            if gradient and decay * norm(values_of(p)) > OUTWEIGHED * gradient:
                return True
    return False


def report_rates(loop: Loop, name_of: Naming, files: Iterable[str] = ()) -> None:
    """Add what the steps of the whole run show."""
    for known in loop.optimizers.values():
        rates = [rate for rate in known.rates if math.isfinite(rate)]
        if not _schedules(loop, known, rates):
            _by_hand(loop, known, rates, files)
            _steps(loop, known, rates, name_of)
        if known.shrinking >= ENOUGH and known.shrinking >= known.with_gradient and known.at is not None:
            decay = max(g.get("weight_decay", 0) for g in known.optimizer.param_groups)
            loop.findings.tell("weight decay too large", known.at, decay=decay)
        _momentum(loop, known)
    _plateaus(loop)
    for at, ratios in loop.clips.items():
        if at is not None and _nothing_left(ratios):
            loop.findings.tell("clipped to nearly nothing", at, factor=1 / min(ratios))
    _without_bound(loop)


def _schedules(loop: Loop, known: Watched, rates: list[float]) -> bool:
    """Say where a schedule is stepped at the wrong pace, or makes the rate vanish."""
    findings = loop.findings
    for schedule, first, count in loop.schedulers.values():
        if id(getattr(schedule, "optimizer", None)) != id(known.optimizer):
            continue
        made = loop.schedule_made.get(id(known.optimizer))
        at = made if first is None else first
        length = next(
            (int(n) for name in ("total_steps", "T_max", "total_iters")
             if isinstance(n := getattr(schedule, name, None), (int, float)) and n), 0,
        )  # fmt: skip
        name = type(schedule).__name__
        if at is None or known.steps < ENOUGH:
            continue
        to_its_end = 0 < length <= count + 1 < ENOUGH * length  # such a schedule ends near 0 on purpose
        if len(rates) >= 2 and max(rates) > 0 and rates[-1] < FALLEN * max(rates) and not to_its_end:
            findings.tell(
                "learning rate fell: schedule", at, highest=max(rates), rate=rates[-1],
                count=len(rates), count_2=count
            )
            return True
        if count == 0 and made is not None:
            findings.tell(
                "schedule never steps", made, name=name, rate=rates[-1] if rates else math.nan,
                known=known
            )
            return True
        if count and length > ENOUGH * count and known.steps > ENOUGH * count and known.steps * 2 > length:
            findings.tell(
                "schedule stepped too rarely", at, name=name, length=length, count=count,
                known=known
            )
            return True
        if name == "CosineAnnealingLR" and count > 1.5 * length:
            findings.tell("schedule stepped too often", at, name=name, length=length, count=count)
            return True
        first_rate = known.optimizer.param_groups[0].get("initial_lr")
        if rates and isinstance(first_rate, (int, float)) and 0 < max(rates) < FALLEN * 10 * first_rate:
            findings.tell(
                "schedule multiplies", _returned_at(schedule) or made or at, highest=max(rates),
                growth=max(rates) / first_rate, first_rate=first_rate, name=name
            )
            return True
    return False


def _returned_at(schedule: Any) -> Place | None:
    """Return the line at which the function of a schedule returns; None for one that is no `def`."""
    places = (returning(code_of(function)) for function in getattr(schedule, "lr_lambdas", ()))
    return next((place for place in places if place is not None), None)


def _by_hand(loop: Loop, known: Watched, rates: list[float], files: Iterable[str]) -> None:
    """Say where the program itself lowers the rate in every step."""
    scheduled = any(id(getattr(s, "optimizer", None)) == id(known.optimizer) for s, _, _ in (
        *loop.schedulers.values(), *loop.plateaus.values(),
    ))  # fmt: skip
    if scheduled or len(rates) < ENOUGH or max(rates) <= 0 or rates[-1] > FALLEN * max(rates):
        return
    place = attribute_set(files, "", "lr") or known.at
    loop.findings.tell(
        "learning rate fell: by hand", place, highest=max(rates), rate=rates[-1], count=len(rates)
    )


def _steps(loop: Loop, known: Watched, rates: list[float], name_of: Naming) -> None:
    """Say where steps are too large or too small."""
    findings = loop.findings
    if known.at is None:
        return
    if rates and max(rates) == 0:
        at = loop.schedule_made.get(id(known.optimizer)) or known.at
        findings.tell("learning rate 0: all groups", at)
        return
    for number, rate in enumerate(known.highest):
        group = known.optimizer.param_groups[number]["params"] if rate == 0 else []
        if any(p._grad is not None for p in group):
            findings.tell("learning rate 0: one group", known.at, number=number, names=listed(group, name_of))
    half = [p for p in known.parameters() if dtype_of(p).itemsize == 2]
    if known.idle >= ENOUGH and known.idle == known.with_gradient and half and max(rates, default=0) > 0:
        findings.tell("update lost in rounding", known.at, half=dtype_of(half[0]))
        return
    worse = _worse(loop.losses)
    ratio, leaf = known.largest
    if ratio > LARGE_STEP and worse is not None:
        findings.tell(
            "learning rate too large", known.at, name=name_of(leaf) or "a weight",
            leaf=tuple(shape_of(leaf)), ratio=ratio, worse=worse, highest=max(rates, default=math.nan)
        )
    elif (
        not any(_nothing_left(ratios) for ratios in loop.clips.values())
        and known.with_gradient >= ENOUGH - 1 and known.smallest < math.inf
        # Of a gradient that is nearly 0 the rate is not the cause.
        and SMALL_STEP * max(rates, default=0.0) <= ratio < SMALL_STEP
    ):  # fmt: skip
        findings.tell(
            "learning rate too small", known.at, ratio=max(ratio, 1e-08),
            highest=max(rates, default=math.nan)
        )


def _momentum(loop: Loop, known: Watched) -> None:
    """Say where steps never forget the gradients of earlier ones."""
    momentum = max((g.get("momentum", 0) or 0 for g in known.optimizer.param_groups), default=0)
    if not isinstance(momentum, (int, float)) or momentum < 1 or known.steps < ENOUGH:
        return
    if known.at is not None:
        loop.findings.tell("momentum too large", known.at, momentum=momentum)


def _plateaus(loop: Loop) -> None:
    """Say where a schedule takes a metric that becomes better for one that becomes worse."""
    for plateau, at, metrics in loop.plateaus.values():
        if at is None or len(metrics) < ENOUGH or not all(map(math.isfinite, metrics)):
            continue
        ups = sum(b > a for a, b in itertools.pairwise(metrics))
        downs = sum(b < a for a, b in itertools.pairwise(metrics))
        mode = getattr(plateau, "mode", "min")
        wrong = downs > 2 * ups if mode == "max" else ups > 2 * downs
        groups = plateau.optimizer.param_groups
        if wrong and any(group["lr"] < group.get("initial_lr", math.inf) for group in groups):
            goes = "falls" if mode == "max" else "rises"
            loop.findings.tell(
                "mode of a schedule", at, goes=goes, metrics=metrics, last=metrics[-1], mode=mode,
                other="min" if mode == "max" else "max"
            )


def _nothing_left(ratios: list[float]) -> bool:
    """Return whether gradients were clipped to nearly nothing each time."""
    return len(ratios) >= ENOUGH and min(ratios) > CLIPPED


def _without_bound(loop: Loop) -> None:
    """Say where a loss falls below 0 faster and faster: a term has the wrong sign."""
    for at, losses in loop.by_line.items():
        if at is None or len(losses) < 8 or not all(map(math.isfinite, losses)):
            continue
        first, middle, last = losses[0], losses[len(losses) // 2], losses[-1]
        if last < -10 * max(1.0, abs(first)) and last - middle < middle - first < 0:
            loop.findings.tell(
                "loss without bound", _made_before(place_at(*at)), first=first, last=last, place=place_at(*at)
            )


def _made_before(called: Place | None) -> Place | None:
    """Return the line that gives a loss its name, before the call of backward on that name."""
    if called is None:
        return None
    scope = scope_at(called)
    here = [c for c, _ in scope.calls if c.lineno == called.line]
    calls = [c for c in here if ast.unparse(c.func).endswith(".backward")]
    made = [s for c in calls for n in paths_in(c.func) for s in scope.assigning(n, called.line)]
    return last_place(made) or called


def diverged(loop: Loop) -> Answer | None:
    """Return the answer that the loss grew from step to step until it was not finite."""
    finite = [v for v in loop.losses if math.isfinite(v)]
    known = max(loop.optimizers.values(), key=lambda w: w.steps, default=None)
    if known is None:
        place = next((at for leaf in loop.graded.values() if (at := changed_at(leaf)) is not None), None)
        steps, why = loop.backwards - 1, "the updates are too large, each overshoots farther than the last"
    elif known.at is not None and known.rates:
        place, steps = place_at(*known.at), known.steps
        why = f"the learning rate {known.rates[-1]:g} is too large, the steps overshoot"
    else:
        return None
    if place is None or len(finite) < ENOUGH:
        return None
    grown = abs(finite[-1]) / max(abs(finite[0]), 1e-12)
    if grown < GROWN or (grown < GROWN**2 and abs(finite[-1]) < abs(finite[-2])):
        return None
    groups = [] if known is None else known.optimizer.param_groups
    momentum = max((g.get("momentum", 0) or 0 for g in groups), default=0)
    mend = "take a smaller learning rate, scale the data, or clip the gradients"
    if isinstance(momentum, (int, float)) and momentum >= 1:
        why = f"a momentum of {momentum:g}, 1 or more, makes each step larger than the one before"
        mend = "take a momentum below 1, such as 0.9"
    several = loop.backwards // max(steps, 1)
    if several > 1 and len(loop.optimizers) == 1:
        why += f", and each step uses the sum of the gradients of {several} calls of backward"
        mend = f"divide each loss by their number (`(loss / {several}).backward()`), or {mend}"
    return Answer(
        "diverged", f"The loss grew from {finite[0]:.3g} to {finite[-1]:.3g} and beyond within {steps} "
        f"steps: {why}.", place, (), mend,
    )  # fmt: skip


def _worse(losses: list[float]) -> tuple[float, float] | None:
    """Return the first and a last loss that is larger or not finite."""
    first = next((v for v in losses if math.isfinite(v)), None)
    if len(losses) < 2 or first is None or (math.isfinite(losses[-1]) and losses[-1] <= first):
        return None
    return first, losses[-1]
