"""Slices whose norm is too large brought down to a largest norm."""

from math import prod

import numpy as np
from numpy import ndarray

from ..array.layout import in_order
from ..core.op import Call, Term, Terms, op
from ..core.value import shape_of
from .comparison import gt, where
from .complex import real
from .convert import conj, widened
from .reduce import norm_covector, vector_norm
from .structure import permute, permute_to_front, reshape, sum_dims

#: What is added to a norm before it divides.
EPSILON = 1e-7


def _others(rank: int, dim: int) -> tuple[int, ...]:
    return tuple(d for d in range(rank) if d != dim)


def _renorm(x: ndarray, /, p: float, dim: int, largest: float) -> ndarray:
    norm = vector_norm.op.kernel(x, p, _others(x.ndim, dim), True)
    one = norm.dtype.type(1)
    return x * np.where(norm > largest, norm.dtype.type(largest) / (norm + norm.dtype.type(EPSILON)), one)


def _rule(g: Term, x: Term, p: float, dim: int, largest: float) -> Term:
    g, x = widened(g), widened(x)
    dims = _others(len(shape_of(x)), dim)
    norm = vector_norm(x, p, dims, True)
    pulled = norm_covector(sum_dims(real(conj(x) * g), dims, True), x, norm, p, dims)
    inverse = 1 / (norm + EPSILON)
    return where(gt(norm, largest), largest * inverse * (g - inverse * pulled), g)


def _batched(size: int, values: Terms, dims: tuple[int, ...], p: float, dim: int, largest: float) -> Term:
    x = permute_to_front(values[0], dims[0])
    order = (0, dim + 1, *(d for d in range(1, len(shape_of(x))) if d != dim + 1))
    turned = permute(x, order)
    shape = shape_of(turned)
    slices = renorm(reshape(turned, (size * shape[1], prod(shape[2:]))), p, 0, largest)
    return permute(reshape(slices, shape), tuple(order.index(d) for d in range(len(order))))


#: Each slice of `dim` times min(1, largest / norm), the norm that of order `p` over all other axes.
renorm: Call = op(
    "renorm", _renorm, (_rule,), halves=True, node_name="RenormBackward0", batch_rule=_batched,
    place=in_order,
)
