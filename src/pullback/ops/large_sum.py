"""Sums of terms of large arrays in one native loop: what `mixture` does in several passes of NumPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.strides import overlaps
from .kernels import into

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def of_terms(function: Callable[..., Any], factor: Any, arrays: tuple[Any, ...], out: Any) -> ndarray | None:
    """Return ``function(factor, *arrays)`` of large arrays that are alike, by one loop with the bits of
    NumPy's passes, or None. The factor is an operand there: it may be another in each call.

    Of 2²⁰ float32 `lerp` took 743 µs on one thread and takes 265, `addcmul` 750 and 379.
    """
    first = arrays[0]
    if type(first) is not ndarray or first.size < large.CHAIN or first.dtype not in _FLOATS:
        return None
    if type(factor) is not float and type(factor) is not int:
        return None
    if any(type(v) is not ndarray or v.shape != first.shape or v.dtype is not first.dtype for v in arrays):
        return None
    factor = np.asarray(factor, first.dtype)
    if out is ... or overlaps(out, arrays):
        found: ndarray | None = large.ask("mapped", function, factor, arrays, ())
        return found if found is None or out is ... else into(out, found)
    return large.ask("mapped", function, factor, arrays, (), out)


def plus(factor: Any, x: Any, y: Any) -> Any:
    """Return x + factor·y."""
    return x + y * factor


def plus_product(factor: Any, x: Any, y: Any, z: Any) -> Any:
    """Return x + factor·y·z."""
    return x + y * factor * z


def plus_quotient(factor: Any, x: Any, y: Any, z: Any) -> Any:
    """Return x + factor·y/z."""
    return x + y * factor / z


def from_begin(factor: Any, x: Any, y: Any) -> Any:
    """Return x + factor·(y − x)."""
    return x + (y - x) * factor


def from_end(factor: Any, x: Any, y: Any) -> Any:
    """Return y − factor·(y − x)."""
    return y - (y - x) * factor
