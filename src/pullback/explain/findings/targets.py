"""Hold predictions against their targets: what they cannot reach, what the input gives away."""

from typing import Any

import numpy as np
from numpy import ndarray

from ...core.blame import Place
from ...core.node import LEAF
from ...core.value import TensorBase, shape_of
from ..shown import dims
from ..trace import Event, behind
from .collected import Findings, calls_of
from .makers import (
    ADDING,
    DIFFERENCES,
    DIVIDING,
    MULTIPLYING,
    NEGATING,
    PASSING,
    TAKING,
    both_ways,
    data_of,
    origin,
    values_of,
)

#: Losses that compare numbers, and calls that end a comparison written by hand.
DISTANCES = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}
BY_HAND = {"pow", "__pow__", "square", "abs", "norm", "vector_norm"}

#: Calls that may take an axis away.
REDUCING = {"max", "min", "amax", "amin", "mean", "sum", "median", "logsumexp", "norm", "prod"}

#: What activations give: the lowest and the highest number.
BOUNDS = {
    "relu": (0.0, np.inf), "relu_": (0.0, np.inf), "softplus": (0.0, np.inf), "exp": (0.0, np.inf),
    "sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0), "tanh": (-1.0, 1.0), "hardtanh": (-1.0, 1.0),
}  # fmt: skip

#: The part of the targets that must lie out of reach.
SHARE = 0.1

#: Targets larger than this, and this many times larger than the predictions, are not scaled.
LARGE, TIMES = 1e3, 100.0

#: Calls through which a prediction is handed on into a target.
SCALED = PASSING | MULTIPLYING | {"gather", "max", "values", "amax"}


@calls_of(*DISTANCES, *BY_HAND)
def _compared_by_distance(event: Event, findings: Findings) -> None:
    _one_for_all(event, findings)
    both, pair = differing(event), compared(event)
    if both is not None:
        _bootstrapped(event, *both, findings)
    if pair is not None:
        _fresh_noise(event, *pair, findings)
        _out_of_reach(event, *pair, findings)
        _unscaled(event, *pair, findings)
        _given_away(event, *pair, findings)


@calls_of("binary_cross_entropy")
def _compared_by_labels(event: Event, findings: Findings) -> None:
    _softmax_of_many(event, findings)
    _given_away(event, event.argument(0, "input"), event.argument(1, "target"), findings)


def compared(event: Event) -> tuple[Any, Any] | None:
    """Return the prediction and the target that a call compares; None where it does not."""
    if event.name in DISTANCES:
        pair = event.argument(0, "input"), event.argument(1, "target")
    elif event.name in BY_HAND and event.inputs:
        maker = event.inputs[0][1]
        if maker is None or maker.name not in DIFFERENCES or len(maker.inputs) != 2:
            return None
        pair = maker.inputs[0][0], maker.inputs[1][0]
        event = maker
    else:
        return None
    if not all(isinstance(t, TensorBase) for t in pair):
        return None
    pair = pair if pair[0]._node is not None else pair[::-1]
    if pair[0]._node in (None, LEAF) or pair[1]._node is not None or shape_of(pair[0]) != shape_of(pair[1]):
        return None
    return pair


def _one_for_all(event: Event, findings: Findings) -> None:
    """Say where one prediction is held against the targets of all samples, as the batch was reduced away."""
    made = event.inputs[0][1] if event.name in BY_HAND and event.inputs else None
    if made is None or made.name not in DIFFERENCES:
        return
    for (x, maker), (target, _) in both_ways(made):
        have, want = shape_of(x), shape_of(target)
        if x._node in (None, LEAF) or target._node is not None or len(want) < 1 or want[0] < 8:
            continue
        if np.prod(have) * want[0] != np.prod(want) or have[:1] == want[:1]:
            continue
        reduced = maker
        while reduced is not None and reduced.inputs and shape_of(reduced.inputs[0][0])[:1] != want[:1]:
            reduced = reduced.inputs[0][1]
        if reduced is not None and reduced.inputs and reduced.outputs and reduced.name in REDUCING:
            findings.tell(
                "batch reduced away", reduced, have=dims(have), want=dims(want), reduced=reduced,
                made=made
            )
            return


