"""Look at formulas that programs write by hand: clipped surrogates, focal weights, boxes, triplets."""

from typing import Any

import numpy as np
from numpy import ndarray

from ...core.value import TensorBase
from ..trace import Event, behind
from .collected import Findings, calls_of
from .makers import MULTIPLYING, PASSING, TAKING, YES_OR_NO, both_ways, data_of, origin, values_of

CUT = ("clamp", "clip", "clamp_", "minimum", "maximum")
POWERS = ("pow", "__pow__", "square")
LARGER, SMALLER = ("max", "maximum"), ("min", "minimum")

#: The part of rows that must show a mistake.
MOSTLY, NEARLY_ALL = 0.5, 0.9


@calls_of("neg", "__neg__")
def _larger_surrogate(event: Event, findings: Findings) -> None:
    """Say where of a gain and the same gain clipped the larger one is maximised."""
    larger = origin(event.inputs[0][1] if event.inputs else None, PASSING | {"mean", "sum"} | MULTIPLYING)
    if larger is None or larger.name not in LARGER:
        return
    for (_, plain), (_, clipped) in both_ways(larger):
        if plain is None or clipped is None or not {plain.name, clipped.name} <= MULTIPLYING:
            return
        shared = [t for t, _ in plain.inputs if any(t is u for u, _ in clipped.inputs)]
        cut = next((m for _, m in clipped.inputs if m is not None and m.name in CUT), None)
        if shared and cut is not None and any(t is u for t, _ in plain.inputs for u, _ in cut.inputs):
            findings.tell("the larger surrogate", larger, larger=larger, event=event, cut=cut)
            return


@calls_of(*MULTIPLYING)
def _weight_without_label(event: Event, findings: Findings) -> None:
    """Say where a loss of yes or no is weighted by a power of 1 - p, and p is the same for both labels."""
    for (_, weight), (_, loss) in both_ways(event):
        loss, weight = origin(loss, PASSING), origin(weight, PASSING | MULTIPLYING)
        if loss is None or weight is None or loss.name not in YES_OR_NO or weight.name not in POWERS:
            continue
        scores, target = loss.argument(0, "input"), loss.argument(1, "target")
        labels = values_of(target)
        led = list(behind(weight))
        given = [t for e in led for t, _ in e.inputs]
        uses_label = any(t is target for t in given) or any(e is loss for e in led)
        of_scores = any(t is scores for t in given) or any(e is loss.maker_of(scores) for e in led)
        turned = any(e.name in ("__rsub__", "rsub", "sub", "__sub__") for e in led)
        if labels is None or set(np.unique(labels).tolist()) != {0.0, 1.0}:
            continue
        if of_scores and turned and not uses_label:
            findings.tell("weight without the label", event, loss=loss)
            return


@calls_of(*TAKING)
def _corners(event: Event, findings: Findings) -> None:
    """Say where the overlap of boxes takes sizes for corners."""
    upper, lower = (maker for _, maker in event.inputs) if len(event.inputs) == 2 else (None, None)
    if upper is None or lower is None or upper.name not in SMALLER or lower.name not in LARGER:
        return
    wrong, count = 0, 0
    for high, low in zip(upper.inputs, lower.inputs):
        a, b = values_of(high[0]), values_of(low[0])
        sources = [m.inputs[0][0] for _, m in (high, low) if m is not None and m.name == "__getitem__"]
        if a is None or b is None or a.shape != b.shape or len(sources) != 2 or sources[0] is not sources[1]:
            return
        rows = (a < b).reshape(len(a), -1).any(1) if a.ndim else a < b
        wrong, count = wrong + int(np.sum(rows)), count + int(np.size(rows))
    if count > 1 and wrong > MOSTLY * count:
        findings.tell("sizes for corners", upper, wrong=wrong, count=count, event=event)


@calls_of("triplet_margin_loss", "triplet_margin_with_distance_loss")
def _order_of_triplet(event: Event, findings: Findings) -> None:
    """Say where what is given as positive is further away than the negative, in the data already."""
    given = [event.argument(k, name) for k, name in enumerate(("anchor", "positive", "negative"))]
    if not all(isinstance(t, TensorBase) for t in given):
        return
    anchor, positive, negative = (_first_data(event.maker_of(t)) for t in given)
    if anchor is None or positive is None or negative is None or anchor.shape != positive.shape:
        return
    if anchor.shape != negative.shape or anchor.ndim < 2 or len(anchor) < 8 or anchor is positive:
        return
    far, near = _distance(anchor, positive), _distance(anchor, negative)
    if (far > near).mean() > NEARLY_ALL:
        findings.tell(
            "order of a triplet", event, larger=int((far > near).sum()), count=len(far),
            mean=far.mean(), mean_name=near.mean()
        )


def _distance(a: ndarray, b: ndarray) -> ndarray:
    rows = (a.astype(np.float64) - b).reshape(len(a), -1)
    return np.asarray(np.sqrt((rows * rows).sum(1)))


def _first_data(event: Event | None) -> ndarray | None:
    """Return the only data that a result was computed from; None where there are several or none."""
    found: dict[int, Any] = {id(tensor): tensor for _, tensor in data_of(event)}
    value = values_of(next(iter(found.values()))) if len(found) == 1 else None
    return value if value is not None and value.dtype.kind == "f" else None
