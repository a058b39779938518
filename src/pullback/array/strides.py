"""Strides in elements as torch counts them, and arrays laid out by them.

NumPy gives new axes and the axes of new empty arrays the stride 0, where torch gives them the stride of a
dense layout. A new empty array of NumPy's therefore counts as one in C order. What torch itself gives the
stride 0 in an array without elements (it copies the strides of an array of NumPy's) has a negative one here.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.lib.stride_tricks import as_strided

from .dtypes import COMPLEX32

Ints = tuple[int, ...]


def contiguous_strides(shape: Sequence[int]) -> Ints:
    """Return strides of C order; an axis of size 0 counts as one of size 1."""
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def channels_last_strides(shape: Sequence[int]) -> Ints:
    """Return strides of ``(N, C, *size)`` with the channels innermost."""
    n, channels, *size = shape
    inner = contiguous_strides((n, *size, channels))
    return (inner[0], inner[-1], *inner[1:-1])


def strides_of(x: ndarray) -> Ints:
    """Return strides of an array in elements."""
    return in_elements(x.shape, x.strides, x.itemsize)


#: Of a gradient that is a view of the covector strides are asked for twice: 4 of 6 µs are left so.
@functools.lru_cache(maxsize=1024)
def in_elements(shape: Ints, in_bytes: Ints, width: int) -> Ints:
    """Return strides in elements of `width` bytes; NumPy's 0 of an axis of size 1 as torch's."""
    if 0 not in shape:
        strides = tuple([s // width for s in in_bytes])
    elif any(in_bytes):
        strides = tuple([max(s // width, 0) for s in in_bytes])
    else:
        return contiguous_strides(shape)
    if 0 not in in_bytes:
        return strides
    fixed = list(strides)
    rank = len(shape)
    for axis in reversed(range(rank)):
        if shape[axis] == 1 and not in_bytes[axis]:
            fixed[axis] = shape[axis + 1] * fixed[axis + 1] if axis + 1 < rank else 1
    return tuple(fixed)


def bytes_of(shape: Sequence[int], strides: Sequence[int], width: int) -> Ints:
    """Return strides in bytes of an array of strides in elements: what `in_elements` reads them from."""
    return tuple([s * width or -1 for s in strides]) if 0 in shape else tuple([s * width for s in strides])


def settled(x: ndarray) -> ndarray:
    """Return an array without elements with its strides spelled out, so that its views derive theirs."""
    if x.size or any(x.strides):
        return x
    return np.ndarray(x.shape, x.dtype, x, 0, bytes_of(x.shape, contiguous_strides(x.shape), x.itemsize))


def as_given(x: ndarray) -> ndarray:
    """Return an array from outside; where it has no elements, with the strides 0 that NumPy gave it."""
    return x if x.size or any(x.strides) else np.ndarray(x.shape, x.dtype, x, 0, (-1,) * x.ndim)


def extent(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Return the number of elements from the first to the last that a layout reaches, both included."""
    if 0 in shape:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))


