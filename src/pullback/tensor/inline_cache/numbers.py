"""Numbers that are others in each call, as a rate that decays: a plan takes them as arrays without axes.

Where an op is given an equal float while ops are noted, it is that number, or what it is with the other sign;
what else Python computes of it is a constant. A function looks at its numbers unseen: so a plan is tried with
others of the same sign between the same two of `_BOUNDS`, and holds for these alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.calls import F32, F64
from ...core.value import wrap
from .recording import Layout

#: Between these numbers are taken alike (0 and what is not finite are Python's); others that are tried.
_BOUNDS = (2.0**-100, 0.5, 1.0, 2.0**100)
_TRIED = (1e-9, 1e-3, 0.1, 0.25, 1 / 3, 0.6, 0.7, 0.9, 1.1, 1.5, 2.0, 3.0, math.pi, 4.0, 1e5)


class Changing:
    """Stand for a float that changes among the arguments: by `tensor` for a plan."""

    def __init__(self, number: float, dtype: np.dtype[Any]) -> None:
        self.tensor, self._dtype = wrap(np.array(number), None, 0), dtype
        # What is below a bound is so when it is rounded, too.
        ends = [(low, np.nextafter(dtype.type(high), dtype.type(0))) for low, high in pairwise(_BOUNDS)]
        near, far = next((both for both in ends if both[0] <= abs(number) <= both[1]), (1.0, 0.0))
        #: The numbers that are taken alike, the ends first; there are none where it is Python's.
        self.alike = [math.copysign(n, number) for n in (near, far, *_TRIED) if near <= n <= far]

    def number(self, tensor: Any) -> float:
        """Return the number that a tensor in place of it has, and note it where that has no elements."""
        if not isinstance(tensor._value, Layout):
            return float(tensor._value)
        value = float(self.tensor._value)
        tensor._value.notes.add_number(tensor._value, value, self._dtype)
        return value


def changing(floats: Mapping[int, float], arrays: Sequence[ndarray]) -> dict[int, Changing]:
    """Return what stands for floats of a call, by their places; nothing where a plan does not take them."""
    dtypes = {array.dtype for array in arrays if array.dtype != bool}
    alone = dtypes in ({F32}, {F64})
    found = {place: Changing(number, *dtypes) for place, number in floats.items()} if alone else {}
    return found if all(v.alike for v in found.values()) else {}


def as_operands(
    function: Callable[..., Any], given: tuple[Any, ...], own: Mapping[int, Changing],
    arguments: tuple[Any, ...], named: Mapping[str, Any],
) -> Any:  # fmt: skip
    """Return a function that takes tensors in place of numbers, what it is given, and the arguments of the
    call by place and by name with what stands for the numbers.
    """
    def call(*given: Any) -> Any:
        return function(*[own[k].number(v) if k in own else v for k, v in enumerate(given)])

    by_place, told = len(given) - len(named), tuple([own.get(k, v) for k, v in enumerate(given)])
    return (
        call, tuple([v.tensor if k in own else v for k, v in enumerate(told)]),
        told[:by_place] + arguments[by_place:], dict(zip(named, told[by_place:], strict=True)),
    )  # fmt: skip
