"""Numbers in a row: arange, linspace and logspace with torch's roundings.

What this module must do:

- compute arange as torch's vector loops do: every block (of 4 to 16 numbers) starts from a rounded number,
  and what is left behind the last pair of blocks is computed number by number;
- compute linspace from both ends towards the middle, each number rounded once (the half precisions: each step
  of it);
- compute logspace in double precision with the C library's power.
"""

import functools
import math
from typing import Any

import numpy as np
from numpy import ndarray

from .deferred_import import import_later

rounding = import_later(".random_rounding", __package__)

#: Numbers that one AVX2 register holds.
BLOCK = {2: 16, 4: 8, 8: 4}  # by bytes per number


def arange(start: Any, step: Any, count: int, dtype: np.dtype[Any]) -> ndarray:
    """Return `start`, `start` + `step`, … (`count` numbers)."""
    if dtype.kind in "iu":
        if not step:
            return np.full(count, start, np.int64).astype(dtype, copy=False)
        return np.arange(start, start + count * step, step, dtype=np.int64).astype(dtype, copy=False)
    if count < 2:
        return rounded(np.full(count, float(start)), dtype)
    places = np.arange(count, dtype=np.float64)
    start, step = float(start), float(step)
    if dtype.itemsize == 2:
        start, step = float(np.float32(start)), float(np.float32(step))
    block = BLOCK[dtype.itemsize]
    if count < 2 * block:
        return rounded(
            rounding.fused_multiply_add(places, step, start) if block == 4 else places * step + start, dtype
        )
    whole = count - count % (2 * block)
    first = rounded(rounding.fused_multiply_add(places[:whole:block], step, start), dtype).astype(np.float64)
    in_block = np.stack([fused_sum(first, k, step) for k in range(block)], axis=1).reshape(-1)
    rest = rounding.fused_multiply_add(places[whole:], step, start)
    return rounded(np.concatenate((in_block, rest)), dtype)


def fused_sum(first: ndarray, place: int, step: float) -> ndarray:
    """Return first + place·step as a fused multiply-add rounds it (float64)."""
    from fractions import Fraction

    product = place * step
    total = first + product
    added = total - first
    lost = (first - (total - added)) + (product - added)
    return total + (lost + float(Fraction(place) * Fraction(step) - Fraction(product)))


def rounded(doubles: ndarray, dtype: np.dtype[Any]) -> ndarray:
    """Return float64 numbers in another dtype, the half precisions by way of float32."""
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype.itemsize == 2:
            doubles = doubles.astype(np.float32)
        return doubles.astype(dtype)


#: Numbers up to which a row is kept: with it made anew, 11 take 30 µs.
_KEPT = 1 << 10


def linspace(start: Any, end: Any, count: int, dtype: np.dtype[Any]) -> ndarray:
    """Return `count` numbers at equal distances, of which the first is `start` and the last `end`."""
    if count <= _KEPT and type(start) in (int, float) and type(end) in (int, float):
        return _kept_linspace(start, end, count, dtype).copy()
    return _linspace(start, end, count, dtype)


@functools.lru_cache(maxsize=64, typed=True)
def _kept_linspace(start: float, end: float, count: int, dtype: np.dtype[Any]) -> ndarray:
    return _linspace(start, end, count, dtype)


def _linspace(start: Any, end: Any, count: int, dtype: np.dtype[Any]) -> ndarray:
    if count == 1:
        return np.array([start]).astype(dtype)
    if dtype.kind == "c":
        parts = np.float32 if dtype == np.complex64 else np.float64
        new = np.empty(count, dtype)
        new.real = linspace(complex(start).real, complex(end).real, count, np.dtype(parts))
        new.imag = linspace(complex(start).imag, complex(end).imag, count, np.dtype(parts))
        return new
    from_start = np.arange(count, dtype=np.float64)
    from_end = from_start[::-1]
    half = count // 2
    if dtype.kind in "iu":
        step = (int(end) - int(start)) / max(count - 1, 1)
        return np.where(from_start < half, int(start) + step * from_start, int(end) - step * from_end).astype(
            dtype
        )
    first, last = (rounded(np.array(float(v) + 0.0), dtype) for v in (start, end))  # -0.0 is 0
    step = (last - first) / np.array(max(count - 1, 1), dtype)
    ascending, descending = from_start[:half].astype(dtype), from_end[half:].astype(dtype)
    if dtype.itemsize == 2:
        return np.concatenate((first + step * ascending, last - step * descending))
    new = np.concatenate((
        rounding.fused_multiply_add(ascending, float(step), float(first)),
        rounding.fused_multiply_add(descending, -float(step), float(last)),
    ))
    # The sum scales what is tiny beside the other end out of its range.
    if count and np.isfinite(step):
        new[0], new[-1] = first, last
    return new


def logspace(start: Any, end: Any, count: int, base: float, dtype: np.dtype[Any]) -> ndarray:
    """Return `base` to the powers that `linspace` gives."""
    if dtype.kind == "c":
        return np.power(complex(base), linspace(start, end, count, np.dtype(np.complex128))).astype(dtype)
    if count == 1:
        exponents = np.array([float(int(start) if dtype.kind in "iu" else start)])
    else:
        kept = np.dtype(np.float64) if dtype.kind in "iu" else dtype
        if dtype.kind in "iu":
            start, end = int(start), int(end)
        first, last = (float(rounded(np.array(float(v)), kept)) for v in (start, end))
        span = float(rounded(np.array(last - first), kept))
        step = span / max(count - 1, 1)
        from_start = np.arange(count, dtype=np.float64)
        exponents = np.where(
            from_start < count // 2, first + step * from_start, last - step * from_start[::-1]
        )
    powers = [_power(base, exponent) for exponent in exponents.tolist()]
    if dtype.kind in "iu":
        return np.array([int(power) for power in powers], np.int64).astype(dtype)
    return rounded(np.array(powers, np.float64), dtype)


def _power(base: float, exponent: float) -> float:
    """Return C's pow: what Python raises an error for is nan or infinite."""
    try:
        return math.pow(base, exponent)
    except ValueError:
        return math.nan if base else math.inf
    except OverflowError:
        return math.copysign(math.inf, base) if exponent % 2 == 1 else math.inf
