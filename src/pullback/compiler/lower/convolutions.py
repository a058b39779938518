"""Convolution, its transpose and its weight's covector, and maximum pools, by kernels that are compiled
apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ...array import conv as array_conv
from ...array import conv_products
from ...array.deferred_import import import_later
from ..runtime.shared_kernels import Kernel
from .buffer import Buffer
from .context import Context
from .contractions import DTYPES, swapped
from .handlers import Handler
from .index import Indices
from .lowered import Lowered, Precompiled
from .lowered import Shape as Extents
from .views import copied

if TYPE_CHECKING:
    from ..emit.convolution.plan import Shape
    from ..emit.convolution.pooling import PoolShape

kernels = import_later("..emit.convolution.kernels", __package__)
pooling = import_later("..emit.convolution.pooling", __package__)

Attrs = tuple[Any, ...]


def precompiled(
    context: Context, kernel: Kernel, images: int, operands: Sequence[Lowered | None], *results: Buffer,
    flops: int = 0,
) -> Lowered:
    """Return a step that runs a kernel on stored operands and fills `results`; the first of these."""
    given = [None if o is None else context.stored(o).buffer for o in operands]
    reads = list({b.number: b for b in given if b is not None}.values())
    context.nodes.append(
        Precompiled(
            results[0], reads, kernel=kernel, images=images, operands=(*given, *results), outputs=results,
            flops=flops * images,
        )
    )
    return context.held(results[0])


def _shape(
    way: conv_products.Way, x: Extents, w: Extents, y: Extents, operands: Sequence[Lowered], attrs: Attrs
) -> Shape | None:
    """Return what a kernel needs to know; None where the op's array kernel is a product and takes less."""
    dtype = operands[0].dtype
    if any(o.dtype != dtype for o in operands) or array_conv.as_product(way, x, w, y, dtype, *attrs):
        return None
    stride, padding, dilation, groups = attrs
    one_image = (1, *x[1:]), w, (1, *y[1:])
    found: Shape | None = kernels.shape_of(*one_image, dtype, stride, padding, dilation, groups)
    return found


def _is_cut(x: Extents, w: Extents, y: Extents, operands: Sequence[Lowered], attrs: Attrs) -> bool:
    """Return whether windows lie side by side and cover an image, as the patches of a vision transformer."""
    stride, padding, dilation, groups = attrs
    sides = all(n == k * m and k == s for n, k, m, s in zip(x[2:], w[2:], y[2:], stride, strict=True))
    plain = groups == 1 and not any(padding) and all(d == 1 for d in dilation) and 0 not in (*x, *w)
    dtype = operands[0].dtype
    return sides and plain and dtype in DTYPES and all(o.dtype == dtype for o in operands)


