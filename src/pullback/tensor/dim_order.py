"""The order in which a tensor's dimensions lie in memory, as torch finds it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..core.value import shape_of
from .api import public
from .constants import channels_last, contiguous_format, memory_format

_KINDS = "The ambiguity_check argument must be a bool or a list of memory formats."


@public(is_function=False, out=False)
def dim_order(self: Any, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """Return the dimensions from outermost to innermost in memory.

    Parameters
    ----------
    ambiguity_check : bool or list of memory_format
        Whether to raise where there are several orders; of a list, unless the tensor lies in exactly one of
        the formats.
    """
    formats = [] if isinstance(ambiguity_check, bool) else ambiguity_check
    if not isinstance(formats, list) or not all(isinstance(f, memory_format) for f in formats):
        raise TypeError(_KINDS)
    shape, strides = shape_of(self), self.stride()
    several = 1 in shape or any(a == b for a, b in pairwise(strides))
    if ambiguity_check is not False and several and sum(_lies_in(self, f) for f in formats) != 1:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory "
            "formats."
        )
    rank = len(shape)
    if rank < 2:
        return tuple(range(rank))
    in_order, in_channels = _lies_in(self, contiguous_format), _lies_in(self, channels_last)
    if in_order != in_channels:
        return tuple(range(rank)) if in_order else (0, *range(2, rank), 1)
    order = _sorted(shape, strides)
    if ambiguity_check and any(_compared(shape, strides, a, b) >= 0 for a, b in pairwise(order)):
        raise RuntimeError("The tensor does not have unique dim order.")
    return tuple(reversed(order))


def _lies_in(tensor: Any, form: Any) -> bool:
    return bool(tensor.is_contiguous(memory_format=form))


def _sorted(shape: Any, strides: Any) -> list[int]:
    """Return the dimensions from innermost to outermost, by insertion: the comparison is not transitive."""
    order = list(reversed(range(len(shape))))
    for start in range(1, len(order)):
        at = start
        for before in reversed(range(start)):
            found = _compared(shape, strides, order[before], order[at])
            if found < 0:
                break
            if found > 0:
                order[before], order[at] = order[at], order[before]
                at = before
    return order


def _compared(shape: Any, strides: Any, a: int, b: int) -> int:
    """Return whether dimension `a` lies inside `b` (-1), around it (1), or neither."""
    first, second = strides[a], strides[b]
    if first == 0 or second == 0:
        return 0
    if first == second:
        return 0 if shape[a] == 0 or shape[b] >= shape[a] or (shape[b] and shape[b] % shape[a] == 0) else 1
    return -1 if second >= first else 1
