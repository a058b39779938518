"""The negative log-likelihood. A class's score is met while its row is passed: no gather is needed.

So the loss runs in the same loop as the softmax before it, whose scores are then never stored.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.op import TABLE, Op
from ..emit.scalars import computing
from .context import Context, broadcast
from .elementwise import Unwritten, run
from .gathers import place
from .handlers import Handler
from .index import Indices
from .lowered import Lowered, Shape
from .reductions import total
from .refusals import require_probabilities


class _Classes:
    """Targets of scores of a shape: classes are axis 1, or axis 0 of a vector."""

    def __init__(
        self, context: Context, shape: Shape, target: Lowered, weight: Lowered | None, dtype: np.dtype[Any],
        ignore_index: int,
    ) -> None:  # fmt: skip
        self.context = context
        self.shape = shape
        self.dim = min(len(shape) - 1, 1)
        self.target = context.cheap(target)
        self.weight = weight
        self.dtype = dtype
        self.ignore_index = ignore_index

    def counts(self, ops: Handler, row: Indices) -> Any:
        """Return whether a row is not ignored."""
        target = self.target
        return ops.ne(target.at(ops, row), ops.constant(self.ignore_index, target.dtype))

    def share(self, ops: Handler, row: Indices) -> Any:
        """Return the weight of a row: its class's, or zero where it is ignored."""
        weight = ops.constant(1, self.dtype)
        if self.weight is not None:
            at = place(ops, self.target.at(ops, row), self.weight.shape[0])
            weight = ops.cast(self.weight.at(ops, (at,)), self.dtype)
        return ops.select(self.counts(ops, row), weight, ops.constant(0, self.dtype))

    def row(self, indices: Indices) -> Indices:
        """Return indices into the target for indices into the scores."""
        return (*indices[: self.dim], *indices[self.dim + 1 :])

    def hit(self, ops: Handler, indices: Indices) -> Any:
        """Return whether a score is that of its row's class."""
        here = ops.index(indices[self.dim], self.target.dtype)
        return ops.eq(here, self.target.at(ops, self.row(indices)))

    def total(self) -> Lowered:
        """Return the weights of all rows together."""
        rows = self.target
        return self.context.reduction(rows, range(len(rows.shape)), "sum", self.dtype, self.share)


def nll_loss(
    context: Context, x: Lowered, target: Lowered, weight: Lowered | None, reduction: str, ignore_index: int
) -> Lowered | None:
    """Return ``-Σ_n w[target[n]]·x[n, target[n]]``, each, in all or over the sum of the weights."""
    if target.dtype.kind not in "iu" or not x.shape:
        return None
    dtype = computing(x.dtype)
    classes = _Classes(context, x.shape, target, weight, dtype, ignore_index)
    context.require(classes.target, x.shape[classes.dim], ignored=ignore_index)

    def hit(ops: Handler, indices: Indices) -> Any:
        score = ops.neg(ops.cast(x.at(ops, indices), dtype))
        return ops.select(classes.hit(ops, indices), score, ops.constant(0, dtype))

    found = context.reduction(x, (classes.dim,), "sum", dtype, hit)

    def weighed(ops: Handler, indices: Indices) -> Any:
        counted = ops.mul(found.at(ops, indices), classes.share(ops, indices))
        # A score that is ignored does not count even where it is infinite.
        return ops.select(classes.counts(ops, indices), counted, ops.constant(0, dtype))

    rows = context.map(found.shape, dtype, weighed)
    if reduction == "none":
        return context.cast(rows, x.dtype)
    loss = context.reduction(rows, range(len(rows.shape)), "sum", dtype)
    if reduction == "mean":
        loss = context.each(lambda ops, total, count: ops.div(total, count), loss, classes.total())
    return context.cast(loss, x.dtype)


def nll_loss_backward(
    context: Context, g: Lowered, target: Lowered, weight: Lowered | None, shape: tuple[int, ...],
    reduction: str, ignore_index: int,
) -> Lowered | None:  # fmt: skip
    """Return the covector of the scores: ``-g·w`` at each row's class, zero elsewhere."""
    if target.dtype.kind not in "iu" or not shape or computing(g.dtype) != g.dtype:
        return None
    classes = _Classes(context, shape, target, weight, g.dtype, ignore_index)
    context.require(classes.target, shape[classes.dim], ignored=ignore_index)
    if reduction == "none":
        g = context.cheap(g)
    elif reduction == "mean":
        g = context.stored(context.each(lambda ops, given, count: ops.div(given, count), g, classes.total()))

    def body(ops: Handler, indices: Indices) -> Any:
        row = classes.row(indices)
        own, given = classes.share(ops, row), g.at(ops, row if reduction == "none" else ())
        zero = ops.constant(0, g.dtype)
        value = ops.select(ops.ne(own, zero), ops.neg(ops.mul(given, own)), zero)
        return ops.select(classes.hit(ops, indices), value, zero)

    return context.map(shape, g.dtype, body)


def nll_weights(
    context: Context, target: Lowered, weight: Lowered | None, ignore_index: int, dtype: np.dtype[Any]
) -> Lowered:
    """Return the weight of each target's class; zero where it is ignored."""
    classes = _Classes(context, (), target, weight, dtype, ignore_index)
    if weight is not None:
        context.require(classes.target, weight.shape[0], ignored=ignore_index)
    return context.map(target.shape, dtype, classes.share)


def pairs(op: Op, context: Context, *given: Any) -> Lowered | None:
    """Lower a loss of pairs, each, in all or on average, by its kernel for arrays."""
    operands, (*attrs, reduction) = given[: len(op.inputs)], given[len(op.inputs) :]
    dtype = context.results[0][1]
    there = [o for o in operands if o is not None]
    if any(o.dtype != dtype for o in there) or dtype != computing(dtype) or dtype.kind != "f":
        return None
    shape = np.broadcast_shapes(*(o.shape for o in there))
    bodies = [None if o is None else broadcast(o, shape) for o in operands]

    def body(ops: Handler, indices: Indices) -> Any:
        values = (None if b is None else b(ops, indices) for b in bodies)
        return run(op.each, ops, *values, *attrs)

    try:
        each = context.map(shape, dtype, body)
    except Unwritten:
        return None
    return each if reduction == "none" else total(context, each, None, False, dtype, reduction == "mean")


def binary_cross_entropy(context: Context, x: Lowered, *given: Any) -> Lowered | None:
    """Lower ``binary_cross_entropy``, which refuses what is no probability."""
    require_probabilities(context, x)
    return pairs(TABLE["binary_cross_entropy"], context, x, *given)


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    "binary_cross_entropy": binary_cross_entropy,
    "nll_loss": nll_loss,
    "nll_loss_backward": nll_loss_backward,
    "nll_weights": nll_weights,
}
