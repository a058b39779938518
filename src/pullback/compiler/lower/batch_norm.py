"""Batch normalisation, forward and backward: sums over images and places, then one map over the elements.

As eager computes it (`array.batch_norm`): statistics in two passes, and what depends on the channel alone
once for each channel.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from ..emit.scalars import computing
from .context import Context
from .handlers import Handler
from .index import Indices
from .lowered import Lowered
from .views import copied

#: Images and places of ``(N, C, places)``.
_AXES = (0, 2)


class _Channels:
    """Values of the shape of x as ``(N, C, places)``, and values of channels ``(C,)``."""

    def __init__(self, context: Context, x: Lowered) -> None:
        self.context, self.dtype = context, x.dtype
        self.shape = (x.shape[0], x.shape[1], prod(x.shape[2:]))
        self.count = self.shape[0] * self.shape[2]
        self.x = self.placed(x)

    def placed(self, x: Lowered) -> Lowered:
        """Return a value in this shape, stored where it costs something to read it again."""
        return copied(self.context.cheap(x), self.shape)

    def sum(self, x: Lowered, body: Callable[[Any, Indices], Any]) -> Lowered:
        """Return the sum for each channel."""
        return self.context.reduction(x, _AXES, "sum", self.dtype, body)

    def of_channels(self, compute: Callable[..., Any], *values: Lowered) -> Lowered:
        """Return a number of each channel, stored."""
        return self.context.stored(self.context.each(compute, *values))

    def share(self, ops: Handler, total: Any) -> Any:
        """Return a channel's sum divided by its number of elements."""
        return ops.div(total, ops.constant(self.count, self.dtype))

    def distance(self, mean: Lowered) -> Callable[[Any, Indices], Any]:
        """Return x − mean."""
        return lambda ops, indices: ops.sub(self.x.at(ops, indices), mean.at(ops, indices[1:2]))

    def statistics(self) -> tuple[Lowered, Lowered]:
        """Return the mean and variance."""
        mean = self.of_channels(self.share, self.sum(self.x, self.x.body))
        distance = self.distance(mean)

        def square(ops: Handler, indices: Indices) -> Any:
            value = distance(ops, indices)
            return ops.mul(value, value)

        return mean, self.of_channels(self.share, self.sum(self.x, square))


def _is_narrow(x: Lowered) -> bool:
    return computing(x.dtype) != x.dtype


def batch_norm(
    context: Context, x: Lowered, weight: Lowered | None, bias: Lowered | None, mean: Lowered | None,
    var: Lowered | None, training: bool, eps: float,
) -> list[Lowered] | None:  # fmt: skip
    """Return ``native_batch_norm``: (out, mean, 1 / √(variance + eps), variance)."""
    if _is_narrow(x) or any(v is not None and v.dtype != x.dtype for v in (weight, bias, mean, var)):
        return None
    channels, dtype, whole = _Channels(context, x), x.dtype, x.shape
    if training or mean is None or var is None:
        mean, var = channels.statistics()
    else:
        mean, var = (channels.of_channels(lambda ops, value: value, v) for v in (mean, var))

    def inverse(ops: Handler, variance: Any) -> Any:
        root = ops.sqrt(ops.add(variance, ops.constant(eps, dtype)))
        return ops.div(ops.constant(1, dtype), root)

    invstd = scale = channels.of_channels(inverse, var)
    if weight is not None:
        scale = channels.of_channels(lambda ops, r, w: ops.mul(r, w), invstd, weight)

    def shifted(ops: Handler, m: object, s: object, *b: Any) -> Any:
        product = ops.mul(m, s)
        return ops.sub(b[0], product) if b else ops.neg(product)

    shift = channels.of_channels(shifted, mean, scale, *([] if bias is None else [bias]))

    def body(ops: Handler, indices: Indices) -> Any:
        channel = indices[1:2]
        product = ops.mul(channels.x.at(ops, indices), scale.at(ops, channel))
        return ops.add(product, shift.at(ops, channel))

    return [copied(context.map(channels.shape, dtype, body), whole), mean, invstd, var]


def batch_norm_backward(
    context: Context, g: Lowered, x: Lowered, weight: Lowered | None, mean: Lowered, invstd: Lowered,
    training: bool, eps: float,
) -> list[Lowered] | None:  # fmt: skip
    """Return ``native_batch_norm_backward``: covectors of x, weight and bias."""
    if _is_narrow(x) or any(v is not None and v.dtype != x.dtype for v in (g, weight, mean, invstd)):
        return None
    channels, dtype, whole = _Channels(context, x), x.dtype, x.shape
    g = channels.placed(g)
    distance = channels.distance(mean)
    totals = channels.sum(g, g.body)
    products = channels.sum(g, lambda ops, i: ops.mul(distance(ops, i), g.at(ops, i)))
    in_weight = channels.of_channels(lambda ops, p, r: ops.mul(p, r), products, invstd)
    scale = invstd
    if weight is not None:
        scale = channels.of_channels(lambda ops, r, w: ops.mul(r, w), invstd, weight)

    def sloped(ops: Handler, s: object, r: object, p: object) -> Any:
        return ops.neg(channels.share(ops, ops.mul(ops.mul(s, r), p)))

    def levelled(ops: Handler, s: object, t: object, k: object, m: object) -> Any:
        return ops.neg(ops.add(channels.share(ops, ops.mul(s, t)), ops.mul(k, m)))

    slope = channels.of_channels(sloped, scale, invstd, in_weight)
    level = channels.of_channels(levelled, scale, totals, slope, mean)

    def body(ops: Handler, indices: Indices) -> Any:
        channel = indices[1:2]
        value = ops.mul(g.at(ops, indices), scale.at(ops, channel))
        if not training:
            return value
        x = ops.mul(channels.x.at(ops, indices), slope.at(ops, channel))
        return ops.add(value, ops.add(x, level.at(ops, channel)))

    in_x = copied(context.map(channels.shape, dtype, body), whole)
    return [in_x, in_weight, totals]


LOWERINGS: dict[str, Callable[..., list[Lowered] | None]] = {
    "native_batch_norm": batch_norm,
    "native_batch_norm_backward": batch_norm_backward,
}
