"""Values of images at the places of a grid, in loops that compute the weights where they are used.

The weights, and their derivatives by the coordinates, are those of `array.sampler`: products over the axes,
of which each has one tap or two.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ...array.sampler import KERNELS, Sampler, base_grid, derived
from .context import Context
from .handlers import Handler
from .index import Indices, constant
from .lowered import Lowered, Shape
from .routines import Part, scattered

Ints = tuple[int, ...]


class _Tap(NamedTuple):
    """A pixel of one axis near a place."""

    #: The pixel, within the axis.
    where: Any
    #: Whether there is one.
    inside: Any
    weight: Any


#: Pixels of an axis near a place, by mode.
TAPS = {mode: len(kernel) for mode, (kernel, _) in KERNELS.items()}


def _vanish(sampler: Sampler, orders: Sequence[int]) -> bool:
    return max(orders) >= len(KERNELS[sampler.mode][0][0])


def _bounded(ops: Handler, c: Any, n: int, sampler: Sampler) -> tuple[Any, Any, Any]:
    """Return a coordinate brought into the image, whether it moves with the given one, and which way."""

    def number(value: float) -> Any:
        return ops.constant(value, c.dtype)

    if sampler.padding == "zeros":
        return c, None, None
    sign = None
    if sampler.padding == "reflection":
        low, span = (0.0, n - 1.0) if sampler.align_corners else (-0.5, float(n))
        if not span:
            return number(0), ops.lt(c, c), None
        distance = ops.abs(ops.sub(c, number(low)))
        turns = ops.floor(ops.div(distance, number(span)))
        rest = ops.sub(distance, ops.mul(turns, number(span)))
        pairs = ops.floor(ops.mul(turns, number(0.5)))
        odd = ops.eq(ops.sub(turns, ops.mul(pairs, number(2))), number(1))
        sign = ops.select(ops.xor(ops.lt(c, number(low)), odd), number(-1), number(1))
        c = ops.add(ops.select(odd, ops.sub(number(span), rest), rest), number(low))
    moves = ops.and_(ops.gt(c, number(0)), ops.lt(c, number(n - 1)))
    return ops.minimum(ops.maximum(c, number(0)), number(n - 1)), moves, sign


def _taps(ops: Handler, place: Any, n: int, sampler: Sampler, order: int) -> list[_Tap]:
    """Return the pixels of an axis around a place, and their weights, differentiated `order` times."""

    def number(value: float) -> Any:
        return ops.constant(value, place.dtype)

    scale = (n - 1) / 2 if sampler.align_corners else n / 2
    c = ops.mul(ops.add(place, number(1)), number(scale))
    if not sampler.align_corners:
        c = ops.sub(c, number(0.5))
    slope = number(scale)
    if sampler.mode != "bicubic":
        c, moves, sign = _bounded(ops, c, n, sampler)
        if sign is not None:
            slope = ops.mul(sign, slope)
        if moves is not None:
            slope = ops.select(moves, slope, number(0))
    if sampler.mode == "nearest":
        return [_tap(ops, ops.rint(c), n, number(1))]
    first = ops.floor(c)
    fraction = ops.sub(c, first)
    offset = KERNELS[sampler.mode][1]
    found = []
    for k, coefficients in enumerate(derived(sampler.mode, order)):
        weight = number(coefficients[-1])
        for coefficient in coefficients[-2::-1]:
            weight = ops.add(ops.mul(weight, fraction), number(coefficient))
        for _ in range(order):
            weight = ops.mul(weight, slope)
        pixel = ops.add(first, number(k + offset)) if k + offset else first
        if sampler.mode == "bicubic":
            pixel = _bounded(ops, pixel, n, sampler)[0]
        found.append(_tap(ops, pixel, n, weight))
    return found


def _tap(ops: Handler, pixel: Any, n: int, weight: object) -> _Tap:
    first, last = (ops.constant(value, pixel.dtype) for value in (0, n - 1))
    after, before = ops.ge(pixel, first), ops.le(pixel, last)
    # What is no number is not inside, and read at an end.
    within = ops.select(before, ops.select(after, pixel, first), last)
    return _Tap(ops.place(ops.whole(within), n), ops.and_(after, before), weight)


def near(ops: Handler, grid: Any, at: Indices, size: Shape, sampler: Sampler, orders: Ints) -> list[_Tap]:
    """Return the pixels, by indices `where`, around the place of an element ``(image, channel, *place)``."""
    rank = len(size)
    axes = []
    for axis, n in enumerate(size):
        along = rank - 1 - axis
        coordinate = grid.at(ops, (at[0], *at[2:], constant(along)))
        axes.append(_taps(ops, coordinate, n, sampler, orders[along]))
    found = []
    for taps in product(*axes):
        inside, weight = taps[0].inside, taps[0].weight
        for tap in taps[1:]:
            inside, weight = ops.and_(inside, tap.inside), ops.mul(weight, tap.weight)
        found.append(_Tap(tuple(tap.where for tap in taps), inside, weight))
    return found


def sampled(context: Context, x: Lowered, grid: Lowered, sampler: Sampler, orders: Ints) -> Lowered | None:
    """Return images at the places of a grid."""
    shape, dtype = context.results[0]
    if grid.dtype != x.dtype:
        return None
    if _vanish(sampler, orders):
        return context.full(shape, dtype, 0)
    x, grid = context.cheap(x), context.cheap(grid)

    def body(ops: Handler, at: Indices) -> Any:
        terms = []
        for tap in near(ops, grid, at, x.shape[2:], sampler, orders):
            value = x.at(ops, (at[0], at[1], *tap.where))
            # Outside there are zeros, of which a weight that is no number makes none.
            terms.append(ops.mul(tap.weight, ops.select(tap.inside, value, ops.constant(0, dtype))))
        return reduce(ops.add, terms)

    return context.map(shape, dtype, body)


def adjoint(
    context: Context, y: Lowered, grid: Lowered, size: Ints, sampler: Sampler, orders: Ints
) -> Lowered | None:
    """Add values at the places of a grid to the pixels around."""
    shape, dtype = context.results[0]
    if sampler.mode == "bicubic" or grid.dtype != y.dtype:
        return None
    if _vanish(sampler, orders):
        return context.full(shape, dtype, 0)
    y, grid = context.cheap(y), context.cheap(grid)

    def part(which: int) -> Part:
        def tap(ops: Handler, at: Indices) -> _Tap:
            return near(ops, grid, at, size, sampler, orders)[which]

        def term(ops: Handler, at: Indices) -> Any:
            return ops.mul(tap(ops, at).weight, y.at(ops, at))

        def place(ops: Handler, at: Indices) -> Indices:
            return at[0], at[1], *tap(ops, at).where

        return Lowered(y.shape, dtype, term), place, lambda ops, at: tap(ops, at).inside

    first, *others = map(part, range(TAPS[sampler.mode] ** len(size)))
    return scattered(context, None, shape, *first, beside=others)


def affine_grid(context: Context, theta: Lowered, size: Ints, align_corners: bool) -> Lowered | None:
    """Return the places to which affine maps take the pixels of an image."""
    shape, dtype = context.results[0]
    if dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        return None
    rank = len(size)
    theta = context.cheap(theta)
    base = context.held(context.constant(base_grid(size, align_corners, dtype).reshape(*size, rank + 1)))

    def body(ops: Handler, at: Indices) -> Any:
        lead, pixel, row = at[: -rank - 1], at[-rank - 1 : -1], at[-1]
        columns = map(constant, range(rank + 1))
        return reduce(
            ops.add, (ops.mul(base.at(ops, (*pixel, k)), theta.at(ops, (*lead, row, k))) for k in columns)
        )

    return context.map(shape, dtype, body)


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    "affine_grid_generator": affine_grid,
    "grid_sample_adjoint": adjoint,
    "grid_sample_slope": sampled,
    "grid_sampler_2d": sampled,
    "grid_sampler_3d": sampled,
}
