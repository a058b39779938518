"""Reduce along a short last axis, such as the coordinates of points.

NumPy's reductions take 15 ns for each row, however short it is: the squares of 11,664 vectors of three are
added in 168 µs, where a product with ones takes 3. For the largest of each row, rows are columns of a copy
(512×16: 53 and 5 µs), or one pass goes through memory for each column where there are many.
"""

from __future__ import annotations

import functools
from math import prod

import numpy as np
from numpy import ndarray

#: Columns up to which a product with ones adds as well as NumPy, which goes on by pairs; elements up to which
#: NumPy's own loops add, as native chains of them do.
FEW_TO_ADD = 64
SMALL = 4096
#: Columns that NumPy combines in order, so that a pass for each gives its bits; rows from which that pays.
_IN_ORDER, _MANY_IN_ORDER = 7, 128
#: Places along an axis that is not the last, which NumPy always combines in order, up to which that pays, and
#: elements behind it. Sums of 2,000×8×3 take 142 µs of the processor so, and 384 by NumPy.
_IN_ORDER_WITHIN, _WIDE = 8, 32
#: Elements from which there may be so many rows.
LEAST_IN_ORDER = 2 * _MANY_IN_ORDER
#: Columns up to which a copy, or a pass for each, pays; rows from which and up to which a copy does.
_FEW_TO_COPY, _FEW = 32, 16
_MANY, _MOST_TO_COPY = 32, 2048
#: Elements from which and up to which a copy pays where the axis is not the last, and the elements behind it.
_LEAST, _MOST, _SHORT = 2048, 1 << 16, 64
_EXTREMES = (np.maximum, np.minimum, np.fmax, np.fmin)
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@functools.cache
def ones(count: int, dtype: np.dtype) -> ndarray:
    """Return a vector of ones, for reading only."""
    return np.ones(count, dtype)


def columns_of(x: ndarray, axis: int) -> ndarray:
    """Return an array with an axis first and the others as one behind it, in C order."""
    outer, length, inner = prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1 :])
    turned = x.reshape(outer, length, inner).transpose(1, 0, 2)
    return np.ascontiguousarray(turned.reshape(length, outer * inner))


def reduced(ufunc: np.ufunc, x: ndarray, axes: int | tuple[int, ...], keepdims: bool = False) -> ndarray:
    """Return ``ufunc.reduce(x, axes)``, in the dtype of `x`."""
    axis = axes[0] if isinstance(axes, tuple) and len(axes) == 1 else axes
    if not isinstance(axis, tuple) and x.size and isinstance(x, ndarray):
        if axis == -1 or axis == x.ndim - 1:
            if (result := _of_rows(ufunc, x, x.shape[axis])) is not None:
                return result[..., None] if keepdims else result
        elif ufunc in _EXTREMES and axis and _LEAST <= x.size <= _MOST and prod(x.shape[axis + 1 :]) < _SHORT:
            result = ufunc.reduce(columns_of(x, axis), axis=0)
            shape = (*x.shape[:axis], *(1,) * keepdims, *x.shape[axis + 1 :])
            return result.reshape(shape)
        elif _passes(x, axis):
            result = _in_order(ufunc, np.moveaxis(x, axis, -1))
            return np.expand_dims(result, axis) if keepdims else result
    return ufunc.reduce(x, axis=axis, dtype=x.dtype, keepdims=keepdims, out=...)


def _passes(x: ndarray, axis: int) -> bool:
    """Return whether a pass for each place of an axis that is not the last is faster than NumPy."""
    few = 1 < x.shape[axis] <= _IN_ORDER_WITHIN and 1 < prod(x.shape[axis + 1 :]) <= _WIDE
    return few and prod(x.shape[:axis]) >= _MANY_IN_ORDER and x.flags.c_contiguous


def _of_rows(ufunc: np.ufunc, x: ndarray, columns: int) -> ndarray | None:
    """Return the reduction of each row; None where NumPy's is as fast."""
    rows = x.size // columns
    if ufunc in _EXTREMES:
        if not 1 < columns <= _FEW_TO_COPY or rows < _MANY:
            return None
        if rows <= _MOST_TO_COPY:
            return ufunc.reduce(columns_of(x, x.ndim - 1), axis=0, dtype=x.dtype).reshape(x.shape[:-1])
        if columns > _FEW:
            return None
    elif ufunc is np.add and x.size > SMALL and x.dtype in _FLOATS:
        if columns > FEW_TO_ADD or x.ndim == 1 or not x.flags.c_contiguous:
            return None
        sums = x.reshape(rows, columns).dot(ones(columns, x.dtype))
        return sums.reshape(x.shape[:-1]) if x.ndim != 2 else sums
    elif not 1 < columns <= _IN_ORDER or rows < _MANY_IN_ORDER:
        return None
    return _in_order(ufunc, x)


def _in_order(ufunc: np.ufunc, x: ndarray) -> ndarray:
    """Return the reduction along the last axis by a pass for each of its places."""
    result: ndarray = ufunc(x[..., 0], x[..., 1])
    for column in range(2, x.shape[-1]):
        ufunc(result, x[..., column], out=result)
    return result
