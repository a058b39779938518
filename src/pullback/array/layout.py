"""Where the elements of an array lie: strides as torch counts and chooses them.

What this module must do:

- tell strides in elements, also where NumPy leaves them open (axes of size 1 and empty arrays);
- find the strides of a new array that is to be laid out like another one;
- order the axes as the memory formats ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

Strides = tuple[int, ...]

#: Axes from outermost to innermost in memory.
CHANNELS_LAST = {4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}


def contiguous_strides(shape: Sequence[int]) -> Strides:
    """Return the strides, in elements, of an array in C order; sizes of 0 count as 1."""
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def ordered_strides(shape: Sequence[int], order: Sequence[int]) -> Strides:
    """Return the strides of an array without gaps whose axes lie in memory as `order` says, outermost first."""
    strides = [0] * len(shape)
    step = 1
    for axis in reversed(order):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def element_strides(array: ndarray) -> Strides:
    """Return the strides in elements as torch reports them."""
    itemsize = array.itemsize
    strides = array.strides
    if 0 not in strides:
        return tuple(stride // itemsize for stride in strides)
    if not array.size and not any(strides):
        return contiguous_strides(array.shape)
    # NumPy gives new axes of size 1 the stride 0; torch goes on from the axis behind.
    found: list[int] = []
    behind = 1
    for size, stride in zip(reversed(array.shape), reversed(strides)):
        step = behind if size == 1 and stride == 0 else stride // itemsize
        found.append(step)
        behind = step * max(size, 1)
    return tuple(reversed(found))


def is_dense(array: ndarray) -> bool:
    """Whether every place in the array's span of memory holds exactly one element."""
    if array.flags.forc:
        return True
    axes = sorted((stride, size) for stride, size in zip(array.strides, array.shape) if size != 1)
    step = array.itemsize
    for stride, size in axes:
        if stride != step:
            return False
        step *= size
    return True


def dense_strides(array: ndarray) -> Strides:
    """Return the strides, in elements, of a new array laid out like `array`: the same where that has no gaps, else
    the same order of the axes without gaps.
    """
    strides = element_strides(array)
    if is_dense(array):
        return strides
    shape = array.shape

    def lies_outside(axis: int, other: int) -> int:
        """1 when `axis` lies outside `other`, -1 inside, 0 when the strides do not say."""
        a, b = strides[axis], strides[other]
        if a == 0 or b == 0:
            return 0
        if a != b:
            return 1 if a > b else -1
        return 1 if shape[axis] > shape[other] else 0

    # An insertion sort, because the comparison is not an order: an expanded axis stays between its neighbours.
    inner_first = list(range(array.ndim))[::-1]
    for start in range(1, array.ndim):
        place = start
        for before in range(start - 1, -1, -1):
            outside = lies_outside(inner_first[before], inner_first[place])
            if outside > 0:
                inner_first[before], inner_first[place] = inner_first[place], inner_first[before]
                place = before
            elif outside < 0:
                break
    return ordered_strides(shape, inner_first[::-1])


def empty_strided(shape: Sequence[int], strides: Strides, dtype: np.dtype[Any]) -> ndarray:
    """Return a new array with the given strides (in elements)."""
    shape = tuple(shape)
    if strides == contiguous_strides(shape):
        return np.empty(shape, dtype)
    span = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides)) if 0 not in shape else 0
    memory = np.empty(max(span, 1), dtype)
    return np.ndarray(shape, dtype, memory, 0, tuple(stride * dtype.itemsize for stride in strides))


def empty_like(array: ndarray, dtype: np.dtype[Any] | None = None) -> ndarray:
    """Return a new array of the same shape, laid out alike."""
    dtype = array.dtype if dtype is None else dtype
    if array.flags.c_contiguous and 1 not in array.shape:
        return np.empty(array.shape, dtype)
    return empty_strided(array.shape, dense_strides(array), dtype)


def copy(array: ndarray, dtype: np.dtype[Any] | None = None) -> ndarray:
    """Return a copy laid out alike, in another dtype where one is given."""
    if array.flags.c_contiguous and 1 not in array.shape:
        return array.astype(array.dtype if dtype is None else dtype, order="C")
    new = empty_like(array, dtype)
    new[...] = array
    return new


def is_ordered(array: ndarray, order: Sequence[int]) -> bool:
    """Whether the array has no gaps and its axes lie in memory as `order` says; axes of size 1 may lie anywhere."""
    step = array.itemsize
    for axis in reversed(order):
        size = array.shape[axis]
        if size != 1:
            if array.strides[axis] != step:
                return False
            step *= size
    return True
