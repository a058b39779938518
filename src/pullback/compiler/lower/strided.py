"""Elements by where they lie in memory: views by sizes and strides, and sums over what such views share.

The strides are those that eager's array has. A program keeps values in C order, so the axes are first brought
into the order in which eager has them in memory.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from ...array.strides import extent, is_dense_in
from ..emit.scalars import computing
from .context import Context
from .handlers import Handler
from .index import Indices, linear, unravel
from .lowered import Lowered, Shape
from .routines import scattered
from .views import by_strides

Strides = tuple[int, ...]


def _order(shape: Shape, own: Strides, size: Shape, stride: Strides, offset: int) -> list[int] | None:
    """Return a layout's axes from the outermost in; None for views beyond it, or gaps."""
    order = sorted(range(len(shape)), key=lambda axis: (-own[axis], axis))
    if 0 in (*shape, *size) or not is_dense_in(order[::-1], shape, own):
        return None
    return order if offset >= 0 and offset + extent(size, stride) <= prod(shape) else None


def _ordered(x: Lowered, order: list[int]) -> Lowered:
    """Return a value with its axes in another order."""
    if order == sorted(order):
        return x
    return x.rearranged(tuple([x.shape[a] for a in order]), lambda at: _back(at, order))


def _back(at: Indices, order: list[int]) -> Indices:
    return tuple([at[order.index(axis)] for axis in range(len(order))])


def view(
    context: Context, x: Lowered, size: Shape, stride: Strides, offset: int, shape: Shape, own: Strides
) -> Lowered | None:
    """Return the view of a value's memory by sizes and strides, or the copy of what it shows."""
    order = _order(shape, own, size, stride, offset)
    return None if order is None else by_strides(_ordered(x, order), size, stride, offset)


def values(
    context: Context, x: Lowered, shape: Shape, own: Strides, size: Shape, stride: Strides, offset: int
) -> Lowered | None:
    """Return what a view of a layout holds."""
    return view(context, x, size, stride, offset, shape, own)


def values_backward(
    context: Context, g: Lowered, shape: Shape, own: Strides, size: Shape, stride: Strides, offset: int
) -> Lowered | None:
    """Return the sum of what the elements of a view hold, at the places of the layout."""
    order = _order(shape, own, size, stride, offset)
    if order is None or g.dtype.kind != "f" or computing(g.dtype) != g.dtype:
        return None
    memory = tuple([shape[axis] for axis in order])

    def where(ops: Handler, at: Indices) -> Indices:
        return unravel(linear(at, stride, offset), memory)

    summed = scattered(context, None, memory, context.cheap(g), where)
    if order == sorted(order):
        return summed
    return summed.rearranged(shape, lambda at: tuple([at[axis] for axis in order]))


LOWERINGS: dict[str, Callable[..., Any]] = {
    "as_strided": view, "strided_values": values, "strided_values_backward": values_backward,
}  # fmt: skip
