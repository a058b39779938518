"""Layer and group normalisation, forward and backward, in passes over the rows that share statistics.

With z = (x - mean)·rstd and h = g·weight the covector of x is rstd · (h - mean(h) - z·mean(h·z)). The
statistics are taken in two passes over a row, as eager takes them: Σ x² - (Σ x)² would lose digits.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from ..emit.scalars import computing
from .context import Context
from .handlers import Handler
from .index import Indices
from .lowered import Lowered, Shape
from .reductions import without
from .views import copied

#: Indices into the weight for indices into x.
Affine = Callable[[Indices], Indices]


class _Rows:
    """Values of one shape whose rows, along `axes`, share statistics."""

    def __init__(self, context: Context, shape: Shape, axes: tuple[int, ...], affine: Affine) -> None:
        self.context = context
        self.shape = shape
        self.axes = axes
        self.affine = affine
        self.length = prod(shape[a] for a in axes)
        self.lead = tuple(n for a, n in enumerate(shape) if a not in axes)

    def held(self, x: Lowered) -> Lowered:
        """Return a value in this shape that is cheap to read again."""
        return copied(self.context.cheap(x), self.shape)

    def of_rows(self, x: Lowered) -> Callable[[Any, Indices], Any]:
        """Return what reads a row's value for an element."""
        rows = copied(x, self.lead)
        return lambda ops, indices: rows.at(ops, without(indices, self.axes))

    def weighed(self, x: Lowered, weight: Lowered | None) -> Callable[[Any, Indices], Any]:
        """Return what reads x times its weight, in the dtype that it is computed in."""
        dtype = computing(x.dtype)

        def body(ops: Handler, indices: Indices) -> Any:
            value = ops.cast(x.at(ops, indices), dtype)
            if weight is None:
                return value
            return ops.mul(value, ops.cast(weight.at(ops, self.affine(indices)), dtype))

        return body

    def statistics(self, x: Lowered, eps: float) -> tuple[Lowered, Lowered]:
        """Return (mean, 1 / √(variance + eps)) of each row."""
        context, dtype = self.context, computing(x.dtype)
        sums = context.reduction(x, self.axes, "sum", dtype)

        def share(ops: Handler, total: Any) -> Any:
            return ops.div(total, ops.constant(self.length, dtype))

        mean = context.stored(context.each(share, sums))

        def square(ops: Handler, indices: Indices) -> Any:
            value = ops.cast(x.at(ops, indices), dtype)
            distance = ops.sub(value, mean.at(ops, without(indices, self.axes)))
            return ops.mul(distance, distance)

        squares = context.reduction(x, self.axes, "sum", dtype, square)

        def inverse(ops: Handler, total: Any) -> Any:
            root = ops.sqrt(ops.add(share(ops, total), ops.constant(eps, dtype)))
            return ops.div(ops.constant(1, dtype), root)

        return mean, context.stored(context.each(inverse, squares))

    def forward(
        self, x: Lowered, weight: Lowered | None, bias: Lowered | None, eps: float, result: Shape,
        folded: bool = False,
    ) -> list[Lowered]:  # fmt: skip
        """Return (out, mean, rstd); `folded`: what is added has each row's mean in it, as in torch."""
        whole = x.shape
        x = self.held(x)
        dtype = computing(x.dtype)
        mean, rstd = self.statistics(x, eps)

        def body(ops: Handler, indices: Indices) -> Any:
            row = without(indices, self.axes)
            value = ops.cast(x.at(ops, indices), dtype)
            if folded:
                scale = rstd.at(ops, row)
                if weight is not None:
                    scale = ops.mul(scale, ops.cast(weight.at(ops, self.affine(indices)), dtype))
                shift = ops.neg(ops.mul(scale, mean.at(ops, row)))
                if bias is not None:
                    shift = ops.add(ops.cast(bias.at(ops, self.affine(indices)), dtype), shift)
                return ops.cast(ops.add(ops.mul(value, scale), shift), x.dtype)
            value = ops.mul(ops.sub(value, mean.at(ops, row)), rstd.at(ops, row))
            if weight is not None:
                value = ops.mul(value, ops.cast(weight.at(ops, self.affine(indices)), dtype))
            if bias is not None:
                value = ops.add(value, ops.cast(bias.at(ops, self.affine(indices)), dtype))
            return ops.cast(value, x.dtype)

        out = copied(self.context.map(self.shape, x.dtype, body), whole)
        return [out, copied(mean, result), copied(rstd, result)]

    def backward(
        self, g: Lowered, x: Lowered, weight: Lowered | None, mean: Lowered, rstd: Lowered,
        over: tuple[int, ...], shape: Shape,
    ) -> list[Lowered]:  # fmt: skip
        """Return covectors of x, weight and bias; `over` are the axes along which weights are repeated."""
        context, whole = self.context, x.shape
        g, x = self.held(g), self.held(x)
        dtype = computing(x.dtype)
        mean_of, rstd_of = self.of_rows(mean), self.of_rows(rstd)
        h = self.weighed(g, weight)
        plain = self.weighed(g, None)

        def z(ops: Handler, indices: Indices) -> Any:
            value = ops.sub(ops.cast(x.at(ops, indices), dtype), mean_of(ops, indices))
            return ops.mul(value, rstd_of(ops, indices))

        def along(ops: Handler, indices: Indices) -> Any:
            return ops.mul(h(ops, indices), z(ops, indices))

        def product(ops: Handler, indices: Indices) -> Any:
            return ops.mul(plain(ops, indices), z(ops, indices))

        sums = context.reduction(g, self.axes, "sum", dtype, h)
        products = context.reduction(g, self.axes, "sum", dtype, along)
        of_weight = context.reduction(g, over, "sum", dtype, product)
        of_bias = context.reduction(g, over, "sum", dtype, plain)

        def body(ops: Handler, indices: Indices) -> Any:
            row = without(indices, self.axes)
            share = ops.constant(1 / self.length, dtype)
            inner = ops.add(sums.at(ops, row), ops.mul(z(ops, indices), products.at(ops, row)))
            value = ops.sub(h(ops, indices), ops.mul(inner, share))
            return ops.cast(ops.mul(value, rstd_of(ops, indices)), x.dtype)

        in_x = copied(context.map(self.shape, x.dtype, body), whole)
        return [in_x, *(copied(context.cast(v, x.dtype), shape) for v in (of_weight, of_bias))]


