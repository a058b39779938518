"""Maps that go along one axis after another (`array.taps`): resampling, averages of uneven parts, transposes.

An axis is a map of its own: what it reads is stored where it has more than one term.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...array import resize as kernels
from ...array.taps import Tap, Taps
from .context import INT64, Context
from .handlers import Handler
from .index import Index, Indices
from .lowered import Lowered

#: Terms of a sum beyond which the array kernel does it: each is written out.
_TERMS = 16


def over_planes(context: Context, x: Lowered, axes: Sequence[Taps]) -> Lowered | None:
    """Return the maps along the spatial axes of x ``(N, C, *size)``."""
    if x.dtype.char not in "fd" or 0 in x.shape or max(len(taps.terms) for taps in axes) > _TERMS:
        return None
    steps = list(enumerate(axes, 2))
    if prod(x.shape[2:]) < prod(taps.output for taps in axes):
        steps.reverse()
    for axis, taps in steps:
        x = _along(context, context.cheap(x), taps, axis)
    return x


def _along(context: Context, x: Lowered, taps: Taps, axis: int) -> Lowered:
    terms = [_term(context, x, tap, taps, axis) for tap in taps.terms]
    scale = None if taps.scale is None else _by_row(context, taps.scale, x.dtype)

    def body(ops: Handler, at: Indices) -> Any:
        total = terms[0](ops, at)
        for term in terms[1:]:
            total = ops.add(total, term(ops, at))
        return total if scale is None else ops.mul(total, scale(ops, at[axis]))

    return context.map((*x.shape[:axis], taps.output, *x.shape[axis + 1 :]), x.dtype, body)


def _term(
    context: Context, x: Lowered, tap: Tap, taps: Taps, axis: int
) -> Callable[[Handler, Indices], Any]:  # fmt: skip
    """Return a term of the sum, zero in rows that do not have it."""
    rows: Any = slice(None) if tap.rows is None else tap.rows
    kept = np.zeros(taps.output, bool)
    kept[rows] = True
    kept[taps.empty] = False
    places = np.zeros(taps.output, np.int64)
    places[rows] = tap.places
    weight = None
    if tap.weights is not None:
        factors = np.zeros(taps.output, tap.weights.dtype)
        factors[rows] = tap.weights
        weight = _by_row(context, factors, x.dtype)
    place = _place(context, places, taps.size)
    counts = None if kept.all() else context.held(context.constant(kept))

    def term(ops: Handler, at: Indices) -> Any:
        row = at[axis]
        value = x.at(ops, (*at[:axis], place(ops, row), *at[axis + 1 :]))
        if weight is not None:
            value = ops.mul(value, weight(ops, row))
        if counts is None:
            return value
        # What is infinite elsewhere shall not count.
        return ops.select(counts.at(ops, (row,)), value, ops.constant(0, x.dtype))

    return term


def _by_row(context: Context, numbers: np.ndarray, dtype: np.dtype[Any]) -> Callable[[Handler, Index], Any]:
    """Return a number for each row: one where all are equal."""
    if (numbers == numbers[0]).all():
        return lambda ops, row: ops.constant(float(numbers[0]), dtype)
    table = context.held(context.constant(numbers.astype(dtype)))
    return lambda ops, row: table.at(ops, (row,))


def _place(context: Context, places: np.ndarray, size: int) -> Callable[[Handler, Index], Index]:
    """Return the place that a row reads: computed where the places go up by one number or in equal runs."""
    first, rows = int(places[0]), np.arange(len(places))
    step = int(places[1]) - first if len(places) > 1 else 0
    if (places == first + step * rows).all():
        return lambda ops, row: row * step + first
    run = int(np.argmax(places != first))
    if (places == first + rows // run).all():
        return lambda ops, row: row // run + first
    table = context.held(context.constant(places))
    return lambda ops, row: ops.place(ops.cast(table.at(ops, (row,)), INT64), size)


def resized(context: Context, x: Lowered, axes: Sequence[kernels.Axis]) -> Lowered | None:
    """Lower every way of resampling."""
    return over_planes(context, x, kernels.maps(axes, x.dtype))


def resize_adjoint(context: Context, y: Lowered, axes: Sequence[kernels.Axis]) -> Lowered | None:
    """Lower the transpose of every way of resampling."""
    return over_planes(context, y, kernels.maps(axes, y.dtype, transpose=True))


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    **dict.fromkeys(
        (
            *(f"UpsampleNearest{exact}{rank}D" for exact in ("", "Exact") for rank in (1, 2, 3)),
            "UpsampleLinear1D", "UpsampleBilinear2D", "UpsampleTrilinear3D", "UpsampleBicubic2D",
            "UpsampleBilinear2DAa", "UpsampleBicubic2DAa", "UpsampleLanczos2DAa",
        ),
        resized,
    ),
    "resize_adjoint": resize_adjoint,
}  # fmt: skip
