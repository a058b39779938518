"""Elements put elsewhere or set to a number, as maps: padding, triangles, copies, transposes of slices.

Where an element stands for no element of the input, the index is clamped to the input and what is read there
not used, so that such maps fuse with what reads them.
"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...array.strides import address, without_memory
from ...core.marked import followed
from ..emit.casts import WHOLE
from ..emit.scalars import is_float
from .context import INT64, Context, broadcast
from .gathers import place, within
from .handlers import Handler
from .index import Indices, constant, strides_of
from .lowered import Lowered, Shape
from .views import UNTRACED, copied


def _moved(ops: Handler, at: Any, before: int, extent: int) -> tuple[Any, Any]:
    """Return (whether a place lies in a part that begins at `before`, its place in the part)."""
    moved = ops.index(at - before, INT64)
    return within(ops, moved, extent), place(ops, moved, extent)


def padded(context: Context, x: Lowered, amounts: tuple[tuple[int, int], ...], value: float) -> Lowered:
    """Return X with a number around it; negative amounts cut."""
    x = context.cheap(x)
    shape = tuple(n + a + b for n, (a, b) in zip(x.shape, amounts, strict=True))

    def body(ops: Handler, at: Indices) -> Any:
        indices: list[Any] = []
        condition = None
        for index, extent, (before, after) in zip(at, x.shape, amounts, strict=True):
            if before <= 0 and after <= 0:
                indices.append(index - before)
                continue
            inside, moved = _moved(ops, index, before, extent)
            condition = inside if condition is None else ops.and_(condition, inside)
            indices.append(moved)
        found = x.at(ops, tuple(indices))
        return found if condition is None else ops.select(condition, found, ops.constant(value, x.dtype))

    return context.map(shape, x.dtype, body)


def slice_backward(
    context: Context, g: Lowered, shape: Shape, dim: int, start: int, stop: int, step: int
) -> Lowered | None:
    """Return zeros of `shape` with g at a slice of an axis."""
    if step != 1:
        return None
    around = [(0, 0)] * len(shape)
    around[dim] = (start, shape[dim] - start - g.shape[dim])
    return padded(context, g, tuple(around), 0)


def select_backward(context: Context, g: Lowered, shape: Shape, dim: int, index: int) -> Lowered:
    """Return zeros of `shape` with g at one place of an axis."""
    g = context.cheap(g)

    def body(ops: Handler, at: Indices) -> Any:
        here = ops.eq(ops.index(at[dim], INT64), ops.constant(index, INT64))
        found = g.at(ops, (*at[:dim], *at[dim + 1 :]))
        return ops.select(here, found, ops.constant(0, g.dtype))

    return context.map(shape, g.dtype, body)


def put(
    context: Context, base: Lowered, source: Lowered, steps: tuple[Any, ...], strides: object
) -> Lowered | None:
    """Return `base` with what views select of it replaced, where that is a box of neighbouring elements."""
    if strides is not None or base.dtype != source.dtype or 0 in (*base.shape, *source.shape):
        return None
    if any(op.base in UNTRACED for op, _, _ in steps):
        return None
    whole = without_memory(base.shape)
    part = followed(whole, steps)
    found = _box(base.shape, part, address(part) - address(whole))
    if found is None or len(source.shape) > part.ndim:
        return None
    starts, axes = found
    base, source = context.cheap(base), context.cheap(source)
    given = broadcast(source, part.shape)

    def body(ops: Handler, at: Indices) -> Any:
        condition, places = None, [constant(0)] * part.ndim
        for axis, (index, start) in enumerate(zip(at, starts, strict=True)):
            own = axes.get(axis)
            extent = 1 if own is None else part.shape[own]
            if extent < base.shape[axis]:
                inside, index = _moved(ops, index, start, extent)
                condition = inside if condition is None else ops.and_(condition, inside)
            if own is not None:
                places[own] = index
        value = given(ops, tuple(places))
        return value if condition is None else ops.select(condition, value, base.at(ops, at))

    return context.map(base.shape, base.dtype, body)


def _box(shape: Shape, part: np.ndarray, offset: int) -> tuple[tuple[int, ...], dict[int, int]] | None:
    """Return where a part of bytes begins along each axis, and its axes in order; None for other parts."""
    starts, steps = np.unravel_index(offset, shape), strides_of(shape)
    axes: dict[int, int] = {}
    for own, (extent, stride) in enumerate(zip(part.shape, part.strides, strict=True)):
        if extent == 1:
            continue
        after = max(axes, default=-1) + 1
        axis = next((a for a in range(after, len(shape)) if steps[a] == stride and shape[a] > 1), None)
        if axis is None or starts[axis] + extent > shape[axis]:
            return None
        axes[axis] = own
    return tuple(int(s) for s in starts), axes


def _triangle(word: str) -> Callable[..., Lowered]:
    def lowering(context: Context, x: Lowered, diagonal: int) -> Lowered:
        def body(ops: Handler, at: Indices) -> Any:
            row, column = ops.index(at[-2] + diagonal, INT64), ops.index(at[-1], INT64)
            kept = getattr(ops, word)(column, row)
            return ops.select(kept, x.at(ops, at), ops.constant(0, x.dtype))

        return context.map(x.shape, x.dtype, body)

    return lowering


def rolled(context: Context, x: Lowered, shifts: tuple[int, ...], dims: tuple[int, ...]) -> Lowered | None:
    """Return axes shifted in a circle; without `dims` the elements as one row."""
    if 0 in x.shape:
        return None
    if not dims:
        row = rolled(context, copied(context.cheap(x), (prod(x.shape),)), shifts, (0,))
        return row and copied(row, x.shape)
    x = context.cheap(x)
    starts = [0] * len(x.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        starts[dim] = (starts[dim] - shift) % x.shape[dim]

    def body(ops: Handler, at: Indices) -> Any:
        moved = [
            (index + start) % extent if start else index
            for index, start, extent in zip(at, starts, x.shape, strict=True)
        ]
        return x.at(ops, tuple(moved))

    return context.map(x.shape, x.dtype, body)


def cross(context: Context, x: Lowered, y: Lowered, dim: int) -> Lowered | None:
    """Lower vector products along an axis of length 3."""
    shape, dtype = context.results[0]
    if x.dtype != y.dtype or dtype.kind != "f":
        return None
    left, right = (broadcast(context.cheap(v), shape) for v in (x, y))
    dim %= len(shape)

    def body(ops: Handler, at: Indices) -> Any:
        after, second = ((*at[:dim], (at[dim] + n) % 3, *at[dim + 1 :]) for n in (1, 2))
        return ops.sub(
            ops.mul(left(ops, after), right(ops, second)), ops.mul(left(ops, second), right(ops, after))
        )

    return context.map(shape, dtype, body)


def cast(context: Context, x: Lowered, *_: Any) -> Lowered | None:
    """Convert to the result's dtype; floats are made narrow or unsigned integers by the array kernel."""
    shape, dtype = context.results[0]
    if is_float(x.dtype) and not is_float(dtype) and dtype.kind != "b" and dtype not in WHOLE:
        return None
    body = broadcast(x, shape)
    return context.map(shape, dtype, lambda ops, at: ops.cast(body(ops, at), dtype))


