"""The negative log-likelihood, without a gather: a class's score is met while its row is passed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..index import Indices
from ..lowered import Lowered
from .context import Context

INT64 = np.dtype(np.int64)


def nll_loss(
    context: Context, x: Lowered, target: Lowered, weight: Lowered | None, reduction: str, ignore_index: int
) -> Lowered | None:
    """``-Σ_n x[n, target[n]] / N`` for scores of two axes without weights; None otherwise."""
    if weight is not None or len(x.shape) != 2 or reduction == "none" or ignore_index >= 0:
        return None

    def hit(ops: Any, indices: Indices) -> Any:
        here = ops.index(indices[1], target.dtype)
        found = ops.eq(here, target.at(ops, indices[:1]))
        return ops.select(found, ops.neg(x.at(ops, indices)), ops.constant(0, x.dtype))

    rows = context.reduction(x, (1,), "sum", x.dtype, hit)
    loss = context.reduction(rows, (0,), "sum", x.dtype)
    if reduction == "sum":
        return loss
    count = _counted(context, target, x.dtype, ignore_index)
    return context.map(
        (), x.dtype, lambda ops, indices: ops.div(loss.at(ops, indices), count.at(ops, indices))
    )


def _counted(context: Context, target: Lowered, dtype: np.dtype[Any], ignore_index: int) -> Lowered:
    """How many targets count."""

    def counts(ops: Any, indices: Indices) -> Any:
        kept = ops.ne(target.at(ops, indices), ops.constant(ignore_index, target.dtype))
        return ops.cast(kept, dtype)

    return context.reduction(target, (0,), "sum", dtype, counts)


def nll_loss_backward(
    context: Context, g: Lowered, target: Lowered, weight: Lowered | None, shape: tuple[int, ...],
    reduction: str, ignore_index: int,
) -> Lowered | None:  # fmt: skip
    """The covector of the scores: ``-g / N`` at each row's class, zero elsewhere."""
    if weight is not None or len(shape) != 2 or reduction == "none" or ignore_index >= 0:
        return None
    share = g
    if reduction == "mean":
        count = _counted(context, target, g.dtype, ignore_index)
        share = context.stored(
            context.map((), g.dtype, lambda ops, indices: ops.div(g.at(ops, ()), count.at(ops, ())))
        )

    def body(ops: Any, indices: Indices) -> Any:
        here = ops.index(indices[1], target.dtype)
        found = ops.eq(here, target.at(ops, indices[:1]))
        return ops.select(found, ops.neg(share.at(ops, ())), ops.constant(0, g.dtype))

    return context.map(shape, g.dtype, body)
