"""Hold the weights that a loss gives to classes against how often they occur."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.blame import Place
from ..trace import Event
from .collected import Findings
from .makers import origin, values_of

#: Where losses have the weights of their classes.
WEIGHTS = {"cross_entropy": (2, "weight"), "nll_loss": (2, "weight")}
POSITIVE = {"binary_cross_entropy_with_logits": (5, "pos_weight")}

#: How many times as large the largest weight, and the largest count, must be as the smallest one.
UNEVEN = 2.0

#: Targets that are needed to speak of how often classes occur.
ENOUGH = 32


@dataclass
class Counted:
    """Hold the weights of the classes of one loss and how often each class occurred."""

    event: Event
    weights: ndarray
    counts: ndarray
    place: Place | None


class Balance:
    """Count the classes that weighted losses are given, by the line of the loss."""

    def __init__(self) -> None:
        self.counted: dict[Any, Counted] = {}

    def look_at(self, event: Event) -> None:
        """Look at one call of a function."""
        at = WEIGHTS.get(event.name) or POSITIVE.get(event.name)
        given = None if at is None else event.argument(*at)
        target = None if given is None else event.argument(1, "target")
        weights = values_of(given)
        labels = values_of(target)
        if weights is None or labels is None or not event.frames or not event.wanted:
            return
        if event.name in POSITIVE:
            if weights.size != 1 or not ((labels == 0) | (labels == 1)).all():
                return
            weights = np.array([1.0, float(weights.reshape(-1)[0])])
        elif labels.dtype.kind not in "iu" or weights.ndim != 1 or (labels >= len(weights)).any():
            return
        counts = np.bincount(labels[labels >= 0].astype(np.int64).reshape(-1), minlength=len(weights))
        known = self.counted.get(event.frames[0])
        if known is None:
            made = origin(event.maker_of(given))
            known = Counted(event, weights, np.zeros(len(weights)), None if made is None else made.place)
            self.counted[event.frames[0]] = known
        if known.counts.shape == counts.shape:
            known.counts = known.counts + counts

    def report(self, findings: Findings) -> None:
        """Say where the classes that occur most also have the largest weights."""
        for known in self.counted.values():
            weights, counts = known.weights.astype(np.float64), known.counts
            order = np.argsort(counts, kind="stable")
            rising = len(weights) > 1 and bool((np.diff(weights[order]) >= 0).all())
            if not rising or counts.sum() < ENOUGH or counts.min() < 1 or weights.min() <= 0:
                continue
            if weights.max() < UNEVEN * weights.min() or counts.max() < UNEVEN * counts.min():
                continue
            rare, common = int(order[0]), int(order[-1])
            share = 100 * counts / counts.sum()
            findings.tell(
                "weights of classes inverted", known.place or known.event.place, common=common,
                common_share=share[common], common_weight=weights[common], rare=rare, rare_share=share[rare],
                rare_weight=weights[rare], known=known
            )
