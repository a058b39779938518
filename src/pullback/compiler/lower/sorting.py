"""Orders of short rows, as loops that fuse with what is around them, and the first few of any.

The place of an element is the number of elements that come before it, and the element of a place the one
that has this number: two sums over pairs, without a branch, which vectorize. That takes the square of a row's
length, so long rows stay with the array kernel.
"""

from math import prod
from typing import Any

import numpy as np

from ...array import selection
from ..emit.scalars import TYPES, computing
from ..emit.selection import Selection, first_places
from .context import INT64, Context
from .convolutions import precompiled
from .handlers import Handler
from .index import Indices
from .lowered import Lowered

INT32 = np.dtype(np.int32)
_SELECTED = (np.dtype(np.float32), np.dtype(np.float64), INT32, INT64)
#: Pairs of all rows that loops compare as fast as the array kernel sorts.
_PAIRS = 1 << 17


def in_order(context: Context, x: Lowered, dim: int, descending: bool) -> list[Lowered] | None:
    """Lower rows in order and where their elements were; equals stay as they stand, NaN is the largest."""
    dtype, shape = x.dtype, x.shape
    if not shape or dtype != computing(dtype) or dtype.kind not in "fi":
        return None
    length = shape[dim]
    if prod(shape) * length > _PAIRS:
        return None
    x = context.stored(x)
    numbers = context.held(context.constant(np.arange(length, dtype=np.int32)))

    def at(indices: Indices, along: Any) -> Indices:
        return (*indices[:dim], along, *indices[dim + 1 :])

    def is_before(ops: Handler, indices: Indices) -> Any:
        *kept, other = indices
        a, b = x.at(ops, tuple(kept)), x.at(ops, at(tuple(kept), other))
        small, large = (a, b) if descending else (b, a)
        before, equal = ops.lt(small, large), ops.eq(a, b)
        if dtype.kind == "f":
            numbered, missing = ops.eq(small, small), ops.ne(large, large)
            before = ops.or_(before, ops.and_(numbered, missing))
            equal = ops.or_(equal, ops.and_(ops.ne(a, a), ops.ne(b, b)))
        earlier = ops.lt(numbers.at(ops, (other,)), numbers.at(ops, (kept[dim],)))
        return ops.cast(ops.or_(before, ops.and_(equal, earlier)), INT32)

    ranks = _summed(context, (*shape, length), is_before)

    def number(ops: Handler, indices: Indices) -> Any:
        *kept, other = indices
        here = ops.eq(ranks.at(ops, at(tuple(kept), other)), numbers.at(ops, (kept[dim],)))
        return ops.select(here, numbers.at(ops, (other,)), ops.constant(0, INT32))

    found = _summed(context, (*shape, length), number)

    def value(ops: Handler, indices: Indices) -> Any:
        place = ops.place(ops.cast(found.at(ops, indices), INT64), length)
        return x.at(ops, at(indices, place))

    values = context.map(shape, dtype, value, 2)
    return [values, context.cast(found, INT64)]


def _summed(context: Context, shape: tuple[int, ...], body: Any) -> Lowered:
    """Return the sums over the last axis of numbers that `body` gives."""
    return context.reduction(context.full(shape, INT32, 0), (len(shape) - 1,), "sum", INT32, body)


def first_few(context: Context, x: Lowered, k: int, dim: int, largest: bool) -> list[Lowered] | None:
    """Lower the largest (smallest) few of rows in order, and where they were."""
    if not x.shape or x.dtype not in _SELECTED or x.shape[dim] > selection.MOST:
        return None
    length = x.shape[dim]
    kept = tuple(extent for n, extent in enumerate(x.shape) if n != dim)

    def to_last(indices: Indices) -> Indices:
        *others, along = indices
        return (*others[:dim], along, *others[dim:])

    def from_last(found: Lowered) -> Lowered:
        shape = *kept[:dim], k, *kept[dim:]
        return found.rearranged(shape, lambda at: (*at[:dim], *at[dim + 1 :], at[dim]))

    last = dim == len(x.shape) - 1
    rows = x if last else x.rearranged((*kept, length), to_last)
    kernel = first_places(Selection(TYPES[x.dtype], length, k, largest))
    places = context.buffer((*kept, k), INT64)
    values = precompiled(context, kernel, prod(kept), (rows,), context.buffer((*kept, k), x.dtype), places)
    results = [values, context.held(places)]
    return results if last else [from_last(result) for result in results]


LOWERINGS = {"sort": in_order, "topk": first_few}
