"""Convolutions and maximum pools of volumes.

A convolution over three axes is one over the last two, of as many images as the result has planes: those of
the planes under its taps along the first axis are the channels of such an image. So `convolutions` has the
kernels, and what is here copies planes beside each other, or adds up what belongs to one. Maximum pools are
loops, in which the taps of a window are written out.
"""

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any

from . import convolutions
from .context import INT64, Context
from .gathers import number, place, within
from .handlers import Handler
from .index import Index, Indices
from .lowered import Lowered, Shape

#: Axes of an array of volumes.
_VOLUMES = 5
#: Taps of a window, or windows at a place, that are written out.
_TAPS = 32


def _beside(context: Context, x: Lowered, planes: int, taps: int, geometry: Any) -> Lowered:
    """Return the images of a convolution: (N·planes, C·taps, H, W)."""
    stride, padding, dilation = geometry
    x = context.cheap(x)
    images, channels, depth, *size = x.shape

    def body(ops: Handler, at: Indices) -> Any:
        image, channel, *rest = at
        source = (image % planes) * stride + (channel % taps) * dilation - padding
        lead = image // planes, channel // taps
        if not padding:
            return x.at(ops, (*lead, source, *rest))
        index = ops.index(source, INT64)
        value = x.at(ops, (*lead, place(ops, index, depth), *rest))
        return ops.select(within(ops, index, depth), value, ops.constant(0, x.dtype))

    return context.map((images * planes, channels * taps, *size), x.dtype, body)


