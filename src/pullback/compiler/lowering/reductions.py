"""Sums, means, extremes and what is built of them: softmax and normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..index import Indices
from ..lowered import Lowered, Shape
from .context import Context
from .views import copied


def _axes(x: Lowered, dims: Sequence[int] | None) -> tuple[int, ...]:
    """A reduction's axes: all when none are named."""
    return tuple(range(len(x.shape))) if dims is None else tuple(dims)


def _shaped(value: Lowered, x: Lowered, axes: Sequence[int], keepdim: bool) -> Lowered:
    if not keepdim:
        return value
    return copied(value, tuple(1 if a in axes else n for a, n in enumerate(x.shape)))


def without(indices: Indices, axes: Sequence[int]) -> Indices:
    """Indices into a reduction's result for indices into what it reduces."""
    return tuple(i for a, i in enumerate(indices) if a not in axes)


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
    def body(ops: Any, indices: Indices) -> Any:
        return ops.div(x.at(ops, indices), ops.constant(count, x.dtype))

    return context.map(x.shape, x.dtype, body)


def extreme(context: Context, x: Lowered, dims: Sequence[int] | None, keepdim: bool, word: str) -> Lowered:
    """Largest or smallest element over axes; NaN where there is one."""
    axes = _axes(x, dims)
    return _shaped(context.reduction(x, axes, word, x.dtype), x, axes, keepdim)


def truth(context: Context, x: Lowered, dims: Sequence[int] | None, keepdim: bool, word: str) -> Lowered:
    """Whether ``"any"`` element, or ``"all"``, is not zero over axes."""
    axes = _axes(x, dims)

    def body(ops: Any, indices: Indices) -> Any:
        value = x.at(ops, indices)
        return ops.ne(value, ops.constant(0, x.dtype))

    return _shaped(context.reduction(x, axes, word, np.dtype(bool), body), x, axes, keepdim)


def softmax(context: Context, x: Lowered, dim: int, logarithm: bool, safe: bool = False) -> Lowered:
    """``exp(x - max) / Σ exp(x - max)``, or its logarithm; if `safe`, zeros where a row is -∞ throughout."""
    axes = (dim % max(len(x.shape), 1),) if x.shape else ()
    if x.cost > 1:
        x = context.stored(x)
    largest = context.reduction(x, axes, "maximum", x.dtype)

    def shifted(ops: Any, indices: Indices) -> Any:
        base = largest.at(ops, without(indices, axes))
        if safe:
            blind = ops.eq(base, ops.constant(-np.inf, x.dtype))
            base = ops.select(blind, ops.constant(0, x.dtype), base)
        return ops.sub(x.at(ops, indices), base)

    def exponential(ops: Any, indices: Indices) -> Any:
        return ops.function("exp", shifted(ops, indices))

    # The exponentials are stored once rather than computed twice.
    raised = context.map(x.shape, x.dtype, exponential)
    if not logarithm:
        raised = context.stored(raised)
    sums = context.reduction(raised, axes, "sum", x.dtype)
    if logarithm:
        logs = context.stored(
            context.map(sums.shape, x.dtype, lambda ops, indices: ops.function("log", sums.at(ops, indices)))
        )
        return context.map(
            x.shape, x.dtype,
            lambda ops, indices: ops.sub(shifted(ops, indices), logs.at(ops, without(indices, axes))),
        )  # fmt: skip

    def inverted(ops: Any, indices: Indices) -> Any:
        total = sums.at(ops, indices)
        inverse = ops.div(ops.constant(1, x.dtype), total)
        if safe:
            zero = ops.constant(0, x.dtype)
            inverse = ops.select(ops.eq(total, zero), zero, inverse)
        return inverse

    inverse = context.stored(context.map(sums.shape, x.dtype, inverted))
    return context.map(
        x.shape, x.dtype,
        lambda ops, indices: ops.mul(raised.at(ops, indices), inverse.at(ops, without(indices, axes))),
    )  # fmt: skip


def moments(
    context: Context, x: Lowered, dims: Sequence[int] | None, correction: float
) -> tuple[Lowered, Lowered]:
    """(variance, mean) over axes, without the axes."""
    axes = _axes(x, dims)
    if x.cost > 1:
        x = context.stored(x)
    count = prod(x.shape[a] for a in axes)
    mean = context.stored(total(context, x, axes, False, x.dtype, True))

    def square(ops: Any, indices: Indices) -> Any:
        distance = ops.sub(x.at(ops, indices), mean.at(ops, without(indices, axes)))
        return ops.mul(distance, distance)

    squares = context.reduction(x, axes, "sum", x.dtype, square)
    return _divided(context, squares, max(count - correction, 0)), mean


def shape_without(shape: Shape, axes: Sequence[int], keepdim: bool) -> Shape:
    """A reduction's shape."""
    if keepdim:
        return tuple(1 if a in axes else n for a, n in enumerate(shape))
    return tuple(n for a, n in enumerate(shape) if a not in axes)