def _patches(context: Context, x: Lowered, windows: Extents) -> Lowered:
    """Return an image's patches, one a row: (N·windows, C·patch)."""
    images, channels, *size = x.shape
    axes = range(len(size))
    split = [n for extent, count in zip(size, windows, strict=True) for n in (count, extent // count)]
    apart = copied(context.cheap(x), (images, channels, *split))

    def place(at: Indices) -> Indices:
        image, *places, channel = at[: len(size) + 2]
        taps = at[len(size) + 2 :]
        return (image, channel, *(i for n in axes for i in (places[n], taps[n])))

    shape = (images, *split[::2], channels, *split[1::2])
    rows = context.stored(apart.rearranged(shape, place))
    return copied(rows, (images * prod(windows), channels * prod(split[1::2])))


def _joined(context: Context, rows: Lowered, result: Extents, windows: Extents) -> Lowered:
    """Return the images whose patches are rows."""
    images, channels, *size = result
    axes = range(len(size))
    patch = [extent // count for extent, count in zip(size, windows, strict=True)]
    apart = copied(context.cheap(rows), (images, *windows, channels, *patch))

    def place(at: Indices) -> Indices:
        image, channel, *pairs = at
        places, taps = ([pairs[2 * n + k] for n in axes] for k in range(2))
        return (image, *places, channel, *taps)

    shape = (images, channels, *(n for both in zip(windows, patch, strict=True) for n in both))
    return copied(context.stored(apart.rearranged(shape, place)), result)


def _as_rows(w: Lowered) -> Lowered:
    return copied(w, (w.shape[0], prod(w.shape[1:])))


def conv(
    context: Context, result: Extents, x: Lowered, w: Lowered, bias: Lowered | None, *attrs: Any
) -> Lowered | None:
    """Return y = conv(x, w) + bias, of the shape `result`; a product where patches lie side by side and no
    kernel is made for their stride (8 images of 3×32×32, patches of 4×4 160 to 50 µs).
    """
    given = [o for o in (x, w, bias) if o is not None]
    if (shape := _shape(conv_products.CORRELATE, x.shape, w.shape, result, given, attrs)) is not None:
        kernel = kernels.correlation(shape, False, bias is not None)
        y = context.buffer(result, x.dtype)
        return precompiled(context, kernel, x.shape[0], (x, w, bias), y, flops=2 * shape.multiplications)
    if not _is_cut(x.shape, w.shape, result, given, attrs):
        return None
    windows = result[2:]
    weights = swapped(_as_rows(context.cheap(w)))
    rows = context.product(_patches(context, x, windows), weights, x.dtype, 1.0)
    apart = copied(rows, (result[0], *windows, result[1]))

    def body(ops: Handler, at: Indices) -> Any:
        value = apart.at(ops, (at[0], *at[2:], at[1]))
        return value if bias is None else ops.add(value, bias.at(ops, (at[1],)))

    return context.map(result, x.dtype, body)


def conv_transpose(
    context: Context, result: Extents, y: Lowered, w: Lowered, bias: Lowered | None, *attrs: Any
) -> Lowered | None:
    """Return x = conv_transpose(y, w) + bias."""
    if (shape := _shape(conv_products.TRANSPOSE, result, w.shape, y.shape, [y, w], attrs[:4])) is not None:
        kernel = kernels.correlation(shape, True, False)
        x = precompiled(
            context, kernel, y.shape[0], (y, w, None), context.buffer(result, y.dtype),
            flops=2 * shape.multiplications,
        )  # fmt: skip
    elif _is_cut(result, w.shape, y.shape, [y, w], attrs[:4]):
        rows = _patches(context, y, y.shape[2:])
        x = _joined(
            context, context.product(rows, _as_rows(context.cheap(w)), y.dtype, 1.0), result, y.shape[2:]
        )
    else:
        return None
    if bias is None:
        return x
    return context.map(
        result, y.dtype,
        lambda ops, indices: ops.add(x.at(ops, indices), bias.at(ops, (indices[1],))),
    )  # fmt: skip


def conv_weight(context: Context, result: Extents, x: Lowered, y: Lowered, *attrs: Any) -> Lowered | None:
    """Return w = conv_weight(x, y)."""
    if (shape := _shape(conv_products.WEIGHT, x.shape, result, y.shape, [x, y], attrs[1:])) is None:
        if not _is_cut(x.shape, result, y.shape, [x, y], attrs[1:]):
            return None
        covectors, patches = (_patches(context, v, y.shape[2:]) for v in (y, x))
        return copied(context.product(swapped(covectors), patches, x.dtype, 1.0), result)
    w = context.buffer(result, x.dtype)
    return precompiled(context, kernels.weight(shape), x.shape[0], (x, y), w, flops=2 * shape.multiplications)


def _pool(x: Extents, y: Extents, dtype: np.dtype, windows: Any) -> PoolShape | None:
    geometry = windows.kernel, windows.stride, windows.padding, windows.dilation
    found: PoolShape | None = pooling.pool_shape(x[2:], y[2:], dtype, *geometry)
    return found


def max_pool(context: Context, x: Lowered, windows: object) -> list[Lowered] | None:
    """Lower a maximum pool, which gives (values, winners)."""
    (out, _), (_, octet) = context.results
    if (shape := _pool(x.shape, out, x.dtype, windows)) is None:
        return None
    winners = context.buffer(out, octet)
    values = precompiled(
        context, pooling.maxima(shape), prod(x.shape[:2]), (x,), context.buffer(out, x.dtype), winners
    )
    return [values, context.held(winners)]


def scatter_windows(
    context: Context, y: Lowered, winners: Lowered, windows: object, size: Extents
) -> Lowered | None:
    """Add covectors to the places of the winners."""
    whole = context.results[0][0]
    if (shape := _pool(whole, y.shape, y.dtype, windows)) is None or winners.dtype != np.uint8:
        return None
    planes = prod(whole[:2])
    return precompiled(context, pooling.spread(shape), planes, (y, winners), context.buffer(whole, y.dtype))


LOWERINGS: dict[str, Callable[..., Any]] = {"max_pool_2d": max_pool}
