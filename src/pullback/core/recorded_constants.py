"""Keep the arrays that a program reads as constants, and find those with the same bits."""

from typing import Any

import numpy as np
from numpy import ndarray

#: Bytes of the largest constants that are compared by their numbers.
_COMPARED = 1 << 16
#: Contiguous arrays of fewer elements are kept as they are; of others so many are looked at before all are.
_MANY = 256


def bits_of(array: ndarray) -> tuple[Any, ...] | None:
    """Return what arrays of one dtype, shape, layout and bits have in common; None where too large."""
    strides = tuple([s if n > 1 else 0 for s, n in zip(array.strides, array.shape, strict=True)])
    # A covector, as of a mean, is one number everywhere, and what `expand` gives is the same along an axis.
    once = array[tuple([slice(None) if s else slice(1) for s in strides])]
    if array.dtype.hasobject or once.nbytes > _COMPARED:
        return None
    return array.dtype, array.shape, strides, once.tobytes()


def kept(array: ndarray) -> ndarray:
    """Return a copy; of one number that is everywhere, one that has it once. What repeats along an axis, as
    `expand` gives it, still does: what is computed of it lies in memory by that.
    """
    if array.size > 1 and _is_one_number(array):
        return np.broadcast_to(array[(0,) * array.ndim].copy(), array.shape)
    repeats = [not s and n > 1 for s, n in zip(array.strides, array.shape, strict=True)]
    if not any(repeats):
        return array.copy(order="K")
    once = tuple([slice(1 if repeated else None) for repeated in repeats])
    return np.broadcast_to(array[once].copy(order="K"), array.shape)


def _is_one_number(array: ndarray) -> bool:
    """Return whether all elements have the same bits."""
    if not any(s for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        return True
    if array.size < _MANY or not array.flags.c_contiguous or array.itemsize > _WORD:
        return False
    bits = _bits(array.reshape(-1))
    return bool((bits[:_MANY] == bits[0]).all() and (bits == bits[0]).all())


def same(a: ndarray, b: ndarray) -> bool:
    """Return whether two arrays hold the same bits."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.itemsize > _WORD or a.dtype.hasobject:
        return a.tobytes() == b.tobytes()
    return np.array_equal(_bits(a), _bits(b))


#: Bytes of the largest whole numbers by which bits are compared.
_WORD = 8


def _bits(array: ndarray) -> ndarray:
    return array.view(f"u{array.itemsize}")
