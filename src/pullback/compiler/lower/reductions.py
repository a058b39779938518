"""Sums, means, extremes and what is built of them: softmax and normalisation."""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ..emit.scalars import computing, is_float
from .context import BOOL, Context
from .handlers import Handler
from .index import Indices
from .lowered import Lowered
from .views import copied

_F64 = np.dtype(np.float64)


def _axes(x: Lowered, dims: Sequence[int] | None) -> tuple[int, ...]:
    """Return a reduction's axes: all when none are named."""
    return tuple(range(len(x.shape))) if dims is None else tuple(dims)


def _shaped(value: Lowered, x: Lowered, axes: Sequence[int], keepdim: bool) -> Lowered:
    if not keepdim:
        return value
    return copied(value, tuple(1 if a in axes else n for a, n in enumerate(x.shape)))


def without(indices: Indices, axes: Sequence[int]) -> Indices:
    """Return indices into a reduction's result for indices into what it reduces."""
    return tuple(i for a, i in enumerate(indices) if a not in axes)


def totals(
    context: Context, x: Lowered, dims: Sequence[int] | None = None, keepdim: bool = False, *, mean: bool
) -> Lowered | None:
    """Lower a sum or a mean."""
    dtype = context.results[0][1]
    if dtype != computing(dtype) or (mean and not is_float(x.dtype)):
        return None
    return total(context, x, dims, keepdim, dtype, mean)


def total(
    context: Context, x: Lowered, dims: Sequence[int] | None, keepdim: bool, dtype: np.dtype[Any], mean: bool
) -> Lowered:
    """Sum or mean over axes."""
    axes = _axes(x, dims)
    value = context.reduction(x, axes, "sum", dtype)
    if mean:
        value = _divided(context, value, prod(x.shape[a] for a in axes))
    return _shaped(value, x, axes, keepdim)


def _divided(context: Context, x: Lowered, count: float) -> Lowered:
    return context.each(lambda ops, value: ops.div(value, ops.constant(count, x.dtype)), x)


def extreme(
    context: Context, x: Lowered, dims: Sequence[int] | None = None, keepdim: bool = False, *, word: str
) -> Lowered:
    """Find the largest or smallest element over axes; NaN where there is one."""
    axes = _axes(x, dims)
    return _shaped(context.reduction(x, axes, word, x.dtype), x, axes, keepdim)


def truth(
    context: Context, x: Lowered, dims: Sequence[int] | None, keepdim: bool, *, word: str
) -> Lowered | None:
    """Tell whether ``"any"`` element, or ``"all"``, is not zero over axes."""
    if context.results[0][1] != BOOL or (x.shape and not dims):
        return None
    axes = _axes(x, dims)

    def body(ops: Handler, indices: Indices) -> Any:
        value = x.at(ops, indices)
        return ops.ne(value, ops.constant(0, x.dtype))

    return _shaped(context.reduction(x, axes, word, BOOL, body), x, axes, keepdim)


class Exponentials:
    """``exp(x - max)`` along an axis, and its sums; a `safe` one is 0 where x is -∞ throughout."""

    def __init__(self, context: Context, x: Lowered, axes: tuple[int, ...], safe: bool) -> None:
        self.context, self.x, self.axes, self.safe = context, x, axes, safe
        self._largest = context.reduction(x, axes, "maximum", x.dtype)

    def base(self, ops: Handler, kept: Indices) -> Any:
        """Return what is subtracted: the largest, or 0 where that is -∞ and zeros are wanted."""
        found = self._largest.at(ops, kept)
        if not self.safe:
            return found
        dtype = self.x.dtype
        blind = ops.eq(found, ops.constant(-np.inf, dtype))
        return ops.select(blind, ops.constant(0, dtype), found)

    def shifted(self, ops: Handler, indices: Indices) -> Any:
        """Return ``x - max``."""
        return ops.sub(self.x.at(ops, indices), self.base(ops, without(indices, self.axes)))

    def raised(self) -> Lowered:
        """Return ``exp(x - max)``."""
        return self.context.map(
            self.x.shape, self.x.dtype, lambda ops, indices: ops.function("exp", self.shifted(ops, indices))
        )

    def sums(self, raised: Lowered) -> Lowered:
        """Return the sums of what was raised."""
        return self.context.reduction(raised, self.axes, "sum", self.x.dtype)

    def divided(self, raised: Lowered, sums: Lowered) -> Lowered:
        """Return what was raised, by its sums."""
        context, dtype = self.context, self.x.dtype

        def inverted(ops: Handler, indices: Indices) -> Any:
            total = sums.at(ops, indices)
            inverse = ops.div(ops.constant(1, dtype), total)
            if self.safe:
                zero = ops.constant(0, dtype)
                inverse = ops.select(ops.eq(total, zero), zero, inverse)
            return inverse

        inverse = context.stored(context.map(sums.shape, dtype, inverted))
        return context.map(
            self.x.shape, dtype,
            lambda ops, indices: ops.mul(
                raised.at(ops, indices), inverse.at(ops, without(indices, self.axes))
            ),
        )  # fmt: skip


