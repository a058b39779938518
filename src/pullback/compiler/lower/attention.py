"""Scaled dot-product attention: two products, and the softmax between them in one pass over each row."""

import math
from typing import Any

from ...ops.attention import are_apart, stretches
from .context import INT64, Context, broadcast
from .contractions import DTYPES, swapped
from .handlers import Handler
from .index import Indices
from .lowered import Lowered
from .reductions import Exponentials
from .routines import joined


def attention(
    context: Context, query: Lowered, key: Lowered, value: Lowered, mask: Lowered | None, dropout: float,
    is_causal: bool, scale: float | None,
) -> list[Lowered] | None:  # fmt: skip
    """Return (output, logarithm of each divisor) of ``softmax(query @ keyᵀ · scale + mask) @ value``."""
    given = (query, key, value)
    if any(x.dtype != query.dtype or x.dtype not in DTYPES for x in given) or len(query.shape) < 3:
        return None
    if query.shape[:-2] != key.shape[:-2] or key.shape[:-2] != value.shape[:-2]:
        return None
    if are_apart(query.shape, key.shape[-2]):
        return None
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    if len(parts := stretches(query.shape[-2], key.shape[-2], is_causal and mask is None)) > 1:
        query, key, value = (context.multiplied(x) for x in given)
    found = []
    for first, beyond, keys in parts:
        own = _rows(query, first, beyond), _rows(key, 0, keys), _rows(value, 0, keys)
        found.append(_stretch(context, *own, mask, first if is_causal else None, factor))
    outputs, logarithms = zip(*found)
    last = len(query.shape) - 2
    return [x[0] if len(parts) == 1 else joined(context, x, last) for x in (outputs, logarithms)]


def _rows(x: Lowered, first: int, beyond: int) -> Lowered:
    """Return a stretch of rows."""
    if beyond - first == x.shape[-2]:
        return x
    shape = (*x.shape[:-2], beyond - first, x.shape[-1])
    return x.rearranged(shape, lambda at: (*at[:-2], at[-2] + first, at[-1]))


def _stretch(
    context: Context, query: Lowered, key: Lowered, value: Lowered, mask: Lowered | None, first: int | None,
    factor: float,
) -> tuple[Lowered, Lowered]:  # fmt: skip
    """Return the output and logarithms of a stretch of queries; of causal ones the place of the `first`."""
    dtype, scores = query.dtype, context.product(query, swapped(key), query.dtype)
    added = None if mask is None else broadcast(mask, scores.shape)

    def masked(ops: Handler, at: Indices) -> Any:
        score = ops.mul(scores.at(ops, at), ops.constant(factor, dtype))
        hidden = ops.constant(-math.inf, dtype)
        if first is not None:
            seen = ops.le(ops.index(at[-1], INT64), ops.index(at[-2] + first, INT64))
            score = ops.select(seen, score, hidden)
        if mask is not None and added is not None:
            if mask.dtype.kind == "b":
                return ops.select(added(ops, at), score, hidden)
            score = ops.add(score, ops.cast(added(ops, at), dtype))
        return score

    # Masking costs less than storing what it gives, so it is done again by each pass over a row.
    last = len(scores.shape) - 1
    made = Exponentials(context, Lowered(scores.shape, dtype, masked, cost=1), (last,), True)
    raised = context.stored(made.raised())
    sums = made.sums(raised)
    output = context.product(made.divided(raised, sums), value, dtype)

    def logarithm(ops: Handler, at: Indices) -> Any:
        total = sums.at(ops, at)
        blind = ops.eq(total, ops.constant(0, dtype))
        found = ops.add(made.base(ops, at), ops.function("log", total))
        return ops.select(blind, ops.constant(math.inf, dtype), found)

    return output, context.map(sums.shape, dtype, logarithm)
