"""Divide whole numbers by a number of Python's: the quotient rounded down, and what is left.

The number is a part of the program, so that it is known not to be zero, which eager raises an error for, and
not to be -1, by which the least number has no quotient. Divisions by a tensor, which may hold a zero, are
array kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .context import Context
from .lowered import Lowered


def divided(context: Context, x: Lowered, divisor: Any, *, rest: bool) -> Lowered | None:
    """Lower ``x // divisor``, or ``x % divisor`` with `rest`, which has the sign of the divisor."""
    shape, dtype = context.results[0]
    if type(divisor) is not int or divisor in (0, -1) or dtype.kind != "i" or x.dtype != dtype:
        return None
    limits = np.iinfo(dtype)
    if not limits.min <= divisor <= limits.max or x.shape != shape:
        return None
    x = context.stored(x) if x.cost > 1 else x

    def body(ops: Any, indices: Any) -> Any:
        value, by = x.at(ops, indices), ops.constant(divisor, dtype)
        quotient = ops.floordiv(value, by)
        return ops.sub(value, ops.mul(quotient, by)) if rest else quotient

    return context.map(shape, dtype, body)


LOWERINGS: dict[str, Callable[..., Any]] = {
    "div_floor": partial(divided, rest=False),
    "floor_divide": partial(divided, rest=False),
    "floor_divide_": partial(divided, rest=False),
    "remainder_number": partial(divided, rest=True),
}
