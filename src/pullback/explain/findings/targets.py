"""Hold predictions against their targets: what they cannot reach, what the input gives away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.blame import Place
from ...core.node import LEAF
from ...core.value import TensorBase, shape_of
from ..answer import Answer
from ..trace import Event
from .collected import Findings
from .losses import PASSING, dims, origin, values_of

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
SCALED = PASSING | {"mul", "__mul__", "__rmul__", "gather", "max", "values", "amax"}

#: Calls that are followed back to the data.
MOST_CALLS = 2_000


def look_at(event: Event, findings: Findings, made: Callable[[Any], Place | None]) -> None:
    """Add what one call shows; `made` gives the line that makes a module."""
    _one_for_all(event, findings)
    pair = compared(event)
    both = differing(event)
    if both is not None:
        _bootstrapped(event, *both, findings)
    if pair is not None:
        _fresh_noise(event, *pair, findings)
        _out_of_reach(event, *pair, findings, made)
        _unscaled(event, *pair, findings)
        _given_away(event, *pair, findings)
    elif event.name == "binary_cross_entropy":
        _softmax_of_many(event, findings, made)
        _given_away(event, event.argument(0, "input"), event.argument(1, "target"), findings)
    elif event.name == "cross_entropy":
        _padding_counts(event, findings)
        _dropped_scores(event, findings, made)
        _similar_to_itself(event, findings)
    elif event.name in ("clamp", "relu", "softplus", "logsigmoid", "log_sigmoid", "clamp_min", "log1p"):
        _margin_of_zeros(event, findings)
    elif event.name in ("sub", "__sub__"):
        _nothing_left(event, findings)
    elif event.name in ("triplet_margin_loss", "cosine_embedding_loss", "pairwise_distance"):
        _same_pair(event, findings)


def compared(event: Event) -> tuple[Any, Any] | None:
    """Return the prediction and the target that a call compares; None where it does not."""
    if event.name in DISTANCES:
        pair = event.argument(0, "input"), event.argument(1, "target")
    elif event.name in BY_HAND and event.inputs:
        maker = event.inputs[0][1]
        if maker is None or maker.name not in ("sub", "__sub__", "__rsub__") or len(maker.inputs) != 2:
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
    if made is None or made.name not in ("sub", "__sub__", "__rsub__") or len(made.inputs) != 2:
        return
    for (x, maker), (target, _) in (made.inputs, made.inputs[::-1]):
        have, want = shape_of(x), shape_of(target)
        if x._node in (None, LEAF) or target._node is not None or len(want) < 1 or want[0] < 8:
            continue
        if np.prod(have) * want[0] != np.prod(want) or have[:1] == want[:1]:
            continue
        reduced = maker
        while reduced is not None and reduced.inputs and shape_of(reduced.inputs[0][0])[:1] != want[:1]:
            reduced = reduced.inputs[0][1]
        if reduced is not None and reduced.inputs and reduced.outputs and reduced.name in REDUCING:
            findings.add("broadcast", Answer(
                "batch reduced away", f"The prediction has shape {dims(have)} and the targets {dims(want)}: "
                f"`{reduced.name}`{_line(reduced.place)} is taken over axis 0, the batch, so one prediction "
                "is held against the targets of all samples.", reduced.place,
                (f"they are compared at {made.place}",),
                "reduce another axis (`dim=-1`); of each number and 0 the larger one is `torch.relu(x)`",
            ))  # fmt: skip
            return


def differing(event: Event) -> tuple[Event, Event] | None:
    """Return the calls that made both sides of a difference that is squared, where both have a history."""
    if event.name not in ("pow", "__pow__", "square", "mse_loss", "smooth_l1_loss") or not event.inputs:
        return None
    pair: Event | None = event if event.name.endswith("loss") else event.inputs[0][1]
    if pair is None or len(pair.inputs) != 2 or any(t._node in (None, LEAF) for t, _ in pair.inputs):
        return None
    if pair is not event and pair.name not in ("sub", "__sub__"):
        return None
    first, second = pair.inputs[0][1], pair.inputs[1][1]
    return None if first is None or second is None else (first, second)


def _bootstrapped(event: Event, first: Event, second: Event, findings: Findings) -> None:
    """Say where what a prediction is compared with is another prediction of the same network plus data."""
    for goal, guess in ((first, second), (second, first)):
        if goal.name not in ("add", "__add__", "__radd__") or len(goal.inputs) != 2:
            continue
        plain = [t for t, _ in goal.inputs if t._node is None and shape_of(t)]
        later = [m for t, m in goal.inputs if t._node is not None]
        made, own = origin(later[0], SCALED) if later else None, origin(guess, SCALED)
        if not plain or made is None or own is None or later[0] is None or later[0] is made:
            continue
        if made.module is not None and made.module is own.module and made is not own:
            findings.add("wrong input of a loss", Answer(
                "target with history", "The target, data plus a later prediction of the same network, "
                f"has a history: the loss{_line(event.place)} also moves the target towards the "
                "prediction.", goal.place, (f"the loss is at {event.place}",),
                "compute the target under `with torch.no_grad():`, or pass `target.detach()`",
            ))  # fmt: skip
            return


def _fresh_noise(event: Event, x: Any, target: Any, findings: Findings) -> None:
    """Say where noise is to be predicted that was never put into what the network is given."""
    drawn = _maker(event, target)
    if drawn is None or drawn.name not in ("randn_like", "randn") or _maker(event, x) is None:
        return
    seen: set[Event] = set()
    waiting = [maker for maker in (_maker(event, x),) if maker is not None]
    others = []
    while waiting and len(seen) < MOST_CALLS:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        if current is drawn:
            return
        if current.name in ("randn_like", "randn") and shape_of(current.outputs[0]) == shape_of(target):
            others.append(current)
        waiting += [m for t, m in current.inputs if m is not None and t._node is not LEAF]
    mixed = [e for e in others if e.name == "randn_like"]
    if mixed and drawn.name == "randn_like":
        findings.add("wrong input of a loss", Answer(
            "another noise", "The target is new noise, drawn again here; the noise that was mixed into the "
            f"data is another one{_line(mixed[0].place)}. What is to be predicted is unrelated to the input.",
            drawn.place or event.place, (), "take the same noise for both: `loss(model(x_t, t), noise)`",
        ))  # fmt: skip


def _maker(event: Event, tensor: Any) -> Event | None:
    """Return the call that made an operand of a comparison."""
    found = event.maker_of(tensor)
    if found is None and event.inputs and event.inputs[0][1] is not None:
        found = event.inputs[0][1].maker_of(tensor)
    return found


def _place_of(made: Event, layers: Callable[[Any], Place | None]) -> Place | None:
    """Return the line that makes the layer which a call is, or else that of the call."""
    own = made.module is not None and type(made.module).__name__.lower() == made.name.rstrip("_")
    return (layers(made.module) if own else None) or made.place


def _line(place: Place | None) -> str:
    return "" if place is None else f" (line {place.line})"


def _out_of_reach(
    event: Event, x: Any, target: Any, findings: Findings, layers: Callable[[Any], Place | None]
) -> None:
    """Say where an activation at the end bounds predictions whose targets lie beyond."""
    made, labels = origin(_maker(event, x)), values_of(target)
    if made is None or made.name not in BOUNDS or labels is None or labels.size < 2:
        return
    low, high = BOUNDS[made.name]
    outside = float(((labels < low - 1e-3) | (labels > high + 1e-3)).mean())
    if outside < SHARE:
        return
    reach = f"{low:g} to {high:g}" if high < np.inf else "0 and more, nothing negative"
    findings.add("wrong input of a loss", Answer(
        "target out of reach", f"The prediction ends in a {made.name.rstrip('_')}{_line(made.place)}, which "
        f"gives {reach}, and the targets go from {labels.min():.4g} to {labels.max():.4g}: "
        f"{100 * outside:.0f} % of them lie outside that range, where no prediction can come"
        f"{_line(event.place)}.", _place_of(made, layers), (),
        f"leave the {made.name.rstrip('_')} after the last layer out, or scale the targets to its range",
    ))  # fmt: skip


def _unscaled(event: Event, x: Any, target: Any, findings: Findings) -> None:
    """Say where targets are so large that the first steps cannot come near them."""
    found, labels = values_of(x), values_of(target)
    if found is None or labels is None or labels.size < 4 or labels.dtype.kind != "f":
        return
    size, reached = float(np.abs(labels).mean()), float(np.abs(found).mean())
    if LARGE < size < np.inf and size > TIMES * reached:
        findings.add("note", Answer(
            "unscaled target", f"The targets are about {size:.3g} in size and the predictions {reached:.3g}: "
            "they are not scaled, so the loss and its gradients are huge, or the way there takes very many "
            "steps.", event.place, (),
            "normalise the targets (take their mean away, divide by their deviation), and undo it afterwards",
        ))  # fmt: skip


def data_of(start: Event | None) -> Iterator[tuple[Event, Any]]:
    """Yield (call, tensor) for what comes in from outside on the way to a call: no weight, no history."""
    seen: set[Event] = set()
    waiting = [] if start is None else [start]
    while waiting and len(seen) < MOST_CALLS:
        event = waiting.pop()
        if event in seen:
            continue
        seen.add(event)
        for tensor, maker in event.inputs:
            if tensor._node is None and event.wanted:
                yield event, tensor
            elif maker is not None and tensor._node is not LEAF:
                waiting.append(maker)


def _given_away(event: Event, x: Any, target: Any, findings: Findings) -> None:
    """Say where the target itself is a column of what the network is given."""
    labels = values_of(target) if isinstance(target, TensorBase) else None
    start = None if labels is None else _maker(event, x)
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
            findings.add("wrong input of a loss", Answer(
                "target among the inputs", f"Column {same[0]} of the input {dims(value.shape)} holds the "
                f"target itself{_line(event.place)}: the network only has to copy it.",
                origin_place(user, tensor) or event.place, (),
                "take the target out of what the network is given",
            ))  # fmt: skip
            return


def origin_place(user: Event, tensor: Any) -> Place | None:
    """Return the line that put a tensor together, or that uses it."""
    maker = user.maker_of(tensor)
    while maker is not None and maker.name in PASSING and maker.inputs and maker.inputs[0][1] is not None:
        maker = maker.inputs[0][1]
    return user.place if maker is None else maker.place


def _taken_from(event: Event, target: Any, data: Any) -> bool:
    """Return whether a target was computed from a whole input, as in a task that is made up."""
    first = _maker(event, target)
    waiting = [] if first is None else [first]
    seen: set[Event] = set()
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        for tensor, maker in current.inputs:
            if tensor is data:
                return True
            if maker is not None:
                waiting.append(maker)
    return False


def _softmax_of_many(event: Event, findings: Findings, layers: Callable[[Any], Place | None]) -> None:
    """Say where the classes of a sample compete although it may have several."""
    x, target = event.argument(0, "input"), event.argument(1, "target")
    made = origin(event.maker_of(x)) if isinstance(x, TensorBase) else None
    labels = values_of(target) if isinstance(target, TensorBase) else None
    if made is None or made.name != "softmax" or labels is None or labels.ndim < 2 or labels.shape[-1] < 2:
        return
    if np.allclose(labels.sum(-1), 1):
        return
    findings.add("wrong input of a loss", Answer(
        "softmax of several labels", f"The scores go through a softmax before binary_cross_entropy"
        f"{_line(event.place)}, and samples have several labels: the probabilities of a softmax add up to 1, "
        "so they cannot all be near 1.", _place_of(made, layers), (),
        "use a sigmoid, or pass the scores to `binary_cross_entropy_with_logits`",
    ))  # fmt: skip


def _dropped_scores(event: Event, findings: Findings, layers: Callable[[Any], Place | None]) -> None:
    """Say where dropout is taken of the scores themselves."""
    made = origin(event.maker_of(event.argument(0, "input")), PASSING - {"dropout"})
    if made is None or made.name != "dropout" or not made.argument(2, "training", True):
        return
    before = origin(made.maker_of(made.argument(0, "input")), set())
    if before is not None and before.name == "linear" and made.argument(1, "p", 0.5):
        own = made.module is not None and "Dropout" in type(made.module).__name__
        place = (layers(made.module) if own else None) or made.place
        findings.add("wrong input of a loss", Answer(
            "dropout of the scores", f"Dropout is taken of the scores of the last layer{_line(made.place)}: "
            "scores of classes, the right one too, are set to 0 at random before the loss.", place, (),
            "put the dropout before the last layer",
        ))  # fmt: skip


def ragged_padding(ids: ndarray, pad: int) -> bool:
    """Return whether sequences of several lengths end in an index that fills them up."""
    if ids.ndim != 2 or len(ids) < 2:
        return False
    is_pad = ids == pad
    lengths = ids.shape[1] - is_pad.sum(1)
    at_the_end = (is_pad == (np.arange(ids.shape[1]) >= lengths[:, None])).all()
    return bool(at_the_end and is_pad.any() and len(set(lengths.tolist())) > 1)


def _padding_counts(event: Event, findings: Findings) -> None:
    """Say where the loss also learns to predict the padding of the targets."""
    target, ignored = event.argument(1, "target"), event.argument(3, "ignore_index", -100)
    labels = values_of(target) if isinstance(target, TensorBase) else None
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
            findings.add("wrong input of a loss", Answer(
                "padding in the targets", f"{int((rows == pad).sum())} of {rows.size} targets are {pad}, the "
                "padding at the end of shorter sequences, and the loss counts them: `ignore_index` is "
                f"{ignored}.", event.place, (f"the embedding has padding_idx {pad}",),
                f"pass `ignore_index={pad}`",
            ))  # fmt: skip
            return


def _similar_to_itself(event: Event, findings: Findings) -> None:
    """Say where each sample is among those it is told apart from."""
    x = event.argument(0, "input")
    scores = values_of(x) if isinstance(x, TensorBase) else None
    if scores is None or scores.ndim != 2 or scores.shape[0] != scores.shape[1] or len(scores) < 3:
        return
    made = origin(event.maker_of(x), {"div", "__truediv__", "mul", "__mul__", "exp", "clone"})
    if made is None or made.name not in ("matmul", "mm", "__matmul__") or len(made.inputs) != 2:
        return
    (a, _), (b, other) = made.inputs
    turned = other is not None and other.name in ("T", "t", "transpose", "mT") and other.inputs[0][0] is a
    left, right = values_of(a), values_of(b)  # `.T` may be no call
    same = turned or (left is not None and right is not None and np.array_equal(left, right.T))
    diagonal = scores[np.arange(len(scores)), np.arange(len(scores))]
    if same and b is not a and (diagonal >= scores.max(1) - 1e-4).mean() > 0.9:
        findings.add("wrong input of a loss", Answer(
            "similar to itself", "The similarities of all samples with all others hold, on the diagonal, "
            "that of each sample with itself, the largest of its row: the softmax goes to it.",
            made.place, (f"the loss is at {event.place}",),
            "mask the diagonal: `sim.masked_fill(torch.eye(n, dtype=torch.bool), float('-inf'))`",
        ))  # fmt: skip


def _margin_of_zeros(event: Event, findings: Findings) -> None:
    """Say where a margin is taken of scores times labels, and these are 0 and 1."""
    through = {"sub", "__sub__", "__rsub__", "rsub", "neg", "__neg__", "add", "__add__", "__radd__", "exp"}
    made = event.inputs[0][1] if event.inputs else None
    product = origin(made, through)
    if product is None or product.name not in ("mul", "__mul__", "__rmul__") or len(product.inputs) != 2:
        return
    for labels, scores in (product.inputs, product.inputs[::-1]):
        value = values_of(labels[0])
        if labels[0]._node is not None or scores[0]._node in (None, LEAF) or value is None or value.size < 2:
            continue
        if event.name in ("clamp", "relu", "clamp_min") and product is made:
            continue  # no margin
        if shape_of(labels[0]) == shape_of(scores[0]) and set(np.unique(value).tolist()) == {0.0, 1.0}:
            maker = labels[1]
            findings.add("wrong input of a loss", Answer(
                "targets are 0 and 1", f"Scores are multiplied by labels of 0 and 1{_line(product.place)}, "
                "and a margin is taken of the product: that is meant for labels of 1 and -1. Of samples "
                "with 0 nothing is learned.", product.place if maker is None else maker.place,
                (f"the margin is at {event.place}",), "take labels of 1 and -1: `2 * y - 1`",
            ))  # fmt: skip
            return


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
        findings.add("zero gradient", Answer(
            "difference of the same", "Both sides of a difference are equal throughout: the same layers are "
            f"called twice on the same input{_line(event.place)}, so the difference is 0 and has no "
            "gradient.", later.place, (f"the other one is at {first.place}",),
            "give the second call its own input",
        ))  # fmt: skip


def _same_pair(event: Event, findings: Findings) -> None:
    """Say where what is compared is one and the same sample."""
    first, second = (values_of(t) for t in (event.inputs[0][0], event.inputs[1][0]))
    if first is None or second is None or first.shape != second.shape or first.ndim < 2 or not event.wanted:
        return
    same = (first == second).reshape(len(first), -1).all(1)
    if same.mean() > 0.5 and first.any():
        what = "anchor and positive" if event.name == "triplet_margin_loss" else "both inputs"
        findings.add("wrong input of a loss", Answer(
            "compared with itself", f"In {int(same.sum())} of {len(same)} rows {what} of {event.name} are "
            "identical: a sample is compared with itself, the distance is 0 and teaches nothing.",
            event.place, (), "choose another sample of the same class; look at how the pairs are drawn",
        ))  # fmt: skip


__all__ = ["compared", "data_of", "look_at", "origin_place", "ragged_padding"]