def softmax(
    context: Context, x: Lowered, dim: int, *, logarithm: bool = False, safe: bool = False
) -> Lowered | None:
    """Lower ``exp(x - max) / Σ exp(x - max)``, or its logarithm; if `safe`, a row of -∞ gives zeros."""
    if not x.shape or x.dtype != computing(x.dtype):
        return None
    axes = (dim % len(x.shape),)
    x = context.cheap(x)
    made = Exponentials(context, x, axes, safe)
    raised = made.raised()
    if not logarithm:
        # The exponentials are stored once rather than computed twice.
        raised = context.stored(raised)
        return made.divided(raised, made.sums(raised))
    sums = made.sums(raised)
    logs = context.stored(context.each(lambda ops, total: ops.function("log", total), sums))
    return context.map(
        x.shape, x.dtype,
        lambda ops, indices: ops.sub(made.shifted(ops, indices), logs.at(ops, without(indices, axes))),
    )  # fmt: skip


def logsumexp(context: Context, x: Lowered, dims: Sequence[int], keepdim: bool) -> Lowered | None:
    """Lower ``log Σ exp(x - max) + max``; where the largest is infinite, nothing is subtracted."""
    if 0 in x.shape or not is_float(x.dtype) or x.dtype != computing(x.dtype):
        return None
    axes = tuple(d % len(x.shape) for d in dims) if x.shape else ()
    x = context.cheap(x)
    largest = context.reduction(x, axes, "maximum", x.dtype)

    def base(ops: Handler, kept: Indices) -> Any:
        found = largest.at(ops, kept)
        endless = ops.eq(ops.abs(found), ops.constant(np.inf, x.dtype))
        return ops.select(endless, ops.constant(0, x.dtype), found)

    def raised(ops: Handler, indices: Indices) -> Any:
        return ops.function("exp", ops.sub(x.at(ops, indices), base(ops, without(indices, axes))))

    sums = context.reduction(x, axes, "sum", x.dtype, raised)
    logs = context.map(
        sums.shape, x.dtype,
        lambda ops, kept: ops.add(ops.function("log", sums.at(ops, kept)), base(ops, kept)),
    )  # fmt: skip
    return _shaped(logs, x, axes, keepdim)


def moments(
    context: Context, x: Lowered, dims: Sequence[int] | None, correction: float
) -> tuple[Lowered, Lowered]:
    """Return (variance in float64, as torch has it; mean) over axes, without the axes."""
    axes = _axes(x, dims)
    x = context.cheap(x)
    count = prod(x.shape[a] for a in axes)
    mean = context.stored(total(context, x, axes, False, x.dtype, True))

    def distance(ops: Handler, indices: Indices) -> Any:
        return ops.cast(ops.sub(x.at(ops, indices), mean.at(ops, without(indices, axes))), _F64)

    def square(ops: Handler, indices: Indices) -> Any:
        return ops.mul(distance(ops, indices), distance(ops, indices))

    def without_rounding(ops: Handler, squares: object, rest: object) -> Any:
        share = ops.div(ops.mul(rest, rest), ops.constant(max(count, 1), _F64))
        return ops.maximum(ops.sub(squares, share), ops.constant(0, _F64))

    # The mean is rounded: Σd² − (Σd)²/n is 0 of equal elements.
    squares = context.reduction(x, axes, "sum", _F64, square)
    squares = context.each(without_rounding, squares, context.reduction(x, axes, "sum", _F64, distance))
    return _divided(context, squares, max(count - correction, 0)), mean


