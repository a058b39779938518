"""Compare sizes: gradients against their siblings and weights, and data against what networks take well."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...core.blame import Place
from ...core.node import AccumulateGrad, Node
from ..shown import norm
from ..source import place_of
from ..trace import Event
from .collected import Findings, calls_of
from .makers import DIVIDING, PASSING, origin, values_of

#: A gradient this much smaller than that of the last layer is vanishing, where the depth explains it.
VANISHING = 1e-4

#: One this much smaller is about to be less than float32 holds: what is 0 before it has vanished, too.
RUN_OUT = 1e-28

#: A gradient this much larger than its weight is exploding.
EXPLODING = 1e3

#: Inputs of a first layer beyond this are not scaled.
UNSCALED = 50.0

#: Inputs of a first layer that are all below this are scaled too far; of this many numbers at least.
TINY, FEW_NUMBERS = 0.01, 64

#: Ops whose slope is below 1 nearly everywhere.
SQUASHING = ("sigmoid", "tanh")

#: Classes of this many batches tell whether they were shuffled.
FEW = 3


class Sizes:
    """Collect sizes over a run."""

    def __init__(self) -> None:
        self.last: list[tuple[Any, float]] = []
        self.squashing: Counter[str] = Counter()
        self.where: Place | None = None
        self.module: Any = None
        self.single: dict[Any, list[int]] = {}

    def look_at(self, event: Event, findings: Findings) -> None:
        """Look at one call of a function."""
        if event.name in ("cross_entropy", "nll_loss") and event.wanted:
            self._labels(event, findings)
        elif event.name in SQUASHING and event.module is not None:
            self.module = event.module

    def _labels(self, event: Event, findings: Findings) -> None:
        labels = values_of(event.argument(1, "target"))
        if labels is None or labels.dtype.kind not in "iu" or labels.size < 4 or not event.frames:
            return
        seen = self.single.setdefault(event.frames[0], [])
        seen.append(int(labels.flat[0]) if (labels == labels.flat[0]).all() else -1)
        if len(seen) == FEW and -1 not in seen and len(set(seen)) > 1:
            findings.tell("batches of one class", event)

    def backward(self, sizes: list[tuple[Any, float]], nodes: Iterable[Node]) -> None:
        """Note the norms of the gradients of one call."""
        weights = [(leaf, size) for leaf, size in sizes if leaf.dim() >= 2]
        if len(weights) < 2:
            return
        self.last = weights
        self.squashing = Counter()
        for node in nodes:
            if type(node) is not AccumulateGrad and node._op is not None and node._op.name in SQUASHING:
                self.squashing[node._op.name] += 1
                self.where = place_of(node) or self.where

    def run_out(self) -> bool:
        """Return whether gradients of 0 are those of a depth at which numbers become too small to be held."""
        largest = max((size for _, size in self.last), default=0.0)
        deep = sum(self.squashing.values()) >= 4
        return deep and any(0 < size < RUN_OUT * largest for _, size in self.last)

    def report(self, findings: Findings, name_of: Callable[[Any], str | None]) -> None:
        """Add what the last call shows."""
        if len(self.last) >= 4 and sum(self.squashing.values()) >= 4:
            largest = max(size for _, size in self.last)
            leaf, smallest = min(self.last, key=lambda w: w[1])
            if smallest < VANISHING * largest and (smallest > 0 or self.run_out()):
                name, count = self.squashing.most_common(1)[0]
                own = type(self.module).__name__.lower() == name  # the layer is the function itself
                place = (findings.made(self.module) if own else None) or self.where
                findings.tell(
                    "vanishing", place, () if place is self.where else (f"used at {self.where}",),
                    count=count, name=name, smallest=smallest, name_2=name_of(leaf) or "the first weight",
                    largest=largest
                )
        for leaf, size in self.last:
            weight = norm(values_of(leaf))
            if weight > 0 and max(EXPLODING, EXPLODING * weight) < size < math.inf:
                findings.tell("exploding", name=name_of(leaf) or "a weight", ratio=size / weight, size=size)
                return


@calls_of("linear", "conv2d", "conv1d")
def _scale(event: Event, findings: Findings) -> None:
    """Say where the data that a network is given is very large, very small, or one draw for all samples."""
    x = event.argument(0, "input")
    value = values_of(x)
    if value is None or x._node is not None or not event.kept or not _first(event, x):
        return
    if value.ndim == 2:
        _one_draw(event, x, value, findings)
    if not value.size or value.dtype.kind != "f":
        return
    largest = float(np.abs(value).max())
    if 0 < largest < TINY and value.size >= FEW_NUMBERS:
        made = origin(event.maker_of(x), PASSING | {"stack"})
        scaled = made is not None and made.name in {*DIVIDING, "mul", "__mul__"}
        place = made.place if scaled and made is not None else event.place
        findings.tell("tiny input", place, largest=largest)
    if UNSCALED < largest < math.inf:
        findings.tell("unscaled input", event, largest=largest)


def _one_draw(event: Event, x: Any, value: Any, findings: Findings) -> None:
    """Say where all samples of a batch begin with one and the same random draw."""
    made = event.maker_of(x)
    drawn = None if made is None or not made.inputs else made.inputs[0][1]
    if made is None or drawn is None or made.name not in ("expand", "repeat", "expand_as", "tile"):
        return
    if drawn.name in ("randn", "rand") and len(value) >= 4 and (value == value[0]).all():
        findings.tell("one draw for all", made, count=len(value), event=event, drawn=drawn)


def _first(event: Event, x: Any) -> bool:
    """Return whether an input comes from outside: nothing that requires grad led to it."""
    maker = event.maker_of(x)
    steps = 0
    while maker is not None and steps < 20:
        if maker.wanted:
            return False
        maker = maker.inputs[0][1] if maker.inputs else None
        steps += 1
    return True
