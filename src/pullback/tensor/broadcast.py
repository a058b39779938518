"""Tensors spread to the shape of others: `expand` and broadcasting under torch's names."""

from collections.abc import Sequence
from typing import Any

from ..array.dtype_words import class_name
from ..core.promotion import broadcast_shape
from ..core.value import dtype_of, shape_of
from ..ops import structure
from .api import public
from .sizes import Ints, ints, listed, sequence, tensor


@public(is_function=False, out=False)
def expand(input: Any, *size: Any, implicit: bool = False, **keyword: Any) -> Any:
    """Return axes of size 1 repeated without a copy, and new leading axes; -1 keeps a size."""
    return expanded(input, ints("expand", "size", size, keyword.get("size")))


def expanded(input: Any, size: Ints) -> Any:
    """Return `expand` to a tuple of ints."""
    return structure.expand(input, expanded_shape(input, size))


def expanded_shape(input: Any, size: Ints) -> Ints:
    """Return the shape that `expand` to `size` gives, or raise torch's error."""
    own = shape_of(input)
    lead = len(size) - len(own)
    if lead >= 0 and own == size[lead:] and (not lead or min(size[:lead]) >= 0):
        return size
    if lead < 0:
        raise RuntimeError(
            f"expand({class_name(dtype_of(input))}{{{list(own)}}}, size={list(size)}): the number of sizes "
            f"provided ({len(size)}) must be greater or equal to the number of dimensions in the tensor "
            f"({len(own)})"
        )
    shape = list(size)
    for d in range(len(size) - 1, -1, -1):
        have, want = own[d - lead] if d >= lead else 1, size[d]
        if want == -1 and own:
            if d < lead:
                raise RuntimeError(
                    "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing "
                    f"dimension {d}"
                )
            shape[d] = have
        elif have not in (want, 1):
            raise RuntimeError(
                f"The expanded size of the tensor ({want}) must match the existing size ({have}) at "
                f"non-singleton dimension {d}.  Target sizes: {list(size)}.  Tensor sizes: {list(own)}"
            )
    if min(shape) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    return tuple(shape)


@public(is_function=False, out=False)
def expand_as(input: Any, other: Any) -> Any:
    """Return ``input.expand(other.size())``."""
    return expanded(input, tuple(shape_of(tensor("expand_as", "other", other))))


def _broadcast_to(input: Any, *given: Any, size: Any = None) -> Any:
    """Return ``input.expand(size)``."""
    return expanded(input, ints("broadcast_to", "size", given, size))


@public(out=False, method=False)
def broadcast_to(input: Any, size: Any) -> Any:
    """Return ``input.expand(size)``."""
    return expanded(tensor("broadcast_to", "input", input), sequence("broadcast_to", "size", 2, size))


public(_broadcast_to, name="broadcast_to", is_function=False, out=False)


@public(method=False, out=False)
def broadcast_tensors(*tensors_: Any) -> tuple[Any, ...]:
    """Return each tensor expanded to the shape to which all of them broadcast."""
    given = listed("broadcast_tensors", tensors_)
    shape = broadcast_shape((), *map(shape_of, given))
    return tuple(x if shape_of(x) == shape else structure.expand(x, shape) for x in given)


@public(method=False, out=False)
def broadcast_shapes(*shapes: Any) -> Any:
    """Return the shape to which shapes (or sizes) broadcast."""
    from ..core.size import Size

    given = [(s,) if isinstance(s, int) else s for s in shapes if s is not None]
    for shape in given:
        if not isinstance(shape, Sequence):
            raise RuntimeError(
                f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}"
            )
    found = [1] * max(map(len, given), default=0)
    for i, shape in enumerate(given):
        for d in range(-1, -len(shape) - 1, -1):
            if (size := shape[d]) == found[d]:
                continue
            if found[d] == 1 and size < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if size == 1:
                continue
            if found[d] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size} at {d}! Mismatching argument at "
                    f"index {i} had {shape}; but expected shape should be broadcastable to {found}"
                )
            found[d] = size
    return Size(found)
