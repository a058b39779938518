"""Distances between pairs of rows, as loops that store no differences, and elements at constant places."""

from collections.abc import Callable
from math import inf, prod
from typing import Any

import numpy as np

from .context import INT64, Context, broadcast
from .contractions import LOWERINGS as PRODUCTS
from .contractions import swapped
from .handlers import Handler
from .index import Index, Indices
from .lowered import Body, Lowered, Shape
from .routines import scattered


def _is_real(*values: Lowered) -> bool:
    return all(x.dtype.char in "fd" and x.dtype == values[0].dtype and 0 not in x.shape for x in values)


def _norms(context: Context, shape: Shape, dtype: np.dtype[Any], difference: Body, p: float) -> Lowered:
    """Return norms along the last axis of what `difference` gives: p is 1, 2 or infinite."""

    def size(ops: Handler, at: Indices) -> Any:
        found = difference(ops, at)
        return ops.mul(found, found) if p == 2 else ops.abs(found)

    whole = context.full(shape, dtype, 0)
    combine = "maximum" if p == inf else "sum"
    found = context.reduction(whole, (len(shape) - 1,), combine, dtype, size)
    return context.each(lambda ops, total: ops.sqrt(total), found) if p == 2 else found


def between(context: Context, x: Lowered, y: Lowered, p: float) -> Lowered | None:
    """Lower ``cdist``."""
    shape, dtype = context.results[0]
    if p not in (1, 2, inf) or not _is_real(x, y):
        return None
    x, y = context.cheap(x), context.cheap(y)
    left = broadcast(x, (*shape[:-2], *x.shape[-2:]))
    right = broadcast(y, (*shape[:-2], *y.shape[-2:]))

    def difference(ops: Handler, at: Indices) -> Any:
        *lead, row, other, column = at
        return ops.sub(left(ops, (*lead, row, column)), right(ops, (*lead, other, column)))

    return _norms(context, (*shape, x.shape[-1]), dtype, difference, p)


def by_products(context: Context, x: Lowered, y: Lowered) -> Lowered | None:
    """Lower ``_euclidean_dist``: √(|x|² − 2 x·y + |y|²)."""
    shape, dtype = context.results[0]
    if not _is_real(x, y):
        return None
    x, y = context.cheap(x), context.cheap(y)
    products = PRODUCTS["matmul"](context, x, swapped(y))
    if products is None:
        return None

    def lengths(v: Lowered) -> Body:
        squares = context.each(lambda ops, a: ops.mul(a, a), v)
        found = context.reduction(squares, (len(v.shape) - 1,), "sum", dtype)
        return broadcast(found, (*shape[:-2], v.shape[-2]))

    left, right = lengths(x), lengths(y)

    def distance(ops: Handler, at: Indices) -> Any:
        *lead, row, other = at
        both = ops.add(left(ops, (*lead, row)), right(ops, (*lead, other)))
        found = ops.sub(both, ops.mul(ops.constant(2, dtype), products.at(ops, at)))
        return ops.sqrt(ops.maximum(found, ops.constant(0, dtype)))

    return context.map(shape, dtype, distance)


def among(context: Context, x: Lowered, p: float) -> Lowered | None:
    """Lower ``pdist``."""
    shape, dtype = context.results[0]
    if p not in (1, 2, inf) or not _is_real(x) or not prod(shape):
        return None
    x = context.cheap(x)
    first, second = (_table(context, places) for places in np.triu_indices(x.shape[0], 1))

    def difference(ops: Handler, at: Indices) -> Any:
        pair, column = at
        one, other = (x.at(ops, (places(ops, pair, x.shape[0]), column)) for places in (first, second))
        return ops.sub(one, other)

    return _norms(context, (*shape, x.shape[1]), dtype, difference, p)


def _table(context: Context, places: Any) -> Callable[[Handler, Index, int], Index]:
    """Return the place at an index into constant places of an axis."""
    held = context.held(context.constant(np.array(places, np.int64)))
    return lambda ops, at, size: ops.place(ops.cast(held.at(ops, (at,)), INT64), size)


def take(context: Context, x: Lowered, dim: int, places: tuple[int, ...]) -> Lowered | None:
    """Lower the elements of an axis at constant places."""
    if 0 in x.shape or not places or min(places) < 0:
        return None
    x, table = context.cheap(x), _table(context, places)

    def body(ops: Handler, at: Indices) -> Any:
        return x.at(ops, (*at[:dim], table(ops, at[dim], x.shape[dim]), *at[dim + 1 :]))

    return context.map((*x.shape[:dim], len(places), *x.shape[dim + 1 :]), x.dtype, body)


def take_backward(
    context: Context, g: Lowered, shape: Shape, dim: int, places: tuple[int, ...]
) -> Lowered | None:
    """Lower the transpose of ``take``."""
    if 0 in g.shape or min(places) < 0 or not _is_real(g):
        return None
    table = _table(context, places)

    def where(ops: Handler, at: Indices) -> Indices:
        return (*at[:dim], table(ops, at[dim], shape[dim]), *at[dim + 1 :])

    return scattered(context, None, shape, g, where)


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    "_euclidean_dist": by_products, "cdist": between, "pdist": among, "take_places": take,
    "take_places_backward": take_backward,
}  # fmt: skip
