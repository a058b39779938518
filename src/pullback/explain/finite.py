"""Tell which numbers are not finite, of tensors and arrays of any dtype."""

from typing import Any

import numpy as np
from numpy import ndarray

from ..core.value import innermost
from .shown import widened


def _numbers(value: Any) -> ndarray | None:
    """Return numbers in a dtype whose values NumPy can judge; None for what is finite by its kind."""
    array = np.asarray(innermost(value))
    if array.dtype.kind in "fc":
        return array
    return widened(array) if array.dtype.kind in "VW" else None


def is_finite(value: Any) -> bool:
    """Return whether all of a tensor, array or number is finite; True for what holds no such numbers."""
    numbers = _numbers(value)
    return numbers is None or bool(np.isfinite(numbers).all())


def has_nan(value: Any) -> bool:
    """Return whether a tensor, array or number holds NaN."""
    numbers = _numbers(value)
    return numbers is not None and bool(np.isnan(numbers).any())


def counted(value: Any) -> str:
    """Say how many of the values of a tensor are NaN, and how many infinite."""
    array = widened(np.asarray(innermost(value)))
    nan, infinite = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    parts = [f"{count} {what}" for count, what in ((nan, "NaN"), (infinite, "infinite")) if count]
    return f"{' and '.join(parts) or 'no NaN'} of {array.size} values"
