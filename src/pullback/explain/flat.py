"""List where the derivatives of ops are zero: at which values, what that is called, how to mend it."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from .answer import kind_of, texts


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


@cache
def causes() -> dict[str, Cause]:
    """Return what is known of each op, of `answers.toml`."""
    return {
        op: Cause(kind_of(name), text.cause, text.mend) for name, text in texts().items() for op in text.flat
    }


#: Ops that take a part of a tensor.
SELECTIONS = {
    "index", "embedding", "select", "slice", "gather", "index_select", "pick", "masked_select", "topk",
    "max_pool_1d", "max_pool_2d", "max_pool_3d",
}  # fmt: skip

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
