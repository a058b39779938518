"""Arithmetic that rounds exactly as torch's compiled kernels round.

What this module must do:

- the fused multiply-add that compilers make of ``x * scale + shift``: one rounding, which NumPy has no
  function for;
- the C library's double-precision functions on whole arrays. NumPy's own log, log1p, exp and tan are
  vectorised differently from one processor to the next and differ from the C library's in the last bit for
  up to 7 % of arguments, so they cannot be used where the bits count.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .quiet import IGNORE, loud, quiet
from .scipy_functions import special
from .tiering import Hotness

# Of fewer elements, and until so many have been computed, math's functions in a Python loop (40 ns each)
# spare SciPy's import (120 ms, 15 MB).
FEW, IMPORTED_FROM = 100, 1 << 20
_computed = 0
#: What a number costs through math's functions; in a native loop 10.
NANOSECONDS = 80
_HOTNESS = Hotness()

_SPLIT = 2.0**27 + 1
_LOW_BITS = 2**29 - 1
_MIDPOINT = 2**28
_SMALLEST_NORMAL_FLOAT32 = 2.0**-126


# --- fused multiply-add


def fused_multiply_add(x: np.ndarray, scale: float, shift: float) -> np.ndarray:
    """Return x·scale + shift rounded once; ``x`` is float32 or float64, the numbers have its precision."""
    if scale == 1 and shift == 0:
        return x + x.dtype.type(0)
    token = quiet(IGNORE)
    try:
        exact_product = math.frexp(scale)[0] in (0.0, 0.5, -0.5)
        if exact_product or shift == 0 or not (math.isfinite(scale) and math.isfinite(shift)):
            return x * x.dtype.type(scale) + x.dtype.type(shift)
        return _fused_single(x, scale, shift) if x.dtype == np.float32 else _fused_double(x, scale, shift)
    finally:
        loud(token)


def _fused_single(x: np.ndarray, scale: float, shift: float) -> np.ndarray:
    # A product of two float32 numbers is exact in float64. Rounding the sum to float64 and then to float32
    # goes wrong only where the first rounding lands in the middle between two float32 numbers.
    product = x.astype(np.float64)
    product *= scale
    total = product + shift
    suspect = (total.view(np.int64) & _LOW_BITS) == _MIDPOINT
    if max(abs(scale), abs(shift)) < 1e-25:
        suspect |= np.abs(total) < _SMALLEST_NORMAL_FLOAT32  # the middle lies at another bit
    if suspect.any():
        total[suspect] = _add_to_odd(product[suspect], shift)
    return total.astype(np.float32)


def _fused_double(x: np.ndarray, scale: float, shift: float) -> np.ndarray:
    # Boldo and Melquiond, "Emulation of FMA and correctly rounded sums" (2008): the error terms are added
    # with rounding to odd, so that the last addition rounds the exact sum. Scaling by a power of two keeps
    # the splitting in range.
    exponent = max(math.frexp(scale)[1], math.frexp(shift)[1])
    scale, shift = math.ldexp(scale, -exponent), math.ldexp(shift, -exponent)
    high, low = _two_product(x, scale)
    shift_high, shift_low = _two_sum(low, shift)
    total, error = _two_sum(high, shift_high)
    return np.ldexp(total + _add_to_odd(error, shift_low), exponent)


def _two_sum(a: np.ndarray, b: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Return the rounded sum and its error (Knuth)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


def _two_product(x: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the rounded product and its error (Dekker)."""
    split = x * _SPLIT
    x_high = split - (split - x)
    x_low = x - x_high
    split_scale = scale * _SPLIT
    scale_high = split_scale - (split_scale - scale)
    scale_low = scale - scale_high
    product = x * scale
    error = ((x_high * scale_high - product) + x_high * scale_low + x_low * scale_high) + x_low * scale_low
    return product, error


def _add_to_odd(a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
    """Return a + b where an inexact sum becomes its neighbour with an odd last bit."""
    total, error = _two_sum(a, b)
    even = (error != 0) & (total.view(np.int64) & 1 == 0)
    toward = np.nextafter(total, np.copysign(np.inf, error))
    return np.where(even, toward, total)


# --- the C library's functions on float64 arrays --------------------------------------------------


def log(x: np.ndarray) -> np.ndarray:
    """Return the C library's log(x); log(0) is -inf."""
    if (native := _native("logarithms", x)) is not None:
        return native(x)
    if _is_spared(x) and x.all():
        return _each(math.log, x)
    try:
        xlogy = special("xlogy")  # 1·log(x) by the C function
    except ModuleNotFoundError:
        return _each(lambda v: math.log(v) if v else -math.inf, x)
    return xlogy(1.0, x)


def log1p(x: np.ndarray) -> np.ndarray:
    """Return the C library's log1p(x) for x > -1."""
    if (native := _native("logarithms_of_rest", x)) is not None:
        return native(x)
    if _is_spared(x):
        return _each(math.log1p, x)
    try:
        boxcox1p = special("boxcox1p")  # with λ = 0 it is the C function's log1p
    except ModuleNotFoundError:
        return _each(math.log1p, x)
    return boxcox1p(x, 0.0)


def _native(kind: str, x: np.ndarray) -> Callable[[np.ndarray], np.ndarray] | None:
    """Return a native loop, where math's functions have cost as much as one."""
    return (_HOTNESS.is_hot(x.size * NANOSECONDS) or None) and _HOTNESS.ask("c_function", kind)


def cos_sin(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the C library's cos(θ) and sin(θ): exp(iθ) of an imaginary number is made of just these."""
    turned = np.zeros(theta.shape, np.complex128)
    turned.imag = theta
    np.exp(turned, out=turned)
    return turned.real, turned.imag


def exp(x: np.ndarray) -> np.ndarray:
    """Return the C library's exp(x): the complex function of a real number calls it."""
    return np.exp(x.astype(np.complex128)).real


def tan(x: np.ndarray) -> np.ndarray:
    """Return the C library's tan(x)."""
    return _each(math.tan, x)


def _is_spared(x: np.ndarray) -> bool:
    """Return whether SciPy's import would cost more than it gains."""
    global _computed
    if x.size < FEW:
        return True
    _computed += x.size
    return _computed < IMPORTED_FROM


def _each(function: Callable[[float], float], x: np.ndarray) -> np.ndarray:
    return np.fromiter(map(function, x.tolist()), np.float64, x.size)
