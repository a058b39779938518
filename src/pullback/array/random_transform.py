"""Distributions that one uniform float64 number is turned into: exponential, Cauchy, geometric, Bernoulli.

What this module must do:

- apply torch's formula to one 53-bit number per element, in the order of memory, with the C library's
  functions;
- decide Bernoulli trials with a probability per element by the numbers of that probability's precision;
- draw dropout's noise as ``torch.nn.functional.dropout`` does on a CPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np

from .dtype_words import c_name
from .dtypes import from_numpy_dtype
from .random import SMALL, Generator
from .random_rounding import fused_multiply_add, log, log1p, tan
from .random_uniform import (
    BFLOAT16,
    CHUNK,
    FULL,
    HALVES,
    REALS,
    check_dtype,
    chunks,
    doubles,
    doubles_of,
    fill,
    in_memory_order,
    singles,
    store,
)

#: Elements from which a draw makes the C library's functions of the block's other words, too.
_SHARED = 32

_NUMBERS = (*REALS, *map(np.dtype, (np.uint8, np.int8, np.int16, np.int32, np.int64)))
_TRIALS = (*_NUMBERS, np.dtype(np.bool_))


def exponential(generator: Generator, out: np.ndarray, rate: float = 1.0) -> np.ndarray:
    """Fill ``out`` with exponentially distributed numbers: -1/rate · ln(1 - u)."""
    if not rate > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    if out.size and out.dtype.kind != "f" and out.dtype != BFLOAT16:
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating "
            f"point but you specified {from_numpy_dtype(out.dtype).scalar_type}"
        )
    scale = -1.0 / rate
    return _each(generator, out, _logs_of_rest, lambda logs: scale * logs)


def cauchy(generator: Generator, out: np.ndarray, median: float = 0.0, sigma: float = 1.0) -> np.ndarray:
    """Fill ``out`` with Cauchy numbers: median + sigma·tan(π(u - ½))."""
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    if out.dtype.kind != "f" and out.dtype != BFLOAT16:
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point "
            f"but you specified {c_name(out.dtype)}"
        )
    return _each(generator, out, _tangents, lambda tangents: fused_multiply_add(tangents, sigma, median))


def geometric(generator: Generator, out: np.ndarray, p: float) -> np.ndarray:
    """Fill ``out`` with the number of trials up to the first success: ⌈ln u / ln(1 - p)⌉."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if out.size:
        check_dtype(out.dtype, _NUMBERS, "geometric_cpu")
    scale = math.log1p(-p)
    return _each(generator, out, log, lambda logs: np.ceil(logs / scale))


Numbers = Callable[[np.ndarray], np.ndarray]


def _each(generator: Generator, out: np.ndarray, of_numbers: Numbers, formula: Numbers) -> np.ndarray:
    """Store what a formula makes of a function of numbers in [0, 1). Small draws share these, where they are
    not too few also the function's values.
    """
    def write(flat: np.ndarray) -> None:
        for piece in chunks(flat):
            if piece.size < _SHARED:
                found = of_numbers(doubles(generator, piece.size))
            else:
                found = generator.made(_of_words(of_numbers), 2 * piece.size, 2, 2)
            store(piece, formula(found))

    with generator.lock:
        return fill(out, write)


@cache
def _of_words(of_numbers: Numbers) -> Numbers:
    return lambda words: of_numbers(doubles_of(words))


def _logs_of_rest(numbers: np.ndarray) -> np.ndarray:
    return log1p(-numbers)


def _tangents(numbers: np.ndarray) -> np.ndarray:
    return tan(math.pi * (numbers - 0.5))


# --- Bernoulli trials -----------------------------------------------------------------------------


