"""Reductions of neighbouring places of an axis, segment by segment, and what spreads a value over
its segment.
"""

import math
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import Call, Term, op
from ..core.value import dtype_of, shape_of
from .comparison import eq, where
from .convert import as_dtype
from .mixture import clamp
from .structure import reshape

_UFUNCS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
_STARTS = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}


def _rows(shape: tuple[int, ...], axis: int) -> tuple[int, int, int]:
    """Return (batch, places, rest) of a shape."""
    return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])


def _ids(lengths: ndarray, places: int) -> tuple[ndarray, ndarray]:
    """Return of every place that lies in a segment its number in all rows, and the number of its segment."""
    flat = lengths.reshape(-1, lengths.shape[-1])
    within = np.arange(places) < flat.sum(1)[:, None]
    return np.flatnonzero(within), np.repeat(np.arange(flat.size), flat.reshape(-1))


def _segment_reduce(
    x: ndarray, lengths: ndarray, /, reduce: str, axis: int, initial: float | None
) -> ndarray:
    batch, places, rest = _rows(x.shape, axis)
    count = lengths.shape[-1]
    inside, segment = _ids(lengths, places)
    start = _STARTS[reduce] if initial is None else initial
    out = np.full((batch * count, rest), start, x.dtype)
    if inside.size:
        ufunc = _UFUNCS[reduce]
        first = np.flatnonzero(np.diff(segment, prepend=-1))
        found = ufunc.reduceat(x.reshape(batch * places, rest)[inside], first, axis=0)
        out[segment[first]] = ufunc(found, out.dtype.type(start))
    if reduce == "mean":
        sizes = lengths.reshape(-1, 1)
        if initial is None:
            out[sizes[:, 0] == 0] = np.nan
        out /= np.maximum(sizes, 1).astype(x.dtype)
    return out.reshape(*x.shape[:axis], count, *x.shape[axis + 1 :])


def _spread(y: ndarray, lengths: ndarray, /, axis: int, places: int) -> ndarray:
    batch, _, rest = _rows(y.shape, axis)
    inside, segment = _ids(lengths, places)
    out = np.zeros((batch * places, rest), y.dtype)
    out[inside] = y.reshape(-1, rest)[segment]
    return out.reshape(*y.shape[:axis], places, *y.shape[axis + 1 :])


#: The value of its segment at every place of an axis, 0 outside of all: the transpose of the sum.
spread: Call = op(
    "segment_spread", _spread,
    (lambda g, lengths, axis: segment_reduce(g, lengths, "sum", axis, None), None), halves=True,
)  # fmt: skip


def _sizes(lengths: Any, like: Term, axis: int) -> Term:
    """Return the segments' sizes, at least 1, in a shape that broadcasts with the result."""
    shape = shape_of(lengths)
    rest = len(shape_of(like)) - len(shape)
    return as_dtype(reshape(clamp(lengths, 1, None), (*shape, *(1,) * rest)), dtype_of(like))


def _rule(g: Term, x: Term, lengths: Any, out: Term, reduce: str, axis: int, initial: float | None) -> Term:
    places = shape_of(x)[axis]
    if reduce == "sum":
        return spread(g, lengths, axis, places)
    if reduce == "mean":
        return spread(g / _sizes(lengths, g, axis), lengths, axis, places)
    if reduce in ("max", "min"):
        ties = eq(x, spread(out, lengths, axis, places)) | ~eq(x, x)
        marks = where(ties, x * 0 + 1, 0)
        shares = segment_reduce(marks, lengths, "sum", axis, None)
        return where(ties, spread(g / where(eq(shares, 0), 1, shares), lengths, axis, places), 0)
    # A zero's slope is the product of the others, which is none but zero where there is a second one.
    zero = eq(x, 0)
    others = segment_reduce(where(zero, 1, x), lengths, "prod", axis, initial)
    zeros = segment_reduce(where(zero, x * 0 + 1, 0), lengths, "sum", axis, None)
    alone = spread(g * where(eq(zeros, 1), others, 0), lengths, axis, places)
    usual = spread(g * where(eq(zeros, 0), others, 0), lengths, axis, places)
    return where(zero, alone, usual / where(zero, 1, x))


#: Sum, mean, product, largest or smallest of the segments of an axis, whose sizes are the last axis of
#: `lengths`; `initial` takes part in each, and stands for what is empty.
segment_reduce: Call = op("segment_reduce", _segment_reduce, (_rule, None), halves=True)
