"""List where the derivatives of ops are zero: at which values, what that is called, how to mend it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray


class Cause(NamedTuple):
    """Say why an op sends no covector on.

    Attributes
    ----------
    kind : str
        In a word or two.
    cause : str
        In a sentence.
    mend : str
    """

    kind: str
    cause: str
    mend: str


#: Ops whose derivative is zero whatever the values are.
STEPS = {
    "ceil", "div_floor", "floor", "heaviside", "round", "round_decimals", "sgn", "sign", "trunc",
    "zeros_of",
}  # fmt: skip

#: What is known of each op.
CAUSES: dict[str, Cause] = {
    "relu": Cause(
        "dead relu",
        "All inputs of the relu are negative or 0: its slope is 0 there.",
        "look at the bias and the learning rate before it; leaky_relu or gelu keep a slope",
    ),
    "clamp": Cause(
        "clamped",
        "All values lie outside the range of the clamp: its slope is 0 there.",
        "clamp what is only looked at, or use a soft bound (tanh, sigmoid)",
    ),
    "hardtanh": Cause(
        "clamped",
        "All values lie outside the range: the slope is 0 there.",
        "use a soft bound (tanh, sigmoid)",
    ),
    "threshold": Cause(
        "clamped",
        "All values lie below the threshold: the slope is 0 there.",
        "use a soft bound",
    ),
    "sigmoid": Cause(
        "saturated",
        "The sigmoid is so far out that its slope is 0 in this dtype.",
        (
            "scale what goes in; use `binary_cross_entropy_with_logits` on the input instead of a loss on the"
            " result"
        ),
    ),
    "tanh": Cause(
        "saturated",
        "The tanh is so far out that its slope is 0 in this dtype.",
        "scale what goes in: normalise the layer before, or start with smaller weights",
    ),
    "softmax": Cause(
        "saturated",
        "The softmax gives 0 and 1, or its results are used only through their sum, which is always 1.",
        "use `log_softmax` or `cross_entropy` on the input; divide the input by a temperature",
    ),
    "log_softmax": Cause("saturated", "The softmax gives 0 and 1.", "divide the input by a temperature"),
    "mul": Cause(
        "multiplied by 0",
        "The other factor is 0.",
        "look where that factor comes from: a mask, or weights that start at 0",
    ),
    "mul_number": Cause(
        "multiplied by 0",
        "It is multiplied by the number 0.",
        "look at that number: a weight of the loss, a schedule",
    ),
    "where": Cause(
        "masked out",
        "`where` takes the other branch at all these elements.",
        "look at the condition",
    ),
    "masked_fill": Cause("masked out", "All these elements are filled over.", "look at the mask"),
    "pow_scalar": Cause("stationary point", "The slope of the power is 0 at base 0.", "start away from 0"),
    "integer_pow": Cause("stationary point", "The slope of the power is 0 at base 0.", "start away from 0"),
    "abs": Cause(
        "stationary point",
        "`abs` is at its corner, 0, where the slope is taken as 0.",
        "start away from 0",
    ),
    "mm": Cause(
        "multiplied by 0",
        "The other matrix is 0.",
        "look at what it holds: weights must start at random, and a first state of zeros gives its weights "
        "nothing in the first step",
    ),
    "linear": Cause(
        "multiplied by 0",
        "The weights are 0.",
        "start the weights at random: zeros pass no gradient on",
    ),
    "addmm": Cause(
        "multiplied by 0",
        "The other matrix is 0.",
        "look at what it holds: weights must start at random, and a first state of zeros gives its weights "
        "nothing in the first step",
    ),
    "maximum": Cause(
        "not selected",
        "The other argument is larger everywhere.",
        "use a soft maximum (`logsumexp`)",
    ),
    "minimum": Cause("not selected", "The other argument is smaller everywhere.", "use a soft minimum"),
    "select": Cause("not selected", "Only another part of the tensor is used.", "look at the index"),
    "index": Cause("not selected", "Only another part of the tensor is used.", "look at the index"),
    "max_pool_2d": Cause(
        "not selected",
        "Only the largest element of each window is used.",
        "none for a max pool; an average pool passes something on to every element",
    ),
    "dropout_noise": Cause(
        "dropped out",
        "Dropout has dropped all of it.",
        "look at p, which is the share that is dropped",
    ),
    "sub": Cause(
        "cancelled",
        "The two ways through the difference cancel.",
        "look whether both sides are the same tensor",
    ),
    "add": Cause("cancelled", "The ways through the sum cancel.", "look at the signs"),
}
for _name, _other in (
    ("max_pool_1d", "max_pool_2d"), ("max_pool_3d", "max_pool_2d"), ("embedding", "index"),
    ("index_put", "index"), ("pick", "index"),
    ("clamp_min", "clamp"), ("clamp_max", "clamp"), ("clamp_both", "clamp"),
    ("pow", "pow_scalar"), ("matmul", "mm"), ("bmm", "mm"),
    ("masked_fill_tensor", "masked_fill"), ("gather", "index"), ("slice", "select"),
    ("index_select", "index"), ("max", "maximum"), ("max_all", "maximum"), ("min", "minimum"),
    ("min_all", "minimum"), ("amax", "maximum"), ("amin", "minimum"), ("masked_select", "index"),
    ("topk", "maximum"), ("safe_softmax", "softmax"), ("div", "mul"), ("mv", "mm"),
    ("dot", "mm"), ("hardsigmoid", "clamp"), ("relu6", "clamp"), ("std", "softmax"),
):  # fmt: skip
    CAUSES[_name] = CAUSES[_other]

#: Ops that take a part of a tensor, and those that are flat only where another factor is 0.
SELECTIONS = {
    "index", "embedding", "select", "slice", "gather", "index_select", "pick", "masked_select", "topk",
    "max_pool_1d", "max_pool_2d", "max_pool_3d",
}  # fmt: skip
PRODUCTS = {name for name, cause in CAUSES.items() if cause.kind in ("multiplied by 0", "cancelled")}

#: Below this, of the covector that came in, what a rule sends is rounding noise.
NOISE = 1e-6


def is_flat(op: str, values: list[Any], out: ndarray | None) -> bool:
    """Return whether the values of an op, as far as they are known, are where its derivative is 0."""
    inputs = [None if v is None else np.asarray(v) for v in values]
    x = inputs[0] if inputs else None
    if op == "relu":
        return out is not None and not np.any(out > 0)
    if op in ("sigmoid", "softmax") and out is not None:
        return float(np.abs(out * (1 - out)).max()) <= NOISE
    if op == "tanh" and out is not None:
        return float(np.abs(1 - out * out).max()) <= NOISE
    if op in ("pow_scalar", "integer_pow", "abs") and x is not None:
        return not np.any(x)
    if op in ("mul", "mm", "matmul") and len(inputs) == 2:
        return any(v is not None and not np.any(v) for v in inputs)
    if op.startswith("clamp") and x is not None and out is not None:
        return not np.any(x == out)
    return False
