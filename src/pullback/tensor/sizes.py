"""Reading dims and sizes from arguments: given one by one or as a tuple, negative, or as 0-d integer
tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any

from .. import errors
from ..core.value import TensorBase, shape_of
from .tensor import checked_dim

Ints = tuple[int, ...]


class _NotGiven:
    def __repr__(self) -> str:
        return "None"


#: The default of an argument of which torch tells apart whether None was said.
NOT_GIVEN: Any = _NotGiven()


def is_int(v: Any) -> bool:
    """Return whether torch takes `v` for an int: one of Python or NumPy, or a tensor of one integer."""
    if type(v) is int:
        return True
    if isinstance(v, (bool, float, str)) or not hasattr(v, "__index__"):
        return False
    if isinstance(v, TensorBase):
        from ..core.value import dtype_of

        return dtype_of(v).kind in "iu" and shape_of(v) == ()
    return True


def ints(function: str, argument: str, given: tuple[Any, ...], keyword: Any = None) -> Ints:
    """Return sizes or dims given as separate arguments, as one sequence, or by keyword.

    Raises torch's TypeError where nothing was given or something is no int.
    """
    if keyword is not None:
        return sequence(function, argument, None, keyword)
    if not given:
        raise missing(function, argument)
    for v in given:
        if type(v) is not int:
            break
    else:
        return given
    first = given[0]
    if len(given) == 1 and not is_int(first):
        return sequence(function, argument, 1, first)
    if not is_int(first):
        raise TypeError(f"{function}() takes 1 positional argument but {len(given)} were given")
    return tuple([_item(function, argument, i + 1, v) for i, v in enumerate(given)])


def sequence(function: str, argument: str, position: int | None, given: Any) -> Ints:
    """Return a tuple or list of ints, or torch's TypeError."""
    if not isinstance(given, (tuple, list)):
        raise errors.argument_type(function, argument, position, "tuple of ints", given)
    for v in given:
        if type(v) is not int:
            break
    else:
        return tuple(given)
    if given and not is_int(given[0]):
        where = "" if position is None else f" (position {position})"
        raise TypeError(
            f"{function}(): argument '{argument}'{where} must be tuple of ints, but found element of type "
            f"{errors.type_name(given[0])} at pos 0"
        )
    return tuple([_item(function, argument, i, v) for i, v in enumerate(given)])


def int_or_sequence(function: str, argument: str, position: int, given: Any) -> Ints:
    """Return one int, or a tuple or list of ints."""
    return (index(given),) if is_int(given) else sequence(function, argument, position, given)


def integer(function: str, argument: str, position: int | None, given: Any) -> int:
    """Return one int, or torch's TypeError."""
    if type(given) is int:
        return given
    if not is_int(given):
        raise errors.argument_type(function, argument, position, "int", given)
    return index(given)


def _item(function: str, argument: str, position: int, v: Any) -> int:
    # torch looks closer at the first of them only.
    if type(v) is int or type(v) is bool:
        return int(v)
    if not is_int(v):
        raise TypeError(
            f"{function}(): argument '{argument}' failed to unpack the object at pos {position} with error "
            f'"type must be tuple of ints,but got {errors.type_name(v)}"'
        )
    return index(v)


def missing(function: str, argument: str) -> TypeError:
    """Build torch's error for a call without a required argument."""
    return TypeError(f'{function}() missing 1 required positional arguments: "{argument}"')


def tensor(function: str, argument: str, given: Any, position: int = 1) -> Any:
    """Return a tensor, or torch's TypeError."""
    if not isinstance(given, TensorBase):
        raise errors.argument_type(function, argument, position, "Tensor", given)
    return given


def tensors(function: str, given: Any) -> tuple[Any, ...]:
    """Return a tuple or list of tensors, or torch's TypeError."""
    if not isinstance(given, (tuple, list)):
        raise errors.argument_type(function, "tensors", 1, "tuple of Tensors", given)
    for i, v in enumerate(given):
        if not isinstance(v, TensorBase):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {errors.type_name(v)}")
    return tuple(given)


def listed(function: str, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return tensors that are given one by one or as one tuple or list, or torch's TypeError."""
    return tensors(function, given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given)


def dims(given: Sequence[int], rank: int) -> Ints:
    """Return dims as non-negative numbers."""
    for d in given:
        if not 0 <= d < rank:
            break
    else:
        return tuple(given)
    return tuple([checked_dim(d, rank) for d in given])


def distinct_dims(given: Sequence[int], rank: int) -> Ints:
    """Return dims as non-negative numbers, none of them twice."""
    found: list[int] = []
    for d in given:
        if (dim := checked_dim(d, rank)) in found:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
        found.append(dim)
    return tuple(found)


def count(shape: Sequence[int]) -> int:
    """Return the number of elements of a shape."""
    n = 1
    for size in shape:
        n *= size
    return n


def inferred(shape: Ints, numel: int) -> Ints:
    """Return a shape of `numel` elements with its -1 replaced, or torch's RuntimeError."""
    if shape and min(shape) > 0 and prod(shape) == numel:
        return shape
    known, at = 1, -1
    for i, size in enumerate(shape):
        if size == -1:
            if at >= 0:
                raise RuntimeError("only one dimension can be inferred")
            at = i
        elif size < 0:
            raise RuntimeError(f"invalid shape dimension {size} at index {i} of shape {list(shape)}")
        else:
            known *= size
    if at < 0:
        if known != numel:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        return shape
    if known == 0:
        if numel == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                "dimension size -1 can be any value and is ambiguous"
            )
    elif numel % known == 0:
        return (*shape[:at], numel // known, *shape[at + 1 :])
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
