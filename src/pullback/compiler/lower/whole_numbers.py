"""Quotients and remainders by a number, and the places of what is not 0, as loops.

Only a number above 0 divides here: nothing is refused then, and nothing overflows.
"""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from .context import INT64, Context
from .gathers import searchsorted
from .handlers import Handler
from .index import Indices
from .lowered import Lowered
from .routines import joined
from .scans import cumsum

_WIDE = (np.dtype(np.int32), INT64)
#: Operations of a quotient: a product, a shift and a correction.
_COST = 4


def divided(context: Context, x: object, number: object, *, rest: bool) -> Lowered | None:
    """Lower ``x // n``, or ``x % n`` with `rest`, of a positive number; None for other operands."""
    dtype = context.results[0][1]
    if not isinstance(x, Lowered) or type(number) is not int or x.dtype != dtype or dtype not in _WIDE:
        return None
    if not 0 < number <= np.iinfo(dtype).max:
        return None

    def body(ops: Handler, indices: Indices) -> Any:
        value, by = x.at(ops, indices), ops.constant(number, dtype)
        quotient = ops.floordiv(value, by)
        return ops.sub(value, ops.mul(quotient, by)) if rest else quotient

    return context.map(x.shape, dtype, body, _COST + context.count(x))


def places(context: Context, x: Lowered, count: int) -> Lowered | None:
    """Lower the first places of what is not 0: where its running count comes to 1, 2, 3 and so on."""
    shape, size = x.shape, prod(x.shape)
    if x.dtype.kind not in "bi" or not shape or not size or not count:
        return None
    results = context.results

    def marked(ops: Handler, indices: Indices) -> Any:
        within, left = [], indices[0]
        for extent in reversed(shape):
            within.append(left % extent)
            left = left // extent
        zero = ops.constant(0, x.dtype)
        return ops.cast(ops.ne(x.at(ops, tuple(reversed(within))), zero), INT64)

    counted = cumsum(context, context.map((size,), INT64, marked, 1 + context.count(x)), 0, False)
    assert counted is not None
    wanted = context.held(context.constant(np.arange(1, count + 1)))
    context.results = [((count,), INT64)]
    found = searchsorted(context, counted, wanted, False, False)
    context.results = results
    assert found is not None
    found = context.stored(found)

    def along(axis: int) -> Lowered:
        def place(ops: Handler, indices: Indices) -> Any:
            at = found.at(ops, (indices[1],))
            # Where there are fewer, zeros follow.
            at = ops.select(ops.lt(at, ops.constant(size, INT64)), at, ops.constant(0, INT64))
            at = ops.floordiv(at, ops.constant(prod(shape[axis + 1 :]), INT64))
            extent = ops.constant(shape[axis], INT64)
            return at if not axis else ops.sub(at, ops.mul(ops.floordiv(at, extent), extent))

        return context.map((1, count), INT64, place, 2 * _COST)

    return joined(context, tuple(map(along, range(len(shape)))), 0)


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    "div_floor": partial(divided, rest=False),
    "floor_divide": partial(divided, rest=False),
    "floor_divide_": partial(divided, rest=False),
    "places": places,
    "remainder_number": partial(divided, rest=True),
}
