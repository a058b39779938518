"""Filling arrays from a stream: the order of the elements, numbers in [0, 1), and ``uniform_``.

What this module must do:

- visit the elements of an array in the order in which torch visits them, which is the order in memory and
  not the logical one;
- turn 32-bit words into numbers in [0, 1): 24 bits for float32, 53 bits for float64;
- give the half precisions the float32 stream, rounded.

Every kernel of the random_* modules has the form ``kernel(generator, out, parameters...) -> out`` and
writes into ``out``, whatever its strides.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import ml_dtypes
import numpy as np

from .dtype_words import c_name, not_implemented
from .dtypes import from_numpy_dtype
from .layout import as_pairs
from .quiet import IGNORE, loud, quiet
from .random import Generator
from .random_rounding import fused_multiply_add

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FULL = (np.dtype(np.float32), np.dtype(np.float64))
HALVES = (np.dtype(np.float16), BFLOAT16)
REALS = (*FULL, *HALVES)

# Elements that a kernel works on at a time: its intermediate arrays stay in the cache. randn(1_000_000) takes
# 8.8 ms so and 11.4 ms in one piece.
CHUNK = 1 << 16


# --- where the numbers go -------------------------------------------------------------------------


def fill(out: np.ndarray, write: Callable[[np.ndarray], None]) -> np.ndarray:
    """Let ``write`` fill a one-dimensional array; put its elements into ``out`` in the order of memory."""
    if out.size == 0:
        return out
    ordered = in_memory_order(out)
    if ordered.flags.c_contiguous:
        write(ordered.reshape(-1))
    else:
        flat = np.empty(out.size, out.dtype)
        write(flat)
        ordered[...] = flat.reshape(ordered.shape)
    return out


def in_memory_order(out: np.ndarray, follower: np.ndarray | None = None) -> np.ndarray:
    """Return ``out``, or ``follower`` of its shape, with the axes sorted by falling stride of ``out``."""
    moved = out if follower is None else follower
    if out.flags.c_contiguous:
        return moved
    axes = sorted(range(out.ndim), key=lambda axis: -out.strides[axis])
    return moved.transpose(axes)


def chunks(flat: np.ndarray, size: int = CHUNK) -> Iterator[np.ndarray]:
    """Yield consecutive pieces of a one-dimensional array."""
    for start in range(0, flat.size, size):
        yield flat[start : start + size]


def check_dtype(dtype: np.dtype, allowed: tuple[np.dtype, ...], kernel: str) -> None:
    """Raise torch's error for a dtype that the kernel with torch's name ``kernel`` does not support."""
    if dtype not in allowed:
        raise not_implemented(kernel, dtype)


def store(piece: np.ndarray, values: np.ndarray) -> None:
    """Convert float64 ``values`` as torch does: to the half precisions by way of float32."""
    if piece.dtype == values.dtype:
        piece[...] = values
        return
    if piece.dtype in HALVES:
        values = values.astype(np.float32)
    token = quiet(IGNORE)
    piece[...] = values
    loud(token)


# --- numbers in [0, 1) ----------------------------------------------------------------------------


def singles(generator: Generator, count: int) -> np.ndarray:
    """Return float32 numbers in [0, 1): the low 24 bits of a word each. They are for reading only."""
    return generator.made(singles_of, count)


def doubles(generator: Generator, count: int) -> np.ndarray:
    """Return float64 in [0, 1), for reading only: the low 53 bits of two words, the high one first."""
    return generator.made(doubles_of, 2 * count, 2, 2)


def singles_of(words: np.ndarray) -> np.ndarray:
    """Return the float32 number of each word."""
    integers = words & 0xFFFFFF
    numbers = integers.view(np.int32).astype(np.float32)  # signed integers convert by vector instructions
    numbers *= np.float32(2.0**-24)
    return numbers


def doubles_of(words: np.ndarray) -> np.ndarray:
    """Return the float64 number of each two words."""
    numbers = (words[::2] & 0x1FFFFF).astype(np.float64)
    numbers *= 2.0**32
    numbers += words[1::2]
    numbers *= 2.0**-53
    return numbers


@functools.cache
def _largest(dtype: np.dtype) -> float:
    """Return the largest number of a dtype; to ask ml_dtypes takes 2 µs."""
    return float(ml_dtypes.finfo(dtype).max)


# --- uniform_ -------------------------------------------------------------------------------------


def uniform(generator: Generator, out: np.ndarray, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Fill ``out`` with numbers from [low, high): u·(high - low) + low, rounded once.

    The half precisions compute in float32. A value that rounds to ``high`` becomes ``low``.
    """
    if low == 0 and high == 1 and out.dtype in FULL and out.flags.c_contiguous:
        draw = doubles if out.dtype == np.float64 else singles
        flat = out.reshape(-1)
        with generator.lock:
            for piece in chunks(flat) if flat.size > CHUNK else (flat,):
                piece[...] = draw(generator, piece.size)
        return out
    if out.dtype.kind in "cW":
        if out.size:
            uniform(generator, as_pairs(out), low, high)
        return out
    check_dtype(out.dtype, REALS, "check_uniform_bounds")
    limit = _largest(out.dtype)
    for name, value in (("from", low), ("to", high)):
        if not -limit <= value <= limit:
            raise RuntimeError(f"{name} is out of bounds for {c_name(out.dtype)}")
    if not low <= high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
        )
    if not high - low <= limit:
        raise RuntimeError(
            "uniform_ expects to-from <= std::numeric_limits<"
            f"{from_numpy_dtype(out.dtype).scalar_type}>::max(), but found to={high:g} and from={low:g} "
            "which result in to-from to exceed the limit"
        )
    precision = np.float64 if out.dtype == np.float64 else np.float32
    draw = doubles if out.dtype == np.float64 else singles
    start, span = precision(low), precision(high) - precision(low)
    unit = start == 0 and span == 1
    first, last = out.dtype.type(low), out.dtype.type(high)

    def write(flat: np.ndarray) -> None:
        for piece in chunks(flat):
            numbers = draw(generator, piece.size)
            if not unit:
                numbers = fused_multiply_add(numbers, float(span), float(start))
            piece[...] = numbers
            if not unit or out.dtype in HALVES:  # the full-precision numbers are below 1
                piece[piece == last] = first

    with generator.lock:
        return fill(out, write)


@functools.cache
def mantissa_digits(dtype: np.dtype) -> int:
    """Return the bits of a floating-point dtype's mantissa, the hidden one included."""
    return int(ml_dtypes.finfo(dtype).nmant) + 1
