"""Show a value of any kind as its holder sees it: without tangents and hidden axes."""

from typing import Any

import numpy as np
from numpy import ndarray

from ..array.strides import strided, strides_of
from .batched import Batched
from .bulk import Bulk
from .dual import Dual
from .marked import Marked
from .meta import array_or_phantom
from .value import TensorBase, array_of


def visible_layout(value: object) -> ndarray:
    """Return an array that lies in memory as a value does; of a batch as its first row does."""
    while isinstance(value, (TensorBase, Dual)):
        value = value._value if isinstance(value, TensorBase) else value.primal
    if isinstance(value, Batched):
        whole, dim = visible_layout(value.value), value.dim
        shape, strides = value.shape, strides_of(whole)
        if not whole.shape[dim]:
            return np.empty(shape, whole.dtype)
        return strided(whole, shape, strides[:dim] + strides[dim + 1 :])
    array = array_or_phantom(value)
    return array_of(value) if array is None else array


def visible_strides(value: object) -> tuple[int, ...]:
    """Return strides in elements without those of hidden axes."""
    return strides_of(visible_layout(value))


def inside(value: object) -> Any:
    """Return what a tensor, a batched value or one with a tangent holds; None for any other value."""
    if isinstance(value, TensorBase):
        return value._value
    if isinstance(value, (Batched, Bulk)):
        return value.value
    return value.primal if isinstance(value, Dual) else None


def concrete(value: object) -> ndarray | None:
    """Return the array at the bottom of a value, batch axes included; None where there is none (tracing)."""
    while value is not None and not isinstance(value, ndarray):
        value = inside(value)
    return value


def bits_of(value: Any) -> tuple[bool, bool]:
    """Return whether the elements of a value are conjugated, and whether they are negated, when they are
    read.

    Of a traced value, which is computed, the steps of the view tell what they would be.
    """
    inner = value
    while not isinstance(inner, (ndarray, Marked)):
        if (inner := inside(inner)) is None:
            bits = False, False
            for op, _, _ in () if value._view is None else value._view.steps:
                bits = bits if op.signs is None else op.signs(*bits)
            return bits
    return (inner.conjugated, inner.negated) if isinstance(inner, Marked) else (False, False)
