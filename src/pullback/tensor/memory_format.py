"""Memory formats: which layout and which order of dimensions a tensor has, and copies in another layout.

`contiguous_format` is C order; `channels_last` (rank 4) and `channels_last_3d` (rank 5) have axis 1
innermost;
`preserve_format` keeps what the input has.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from numpy import ndarray

from .. import errors
from ..array.strides import channels_last_strides, is_channels_last
from ..core.meta import array_or_phantom
from ..core.value import TensorBase, shape_of
from ..ops import convert, structure
from .api import public
from .constants import channels_last, channels_last_3d, contiguous_format, memory_format, preserve_format
from .sizes import tensor
from .tensor import Tensor

#: The rank that a format asks for.
RANKS = {id(channels_last): 4, id(channels_last_3d): 5}


def _checked(function: str, given: Any, position: int | None) -> Any:
    if given is not None and not isinstance(given, memory_format):
        raise errors.argument_type(function, "memory_format", position, "torch.memory_format", given)
    return given


def lies_in(input: Any, wanted: Any) -> bool:
    """Return whether the elements lie in a format."""
    if (array := array_or_phantom(input)) is None:
        return id(wanted) not in RANKS
    if id(wanted) in RANKS:
        return array.ndim == RANKS[id(wanted)] and array.size > 0 and is_channels_last(array)
    return array.flags.c_contiguous


def in_format(input: Any, wanted: Any) -> Any:
    """Return a copy in a format that is not `preserve_format`."""
    if id(wanted) not in RANKS:
        return structure.contiguous_copy(input)
    if len(shape := shape_of(input)) != RANKS[id(wanted)]:
        raise RuntimeError(f"required rank {RANKS[id(wanted)]} tensor to use {wanted._name} format")
    return structure.lay_out(input, channels_last_strides(shape))


def is_contiguous(self: Any, *, memory_format: Any = contiguous_format) -> bool:
    """Return whether the elements lie in a memory format (C order by default) without gaps."""
    if memory_format is contiguous_format and type(value := self._value) is ndarray:
        return value.flags.c_contiguous
    return lies_in(self, _checked("is_contiguous", memory_format, None))


@public(is_function=False, out=False)
def contiguous(input: Any, memory_format: Any = contiguous_format) -> Any:
    """Return the tensor itself where it lies in the format, else a copy that does."""
    if memory_format is contiguous_format and isinstance(input, TensorBase):
        value = input._value
        if type(value) is ndarray and value.flags.c_contiguous:
            return input
    _checked("contiguous", memory_format, None)
    if lies_in(input, memory_format):
        return input
    if memory_format is preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return in_format(input, memory_format)


@public(out=False)
def clone(input: Any, *, memory_format: Any = None) -> Any:
    """Return a copy with its own storage, in the input's layout or in a given one."""
    if memory_format is None or memory_format is preserve_format:
        return convert.clone(tensor("clone", "input", input))
    return in_format(input, _checked("clone", memory_format, None))


def converted(result: Any, wanted: Any) -> Any:
    """Return the result of a conversion in the format that was asked for."""
    if wanted is None or wanted is preserve_format or lies_in(result, wanted):
        return result
    return in_format(result, wanted)


setattr(Tensor, is_contiguous.__name__, is_contiguous)


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
    if (rank := len(shape)) < 2:
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
            if (found := _compared(shape, strides, order[before], order[at])) < 0:
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