def _planes_first(y: Lowered) -> Lowered:
    """Return (N, O, planes, H, W) as (N·planes, O, H, W)."""
    images, channels, planes, *size = y.shape
    shape = images * planes, channels, *size
    return y.rearranged(shape, lambda at: (at[0] // planes, at[1], at[0] % planes, *at[2:]))


def _taps_last(w: Lowered) -> Lowered:
    """Return weights (O, C, taps, h, w) as (O, C·taps, h, w)."""
    outputs, channels, taps, *size = w.shape
    shape = outputs, channels * taps, *size
    return w.rearranged(shape, lambda at: (at[0], at[1] // taps, at[1] % taps, *at[2:]))


def _apart(*attrs: Any) -> tuple[Any, Any]:
    """Return stride, padding and dilation along the first axis, and the attributes along the others."""
    *three, groups = attrs
    return [int(a[0]) for a in three], (*(a[1:] for a in three), groups)


def conv(context: Context, x: Lowered, w: Lowered, bias: Lowered | None, *attrs: Any) -> Lowered | None:
    """Lower y = conv(x, w) + bias."""
    if len(result := context.results[0][0]) != _VOLUMES:
        return convolutions.conv(context, result, x, w, bias, *attrs)
    images, outputs, planes, *size = result
    geometry, others = _apart(*attrs)
    beside = _beside(context, x, planes, w.shape[2], geometry)
    shape = (images * planes, outputs, *size)
    if (y := convolutions.conv(context, shape, beside, _taps_last(w), bias, *others)) is None:
        return None
    return y.rearranged(result, lambda at: (at[0] * planes + at[2], at[1], *at[3:]))


def conv_transpose(
    context: Context, y: Lowered, w: Lowered, bias: Lowered | None, *attrs: Any
) -> Lowered | None:
    """Lower x = conv_transpose(y, w) + bias."""
    if len(result := context.results[0][0]) != _VOLUMES:
        return convolutions.conv_transpose(context, result, y, w, bias, *attrs)
    images, channels, _, *size = result
    planes, taps = y.shape[2], w.shape[2]
    (stride, padding, dilation), others = _apart(*attrs[:4])
    if taps > _TAPS:
        return None
    shape = (images * planes, channels * taps, *size)
    beside = convolutions.conv_transpose(context, shape, _planes_first(y), _taps_last(w), None, *others)
    if beside is None:
        return None

    def body(ops: Handler, at: Indices) -> Any:
        image, channel, depth, *rest = at
        total = ops.constant(0, y.dtype) if bias is None else bias.at(ops, (channel,))
        for tap in range(taps):
            further = depth + (padding - tap * dilation)
            plane = ops.index(further, INT64) if stride == 1 else _quotient(ops, further, stride)
            term = beside.at(ops, (image * planes + place(ops, plane, planes), channel * taps + tap, *rest))
            total = ops.add(total, ops.select(within(ops, plane, planes), term, ops.constant(0, y.dtype)))
        return total

    return context.map(result, y.dtype, body)


def _quotient(ops: Handler, index: Index, divisor: int) -> Any:
    """Return a quotient, or −1 where there is a rest."""
    moved = -(min(index.bounds()[0], 0) // divisor)
    up = index + moved * divisor
    whole = ops.eq(ops.index(up % divisor, INT64), number(ops, 0))
    return ops.select(whole, ops.index(up // divisor - moved, INT64), number(ops, -1))


def conv_weight(context: Context, x: Lowered, y: Lowered, kernel: Shape, *attrs: Any) -> Lowered | None:
    """Lower w = conv_weight(x, y)."""
    if len(result := context.results[0][0]) != _VOLUMES:
        return convolutions.conv_weight(context, result, x, y, kernel, *attrs)
    outputs, channels, taps, *size = result
    geometry, others = _apart(*attrs)
    beside = _beside(context, x, y.shape[2], taps, geometry)
    shape = (outputs, channels * taps, *size)
    w = convolutions.conv_weight(context, shape, beside, _planes_first(y), kernel[1:], *others)
    return None if w is None else w.rearranged(result, lambda at: (at[0], at[1] * taps + at[2], *at[3:]))


def _fits(windows: Any, size: Shape, output: Shape) -> bool:
    """Return whether all windows lie in a volume, and their taps beside each other."""
    reach = [(o - 1) * s + k for o, s, k in zip(output, windows.stride, windows.kernel, strict=True)]
    plain = not any(windows.padding) and set(windows.dilation) == {1}
    return plain and all(r <= n for r, n in zip(reach, size, strict=True)) and prod(windows.kernel) <= _TAPS


def max_pool(context: Context, x: Lowered, windows: Any) -> list[Lowered] | None:
    """Lower a maximum pool, which gives (values, winners): the first of equals, and the last that is NaN."""
    (out, _), (_, octet) = context.results
    if not _fits(windows, x.shape[2:], out[2:]):
        return None
    x = context.cheap(x)

    def found(ops: Handler, at: Indices) -> tuple[Any, Any]:
        starts = [o * s for o, s in zip(at[2:], windows.stride, strict=True)]
        largest = winner = None
        for n, tap in enumerate(windows.taps()):
            here = x.at(ops, (*at[:2], *(s + t for s, t in zip(starts, tap, strict=True))))
            if largest is None:
                largest, winner = here, number(ops, 0)
                continue
            takes = ops.gt(here, largest)
            if x.dtype.kind == "f":
                takes = ops.or_(takes, ops.ne(here, here))
            largest = ops.select(takes, here, largest)
            winner = ops.select(takes, number(ops, n), winner)
        return largest, winner

    values = context.map(out, x.dtype, lambda ops, at: found(ops, at)[0])
    return [values, context.map(out, octet, lambda ops, at: ops.cast(found(ops, at)[1], octet))]


def scatter_windows(
    context: Context, y: Lowered, winners: Lowered, windows: Any, size: Shape
) -> Lowered | None:
    """Add covectors to the places of the winners: each place asks the windows that it is under."""
    if len(whole := context.results[0][0]) != _VOLUMES:
        return convolutions.scatter_windows(context, y, winners, windows, size)
    kernel, stride, output = windows.kernel, windows.stride, y.shape[2:]
    back = [range(-(-k // s)) for k, s in zip(kernel, stride, strict=True)]
    if not _fits(windows, size, output) or prod(map(len, back)) > _TAPS:
        return None
    y, winners = context.cheap(y), context.cheap(winners)

    def body(ops: Handler, at: Indices) -> Any:
        total = ops.constant(0, y.dtype)
        for steps in product(*back):
            known, tap, where = None, Index({}), []
            for place_, step, k, s, extent in zip(at[2:], steps, kernel, stride, output, strict=True):
                window, tap_ = place_ // s - step, place_ % s + step * s
                index, inside = ops.index(window, INT64), ops.index(tap_, INT64)
                fits = ops.and_(within(ops, index, extent), ops.lt(inside, number(ops, k)))
                known = fits if known is None else ops.and_(known, fits)
                tap = tap * k + tap_
                where.append(place(ops, index, extent))
            indices = (*at[:2], *where)
            wins = ops.eq(ops.cast(winners.at(ops, indices), INT64), ops.index(tap, INT64))
            term = ops.select(ops.and_(known, wins), y.at(ops, indices), ops.constant(0, y.dtype))
            total = ops.add(total, term)
        return total

    return context.map(whole, y.dtype, body)


def _unbiased(rule: Callable[..., Lowered | None]) -> Callable[..., Lowered | None]:
    return lambda context, x, w, *attrs: rule(context, x, w, None, *attrs)


LOWERINGS: dict[str, Callable[..., Any]] = {
    "conv": _unbiased(conv), "conv_biased": conv, "conv_transpose": _unbiased(conv_transpose),
    "conv_transpose_biased": conv_transpose, "conv_weight": conv_weight,
    "max_pool_3d": max_pool, "scatter_windows": scatter_windows,
}
