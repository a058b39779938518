"""New arrays laid out like others, as torch lays out what it makes of one tensor."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
from numpy import ndarray

from . import large
from .dtypes import COMPLEX32, FLOAT8_NUMPY, float8_e4m3fn, float8_e8m0fnu
from .elementwise import copy_into
from .strides import (
    Ints,
    channels_last_strides,
    contiguous_strides,
    in_elements,
    laid_out,
    laid_out_empty,
    strides_of,
    suggests_channels_last,
)
from .threads import get_num_threads

_F16, _BF16, _F32, _F64 = (np.dtype(t) for t in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64))
#: Casts of large arrays that have native loops: NumPy's make one half after another of floats (2²⁰ to float16
#: 6,100 µs, to float32 2,000, native 160 and 200 on one thread; torch 230 and 240), and the others use one
#: thread.
_HALVED = frozenset({(_F32, _F16), (_F16, _F32), (_F32, _BF16), (_BF16, _F32)})
_CAST = frozenset((np.dtype(own), to) for own in "fdil?" for to in (_F32, _F64))


def is_dense(array: ndarray) -> bool:
    """Return whether every place in the array's span of memory holds exactly one element."""
    return array.flags.forc or _lies_densely(array.shape, strides_of(array))


def _lies_densely(shape: Ints, strides: Ints) -> bool:
    step = 1
    if 0 in shape:
        return True
    for stride, size in sorted(zip(strides, shape)):
        if size != 1:
            if stride != step:
                return False
            step *= size
    return True


def dense_strides(array: ndarray) -> Ints:
    """Return strides of a new array laid out like `array`: in its order of axes, without gaps."""
    strides = strides_of(array)
    return strides if is_dense(array) else _in_order(array.shape, (strides,))


def placed(result: ndarray, operands: Sequence[Any]) -> ndarray:
    """Return what was computed of operands element by element, laid out as torch lays it out.

    Two axes of the result follow each other as they do in the first operand that tells them apart. NumPy
    looks at all operands instead, and walks in C order what one of them has in C order.
    """
    if len(shape := result.shape) < 2:
        return result
    first = operands[0]
    if type(first) is ndarray and first.strides == result.strides and first.shape == shape:
        # What is laid out as the first operand is has no gaps, and nor has that: 1.5 µs less.
        return result
    if _is_in_order(result):
        if type(first) is ndarray and first.shape == shape and _descends(first.strides):
            return result
        for v in operands:
            if isinstance(v, ndarray) and not v.flags.c_contiguous:
                break
        else:
            return result
    arrays = [v for v in operands if isinstance(v, ndarray)]
    kinds = tuple([(array.shape, array.strides, array.itemsize) for array in arrays])
    found = _places(shape, result.strides, result.itemsize, kinds)
    return result if found is None else laid_out(result, found)


def _descends(strides: Ints) -> bool:
    """Return whether strides tell all axes apart, in their own order."""
    above = strides[0]
    for stride in strides[1:]:
        if stride >= above:
            return False
        above = stride
    return above > 0


def as_first(result: ndarray, operands: Sequence[Any]) -> ndarray:
    """Return a result laid out as a new array like the first operand is."""
    first = operands[0]
    if not result.size and isinstance(first, ndarray) and first.shape == result.shape:
        return laid_out(result, strides_of(first))
    return placed(result, operands[:1])


def in_order(result: ndarray, operands: Sequence[Any]) -> ndarray:
    """Return a result in C order, whatever the operands are in."""
    if _is_in_order(result) or result.strides == _bytes_in_order(result.shape, result.itemsize):
        return result
    strides = contiguous_strides(result.shape)
    return result if strides == strides_of(result) else laid_out(result, strides)


@functools.lru_cache(maxsize=1024)
def _bytes_in_order(shape: Ints, width: int) -> Ints:
    return tuple([width * stride for stride in contiguous_strides(shape)])


def _is_in_order(array: ndarray) -> bool:
    """Return whether an array is surely in C order: NumPy does not say what strides axes of size 1 have."""
    return array.flags.c_contiguous and 1 not in array.shape and array.size > 0


