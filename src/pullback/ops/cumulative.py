"""Running sums, products, maxima along a dim, and the linear recurrence that their derivatives are made of.

``y[k] = a[k]·y[k−1] + b[k]`` pulls back through a recurrence that runs the other way, so products with zeros
in them, and log-sums that would overflow, need no division and no special case to any order of derivative.
"""

import math
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.layout import in_order
from ..array.reduction import accumulated
from ..core.batched import dim_first
from ..core.op import Call, Term, op
from ..core.value import dtype_of, shape_of
from .comparison import isinf, isnan, where
from .convert import conj, widened
from .elementwise import exp


def _along(dim: int, part: slice) -> tuple[Any, ...]:
    return (*(slice(None),) * dim, part)


def _cumsum(x: ndarray, /, dim: int, reverse: bool) -> ndarray:
    return x.copy() if x.ndim == 0 else accumulated(np.add, x, dim, reverse)


#: Running sum along `dim`, from the end with `reverse`.
cumsum: Call = op(
    "cumsum", _cumsum,
    (lambda g, dim, reverse: cumsum(g, dim, not reverse),),
    kind="linear", halves=True, batch=dim_first, place=in_order, sizes_kept=True,
)


def _shift(x: ndarray, /, dim: int, backward: bool) -> ndarray:
    out = np.zeros_like(x)
    ahead, behind = _along(dim, slice(1, None)), _along(dim, slice(None, -1))
    if x.ndim:
        if backward:
            out[behind] = x[ahead]
        else:
            out[ahead] = x[behind]
    return out


#: Every element moved one place along `dim`, a zero behind; `backward` moves towards the start.
shift: Call = op(
    "shift", _shift, (lambda g, dim, backward: shift(g, dim, not backward),), kind="linear", batch=dim_first
)


def _recurrence(a: ndarray, b: ndarray, /, dim: int, reverse: bool) -> ndarray:
    y = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a, b))
    if y.ndim == 0:
        y[...] = b
        return y
    n = y.shape[dim]
    order = range(n - 1, -1, -1) if reverse else range(n)
    before: Any = None
    for k in order:
        at = _along(dim, k)  # type: ignore[arg-type]  # an index drops the axis
        y[at] = b[at] if before is None else a[at] * before + b[at]
        before = y[at]
    return y


def _recurrence_b(g: Term, a: Term, dim: int, reverse: bool) -> Term:
    return recurrence(conj(shift(a, dim, not reverse)), g, dim, not reverse)


#: y[k] = a[k]·y[k−1] + b[k] along `dim` (y[k] = a[k]·y[k+1] + b[k] with `reverse`), starting from 0.
recurrence = op(
    "recurrence", _recurrence,
    (
        lambda g, a, out, dim, reverse: _recurrence_b(g, a, dim, reverse) * conj(shift(out, dim, reverse)),
        _recurrence_b,
    ),
    halves=True, batch=dim_first,
)


def _exclusive_cumprod(x: ndarray, /, dim: int, reverse: bool) -> ndarray:
    out = np.ones_like(x)
    if x.ndim and x.shape[dim] > 1:
        ahead, behind = _along(dim, slice(1, None)), _along(dim, slice(None, -1))
        if reverse:
            accumulated(np.multiply, x[ahead], dim, True, out[behind])
        else:
            accumulated(np.multiply, x[behind], dim, False, out[ahead])
    return out


def _exclusive_rule(g: Term, x: Term, dim: int, reverse: bool) -> Term:
    sums = recurrence(conj(x), g, dim, not reverse)
    return conj(exclusive_cumprod(x, dim, reverse)) * shift(sums, dim, not reverse)


#: The product of what comes before each element along `dim` (after it, with `reverse`).
exclusive_cumprod = op(
    "exclusive_cumprod", _exclusive_cumprod, (_exclusive_rule,), halves=True, batch=dim_first
)


def _cumprod_rule(g: Term, x: Term, dim: int) -> Term:
    shape = shape_of(x)
    if math.prod(shape) <= 1 or shape[dim] == 1:
        return g
    g, x = widened(g), widened(x)
    return conj(exclusive_cumprod(x, dim, False)) * recurrence(conj(shift(x, dim, True)), g, dim, True)


#: Running product along `dim`.
cumprod = op(
    "cumprod",
    lambda x, /, dim: x.copy() if x.ndim == 0 else accumulated(np.multiply, x, dim),
    (_cumprod_rule,), halves=True, batch=dim_first, saves=("out",), place=in_order, sizes_kept=True,
)


def _logcumsumexp(x: ndarray, /, dim: int) -> ndarray:
    if x.ndim == 0:
        return x.copy()
    if x.dtype.kind != "c":
        return accumulated(np.logaddexp, x, dim)
    out = x.copy()
    before = np.full_like(x[_along(dim, slice(1))], -np.inf)
    for k in range(x.shape[dim]):
        at = out[_along(dim, slice(k, k + 1))]
        at[...] = before = _add_in_logs(before, at)
    return out


def _add_in_logs(total: ndarray, x: ndarray) -> ndarray:
    """Return log(exp(total) + exp(x)) on torch's branch, which keeps the larger one's imaginary part."""
    below = (x.real < total.real) & ~np.isnan(x.real)
    low, high = np.where(below, x, total), np.where(below, total, x)
    with np.errstate(all="ignore"):
        ratio = np.where(np.isneginf((low - high).real), 0, np.exp(low - high))
        sums = high + np.log1p(ratio)
        equal = np.isinf(high.real) & (low.real == high.real)
        sums = np.where(equal, np.where(low.real < 0, low, np.log(np.exp(low) + np.exp(high))), sums)
    sums[np.isnan(low)] = complex(np.nan, np.nan)
    return sums


def _logcumsumexp_rule(g: Term, x: Term, out: Term, dim: int) -> Term:
    if not shape_of(x) or 0 in shape_of(x):
        return g
    g, x, out = widened(g), widened(x), widened(out)
    if dtype_of(g).kind not in "cW":
        g = where(isnan(g), 0, g)  # torch takes what is above 0 and what is below
    # exp(x[k]) Σ_{i≥k} g[i]·exp(−out[i]), with each factor brought below 1.
    following = where(_is_last(shape_of(x), dim), out, shift(out, dim, True))
    weights = conj(where(isinf(out), 1, exp(out - following)))
    return recurrence(weights, g, dim, True) * conj(exp(x - out))


def _is_last(shape: tuple[int, ...], dim: int) -> ndarray:
    if not shape:
        return np.ones((), np.bool_)
    marks = np.zeros(shape[dim], np.bool_)
    marks[-1:] = True
    return marks.reshape((shape[dim], *(1,) * (len(shape) - dim - 1)))


#: log Σ_{i≤k} exp(x[i]) along `dim`.
logcumsumexp = op(
    "logcumsumexp", _logcumsumexp, (_logcumsumexp_rule,), halves=True, batch=dim_first, place=in_order,
    sizes_kept=True,
)
