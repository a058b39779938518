"""Convolution, its transpose and its weight's covector, and maximum pools, by kernels that are compiled
apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..emit.convolution.kernels import correlation, shape_of, weight
from ..emit.convolution.plan import Shape
from ..emit.convolution.pooling import PoolShape, maxima, pool_shape, spread
from ..runtime.shared_kernels import Kernel
from .buffer import Buffer
from .context import Context
from .lowered import Lowered, Precompiled
from .lowered import Shape as Extents

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


def _shape(x: Extents, w: Extents, y: Extents, operands: Sequence[Lowered], attrs: Attrs) -> Shape | None:
    dtype = operands[0].dtype
    if any(o.dtype != dtype for o in operands):
        return None
    stride, padding, dilation, groups = attrs
    return shape_of((1, *x[1:]), w, (1, *y[1:]), dtype, stride, padding, dilation, groups)


def conv(
    context: Context, result: Extents, x: Lowered, w: Lowered, bias: Lowered | None, *attrs: Any
) -> Lowered | None:
    """Return y = conv(x, w) + bias, of the shape `result`."""
    given = [o for o in (x, w, bias) if o is not None]
    shape = _shape(x.shape, w.shape, result, given, attrs)
    if shape is None:
        return None
    kernel = correlation(shape, False, bias is not None)
    y = context.buffer(result, x.dtype)
    return precompiled(context, kernel, x.shape[0], (x, w, bias), y, flops=2 * shape.multiplications)


def conv_transpose(
    context: Context, result: Extents, y: Lowered, w: Lowered, bias: Lowered | None, *attrs: Any
) -> Lowered | None:
    """Return x = conv_transpose(y, w) + bias."""
    shape = _shape(result, w.shape, y.shape, [y, w], attrs[:4])
    if shape is None:
        return None
    kernel = correlation(shape, True, False)
    x = precompiled(
        context, kernel, y.shape[0], (y, w, None), context.buffer(result, y.dtype),
        flops=2 * shape.multiplications,
    )  # fmt: skip
    if bias is None:
        return x
    return context.map(
        result, y.dtype,
        lambda ops, indices: ops.add(x.at(ops, indices), bias.at(ops, (indices[1],))),
    )  # fmt: skip


def conv_weight(context: Context, result: Extents, x: Lowered, y: Lowered, *attrs: Any) -> Lowered | None:
    """Return w = conv_weight(x, y)."""
    shape = _shape(x.shape, result, y.shape, [x, y], attrs[1:])
    if shape is None:
        return None
    w = context.buffer(result, x.dtype)
    return precompiled(context, weight(shape), x.shape[0], (x, y), w, flops=2 * shape.multiplications)


def _pool(x: Extents, y: Extents, dtype: np.dtype, windows: Any) -> PoolShape | None:
    return pool_shape(x[2:], y[2:], dtype, windows.kernel, windows.stride, windows.padding, windows.dilation)


def max_pool(context: Context, x: Lowered, windows: Any) -> list[Lowered] | None:
    """Lower a maximum pool, which gives (values, winners)."""
    (out, _), (_, octet) = context.results
    shape = _pool(x.shape, out, x.dtype, windows)
    if shape is None:
        return None
    winners = context.buffer(out, octet)
    values = precompiled(
        context, maxima(shape), prod(x.shape[:2]), (x,), context.buffer(out, x.dtype), winners
    )
    return [values, context.held(winners)]


def scatter_windows(
    context: Context, y: Lowered, winners: Lowered, windows: Any, size: Extents
) -> Lowered | None:
    """Add covectors to the places of the winners."""
    whole = context.results[0][0]
    shape = _pool(whole, y.shape, y.dtype, windows)
    if shape is None or winners.dtype != np.uint8:
        return None
    planes = prod(whole[:2])
    return precompiled(context, spread(shape), planes, (y, winners), context.buffer(whole, y.dtype))


LOWERINGS: dict[str, Callable[..., Any]] = {"max_pool_2d": max_pool}