def differing(event: Event) -> tuple[Event, Event] | None:
    """Return the calls that made both sides of a difference that is squared, where both have a history."""
    if event.name not in ("pow", "__pow__", "square", "mse_loss", "smooth_l1_loss") or not event.inputs:
        return None
    pair: Event | None = event if event.name.endswith("loss") else event.inputs[0][1]
    if pair is None or len(pair.inputs) != 2 or any(t._node in (None, LEAF) for t, _ in pair.inputs):
        return None
    if pair is not event and pair.name not in TAKING:
        return None
    first, second = pair.inputs[0][1], pair.inputs[1][1]
    return None if first is None or second is None else (first, second)


def _bootstrapped(event: Event, first: Event, second: Event, findings: Findings) -> None:
    """Say where what a prediction is compared with is another prediction of the same network plus data."""
    for goal, guess in ((first, second), (second, first)):
        if goal.name not in ADDING or len(goal.inputs) != 2:
            continue
        plain = [t for t, _ in goal.inputs if t._node is None and shape_of(t)]
        later = [m for t, m in goal.inputs if t._node is not None]
        made, own = origin(later[0], SCALED) if later else None, origin(guess, SCALED)
        if not plain or made is None or own is None or later[0] is None or later[0] is made:
            continue
        if made.module is not None and made.module is own.module and made is not own:
            findings.tell("target with history: bootstrapped", goal, event=event)
            return


def _fresh_noise(event: Event, x: Any, target: Any, findings: Findings) -> None:
    """Say where noise is to be predicted that was never put into what the network is given."""
    drawn, given = operand_maker(event, target), list(behind(operand_maker(event, x)))
    if drawn is None or drawn.name != "randn_like" or drawn in given:
        return
    mixed = [e for e in given if e.name == "randn_like" and shape_of(e.outputs[0]) == shape_of(target)]
    if mixed:
        findings.tell("another noise", drawn.place or event.place, line=mixed[0].line)


def operand_maker(event: Event, tensor: Any) -> Event | None:
    """Return the call that made an operand of a comparison."""
    found = event.maker_of(tensor)
    if found is None and event.inputs and event.inputs[0][1] is not None:
        found = event.inputs[0][1].maker_of(tensor)
    return found


def _place_of(made: Event, findings: Findings) -> Place | None:
    """Return the line that makes the layer which a call is, or else that of the call."""
    own = made.module is not None and type(made.module).__name__.lower() == made.name.rstrip("_")
    return (findings.made(made.module) if own else None) or made.place


def _out_of_reach(event: Event, x: Any, target: Any, findings: Findings) -> None:
    """Say where an activation at the end bounds predictions whose targets lie beyond."""
    made, labels = origin(operand_maker(event, x)), values_of(target)
    if made is None or made.name not in BOUNDS or labels is None or labels.size < 2:
        return
    low, high = BOUNDS[made.name]
    outside = float(((labels < low - 1e-3) | (labels > high + 1e-3)).mean())
    if outside < SHARE:
        return
    reach = f"{low:g} to {high:g}" if high < np.inf else "0 and more, nothing negative"
    findings.tell(
        "target out of reach", _place_of(made, findings), activation=made.name.rstrip("_"), reach=reach,
        least=labels.min(), most=labels.max(), percent=100 * outside, made=made, event=event
    )


def _unscaled(event: Event, x: Any, target: Any, findings: Findings) -> None:
    """Say where targets are so large that the first steps cannot come near them."""
    found, labels = values_of(x), values_of(target)
    if found is None or labels is None or labels.size < 4 or labels.dtype.kind != "f":
        return
    size, reached = float(np.abs(labels).mean()), float(np.abs(found).mean())
    if LARGE < size < np.inf and size > TIMES * reached:
        findings.tell("unscaled target", event, size=size, reached=reached)


