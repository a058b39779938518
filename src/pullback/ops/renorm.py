"""Slices whose norm is too large brought down to a largest norm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import Call, op
from ..core.value import shape_of
from .comparison import gt, where
from .complex import real
from .convert import conj
from .reduce import norm_slope, vector_norm
from .structure import sum_dims

#: What is added to a norm before it divides.
EPSILON = 1e-7


def _others(rank: int, dim: int) -> tuple[int, ...]:
    return tuple(d for d in range(rank) if d != dim)


def _renorm(x: ndarray, /, p: float, dim: int, largest: float) -> ndarray:
    norm = vector_norm.op.kernel(x, p, _others(x.ndim, dim), True)
    one = norm.dtype.type(1)
    return x * np.where(norm > largest, norm.dtype.type(largest) / (norm + norm.dtype.type(EPSILON)), one)


def _rule(g: Any, x: Any, p: float, dim: int, largest: float) -> Any:
    dims = _others(len(shape_of(x)), dim)
    norm = vector_norm(x, p, dims, True)
    pulled = sum_dims(real(conj(x) * g), dims, True) * norm_slope(x, norm, p, dims)
    inverse = 1 / (norm + EPSILON)
    return where(gt(norm, largest), largest * inverse * (g - inverse * pulled), g)


#: Each slice of `dim` times min(1, largest / norm), the norm that of order `p` over all other axes.
renorm: Call = op(
    "renorm", _renorm, (_rule,), halves=True, node_name="RenormBackward0"
)
