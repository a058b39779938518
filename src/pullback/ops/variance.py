"""Variances and standard deviations, with and without the mean."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large, reduction
from ..array.summation import sum_over
from ..core.op import Covectors, Term, op
from ..core.value import shape_of
from .comparison import eq, where
from .convert import widened
from .reduce import count, divisor, mean_dims, mean_of, over_nothing, shifted, spread

#: Elements from which squares may be added in their own dtype.
_MANY = 1 << 16

#: Roundings by which the mean of many elements may be off.
_ROUNDED = 1000


def _squares(x: ndarray, dims: tuple[int, ...], keepdim: bool) -> ndarray:
    """Return Σ(x − mean)², in float64 as torch has it: of float32 it need not be a float32.

    Many are added in their own dtype where that is the same: of 2²⁰ std takes 627 µs then, else 1171. With
    d = x − mean, it is Σd² − (Σd)²/n: the mean is rounded, and equal elements shall give 0.
    """
    mean = mean_of(x, dims, True)
    if x.size >= large.SIZE:
        found = reduction.gathered("squares_about", x, dims, keepdim, mean)
        if found is not None and _are_clear(found, mean, x, dims):
            return found
    d = np.subtract(x, mean, out=...)
    if d.size > _MANY:
        r = sum_over(np.square(d, out=...), dims, keepdim)
        if _are_clear(r, mean, x, dims):
            return r
    r = sum_over(np.square(d, out=..., dtype=np.float64), dims, keepdim)
    if n := count(x.shape, dims):
        rest = np.square(sum_over(d, dims, keepdim), out=..., dtype=np.float64)
        np.subtract(r, np.true_divide(rest, n, out=rest), out=r)
        np.maximum(r, 0, out=r)
    return r


def _are_clear(squares: ndarray, mean: ndarray, x: ndarray, dims: tuple[int, ...]) -> bool:
    """Return whether sums of squares are finite, and far above what the rounding of the mean makes."""
    least = np.square(mean.reshape(squares.shape) * (_ROUNDED * np.finfo(x.dtype).eps))
    return bool(np.all((squares > np.maximum(least * count(x.shape, dims), 1e-20)) & (squares < math.inf)))


def _wide_var(x: ndarray, dims: tuple[int, ...], correction: float, keepdim: bool) -> ndarray:
    """Return the variance in the dtype in which the squares were added."""
    if x.dtype.kind == "c":
        parts = _wide_var(x.real, dims, correction, keepdim), _wide_var(x.imag, dims, correction, keepdim)
        return np.add(*parts, out=...)
    r = _squares(x, dims, keepdim)
    freedom = max(count(x.shape, dims) - correction, 0)
    return np.true_divide(r, freedom, out=r) if freedom else over_nothing(r)


def _var(x: ndarray, /, dims: tuple[int, ...], correction: float, keepdim: bool) -> ndarray:
    return _wide_var(x, dims, correction, keepdim).astype(x.real.dtype, copy=False)


class AllAxes(tuple[int, ...]):
    """All axes of a variance that names none, for which torch has another slope with too few elements."""

    __slots__ = ()


def _var_rule(g: Term, x: Term, dims: tuple[int, ...], correction: float, keepdim: bool) -> Term:
    shape = shape_of(x)
    g, x = widened(g), widened(x)
    n = count(shape, dims) - correction
    g, mean = spread(g, shape, dims, keepdim), mean_dims(x, dims, True)
    if n <= 0 and type(dims) is AllAxes:
        # As in torch, which takes the slope for nothing that could be differentiated again.
        return g * where(eq(x, mean), math.nan, math.inf)
    return g * ((2 / n if n else math.inf) * (x - mean))


#: Variance over `dims`: Σ|x − mean|² / (n − correction).
var = op("var", _var, (_var_rule,), kind="reduce", halves=True, batch=shifted)


def _std(x: ndarray, /, dims: tuple[int, ...], correction: float, keepdim: bool) -> ndarray:
    r = _wide_var(x, dims, correction, keepdim)
    return np.sqrt(r, out=r).astype(x.real.dtype, copy=False)


def _std_rule(g: Term, x: Term, out: Term, dims: tuple[int, ...], correction: float, keepdim: bool) -> Term:
    return _var_rule(g / (2 * divisor(out)), x, dims, correction, keepdim)


#: Standard deviation over `dims`.
std = op("std", _std, (_std_rule,), kind="reduce", halves=True, batch=shifted)


def _running_mean(x: ndarray, dims: tuple[int, ...], keepdim: bool) -> ndarray:
    """Return the mean, and nan behind an infinity, since torch goes from one element to the next."""
    mean = mean_of(x, dims, keepdim)
    if x.dtype.kind == "f" and np.isinf(mean).any():
        rest = tuple(d for d in range(x.ndim) if d not in dims)
        rows = x.transpose(*rest, *dims).reshape(*(x.shape[d] for d in rest), -1)
        followed = np.isinf(rows[..., :-1]).any(-1).reshape(mean.shape)
        mean = np.where(followed, np.nan, mean).astype(mean.dtype)
    return mean


def _mean_rule(g: Term, x: Term, dims: tuple[int, ...], keepdim: bool) -> Term:
    shape = shape_of(x)
    return spread(widened(g), shape, dims, keepdim) / (count(shape, dims) or math.nan)


def _with_mean(spread_out: Any, g: Term | None, x: Term, dims: tuple[int, ...], keepdim: bool) -> Term:
    """Return what came through a variance, if anything did, with the mean's covector, if there is one."""
    if g is None:
        return spread_out
    levelled = _mean_rule(g, x, dims, keepdim)
    return levelled if spread_out is None else spread_out + levelled


def _var_mean_rule(g: Term, x: Term, dims: tuple[int, ...], correction: float, keepdim: bool) -> Term:
    spread_out = None if g[0] is None else _var_rule(g[0], x, dims, correction, keepdim)
    return _with_mean(spread_out, g[1], x, dims, keepdim)


#: Variance and mean over `dims`.
var_mean = op(
    "var_mean",
    lambda x, /, dims, correction, keepdim: (
        _var(x, dims, correction, keepdim), _running_mean(x, dims, keepdim)
    ),
    (_var_mean_rule,), kind="reduce", halves=True, outputs=("var", "mean"),
    partial=True, batch=shifted,
)


def _std_mean_rule(
    g: Covectors, x: Term, std: Any, dims: tuple[int, ...], correction: float, keepdim: bool
) -> Term:
    spread_out = None if g[0] is None else _std_rule(g[0], x, std, dims, correction, keepdim)
    return _with_mean(spread_out, g[1], x, dims, keepdim)


#: Standard deviation and mean over `dims`.
std_mean = op(
    "std_mean",
    lambda x, /, dims, correction, keepdim: (
        _std(x, dims, correction, keepdim), _running_mean(x, dims, keepdim)
    ),
    (_std_mean_rule,), kind="reduce", halves=True, outputs=("std", "mean"),
    partial=True, batch=shifted,
)
