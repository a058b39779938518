"""Transform arrays by NumPy's loops of pocketfft, one axis after another, where loops are recorded.

The bits are those of SciPy's function, which is pocketfft, too, and takes less time than these calls; but it
leaves nothing to record (`loop_recording`).
"""

import importlib
from functools import cache, lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

#: Elements of what is given up to which this is done: of more, SciPy's vectors count.
MOST = 1024
#: Makes arrays that are kept: another name than the one that means something else while calls are recorded.
_PLAIN = np


@cache
def _loops() -> Any:
    try:
        return importlib.import_module("numpy.fft._pocketfft_umath")
    except ImportError:
        return None


def fits(x: ndarray, size: int) -> bool:
    """Return whether an array is transformed here, to so many elements."""
    return max(x.size, size) <= MOST and x.dtype.char in "fdFD" and _loops() is not None


@lru_cache(maxsize=1024)
def _factor(normalization: int, size: int, dtype: np.dtype[Any]) -> ndarray:
    long = np.longdouble(size)
    divisor = (np.longdouble(1), np.sqrt(long), long)[normalization]
    return _PLAIN.array(1 / divisor, dtype)


def _along(loop: Any, x: ndarray, axis: int, factor: ndarray, size: int, dtype: Any) -> ndarray:
    """Return what a loop makes of the rows along an axis."""
    made = np.empty((*x.shape[:axis], size, *x.shape[axis + 1 :]), dtype)
    loop(x.swapaxes(axis, -1), factor, out=made.swapaxes(axis, -1))
    return made


def c2c(x: ndarray, axes: tuple[int, ...], forward: bool, normalization: int) -> ndarray:
    """Return the transform of complex numbers."""
    real = x.real.dtype
    loop = _loops().fft if forward else _loops().ifft
    factor = _factor(normalization, prod([x.shape[a] for a in axes]), real)
    for axis in axes:
        x = _along(loop, x, axis, factor, x.shape[axis], x.dtype)
        factor = _factor(0, 1, real)
    return x


def r2c(x: ndarray, axes: tuple[int, ...], forward: bool, normalization: int) -> ndarray:
    """Return the transform of real numbers, without what the rest determines."""
    *others, last = axes
    size = x.shape[last]
    loop = _loops().rfft_n_odd if size % 2 else _loops().rfft_n_even
    factor = _factor(normalization, prod([x.shape[a] for a in axes]), x.dtype)
    found = _along(loop, x, last, factor, size // 2 + 1, np.result_type(x.dtype, np.complex64))
    return c2c(found, tuple(others), forward, 0)


def c2r(x: ndarray, axes: tuple[int, ...], size: int, forward: bool, normalization: int) -> ndarray:
    """Return the real transform of complex numbers along one axis."""
    (axis,) = axes
    real = x.real.dtype
    return _along(_loops().irfft, x, axis, _factor(normalization, size, real), size, real)


@lru_cache(maxsize=64)
def _mirrored(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[ndarray, ndarray]:
    """Return, of each frequency of real numbers, where it or its conjugate stands among those of `r2c`, and
    the sign of its imaginary part.
    """
    last = axes[-1]
    halves = shape[last] // 2 + 1
    own = (*shape[:last], halves, *shape[last + 1 :])
    places, signs = _PLAIN.empty(shape, np.int64), _PLAIN.ones(shape)
    for index in np.ndindex(shape):
        turned = tuple([-i % n if d in axes else i for d, (i, n) in enumerate(zip(index, shape))])
        is_there = index[last] < halves and (turned[last] >= halves or index <= turned)
        places[index] = np.ravel_multi_index(index if is_there else turned, own)
        signs[index] = 1 if is_there else -1
    return places, signs


def real_c2c(x: ndarray, axes: tuple[int, ...], forward: bool, normalization: int) -> ndarray:
    """Return the transform of real numbers, all of it."""
    halves = r2c(x, axes, forward, normalization)
    places, signs = _mirrored(x.shape, axes)
    found: ndarray = np.take(halves.reshape(-1), places)
    np.multiply(found.imag, signs.astype(x.dtype), out=found.imag)
    return found