def is_dense_in(order: Sequence[int], shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether elements lie without gaps when the axes `order` are walked from the innermost out."""
    expected = 1
    for axis in order:
        if shape[axis] != 1:
            if strides[axis] != expected:
                return False
            expected *= shape[axis]
    return True


def suggests_channels_last(x: ndarray) -> bool:
    """Return whether torch takes an array of rank 4 or 5 to have its channels innermost, gaps or not.

    Its kernels for images give their results the format that the strides of an input suggest.
    """
    return x.ndim in (4, 5) and _suggests_channels_last(x.shape, x.strides, x.itemsize)


@functools.lru_cache(maxsize=1024)
def _suggests_channels_last(shape: Ints, in_bytes: Ints, width: int) -> bool:
    strides = in_elements(shape, in_bytes, width)
    if not strides[1]:
        return False
    least = 0
    for axis in (1, *range(len(shape) - 1, 1, -1), 0):
        # With one channel and one place the strides say nothing, and that means C order.
        if not shape[axis] or strides[axis] < least or (not axis and least == strides[1]):
            return False
        least = strides[axis] * max(shape[axis], 1)
    return True


def is_channels_last(x: ndarray) -> bool:
    """Return whether an array of rank 4 or 5 lies densely with the channels (axis 1) innermost."""
    return is_dense_in((1, *range(x.ndim - 1, 1, -1), 0), x.shape, strides_of(x))


def strided(x: ndarray, shape: Ints, strides: Ints, offset: int = 0) -> ndarray:
    """Return the view of `x`'s storage with other strides, `offset` elements from its first element."""
    root, before = storage(x)
    width = x.itemsize
    begin = before + offset * width
    if 0 in shape:
        # NumPy wants a beginning within the storage even where nothing is looked at.
        begin = min(begin, root.nbytes)
    return np.ndarray(shape, x.dtype, root, begin, bytes_of(shape, strides, width))


def restrided(x: ndarray, shape: Sequence[int], strides: Sequence[int]) -> ndarray:
    """Return the view that begins where `x` does, with other strides in bytes."""
    if x.dtype == COMPLEX32:
        # NumPy's function does not know the name of the dtype.
        return as_strided(x.view(np.uint32), shape, strides).view(x.dtype)
    return as_strided(x, shape, strides)


def empty_part(x: ndarray, part: ndarray, offset: int) -> ndarray:
    """Return an empty view `part` of `x` as one that begins `offset` elements after the first of `x`, or at
    the end of the storage where that comes before.
    """
    root, before = storage(x)
    return np.ndarray(part.shape, x.dtype, root, min(before + offset * x.itemsize, root.nbytes), part.strides)


def owner(x: ndarray) -> ndarray:
    """Return the array that owns the memory of `x`, also where `as_strided` put an object in between."""
    while True:
        if (base := x.base) is not None and not isinstance(base, ndarray):
            base = getattr(base, "base", None)
        if not isinstance(base, ndarray):
            return x
        x = base


def storage(x: ndarray) -> tuple[ndarray, int]:
    """Return the array that spans the storage of `x`, as bytes, and the place of `x` in it, in bytes."""
    root = owner(x)
    if not (root.flags.c_contiguous or root.flags.f_contiguous):
        low, high = np.lib.array_utils.byte_bounds(root)
        return np.asarray(_Memory(root, low, (high - low,))), address(x) - low
    flat = root if root.flags.c_contiguous else root.T
    return flat, (address(x) - address(root) if x is not root else 0)


@functools.cache
def _data_offset() -> int | None:
    """Return where in an array's object this stands, found on one; None on another interpreter."""
    if sys.implementation.name != "cpython":
        return None
    example = ndarray(1)  # not of the name np, which tells while loops are recorded
    size = ctypes.sizeof(ctypes.c_size_t)
    words = list((ctypes.c_size_t * (ndarray.__basicsize__ // size)).from_address(id(example)))
    begin = example.ctypes.data
    return size * words.index(begin) if words.count(begin) == 1 else None


def address(x: ndarray) -> int:
    """Return where an array's first element lies in memory: in 0.3 µs, NumPy says it in 1.6."""
    if (offset := _data_offset()) is None or not isinstance(x, ndarray):
        return int(x.__array_interface__["data"][0])
    return ctypes.c_size_t.from_address(id(x) + offset).value


def overlaps(out: ndarray, arrays: Iterable[ndarray]) -> bool:
    """Return whether `out` shares memory with one of the arrays without being the very same elements."""
    for array in arrays:
        if array is out or not np.may_share_memory(array, out):
            continue
        same = (
            address(array) == address(out)
            and array.strides == out.strides
            and array.shape == out.shape
            and array.itemsize == out.itemsize
        )
        if not same:
            return True
    return False


class _Memory:
    """Hand a piece of another array's memory to NumPy."""

    def __init__(self, owner: ndarray, address: int, shape: Ints) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, not owner.flags.writeable),
            "shape": shape,
            "typestr": "|u1",
            "version": 3,
        }


def without_memory(shape: Ints) -> ndarray:
    """Return an array of bytes in C order of which only one is there: its views tell places, not elements."""
    one = np.empty(1, np.uint8)
    one.flags.writeable = False
    return np.asarray(_Memory(one, address(one), tuple(shape)))


def laid_out_empty(shape: Ints, strides: Ints, dtype: np.dtype[Any]) -> ndarray:
    """Return an array with the given strides, its elements not set."""
    buffer = np.empty(extent(shape, strides), dtype)
    # Of its type, for a recording's arrays stay such: an LSTM's cell of one row had a plan without loops.
    return type(buffer)(shape, dtype, buffer, 0, bytes_of(shape, strides, dtype.itemsize))


def laid_out(x: ndarray, strides: Ints | None) -> ndarray:
    """Return a copy with the given strides (None: C order)."""
    if strides is None:
        return x.copy(order="C")
    copy = laid_out_empty(x.shape, strides, x.dtype)
    copy[...] = x
    return copy


@functools.lru_cache(maxsize=1024)
def reshaped_strides(shape: Ints, strides: Ints, new: Ints) -> Ints | None:
    """Return strides that show a layout in another shape; None where only a copy can have it."""
    if 0 in shape:
        return contiguous_strides(new)
    if not shape:
        return (1,) * len(new)
    found = [0] * len(new)
    at = len(new) - 1
    step = strides[-1]
    elements = covered = 1
    for axis in range(len(shape) - 1, -1, -1):
        elements *= shape[axis]
        if axis and (shape[axis - 1] == 1 or strides[axis - 1] == elements * step):
            continue
        while at >= 0 and (covered < elements or new[at] == 1):
            found[at] = covered * step
            covered *= new[at]
            at -= 1
        if covered != elements:
            return None
        if axis:
            step = strides[axis - 1]
            elements = covered = 1
    return tuple(found) if at < 0 else None