def variance(
    context: Context, x: Lowered, dims: Sequence[int] | None, correction: float, keepdim: bool,
    root: bool = False,
) -> list[Lowered] | None:  # fmt: skip
    """Lower a variance, or its root, with the mean where that is asked for."""
    if (dtype := context.results[0][1]) != computing(dtype):
        return None
    wide, mean = moments(context, x, dims, correction)
    found = context.each(lambda ops, v: ops.cast(ops.sqrt(v) if root else v, dtype), wide, dtype=dtype)
    return [copied(v, s) for v, (s, _) in zip((found, mean), context.results, strict=False)]


def product(context: Context, x: Lowered, dim: int | None = None, keepdim: bool = False) -> Lowered | None:
    """Lower the product along an axis, or of all elements."""
    dtype = context.results[0][1]
    if dtype != x.dtype or dtype != computing(dtype) or dtype.kind == "b":
        return None
    axes = tuple(range(len(x.shape))) if dim is None else (dim % len(x.shape),) if x.shape else ()
    return _shaped(context.reduction(x, axes, "prod", dtype), x, axes, keepdim)


def total_without_nan(context: Context, x: Lowered, dims: Sequence[int], keepdim: bool) -> Lowered | None:
    """Lower the sum of what is not NaN."""
    dtype = context.results[0][1]
    if dtype != x.dtype or dtype != computing(dtype) or not is_float(dtype):
        return None

    def body(ops: Handler, indices: Indices) -> Any:
        value = x.at(ops, indices)
        return ops.select(ops.ne(value, value), ops.constant(0, dtype), value)

    axes = _axes(x, dims)
    return _shaped(context.reduction(x, axes, "sum", dtype, body), x, axes, keepdim)


def count_of_others(context: Context, x: Lowered, dims: Sequence[int]) -> Lowered:
    """Lower how many elements are not 0."""
    dtype = context.results[0][1]

    def body(ops: Handler, indices: Indices) -> Any:
        value = x.at(ops, indices)
        return ops.cast(ops.ne(value, ops.constant(0, x.dtype)), dtype)

    return context.reduction(x, _axes(x, dims), "sum", dtype, body)


def norm(context: Context, x: Lowered, order: float, dims: Sequence[int], keepdim: bool) -> Lowered | None:
    """Lower ``(Σ|x|^order)^(1/order)``, and what it is at 0, ∞ and −∞."""
    dtype = x.dtype
    if not is_float(dtype) or dtype != computing(dtype) or context.results[0][1] != dtype:
        return None
    axes = _axes(x, dims)

    def body(ops: Handler, indices: Indices) -> Any:
        value = x.at(ops, indices)
        if order == 2:
            return ops.mul(value, value)
        if order == 0:
            return ops.cast(ops.ne(value, ops.constant(0, dtype)), dtype)
        size = ops.abs(value)
        if order == 1 or np.isinf(order):
            return size
        return ops.function("pow", size, ops.constant(order, dtype))

    if order == 2 and x.cost > 1:
        x = context.stored(x)
    combine = "sum" if not np.isinf(order) else "maximum" if order > 0 else "minimum"
    found = context.reduction(x, axes, combine, dtype, body)
    if order == 2:
        found = context.each(lambda ops, value: ops.sqrt(value), found)
    elif order not in (0, 1) and not np.isinf(order):
        root = 1 / order
        found = context.each(lambda ops, v: ops.function("pow", v, ops.constant(root, dtype)), found)
    return _shaped(found, x, axes, keepdim)


LOWERINGS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("amax", "max_all"), partial(extreme, word="maximum")),
    **dict.fromkeys(("amin", "min_all"), partial(extreme, word="minimum")),
    **dict.fromkeys(("mean", "mean_all"), partial(totals, mean=True)),
    **dict.fromkeys(("norm_dims", "vector_norm"), norm),
    **dict.fromkeys(("prod", "prod_all"), product),
    **dict.fromkeys(("std", "std_mean"), partial(variance, root=True)),
    **dict.fromkeys(("sum", "sum_all"), partial(totals, mean=False)),
    **dict.fromkeys(("var", "var_mean"), variance),
    **{word: partial(truth, word=word) for word in ("all", "any")},
    "count_nonzero": count_of_others, "logsumexp": logsumexp, "nansum": total_without_nan,
    "log_softmax": partial(softmax, logarithm=True), "safe_softmax": partial(softmax, safe=True),
    "softmax": softmax,
}  # fmt: skip
