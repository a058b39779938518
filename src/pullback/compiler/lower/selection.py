"""Say where the largest or smallest element of a row is, that element, and what picks and places single
elements.

A place is found by two reductions, which vectorise: the extreme, then the first place that holds it; along
short axes by one pass. NaN is larger and smaller than everything.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..emit.scalars import computing, is_float
from .context import CHEAP, INT64, Context, is_short
from .gathers import place
from .handlers import Handler
from .index import Indices, constant
from .lowered import Lowered
from .reductions import without
from .views import copied


def _place_of(context: Context, x: Lowered, dim: int, word: str) -> Lowered | None:
    """Return the first place along an axis of its extreme, without the axis."""
    if not x.shape or x.dtype.kind not in "fiu" or x.dtype != computing(x.dtype):
        return None
    extent = x.shape[dim]
    largest = context.reduction(x, (dim,), word, x.dtype)

    def first(ops: Handler, indices: Indices) -> Any:
        value, wanted = x.at(ops, indices), largest.at(ops, without(indices, (dim,)))
        found = ops.eq(value, wanted)
        if is_float(x.dtype):
            found = ops.or_(found, ops.ne(value, value))
        return ops.select(found, ops.index(indices[dim], INT64), ops.constant(extent - 1, INT64))

    return context.stored(context.reduction(x, (dim,), "minimum", INT64, first))


def _in_one_pass(context: Context, x: Lowered, dim: int, word: str) -> tuple[Lowered, Lowered]:
    """Return the extremes of a short axis and their places, gone through in registers: first NaN wins."""
    kept = (*x.shape[:dim], *x.shape[dim + 1 :])
    above, dtype = "gt" if word == "maximum" else "lt", x.dtype

    def best(ops: Handler, indices: Indices) -> tuple[Any, Any]:
        value, number = None, ops.constant(0, INT64)
        for n in range(x.shape[dim]):
            other = x.at(ops, (*indices[:dim], constant(n), *indices[dim:]))
            if value is None:
                value = other
                continue
            better = getattr(ops, above)(other, value)
            if dtype.kind == "f":
                better = ops.or_(better, ops.and_(ops.ne(other, other), ops.eq(value, value)))
            value = ops.select(better, other, value)
            number = ops.select(better, ops.constant(n, INT64), number)
        return value, number

    values, places = (
        context.map(kept, kind, lambda ops, indices, n=n: best(ops, indices)[n])  # type: ignore[misc]  # n is bound
        for n, kind in enumerate((dtype, INT64))
    )
    return context.stored(values), context.stored(places)


def _goes_in_one_pass(x: Lowered, dim: int) -> bool:
    whole = bool(x.shape) and x.dtype.kind in "fiu" and x.dtype == computing(x.dtype)
    return whole and is_short(x.shape, (dim,)) and x.cost <= CHEAP


def extreme_place(context: Context, x: Lowered, dim: int, keepdim: bool, *, word: str) -> Lowered | None:
    """Lower the place of the largest or smallest element along an axis: the first of equals."""
    dim %= max(len(x.shape), 1)
    if _goes_in_one_pass(x, dim):
        return copied(_in_one_pass(context, x, dim, word)[1], context.results[0][0])
    x = context.cheap(x)
    found = _place_of(context, x, dim, word)
    return None if found is None else copied(found, context.results[0][0])


def extreme_element(
    context: Context, x: Lowered, dim: int, keepdim: bool, *, word: str
) -> list[Lowered] | None:
    """Lower the largest or smallest element along an axis, and its place."""
    dim %= max(len(x.shape), 1)
    if _goes_in_one_pass(x, dim):
        both = _in_one_pass(context, x, dim, word)
        return [copied(v, s) for v, (s, _) in zip(both, context.results, strict=True)]
    x = context.cheap(x)
    if (found := _place_of(context, x, dim, word)) is None:
        return None

    def value(ops: Handler, kept: Indices) -> Any:
        index = place(ops, found.at(ops, kept), x.shape[dim])
        return x.at(ops, (*kept[:dim], index, *kept[dim:]))

    # One of several zeros or NaN is that element and no other.
    values = context.map(found.shape, x.dtype, value)
    return [copied(v, s) for v, (s, _) in zip((values, found), context.results, strict=True)]


def placed(context: Context, g: Lowered, index: Lowered, dim: int, size: int) -> Lowered | None:
    """Lower zeros with g at one place along an axis."""
    if not g.shape or g.shape[dim] != 1 or g.shape != index.shape:
        return None
    dim %= len(g.shape)
    g = context.cheap(g)

    def body(ops: Handler, indices: Indices) -> Any:
        row = (*indices[:dim], constant(0), *indices[dim + 1 :])
        here = ops.eq(ops.cast(index.at(ops, row), INT64), ops.index(indices[dim], INT64))
        return ops.select(here, g.at(ops, row), ops.constant(0, g.dtype))

    return context.map((*g.shape[:dim], size, *g.shape[dim + 1 :]), g.dtype, body)


LOWERINGS: dict[str, Callable[..., Any]] = {
    "argmax": partial(extreme_place, word="maximum"),
    "argmin": partial(extreme_place, word="minimum"),
    "max": partial(extreme_element, word="maximum"),
    "min": partial(extreme_element, word="minimum"),
    "place": placed,
}
