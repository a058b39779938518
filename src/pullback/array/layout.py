"""New arrays laid out like others, as torch lays out what it makes of one tensor."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from numpy import ndarray

from ..dtypes import FLOAT8_NUMPY, float8_e4m3fn, float8_e8m0fnu
from .strides import (
    Ints,
    channels_last_strides,
    contiguous_strides,
    is_channels_last,
    laid_out_empty,
    strides_of,
)


def is_dense(array: ndarray) -> bool:
    """Whether every place in the array's span of memory holds exactly one element."""
    if array.flags.forc:
        return True
    step = array.itemsize
    for stride, size in sorted(zip(array.strides, array.shape)):
        if size != 1:
            if stride != step:
                return False
            step *= size
    return True


def dense_strides(array: ndarray) -> Ints:
    """Strides of a new array laid out like `array`: the same where that has no gaps, else the same order of
    the axes without gaps.
    """
    strides = strides_of(array)
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

    # An insertion sort, because the comparison is not an order: an expanded axis stays between its
    # neighbours.
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
    found = [0] * array.ndim
    step = 1
    for axis in inner_first:
        found[axis] = step
        step *= max(shape[axis], 1)
    return tuple(found)


def empty_like(array: ndarray, dtype: np.dtype[Any] | None = None) -> ndarray:
    """A new array of the same shape, laid out alike, its elements not set."""
    dtype = array.dtype if dtype is None else dtype
    if array.flags.c_contiguous and 1 not in array.shape:
        return np.empty(array.shape, dtype)
    strides = dense_strides(array)
    if strides == contiguous_strides(array.shape):
        return np.empty(array.shape, dtype)
    return laid_out_empty(array.shape, strides, dtype)


def copy(array: ndarray, dtype: np.dtype[Any] | None = None) -> ndarray:
    """A copy laid out alike, in another dtype where one is given."""
    if array.flags.c_contiguous and 1 not in array.shape:
        return array.astype(array.dtype if dtype is None else dtype, order="C")
    new = empty_like(array, dtype)
    new[...] = array
    return new


def convert(array: ndarray, dtype: np.dtype[Any]) -> ndarray:
    """A copy in another dtype, laid out alike: imaginary parts dropped, half precisions by way of float32."""
    if array.dtype.kind == "c" and dtype.kind not in "cb":
        new = empty_like(array, dtype)
        new[...] = array.real
        return new
    if dtype in FLOAT8_NUMPY:
        return _converted_to_float8(array, dtype)
    return copy(towards(array, dtype), dtype)


def towards(array: ndarray, dtype: np.dtype[Any]) -> ndarray:
    """What is converted to a dtype in place of an array: float64 goes to the halves by way of float32."""
    halved = dtype.itemsize == 2 and dtype.kind in "fV" and array.dtype == np.float64
    return array.astype(np.float32) if halved else array


def _converted_to_float8(array: ndarray, dtype: np.dtype[Any]) -> ndarray:
    """By way of float32, as torch: what is too large for e4m3fn is its largest; e8m0fnu has no sign, no 0."""
    wide = copy(array, np.dtype(np.float32))
    if dtype == float8_e4m3fn.numpy:
        largest = np.float32(ml_dtypes.finfo(dtype).max)
        np.clip(wide, -largest, largest, out=wide)
    elif dtype == float8_e8m0fnu.numpy:
        np.abs(wide, out=wide)
        wide[wide == 0] = ml_dtypes.finfo(dtype).smallest_normal
    return copy(wide, dtype)


def following_channels(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel whose results have channels last in memory when an input of it has.

    As torch's kernels for images: the format that a network's input (or a layer's weight) is given in goes
    through all of it.
    """

    @functools.wraps(kernel)
    def follow(*args: Any, **kwargs: Any) -> Any:
        result = kernel(*args, **kwargs)
        for value in args:
            if isinstance(value, ndarray) and not value.flags.c_contiguous and _is_image(value):
                return tuple(map(_channels_last, result)) if type(result) is tuple else _channels_last(result)
        return result

    return follow


def _is_image(array: ndarray) -> bool:
    return array.ndim in (4, 5) and array.size > 0 and is_channels_last(array)


def _channels_last(array: ndarray) -> ndarray:
    if array.ndim not in (4, 5):
        return array
    new = laid_out_empty(array.shape, channels_last_strides(array.shape), array.dtype)
    new[...] = array
    return new
