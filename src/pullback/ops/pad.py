"""Padding with a constant, and its adjoint: cutting the padding off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import op

#: (before, after) for each axis; negative numbers cut.
Amounts = tuple[tuple[int, int], ...]


def _pad(x: ndarray, /, amounts: Amounts, value: float) -> ndarray:
    shape = tuple(n + a + b for n, (a, b) in zip(x.shape, amounts, strict=True))
    y = np.full(shape, value, x.dtype)
    source = tuple(slice(max(0, -a), n - max(0, -b)) for n, (a, b) in zip(x.shape, amounts, strict=True))
    target = tuple(slice(max(0, a), n - max(0, b)) for n, (a, b) in zip(shape, amounts, strict=True))
    y[target] = x[source]
    return y


def _negated(amounts: Amounts) -> Amounts:
    return tuple((-a, -b) for a, b in amounts)


#: x with `value` around it.
pad: Callable[..., Any] = op(
    "constant_pad_nd", _pad, (lambda g, amounts: pad(g, _negated(amounts), 0),),
    node_name="ConstantPadNdBackward0",
    jvp=lambda primals, tangents, out, amounts, value: pad(tangents[0], amounts, 0),
    batch=lambda size, amounts, value: (((0, 0), *amounts), value),
)  # fmt: skip
