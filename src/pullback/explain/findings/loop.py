"""Look at the training loop: what optimizers hold, and in which order they step, clear, clip and schedule."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...core.blame import Place, next_sequence, place_at
from ..answer import Answer
from ..shown import norm
from ..source import At
from .cleared import Cleared, some
from .collected import Findings, located
from .held import Watched, betas, held_again, report_anew, report_held, report_unchanged
from .makers import values_of
from .rates import report_rates, shrinks

#: Elements of the largest parameter whose change is measured.
MOST_MEASURED = 4_000_000

#: Losses that are remembered.
KEPT = 8

#: Gradients of an earlier turn that are copied.
MOST_COPIED = 2

#: What shows that an eps of 0 spoilt weights.
OF_ZERO = "all elements that became NaN have a gradient of 0, so with a positive eps the update is 0"


class Loop:
    """Follow the order of backward, step, zero_grad, clip and schedule."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.optimizers: dict[int, Watched] = {}
        self.schedulers: dict[int, tuple[Any, At | None, int]] = {}
        #: Schedules that go by a metric, where each was made, and what it was given.
        self.plateaus: dict[int, tuple[Any, At | None, list[float]]] = {}
        self.ever_held: dict[int, Any] = {}
        self.graded: dict[int, Any] = {}
        self.stepped: set[int] = set()
        self.stale: dict[int, At | None] = {}
        self.losses: list[float] = []
        self.backwards = 0
        self.reads = Cleared()
        self.fresh = False
        #: How many calls of backward there were before the step with a closure that is running; -1 for none.
        self.inside = -1
        self.cleared: At | None = None
        self.clipped: At | None = None
        self.last = ""
        #: Losses that went backward last: each with the number of steps by then, and the line.
        self.gone: dict[int, tuple[Any, int, At | None]] = {}
        self.first_values: dict[int, Any] = {}
        self.sources: dict[int, list[tuple[At | None, int]]] = {}
        self.step_owner: list[tuple[int, Watched]] = []
        self.broken: Answer | None = None
        self.failed = False
        #: The lines that call backward for each leaf.
        self.reached_from: dict[int, set[At | None]] = {}
        #: Copies of gradients of an earlier turn, as a backward found them.
        self.left_over: dict[int, Any] = {}
        #: The losses of each line that calls backward.
        self.by_line: dict[At | None, list[float]] = {}
        #: Leaves and the line that called backward for them last when a step used their gradient; and lines
        #: whose gradients were cleared before a step did, with the line that cleared them, and how often.
        self.used: set[tuple[int, At | None]] = set()
        self.discarded: dict[tuple[int, At | None], tuple[At | None, int]] = {}
        #: How many times gradients were clipped to less than a thousandth from each line, and how often not.
        self.clips: dict[At | None, list[float]] = {}
        #: Where the last schedule of each optimizer was made.
        self.schedule_made: dict[int, At | None] = {}
        #: All schedules by id, with the line that made each.
        self.schedules_made: dict[int, tuple[Any, At | None]] = {}
        #: When each line that makes a module or an optimizer was there last.
        self.order: dict[At | None, float] = {}

    # --- told by the watch ----------------------------------------------------------------------------------

    def made(self, optimizer: Any, at: At | None, outer: At | None = None) -> Watched:
        """Note an optimizer."""
        known = self.optimizers.get(id(optimizer))
        if known is None:
            twins = [w for w in self.optimizers.values() if at and outer and w.inner == at and w.outer]
            for twin in twins:
                twin.at = twin.outer  # a function makes several: the calls of it tell them apart
            known = self.optimizers[id(optimizer)] = Watched(optimizer, outer if twins else at, at, outer)
            at = known.at
            self.order[at] = next_sequence()
            held_again(known, self.findings)
            betas(known, self.findings)
        for p in known.parameters():
            self.ever_held[id(p)] = p
        return known

    def held(self, leaf: Any) -> bool:
        """Return whether an optimizer holds a leaf."""
        return id(leaf) in self.ever_held

    def backward(self, loss: float | None, leaves: Iterable[Any], at: At | None, full: bool) -> None:
        """Note a call of backward, before it runs."""
        self.backwards += 1
        if loss is not None:
            self.losses.append(loss)
            self.by_line.setdefault(at, []).append(loss)
        if self.last == "clip" and self.clipped is not None and not self.fresh:
            self.findings.tell("clipped before backward", self.clipped)
        for leaf in leaves:
            self._accumulates(leaf, at)
            self.reached_from.setdefault(id(leaf), set()).add(at)
            if full:
                self.graded[id(leaf)] = leaf
                value = values_of(leaf)
                if value is not None and value.size <= MOST_MEASURED:
                    self.first_values.setdefault(id(leaf), value.copy())
        self.fresh = True
        self.last = "backward"

    def goes_back_from(self, outputs: Iterable[Any], at: At | None) -> None:
        """Say where one loss goes backward twice before a step."""
        for y in outputs:
            before = self.gone.get(id(y))
            if before is not None and before[0] is y and before[1] == self.steps and at is not None:
                first = located(before[2])
                self.findings.tell("backward twice: in a turn", at, first=0 if first is None else first.line)
            self.gone[id(y)] = y, self.steps, at
        while len(self.gone) > KEPT:
            del self.gone[next(iter(self.gone))]

    @property
    def steps(self) -> int:
        """Return how many steps the optimizers have made."""
        return sum(known.steps for known in self.optimizers.values())

    def _accumulates(self, leaf: Any, at: At | None) -> None:
        grad = leaf._grad
        key = id(leaf)
        value = values_of(grad)
        if value is None or not np.any(value):
            self.sources[key] = [(at, self.backwards)]
            self.stepped.discard(key)
            self.stale.pop(key, None)
            return
        if self.inside >= 0 and self.backwards > self.inside + 1 and at is not None:
            self.findings.tell("gradients not cleared: in a closure", at)
        self.sources.setdefault(key, []).append((at, self.backwards))
        if key in self.stepped:
            self.stepped.discard(key)
            self.stale[key] = at
            if value.size <= MOST_MEASURED and len(self.left_over) < MOST_COPIED:
                self.left_over[key] = value.copy()

    def zeroed(self, at: At | None, leaves: Iterable[Any]) -> None:
        """Note a call of zero_grad for some leaves."""
        unique = {id(leaf): leaf for leaf in leaves}.values()
        if at is not None:
            self.reads.clears(unique, at, self.backwards)
        for leaf in unique:
            self._discards(leaf, at)
            self.sources[id(leaf)] = []
            self.stale.pop(id(leaf), None)
            self.stepped.discard(id(leaf))
        self.cleared = at if self.fresh and self.last in ("backward", "clip") else None
        self.last = "zero"

    def _discards(self, leaf: Any, at: At | None) -> None:
        """Note that a gradient is cleared which no step has used."""
        key = id(leaf)
        sources = self.sources.get(key)
        # A step with a closure looks at gradients that its closure clears.
        used = key in self.stepped or key in self.stale or self.inside >= 0
        if key not in self.ever_held or not sources or used or not some(leaf._grad):
            return
        source = key, sources[-1][0]
        _, count = self.discarded.get(source, (at, 0))
        self.discarded[source] = at, count + 1
        self.sources[key] = []

    def clipped_to(self, at: At | None, norm_before: float, limit: float) -> None:
        """Note how large gradients were that are clipped, against the limit."""
        if limit > 0 and math.isfinite(norm_before):
            self.clips.setdefault(at, []).append(norm_before / limit)

    def clip(self, at: At | None, count: int, graded: bool) -> None:
        """Note that gradients of some tensors are clipped, and whether any has one."""
        self.clipped = at
        if count and not graded and self.last == "backward" and at is not None:
            self.findings.tell("clip of another model", at)
        if count == 0 and at is not None:
            self.findings.tell("nothing clipped", at)
        elif self.last == "step" and not self.fresh and at is not None:
            self.findings.tell("clipped after the step", at)
        self.last = "clip"

    def scheduled(self, scheduler: Any, at: At | None, initial: bool) -> None:
        """Note a step of a schedule."""
        _, first, count = self.schedulers.get(id(scheduler), (scheduler, at, 0))
        if initial:
            self.schedule_made[id(getattr(scheduler, "optimizer", None))] = at
            self.schedules_made[id(scheduler)] = scheduler, at
        self.schedulers[id(scheduler)] = (scheduler, at if count == 0 else first, count + (not initial))
        known = self.optimizers.get(id(getattr(scheduler, "optimizer", None)))
        if not initial and known is not None and known.steps == 0 and at is not None:
            self.findings.tell("scheduler before optimizer", at)

    def stepping(
        self, optimizer: Any, at: At | None, full: bool, closure: bool = False
    ) -> list[tuple[Any, Any]]:
        """Note that an optimizer is about to step; return copies of what it may change."""
        known = self.made(optimizer, None)
        known.steps += 1
        known.step_at = at
        self.inside = self.backwards if closure else -1
        rate = optimizer.param_groups[0].get("lr")
        groups = [g.get("lr") for g in optimizer.param_groups]
        highest = [float(r) if isinstance(r, (int, float)) else math.nan for r in groups]
        known.highest = [*map(max, known.highest, highest), *highest[len(known.highest) :]]
        known.rates.append(float(rate) if isinstance(rate, (int, float)) else math.nan)
        place = located(at)
        if not full:
            return []
        known.looked += 1
        stale = [self.stale[id(p)] for p in known.parameters() if id(p) in self.stale and p._grad is not None]
        if stale and stale[0] is not None and any(some(p._grad) for p in known.parameters()):
            self.findings.tell(
                "gradients not cleared: before the step", stale[0], (),
                self._without_left_over(known), line=0 if place is None else place.line
            )
        with_gradient = [p for p in known.parameters() if p._grad is not None]
        self.used |= {(id(p), self.sources[id(p)][-1][0]) for p in with_gradient if self.sources.get(id(p))}
        if with_gradient:
            known.with_gradient += 1
            known.shrinking += shrinks(optimizer)
        graded = any(some(p._grad) for p in with_gradient)
        if self.cleared is not None and self.fresh and not graded:
            self.findings.tell("cleared before the step", self.cleared, place=place)
        elif (
            self.last in ("zero", "", "step") and not self.fresh and self.backwards == 0 and place is not None
            and not closure
        ):
            self.findings.tell("step before backward", place)
        self._mixed(known, place)
        return [
            (p, value.copy()) for p in with_gradient
            if (value := values_of(p)) is not None and value.size <= MOST_MEASURED
        ]  # fmt: skip

    def _without_left_over(self, known: Watched) -> str:
        """Return how large a gradient is without what an earlier turn left in it."""
        for p in known.parameters():
            left, now = self.left_over.get(id(p)), values_of(p._grad)
            if left is None or now is None or left.shape != now.shape:
                continue
            whole, alone = norm(now), norm(now.astype(np.float64) - left.astype(np.float64))
            if math.isfinite(whole) and abs(whole - alone) > 1e-3 * whole:
                return f"without what was left, the gradient has norm {alone:.3g} in place of {whole:.3g}"
        return ""

    def _mixed(self, known: Watched, place: Place | None) -> None:
        """Say where a gradient holds a part from the loss of another optimizer."""
        mine = {id(p) for p in known.parameters()}
        for p in known.parameters():
            sources = self.sources.get(id(p), [])
            if p._grad is None or len(sources) < 2 or len({at for at, _ in sources}) < 2:
                continue
            for at, number in sources[:-1]:
                owner = next((w for n, w in self.step_owner if n == number), None)
                if at is not None and owner is not None and owner is not known:
                    if any(id(q) in mine for q in owner.parameters()):
                        continue
                    self.findings.tell("gradient of another loss", at, place=place)
                    return

    def step_done(self, optimizer: Any, copies: list[tuple[Any, Any]]) -> None:
        """Note that an optimizer has stepped; look at how far the weights went."""
        known = self.made(optimizer, None)
        self.inside = -1
        self.step_owner.append((self.backwards, known))
        del self.step_owner[:-64]
        self.stepped |= {id(p) for p in known.parameters() if p._grad is not None}
        self.fresh = False
        self.cleared = None
        self.last = "step"
        known.idle += bool(copies) and all(
            some(p._grad) and _same(values_of(p), before) for p, before in copies
        )
        for p, before in copies:
            value = values_of(p)
            if value is None:
                continue
            if (
                not np.isfinite(value.astype(np.float64)).all()
                and np.isfinite(before.astype(np.float64)).all()
            ):
                self._broke(known, p)
                continue
            size = norm(before)
            if before.ndim >= 2 and size > 0:
                with np.errstate(all="ignore"):
                    change = norm(value.astype(np.float64) - before.astype(np.float64)) / size
                if math.isfinite(change):
                    if change > known.largest[0]:
                        known.largest = (change, p)
                    if some(p._grad):
                        known.smallest = min(known.smallest, change)

    def _broke(self, known: Watched, p: Any) -> None:
        if self.broken is not None or known.step_at is None:
            return
        numbers = values_of(p._grad)
        infinite = numbers is not None and not np.isfinite(numbers.astype(np.float64)).all()
        after = values_of(p)
        groups = known.optimizer.param_groups
        # What the optimizer adds to a divisor for this weight.
        eps = next((group.get("eps") for group in groups if any(q is p for q in group["params"])), None)
        if not infinite and numbers is not None and after is not None and eps == 0:
            spoilt = ~np.isfinite(after.astype(np.float64))
            self.broken = Answer.of(
                "eps of 0", place_at(*(known.at or known.step_at)), (),
                "" if numbers[spoilt].any() else OF_ZERO, count=int(spoilt.sum()), spoilt=spoilt, known=known
            )
            return
        self.broken = Answer.of(
            "weights not finite: gradients" if infinite else "weights not finite: update",
            place_at(*known.step_at), known=known, rate=known.rates[-1],
        )

    # --- at the end -----------------------------------------------------------------------------------------

    def report(
        self, name_of: Callable[[Any], str | None], told: set[int], made_at: Callable[[Any], At | None],
        used_at: Callable[[Any], Place | None], files: Iterable[str] = (),
    ) -> None:  # fmt: skip
        """Add what the whole run shows; `told` are leaves of which another finding tells."""
        report_held(self, name_of, told, made_at, used_at)
        report_anew(self)
        for known in self.optimizers.values():
            if known.steps == 0 and self.backwards and known.at is not None and not self.failed:
                self.findings.tell("never stepped", known.at)
        self._report_discarded()
        self.reads.report(name_of, self.findings)
        report_rates(self, name_of, files)
        report_unchanged(self, name_of)

    def _report_discarded(self) -> None:
        for source, (cleared, count) in self.discarded.items():
            if source in self.used and count > 1 and cleared is not None and source[1] is not None:
                called = place_at(*source[1])
                self.findings.tell(
                    "cleared before a step", cleared, count=count,
                    line=0 if called is None else called.line
                )


def _same(value: Any, before: Any) -> bool:
    return value is not None and bool(np.array_equal(value, before))