def copy(context: Context, x: Lowered, source: Lowered) -> Lowered | None:
    """Write `source` in the shape and dtype of x."""
    return cast(context, source)


def fill(context: Context, x: Lowered, value: object) -> Lowered:
    """Return one number everywhere."""
    return Lowered(x.shape, x.dtype, lambda ops, at: ops.constant(value, x.dtype))


def zero(context: Context, x: Lowered) -> Lowered:
    """Zero everywhere."""
    return fill(context, x, 0)


def diagonal_backward(
    context: Context, g: Lowered, shape: Shape, offset: int, dim1: int, dim2: int
) -> Lowered:
    """Lower zeros of `shape` with `g` on a diagonal."""
    if 0 in g.shape:
        return context.full(shape, g.dtype, 0)
    dim1, dim2 = dim1 % len(shape), dim2 % len(shape)
    g = context.cheap(g)

    def body(ops: Handler, at: Indices) -> Any:
        row, column = ops.index(at[dim1] + offset, INT64), ops.index(at[dim2], INT64)
        along, extent = (at[dim1], shape[dim1]) if offset >= 0 else (at[dim2], shape[dim2])
        others = tuple(index for axis, index in enumerate(at) if axis not in (dim1, dim2))
        if g.shape[-1] < extent:
            along = place(ops, ops.index(along, INT64), g.shape[-1])
        found = g.at(ops, (*others, along))
        return ops.select(ops.eq(row, column), found, ops.constant(0, g.dtype))

    return context.map(shape, g.dtype, body)


def diag_embed(context: Context, x: Lowered, offset: int, dim1: int, dim2: int) -> Lowered:
    """Lower zeros with `x` on a diagonal of two new axes."""
    return diagonal_backward(context, x, context.results[0][0], offset, dim1, dim2)


def pixel_shuffle(context: Context, x: Lowered, factor: int) -> Lowered:
    """Lower channels put beside each other in the plane."""
    *lead, _, height, width = x.shape
    channels = context.results[0][0][-3]

    def place(at: Indices) -> Indices:
        *before, channel, row, i, column, j = at
        return (*before, channel * factor**2 + i * factor + j, row, column)

    parts = x.rearranged((*lead, channels, height, factor, width, factor), place)
    return copied(parts, context.results[0][0])


def pixel_unshuffle(context: Context, x: Lowered, factor: int) -> Lowered:
    """Lower blocks of the plane put into channels of their own."""
    *lead, channels, height, width = x.shape

    def place(at: Indices) -> Indices:
        *before, channel, i, j, row, column = at
        return (*before, channel, row * factor + i, column * factor + j)

    parts = x.rearranged((*lead, channels, factor, factor, height // factor, width // factor), place)
    return copied(parts, context.results[0][0])


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    **dict.fromkeys(("copy", "fill_tensor", "fill_tensor_inplace"), copy),
    **dict.fromkeys(("fill", "fill_inplace"), fill),
    "cast": cast, "constant_pad_nd": padded, "linalg_cross": cross, "diag_embed": diag_embed,
    "diagonal_backward": diagonal_backward, "pixel_shuffle": pixel_shuffle,
    "pixel_unshuffle": pixel_unshuffle, "put": put, "roll": rolled, "select_backward": select_backward,
    "slice_backward": slice_backward, "tril": _triangle("le"), "triu": _triangle("ge"), "zero_inplace": zero,
}  # fmt: skip