def bernoulli(generator: Generator, out: np.ndarray, p: float | np.ndarray = 0.5) -> np.ndarray:
    """Fill ``out`` with ones, each with probability ``p``, and zeros.

    ``p`` is a number or an array that broadcasts to ``out``. A number and a float64 array are compared with
    53-bit numbers, other arrays in float32 with 24-bit ones.
    """
    if isinstance(p, np.ndarray):
        return _bernoulli_each(generator, out, p)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if out.size:
        check_dtype(out.dtype, _TRIALS, "bernoulli_scalar_cpu_")
    if 0 < out.size <= SMALL // 2 and out.flags.c_contiguous:
        with generator.lock:
            if out.size < _SHARED:
                out.reshape(-1)[...] = doubles(generator, out.size) < p
            else:
                out.reshape(-1)[...] = generator.made(_trials(p, 1, out.dtype), 2 * out.size, 2, 2)
        return out
    # u < p compares integers: the 53 bits with p·2⁵³ rounded up. The high word nearly always decides.
    high_limit, low_limit = divmod(math.ceil(math.ldexp(p, 53)), 2**32)

    def write(flat: np.ndarray) -> None:
        for piece in chunks(flat):
            words = generator.words(2 * piece.size)
            high = words[::2] & 0x1FFFFF
            success = high < high_limit
            for tie in np.flatnonzero(high == high_limit).tolist():
                success[tie] = words[2 * tie + 1] < low_limit
            piece[...] = success

    with generator.lock:
        return fill(out, write)


@lru_cache(maxsize=64)
def _trials(p: float, share: float, dtype: np.dtype) -> Numbers:
    """Return what makes ones, each of two words with a probability, divided by a number, and zeros."""

    def make(words: np.ndarray) -> np.ndarray:
        ones = (doubles_of(words) < p).astype(dtype)
        return ones if share == 1 else np.divide(ones, dtype.type(share))

    return make


def _possible(limit: np.ndarray) -> int:
    """Return how many numbers there are before the first that is no probability."""
    return int(((limit >= 0) & (limit <= 1)).argmin())


def _bernoulli_each(generator: Generator, out: np.ndarray, p: np.ndarray) -> np.ndarray:
    if out.size == 0:
        return out
    check_dtype(out.dtype, _TRIALS, "bernoulli_tensor_cpu_self_")
    check_dtype(p.dtype, REALS, "bernoulli_tensor_cpu_p_")
    whole = p if p.shape == out.shape else np.broadcast_to(p, out.shape)
    limits = in_memory_order(out, whole).reshape(-1)
    if p.dtype in HALVES:
        limits = limits.astype(np.float32)
    draw = doubles if p.dtype == np.float64 else singles

    def write(flat: np.ndarray) -> None:
        for start in range(0, flat.size, CHUNK):
            piece, limit = flat[start : start + CHUNK], limits[start : start + CHUNK]
            # As one bool, at which a recording can look (`loop_recording`); it has no places of extremes.
            valid = piece.size if ((limit >= 0) & (limit <= 1)).all() else _possible(limit)
            piece[:valid] = draw(generator, valid) < limit[:valid]
            if valid < piece.size:
                raise RuntimeError(
                    "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message "
                    "be improved?  If so, please report an enhancement request to PyTorch.)"
                )

    with generator.lock:
        return fill(out, write)


def dropout_noise(generator: Generator, out: np.ndarray, p: float) -> np.ndarray:
    """Fill ``out`` with what dropout multiplies its input with: 1/(1 - p) with probability 1 - p, else 0.

    ``out`` is laid out like the input, or has the sizes 1 of feature dropout. For p = 1 torch draws nothing.
    """
    if p == 1:
        out[...] = 0
        return out
    if out.dtype in FULL and _SHARED <= out.size <= SMALL // 2 and out.flags.c_contiguous and 0 < p < 1:
        with generator.lock:  # 3 µs instead of 7
            out.reshape(-1)[...] = generator.made(_trials(1 - p, 1 - p, out.dtype), 2 * out.size, 2, 2)
        return out
    bernoulli(generator, out, 1 - p)
    if out.dtype in HALVES:
        out[...] = (out.astype(np.float32) / np.float32(1 - p)).astype(out.dtype)
    else:
        out /= out.dtype.type(1 - p)
    return out