def shared_strides(shape: Ints, arrays: Sequence[ndarray]) -> Ints:
    """Return strides of a result of a shape that is computed of arrays element by element."""
    return _shared_strides(shape, tuple([(array.shape, strides_of(array)) for array in arrays]))


@functools.lru_cache(maxsize=4096)
def _places(
    shape: Ints, strides: Ints, width: int, operands: tuple[tuple[Ints, Ints, int], ...]
) -> Ints | None:
    """Return strides in elements of a result with these in bytes, None where it has them already."""
    wanted = _shared_strides(shape, tuple([(own, in_elements(own, s, size)) for own, s, size in operands]))
    return None if wanted == in_elements(shape, strides, width) else wanted


def _shared_strides(shape: Ints, operands: tuple[tuple[Ints, Ints], ...]) -> Ints:
    """Return the same of operands of these shapes and strides."""
    if all(own == shape for own, _ in operands):
        first = operands[0][1] if operands else ()
        # Without elements every layout counts as C order.
        if 0 in shape or all(strides == contiguous_strides(shape) for _, strides in operands):
            return contiguous_strides(shape)
        if all(strides == first for _, strides in operands) and _lies_densely(shape, first):
            return first
    return _in_order(shape, [_stretched(shape, *operand) for operand in operands])


def _stretched(shape: Ints, own: Ints, strides: Ints) -> Ints:
    """Return the strides with which an operand is walked where it is broadcast to a shape."""
    added = len(shape) - len(own)
    kept = [0 if m == 1 != n else s for m, n, s in zip(own, shape[added:], strides, strict=True)]
    return (0,) * added + tuple(kept)


def _in_order(shape: Ints, operands: Sequence[Ints]) -> Ints:
    """Return strides without gaps for the order of axes of operands' strides, the first above all."""

    def lies_outside(axis: int, other: int) -> int:
        """Return 1 when `axis` lies outside `other`, -1 inside, 0 when the strides do not say."""
        for strides in operands:
            a, b = strides[axis], strides[other]
            if a == 0 or b == 0:
                continue
            if a != b:
                return 1 if a > b else -1
            if shape[axis] > shape[other]:
                return 1
        return 0

    # An insertion sort, because the comparison is not an order: an expanded axis stays between its
    # neighbours.
    ndim = len(shape)
    inner_first = list(range(ndim))[::-1]
    for start in range(1, ndim):
        place = start
        for before in range(start - 1, -1, -1):
            if (outside := lies_outside(inner_first[before], inner_first[place])) > 0:
                inner_first[before], inner_first[place] = inner_first[place], inner_first[before]
                place = before
            elif outside < 0:
                break
    if inner_first == list(range(ndim))[::-1]:
        return contiguous_strides(shape)
    found = [0] * ndim
    step = 1
    for axis in inner_first:
        found[axis] = step
        step *= shape[axis]
    return tuple(found)


def empty_like(array: ndarray, dtype: np.dtype[Any] | None = None) -> ndarray:
    """Return a new array of the same shape, laid out alike, its elements not set."""
    dtype = array.dtype if dtype is None else dtype
    shape = array.shape
    if array.flags.c_contiguous and array.size and (
        1 not in shape or array.strides == _bytes_in_order(shape, array.itemsize)
    ):
        return np.empty(shape, dtype)
    if (strides := dense_strides(array)) == contiguous_strides(array.shape):
        return np.empty(array.shape, dtype)
    return laid_out_empty(array.shape, strides, dtype)


def copy(array: ndarray, dtype: np.dtype[Any] | None = None) -> ndarray:
    """Return a copy laid out alike, in another dtype where one is given."""
    if array.flags.c_contiguous and array.size and 1 not in array.shape:
        if array.size < large.CHAIN:
            return array.astype(array.dtype if dtype is None else dtype, order="C")
        if dtype is not None:
            return in_dtype(array, dtype, "C")
    new = empty_like(array, dtype)
    copy_into(new, array)
    return new


def in_dtype(array: ndarray, dtype: np.dtype[Any], order: Any = "K") -> ndarray:
    """Return a copy in another dtype, as `astype` lays it out."""
    if array.size >= large.CHAIN and (order == "K" or array.flags.c_contiguous):
        kinds = array.dtype, dtype
        threaded = array.size >= large.SIZE and kinds in _CAST and get_num_threads() > 1
        if (threaded or kinds in _HALVED) and array.dtype is not dtype:
            found: ndarray | None = large.ask("elementwise", "cast", (array,), (dtype,))
            if found is not None:
                return found
    return array.astype(dtype, order)


