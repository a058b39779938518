"""Functions that make tensors of numbers in a row: arange, range, linspace, logspace."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..array import dtypes
from ..array.deferred_import import import_later
from ..array.dtype_words import not_implemented
from ..core.value import array_of
from ..core.warn import warn
from .creation import creator, numpy_dtype
from .data import overflow
from .signature import OPTIONS, OUT
from .tensor import Tensor

ranges = import_later("..array.ranges", __package__)

#: Bounds of integers between which nothing has to be checked.
_FAR = 1 << 31
INT64 = range(-(2**63), 2**63)


def _supported(kernel: str, dtype: np.dtype[Any], kinds: str) -> None:
    found = dtypes.from_numpy_dtype(dtype)
    if found in dtypes.STORAGE_ONLY or (dtype.kind not in kinds and found is not dtypes.bfloat16):
        raise not_implemented(kernel, dtype)


def _as_integer(number: Any) -> int:
    if (isinstance(number, float) and not math.isfinite(number)) or int(number) not in INT64:
        raise overflow("int64_t")
    return int(number)


@creator(
    "arange", f"(Number end, *, {OUT})", f"(Number start, Number end, *, {OPTIONS})",
    f"(Number start, Number end, Number step = 1, *, {OUT})",
)
def arange(end: Any, start: Any = 0, step: Any = 1, *, dtype: Any = None) -> np.ndarray:
    """Make the numbers ``start + i·step`` from [start, end), i counting from 0.

    Parameters
    ----------
    start, end, step : number
    dtype : dtype, optional
        By default int64 where all three are integers, else the default dtype.
    """
    if dtype is None and type(start) is type(end) is type(step) is int:
        forward = start <= end if step > 0 else step < 0 and start >= end
        if forward and -_FAR < start < _FAR and -_FAR < end < _FAR:
            return np.arange(start, end, step, dtype=np.int64)
    whole = not any(isinstance(v, float | complex) for v in (start, end, step))
    chosen = np.dtype(np.int64) if dtype is None and whole else numpy_dtype(dtype)
    if any(isinstance(v, complex) for v in (start, end, step)):
        raise overflow("double")
    _supported("arange_cpu", chosen, "iuf")
    if whole and dtype is None:
        for v in (start, end, step):
            _as_integer(v)
    if not (step > 0 or step < 0):
        raise RuntimeError("step must be nonzero")
    _check_bounds(start, end, step)
    if chosen == np.int64:
        start, end, step = map(_as_integer, (start, end, step))
        if step == 0:
            raise ValueError("step must be nonzero")
    count = (end - start) / step
    if chosen.kind in "iu":
        # Smaller integers are counted by the numbers as they were given.
        start, step = _as_integer(start), _as_integer(step)
    if not count < 2.0**62:
        raise RuntimeError("invalid size, possible overflow?")
    return ranges.arange(start, step, math.ceil(count), chosen)


def _check_bounds(start: Any, end: Any, step: Any) -> None:
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end < start) if step > 0 else (end > start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


@creator("range", f"(Number start, Number end, Number step = 1, *, {OUT})")
def range_(start: Any, end: Any, step: Any = 1, *, dtype: Any = None) -> np.ndarray:
    """Make the numbers ``start + i·step`` up to `end`, which is included (deprecated: see `arange`)."""
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is "
        "inconsistent with Python's range builtin. Instead, use torch.arange, which produces values in "
        "[start, end)."
    )
    chosen = numpy_dtype(dtype)
    _supported("range_cpu", chosen, "iuf")
    if not (step > 0 or step < 0):
        raise RuntimeError("step must be nonzero")
    _check_bounds(start, end, step)
    places = np.arange(int((end - start) / step) + 1, dtype=np.float64)
    return ranges.rounded(start + step * places, chosen)


def _endpoints(function: str, start: Any, end: Any) -> list[Any]:
    ranks = {name: array_of(v).ndim for name, v in (("start", start), ("end", end)) if isinstance(v, Tensor)}
    if any(ranks.values()):
        got = " and ".join(f"{name} with {rank} dimension(s)" for name, rank in ranks.items())
        raise RuntimeError(f"{function} only supports 0-dimensional start and end tensors, but got {got}.")
    return [v.item() if isinstance(v, Tensor) else v for v in (start, end)]


def _row(function: str, start: Any, end: Any, steps: int, dtype: Any) -> tuple[Any, Any, np.dtype[Any]]:
    """Return the ends of a row of numbers and its dtype after torch's checks."""
    start, end = _endpoints(function, start, end)
    chosen = _row_dtype(function, start, end, dtype)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    _supported(f"{function}_cpu", chosen, "iufc")
    return start, end, chosen


def _row_dtype(function: str, start: Any, end: Any, dtype: Any) -> np.dtype[Any]:
    if isinstance(start, complex) or isinstance(end, complex):
        needed = dtypes.default_complex()
        if dtype is None:
            return needed.numpy
        if not dtype.is_complex:
            part = "float" if needed is dtypes.complex64 else "double"
            raise RuntimeError(
                f"torch.{function}(): inferred dtype c10::complex<{part}> can't be safely cast to passed "
                f"dtype {dtype.scalar_type}"
            )
    return numpy_dtype(dtype)


def _spans(more: str = "") -> list[str]:
    kinds = (("Tensor", "Tensor"), ("Number", "Tensor"), ("Tensor", "Number"), ("Number", "Number"))
    return [f"({a} start, {b} end, int steps{more}, *, {OUT})" for a, b in kinds]


@creator("linspace", *_spans())
def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None) -> np.ndarray:
    """Make `steps` numbers at equal distances, the first `start` and the last `end`.

    Parameters
    ----------
    start, end : number or tensor of no dimension
    steps : int
    """
    start, end, chosen = _row("linspace", start, end, steps, dtype)
    return ranges.linspace(start, end, steps, chosen)


@creator("logspace", *_spans(", float base = 10.0"))
def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None) -> np.ndarray:
    """Make `base` to the powers ``linspace(start, end, steps)``."""
    start, end, chosen = _row("logspace", start, end, steps, dtype)
    return ranges.logspace(start, end, steps, base, chosen)
