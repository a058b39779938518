"""Refusals of a program because of its numbers: what is no probability, and weights that say nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..emit.scalars import computing
from .context import BOOL, Context
from .handlers import Handler
from .index import Indices
from .lowered import Lowered


def require_probabilities(context: Context, x: Lowered) -> None:
    """Let the program refuse its results where a number is not between 0 and 1."""
    context.refuse(_any(context, x, lambda ops, value: _outside(ops, value, ops.le, 1)))


def _outside(ops: Handler, value: Any, order: Callable[..., Any], limit: float) -> Any:
    """Return whether a number is below 0 or not in an order with a limit; nan is in none."""
    dtype = value.dtype
    within = ops.and_(ops.ge(value, ops.constant(0, dtype)), order(value, ops.constant(limit, dtype)))
    return ops.not_(within)


def _any(context: Context, x: Lowered, is_so: Callable[..., Any]) -> Lowered:
    """Return whether anything is so of any number of a value."""

    def body(ops: Handler, indices: Indices) -> Any:
        return is_so(ops, x.at(ops, indices))

    return context.reduction(x, range(len(x.shape)), "any", BOOL, body)


def probabilities(context: Context, q: Lowered) -> Lowered | None:
    """Lower numbers that are probabilities."""
    if q.dtype.kind != "f" or q.dtype != computing(q.dtype):
        return None
    q = context.cheap(q)
    require_probabilities(context, q)
    return q


def variances(context: Context, var: Lowered) -> Lowered | None:
    """Lower numbers of which none is negative."""
    if var.dtype.kind != "f" or var.dtype != computing(var.dtype):
        return None
    var = context.cheap(var)
    context.refuse(_any(context, var, lambda ops, value: ops.lt(value, ops.constant(0, var.dtype))))
    return var


def drawn_from(context: Context, p: Lowered) -> Lowered | None:
    """Lower weights of which something is drawn: finite, and each row with one above 0."""
    if not p.shape or p.dtype.kind != "f" or p.dtype != computing(p.dtype):
        return None
    p = context.cheap(p)
    context.refuse(_any(context, p, lambda ops, value: _outside(ops, value, ops.lt, np.inf)))
    above = context.each(lambda ops, value: ops.gt(value, ops.constant(0, p.dtype)), p, dtype=BOOL)
    filled = context.reduction(above, (len(p.shape) - 1,), "any", BOOL)
    context.refuse(_any(context, filled, lambda ops, value: ops.not_(value)))
    return p


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    "drawn_from": drawn_from, "probabilities": probabilities, "variances": variances
}  # fmt: skip
