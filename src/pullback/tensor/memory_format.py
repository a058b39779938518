"""Memory formats: which layout a tensor has, and copies in another.

`contiguous_format` is C order; `channels_last` (rank 4) and `channels_last_3d` (rank 5) have axis 1
innermost;
`preserve_format` keeps what the input has.
"""

from __future__ import annotations

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
    array = array_or_phantom(input)
    if array is None:
        return id(wanted) not in RANKS
    if id(wanted) in RANKS:
        return array.ndim == RANKS[id(wanted)] and array.size > 0 and is_channels_last(array)
    return array.flags.c_contiguous


def in_format(input: Any, wanted: Any) -> Any:
    """Return a copy in a format that is not `preserve_format`."""
    if id(wanted) not in RANKS:
        return structure.contiguous_copy(input)
    shape = shape_of(input)
    if len(shape) != RANKS[id(wanted)]:
        raise RuntimeError(f"required rank {RANKS[id(wanted)]} tensor to use {wanted._name} format")
    return structure.lay_out(input, channels_last_strides(shape))


def is_contiguous(self: Any, *, memory_format: Any = contiguous_format) -> bool:
    """Return whether the elements lie in a memory format (C order by default) without gaps."""
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