def _layers(context: Context, shape: Shape, axes: int) -> _Rows:
    lead = len(shape) - axes
    return _Rows(context, shape, tuple(range(lead, len(shape))), lambda indices: indices[lead:])


def _groups(context: Context, shape: Shape, groups: int) -> _Rows:
    each = shape[1] // groups
    split = (shape[0], groups, each, prod(shape[2:]))
    return _Rows(context, split, (2, 3), lambda indices: (indices[1] * each + indices[2],))


def layer_norm(
    context: Context, x: Lowered, weight: Lowered | None, bias: Lowered | None, axes: int, eps: float
) -> list[Lowered]:
    """Lower ``native_layer_norm``."""
    return _layers(context, x.shape, axes).forward(x, weight, bias, eps, context.results[1][0])


def layer_norm_backward(
    context: Context, g: Lowered, x: Lowered, weight: Lowered | None, mean: Lowered, rstd: Lowered,
    bias: Lowered | None, axes: int, eps: float
) -> list[Lowered]:
    """Lower ``native_layer_norm_backward``."""
    over = tuple(range(len(x.shape) - axes))
    return _layers(context, x.shape, axes).backward(g, x, weight, mean, rstd, over, context.results[1][0])


def group_norm(
    context: Context, x: Lowered, weight: Lowered | None, bias: Lowered | None, groups: int, eps: float
) -> list[Lowered]:
    """Lower ``native_group_norm``."""
    return _groups(context, x.shape, groups).forward(x, weight, bias, eps, context.results[1][0], folded=True)


def group_norm_backward(
    context: Context, g: Lowered, x: Lowered, weight: Lowered | None, mean: Lowered, rstd: Lowered,
    groups: int, eps: float
) -> list[Lowered]:
    """Lower ``native_group_norm_backward``."""
    return _groups(context, x.shape, groups).backward(g, x, weight, mean, rstd, (0, 3), context.results[1][0])


LOWERINGS: dict[str, Callable[..., list[Lowered]]] = {
    "native_layer_norm": layer_norm,
    "native_layer_norm_backward": layer_norm_backward,
    "native_group_norm": group_norm,
    "native_group_norm_backward": group_norm_backward,
}
