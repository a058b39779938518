"""Ask what a loss written by hand prefers: run it again with the target in place of the prediction.

A loss is smallest where the prediction is right. One that is largest there, larger than for targets of other
samples, for the prediction as it was and for one number throughout, has the wrong sign: a similarity is made
small.
"""

from typing import Any

import numpy as np
from numpy import ndarray

from ...core.node import LEAF
from ...core.value import wrap
from ..counterfactual import Rerun
from ..trace import Event, Trace, behind
from ..walk import Path
from .collected import Findings
from .makers import LOSSES, PASSING, values_of
from .perturbed import MOST_ELEMENTS

#: Calls that end a network: what they give is the prediction, past those that hand it on.
ENDING = {
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose2d", "matmul", "__matmul__", "sigmoid", "tanh",
    "softmax", "relu", "softplus",
}  # fmt: skip

#: How much larger a loss must be for the target than for anything else, relative to the range that was seen.
CLEARLY = 0.02


class Preferred:
    """Try out, once for each line that calls backward, what its loss prefers."""

    def __init__(self) -> None:
        self.tried: set[Any] = set()

    def look(self, loss: Any, at: Any, trace: Trace, path: Path, findings: Findings) -> None:
        """Look at the loss of a turn, which goes backward from the line `at`."""
        if at in self.tried:
            return
        self.tried.add(at)
        rerun = Rerun(loss, trace, path)
        if not rerun.events or any(e.name in LOSSES or e.entry == "log_prob" for e in rerun.events):
            return
        pair = _compared(rerun)
        if pair is None:
            return
        made, predicted, target = pair
        found = _losses(rerun, predicted, target)
        if found is None:
            return
        right, others = found
        clearly = CLEARLY * (right - min(others))
        if right - min(others) <= 1e-6 * abs(right) or right - max(others) < clearly:
            return
        # Not the plain reduction at the end.
        joined = next((e for e in reversed(rerun.events) if e.name not in PASSING | {"mean", "sum"}), None)
        findings.tell(
            "sign of the loss: preference", joined or rerun.events[-1], right=right,
            least=min(others), most=max(others), made=made
        )


def _compared(rerun: Rerun) -> tuple[Event, Any, Any] | None:
    """Return the call that ends the network, the prediction, and the only data that is compared with it."""
    for made in reversed(rerun.events):
        if made.name not in ENDING or not made.outputs or made.outputs[0]._node in (None, LEAF):
            continue
        predicted = made.outputs[0]
        before = set(behind(made))
        given: dict[int, Any] = {}
        makers: dict[int, Event] = {}
        for event in rerun.events:
            for tensor, maker in event.inputs if event not in before and event.wanted else ():
                value = values_of(tensor) if tensor._node is None else None
                if value is not None and value.size > 1 and value.dtype.kind == "f":
                    given[id(tensor)] = tensor
                    if maker is not None:
                        makers[id(tensor)] = maker
        first = [t for key, t in given.items() if key not in makers or not any(
            id(x) in given for e in behind(makers[key]) for x, _ in e.inputs
        )]  # fmt: skip
        if len(first) != 1:
            return None
        target = first[0]
        size = values_of(target)
        own = values_of(predicted)
        if size is None or own is None or size.size != own.size or own.size > MOST_ELEMENTS or len(own) < 2:
            return None
        return made, predicted, target
    return None


def _losses(rerun: Rerun, predicted: Any, target: Any) -> tuple[float, list[float]] | None:
    """Return the loss for the target itself, and for what is not the target; None where it cannot be run."""
    own, labels = values_of(predicted), values_of(target)
    if own is None or labels is None or labels.std() == 0:
        return None
    goal = labels.reshape(own.shape).astype(np.float64)
    wrong = [own.astype(np.float64), np.roll(goal, 1, axis=0), np.full_like(goal, goal.mean())]
    within = goal.min() >= 0 and goal.max() <= 1
    wrong += [np.ones_like(goal), 1 - goal] if within else [-goal]
    scaled = [0.7 * goal] if within else [0.7 * goal, 1.4 * goal]
    right = _loss(rerun, predicted, goal, own)
    if right is None:
        return None
    others = [_loss(rerun, predicted, value, own) for value in (*wrong, *scaled)]
    # Of a constant a similarity may have no value, and it may not depend on the size.
    known = [other for other in others[: len(wrong)] if other is not None]
    known += [x for x in others[len(wrong) :] if x is not None and abs(x - right) > 1e-5 * abs(right)]
    return None if others[0] is None or others[1] is None else (right, known)


def _loss(rerun: Rerun, predicted: Any, value: ndarray, like: ndarray) -> float | None:
    found = values_of(rerun.loss({}, {id(predicted): wrap(value.astype(like.dtype))}))
    return float(found) if found is not None and found.size == 1 and np.isfinite(found).all() else None