def fresh(array: ndarray) -> ndarray:
    """Return a copy of an array without gaps, with its strides."""
    if not array.flags.c_contiguous:
        return array.copy(order="K")
    made = np.empty(array.shape, array.dtype)
    made[...] = array
    return made


def write(target: ndarray, source: ndarray) -> None:
    """Copy elements to an array."""
    np.copyto(target, source)


def convert(array: ndarray, dtype: np.dtype[Any]) -> ndarray:
    """Return a copy in another dtype, laid out alike, without imaginary parts; halves go through float32."""
    if dtype in FLOAT8_NUMPY:
        return _converted_to_float8(array, dtype)
    if array.dtype.kind in "cW" and dtype.kind not in "cW":
        new = empty_like(array, dtype)
        new[...] = towards(array, dtype)
        return new
    return copy(towards(array, dtype), dtype)


def towards(array: ndarray, dtype: np.dtype[Any]) -> ndarray:
    """Return the array to convert to a dtype: the real parts, or float32 between float64 and halves."""
    if array.dtype.kind in "cW" and dtype.kind not in "cWb":
        array = real_parts(array)
    if array.dtype == COMPLEX32 and dtype.kind == "b":
        # ml_dtypes looks at the real part alone.
        return array.astype(np.complex64)
    halved = dtype.itemsize == 2 and dtype.kind in "fV" and array.dtype == np.float64
    return array.astype(np.float32) if halved else array


def as_pairs(array: ndarray) -> ndarray:
    """Return a view of complex numbers with their parts along a new last axis."""
    return array[..., None].view(_PARTS[array.itemsize])


def real_parts(array: ndarray) -> ndarray:
    """Return a view of the real parts of complex numbers."""
    return as_pairs(array)[..., 0] if array.dtype == COMPLEX32 else array.real


#: What the parts of complex numbers are, by the size of one.
_PARTS = {4: np.float16, 8: np.float32, 16: np.float64}


def _converted_to_float8(array: ndarray, dtype: np.dtype[Any]) -> ndarray:
    """Convert by float32, as torch: larger values become e4m3fn's largest; e8m0fnu has no sign, no 0."""
    wide = convert(array, np.dtype(np.float32))
    if dtype == float8_e4m3fn.numpy:
        largest = np.float32(ml_dtypes.finfo(dtype).max)
        np.clip(wide, -largest, largest, out=wide)
    elif dtype == float8_e8m0fnu.numpy:
        np.abs(wide, out=wide)
        wide[wide == 0] = ml_dtypes.finfo(dtype).smallest_normal
    return copy(wide, dtype)


def following_channels(result: ndarray, operands: Sequence[Any]) -> ndarray:
    """Return a result with channels last in memory where an operand has them so, as torch's kernels for
    images.

    The format that a network's input (or a layer's weight) is given in goes through all of it.
    """
    if result.ndim in (4, 5):
        for value in operands:
            if not isinstance(value, ndarray) or value.ndim < 4:
                continue
            strides = value.strides
            if strides[1] > strides[-1] > 0:
                continue  # most are so: 1.5 µs less than by all strides
            if suggests_channels_last(value):
                return laid_out(result, channels_last_strides(result.shape))
    return result


def following_planes(result: ndarray, operands: Sequence[Any]) -> ndarray:
    """Return the same for images of two axes; where torch computes one of three axes in C order only."""
    return following_channels(result, operands) if result.ndim == 4 else result


def empty_joined(arrays: Sequence[ndarray], shape: Ints) -> ndarray:
    """Return a new array of a shape to join arrays in, unset: channels last where all have them so."""
    first = arrays[0]
    in_order = first.ndim < 4 or first.strides[1] > first.strides[-1] > 0
    if not in_order and all(suggests_channels_last(array) for array in arrays):
        return laid_out_empty(shape, channels_last_strides(shape), arrays[0].dtype)
    return np.empty(shape, arrays[0].dtype)