def _given_away(event: Event, x: Any, target: Any, findings: Findings) -> None:
    """Say where the target itself is a column of what the network is given."""
    labels = values_of(target)
    start = None if labels is None else operand_maker(event, x)
    if labels is None or start is None or labels.ndim == 0 or len(labels) < 8 or labels.size != len(labels):
        return
    flat = labels.reshape(-1)
    if len(np.unique(flat)) < 2:
        return
    for user, tensor in data_of(start):
        value = values_of(tensor)
        if value is None or value.ndim < 2 or len(value) != len(flat) or value.dtype.kind not in "fiu":
            continue
        columns = value.reshape(len(value), -1)
        if columns.shape[1] < 2 or columns.shape[1] > 10_000 or _taken_from(event, target, tensor):
            continue
        same = np.flatnonzero((columns == flat[:, None]).all(0))
        if len(same):
            findings.tell(
                "target among the inputs", origin_place(user, tensor) or event.place, same=same,
                shape=dims(value.shape), event=event
            )
            return


def origin_place(user: Event, tensor: Any) -> Place | None:
    """Return the line that put a tensor together, or that uses it."""
    maker = user.maker_of(tensor)
    while maker is not None and maker.name in PASSING and maker.inputs and maker.inputs[0][1] is not None:
        maker = maker.inputs[0][1]
    return user.place if maker is None else maker.place


def _taken_from(event: Event, target: Any, data: Any) -> bool:
    """Return whether a target was computed from a whole input, as in a task that is made up."""
    return any(tensor is data for made in behind(operand_maker(event, target)) for tensor, _ in made.inputs)


def _softmax_of_many(event: Event, findings: Findings) -> None:
    """Say where the classes of a sample compete although it may have several."""
    x, target = event.argument(0, "input"), event.argument(1, "target")
    made = origin(event.maker_of(x)) if isinstance(x, TensorBase) else None
    labels = values_of(target)
    if made is None or made.name != "softmax" or labels is None or labels.ndim < 2 or labels.shape[-1] < 2:
        return
    if np.allclose(labels.sum(-1), 1):
        return
    findings.tell("softmax of several labels", _place_of(made, findings), event=event)


@calls_of("cross_entropy")
def _dropped_scores(event: Event, findings: Findings) -> None:
    """Say where dropout is taken of the scores themselves."""
    made = origin(event.maker_of(event.argument(0, "input")), PASSING - {"dropout"})
    if made is None or made.name != "dropout" or not made.argument(2, "training", True):
        return
    before = origin(made.maker_of(made.argument(0, "input")), set())
    if before is not None and before.name == "linear" and made.argument(1, "p", 0.5):
        own = made.module is not None and "Dropout" in type(made.module).__name__
        place = (findings.made(made.module) if own else None) or made.place
        findings.tell("dropout of the scores", place, made=made)


def ragged_padding(ids: ndarray, pad: int) -> bool:
    """Return whether sequences of several lengths end in an index that fills them up."""
    if ids.ndim != 2 or len(ids) < 2:
        return False
    is_pad = ids == pad
    lengths = ids.shape[1] - is_pad.sum(1)
    at_the_end = (is_pad == (np.arange(ids.shape[1]) >= lengths[:, None])).all()
    return bool(at_the_end and is_pad.any() and len(set(lengths.tolist())) > 1)


@calls_of("cross_entropy")
def _padding_counts(event: Event, findings: Findings) -> None:
    """Say where the loss also learns to predict the padding of the targets."""
    target, ignored = event.argument(1, "target"), event.argument(3, "ignore_index", -100)
    labels = values_of(target)
    if labels is None or labels.dtype.kind not in "iu" or event.argument(2, "weight") is not None:
        return
    for user, tensor in data_of(event.maker_of(event.argument(0, "input"))):
        pad = user.argument(2, "padding_idx") if user.name == "embedding" else None
        ids = values_of(tensor)
        if pad is None or ids is None or ids.ndim != 2 or pad == ignored or labels.size % len(ids):
            continue
        rows = labels.reshape(len(ids), -1)
        reduced = event.argument(6, "reduction", "mean") != "none"
        if ragged_padding(rows, pad) and rows.shape[1] > 1 and reduced:
            findings.tell(
                "padding in the targets", event, count=int((rows == pad).sum()), rows=rows, pad=pad,
                ignored=ignored
            )
            return


