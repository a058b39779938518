"""Elements of a value beyond its borders, and windows that overlap: paddings by the value itself, sums of
windows.
"""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

from .context import INT64, Context
from .gathers import number, place, within
from .handlers import Handler
from .index import Indices, constant
from .lowered import Lowered, Shape

Amounts = tuple[tuple[int, int], ...]

#: Windows that may overlap at a place, and images that are added at one, up to which each is written out.
_WINDOWS, _IMAGES = 16, 9


def padded(context: Context, x: Lowered, amounts: Amounts, mirrors: bool) -> Lowered:
    """Continue the last axes by their mirror images, or by their outermost elements."""
    x = context.cheap(x)
    lead = len(x.shape) - len(amounts)

    def body(ops: Handler, at: Indices) -> Any:
        found = list(at)
        for axis, (before, after) in enumerate(amounts, lead):
            size = x.shape[axis]
            index = ops.index(at[axis] - before, INT64)
            if mirrors and before > 0:
                index = ops.select(ops.lt(index, number(ops, 0)), ops.neg(index), index)
            if mirrors and after > 0:
                image = ops.sub(number(ops, 2 * (size - 1)), index)
                index = ops.select(ops.gt(index, number(ops, size - 1)), image, index)
            found[axis] = place(ops, index, size)
        return x.at(ops, tuple(found))

    return context.map(context.results[0][0], x.dtype, body)


def pad_adjoint(context: Context, y: Lowered, size: Shape, amounts: Amounts, mode: str) -> Lowered | None:
    """Add the images of the last axes' elements to what they are images of."""
    if mode == "circular" or any(before < 0 or after < 0 for before, after in amounts):
        return None
    images = [_images(n - 1, *amount, mode) for n, amount in zip(size, amounts, strict=True)]
    if prod(1 + len(found) for found in images) > _IMAGES:
        return None
    y = context.cheap(y)
    lead = len(y.shape) - len(amounts)

    def added(ops: Handler, at: Indices, axis: int) -> Any:
        if axis == len(y.shape):
            return y.at(ops, at)
        index = ops.index(at[axis], INT64)
        total = added(ops, (*at[:axis], at[axis] + amounts[axis - lead][0], *at[axis + 1 :]), axis + 1)
        for low, high, image in images[axis - lead]:
            inside = ops.and_(ops.ge(index, number(ops, low)), ops.le(index, number(ops, high)))
            # One place needs no index, so that a loop along the axis reads it once.
            where = constant(image - low)
            if low < high:
                where = place(ops, ops.sub(number(ops, image), index), y.shape[axis])
            term = added(ops, (*at[:axis], where, *at[axis + 1 :]), axis + 1)
            total = ops.add(total, ops.select(inside, term, ops.constant(0, y.dtype)))
        return total

    return context.map(context.results[0][0], y.dtype, partial(added, axis=lead))


def _images(last: int, before: int, after: int, mode: str) -> list[tuple[int, int, int]]:
    """Return (first, last, sum of number and image) for each range of an axis with images in padding."""
    if mode == "reflect":
        ranges = [(1, before, before), (last - after, last - 1, before + 2 * last)]
        return [found for found in ranges if found[0] <= found[1]]
    beyond = before + last + 1
    return [(0, 0, n) for n in range(before)] + [(last, last, last + beyond + n) for n in range(after)]


def windows_added(
    context: Context, g: Lowered, shape: Shape, dim: int, size: int, step: int
) -> Lowered | None:
    """Sum windows of an axis into the places that they came from."""
    overlapping, count = -(-size // step), g.shape[dim]
    if overlapping > _WINDOWS:
        return None
    g = context.cheap(g)

    def body(ops: Handler, at: Indices) -> Any:
        first, inside_first = at[dim] // step, at[dim] % step
        total = None
        for back in range(overlapping):
            window, inside = ops.index(first - back, INT64), ops.index(inside_first + back * step, INT64)
            known = ops.and_(within(ops, window, count), ops.lt(inside, number(ops, size)))
            indices = (*at[:dim], place(ops, window, count), *at[dim + 1 :], place(ops, inside, size))
            term = ops.select(known, g.at(ops, indices), ops.constant(0, g.dtype))
            total = term if total is None else ops.add(total, term)
        return total

    return context.map(shape, g.dtype, body)


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    **{f"reflection_pad{rank}d": partial(padded, mirrors=True) for rank in (1, 2, 3)},
    **{f"replication_pad{rank}d": partial(padded, mirrors=False) for rank in (1, 2, 3)},
    "pad_adjoint": pad_adjoint,
    "unfold_backward": windows_added,
}