@calls_of("cross_entropy")
def _similar_to_itself(event: Event, findings: Findings) -> None:
    """Say where each sample is among those it is told apart from."""
    x = event.argument(0, "input")
    scores = values_of(x)
    if scores is None or scores.ndim != 2 or scores.shape[0] != scores.shape[1] or len(scores) < 3:
        return
    made = origin(event.maker_of(x), {*DIVIDING, *MULTIPLYING, "exp", "clone"})
    if made is None or made.name not in ("matmul", "mm", "__matmul__") or len(made.inputs) != 2:
        return
    (a, _), (b, other) = made.inputs
    turned = other is not None and other.name in ("T", "t", "transpose", "mT") and other.inputs[0][0] is a
    left, right = values_of(a), values_of(b)  # `.T` may be no call
    same = turned or (left is not None and right is not None and np.array_equal(left, right.T))
    diagonal = scores[np.arange(len(scores)), np.arange(len(scores))]
    if same and b is not a and (diagonal >= scores.max(1) - 1e-4).mean() > 0.9:
        findings.tell("similar to itself", made, event=event)


@calls_of("clamp", "relu", "softplus", "logsigmoid", "log_sigmoid", "clamp_min", "log1p")
def _margin_of_zeros(event: Event, findings: Findings) -> None:
    """Say where a margin is taken of scores times labels, and these are 0 and 1."""
    through = {*DIFFERENCES, "rsub", *NEGATING, *ADDING, "exp"}
    made = event.inputs[0][1] if event.inputs else None
    product = origin(made, through)
    if product is None or product.name not in MULTIPLYING:
        return
    for labels, scores in both_ways(product):
        value = values_of(labels[0])
        if labels[0]._node is not None or scores[0]._node in (None, LEAF) or value is None or value.size < 2:
            continue
        if event.name in ("clamp", "relu", "clamp_min") and product is made:
            continue  # no margin
        if shape_of(labels[0]) == shape_of(scores[0]) and set(np.unique(value).tolist()) == {0.0, 1.0}:
            maker = labels[1]
            findings.tell(
                "targets are 0 and 1: margin", product.place if maker is None else maker.place,
                event=event, product=product
            )
            return


@calls_of(*TAKING)
def _nothing_left(event: Event, findings: Findings) -> None:
    """Say where two results of the same layers on the same input are taken from each other."""
    if len(event.inputs) != 2 or any(t._node in (None, LEAF) for t, _ in event.inputs):
        return
    (a, first), (b, second) = event.inputs
    x, y = values_of(a), values_of(b)
    if first is None or second is None or first is second or x is None or y is None or x.shape != y.shape:
        return
    if x.size > 1 and x.any() and np.array_equal(x, y) and first.name == second.name:
        later = max(first, second, key=lambda e: e.number)
        layers = {id(e.module) for e in (first, second) if e.module is not None}
        told = "difference of the same: copies" if len(layers) == 2 else "difference of the same: one module"
        findings.tell(told, later, first=first, event=event)


@calls_of("triplet_margin_loss", "cosine_embedding_loss", "pairwise_distance")
def _same_pair(event: Event, findings: Findings) -> None:
    """Say where what is compared is one and the same sample."""
    first, second = (values_of(t) for t in (event.inputs[0][0], event.inputs[1][0]))
    if first is None or second is None or first.shape != second.shape or first.ndim < 2 or not event.wanted:
        return
    same = (first == second).reshape(len(first), -1).all(1)
    if same.mean() > 0.5 and first.any():
        what = "anchor and positive" if event.name == "triplet_margin_loss" else "both inputs"
        findings.tell(
            "compared with itself", event, same_rows=int(same.sum()), count=len(same), what=what,
            event=event
        )
