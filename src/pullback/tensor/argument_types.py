"""The types that torch's argument parser knows: which values each takes, and what it makes of them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..array import dtypes
from ..core.device import device as device_class
from ..core.value import TensorBase, dtype_of
from ..errors import type_name
from .constants import SPARSE, layout, memory_format

Check = Callable[[Any], bool]

def is_integer(value: Any) -> bool:
    """Return whether torch takes a value for an integer: also a tensor of one, of no dimension."""
    if type(value) is int:
        return True
    if isinstance(value, TensorBase):
        return _is_plain_scalar(value) and dtype_of(value).kind in "iu"
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iu"
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def has_index(value: Any) -> bool:
    """Return whether an object of the user's says by `__index__` which integer it is."""
    return hasattr(type(value), "__index__") and not isinstance(
        value, int | np.generic | np.ndarray | TensorBase
    )


def is_real(value: Any) -> bool:
    """Return whether torch takes a value where a real number is wanted."""
    if isinstance(value, float | int | np.floating | np.integer | np.bool_):
        return True
    return isinstance(value, TensorBase) and _is_plain_scalar(value)


def is_number(value: Any) -> bool:
    """Return whether torch takes a value where a number is wanted."""
    return isinstance(value, complex | np.number) or is_real(value)


def _is_plain_scalar(tensor: Any) -> bool:
    return not tensor.shape and not tensor.requires_grad


def _is_list(check: Check) -> Check:
    def is_list(value: Any) -> bool:
        return isinstance(value, list | tuple) and all(map(check, value))

    return is_list


def is_tensor(value: Any) -> bool:
    """Return whether a value is a tensor."""
    return isinstance(value, TensorBase)


def _is_generator(value: Any) -> bool:
    from ..array.random import Generator

    return isinstance(value, Generator)


def takes_nothing(value: Any) -> bool:
    """Return False: no value is of a type that pullback does not have."""
    return False


def is_operand(value: Any) -> bool:
    """Return whether torch takes a value where a tensor or a number is wanted."""
    return isinstance(value, TensorBase) or is_number(value)


def one_or_many(many: Check, one: Check) -> Check:
    """Return the test of a list that one element may stand for."""
    return lambda value: many(value) or one(value)


def is_size_element(value: Any) -> bool:
    """Return whether torch takes a value for a number of a size."""
    return is_integer(value) or isinstance(value, bool) or has_index(value)


def is_size(value: Any) -> bool:
    """Return whether torch takes a value for a size: a bool may be among its numbers, but not first."""
    if not isinstance(value, list | tuple):
        return False
    for item in value:
        if type(item) is not int:
            break
    else:
        return True
    return not value or (not isinstance(value[0], bool) and all(map(is_size_element, value)))


def _is_layout(value: object) -> bool:
    if value in SPARSE:
        raise NotImplementedError(f"Tensors of layout {value} are not part of pullback (sparse tensors)")
    return type(value) is layout


#: Printed name of a type → its test.
CHECKS: dict[str, Check] = {
    "int": is_integer,
    "float": is_real,
    "Number": is_number,
    "bool": lambda value: isinstance(value, bool | np.bool_),
    "Tensor": is_tensor,
    "tuple of ints": is_size,
    "tuple of floats": _is_list(is_real),
    "tuple of Scalars": _is_list(is_number),
    "tuple of Tensors": _is_list(is_tensor),
    "torch.dtype": lambda value: (
        type(value) is dtypes.dtype or (isinstance(value, type) and value in dtypes.BY_PYTHON_TYPE)
    ),
    "torch.layout": _is_layout,
    "torch.memory_format": lambda value: type(value) is memory_format,
    "torch.device": lambda value: (
        isinstance(value, device_class | str) or (is_integer(value) and not isinstance(value, TensorBase))
    ),
    "torch.Generator": _is_generator,
    "torch.Storage": lambda value: hasattr(value, "_is_pullback_storage"),
    "torch.Stream": takes_nothing,
    "str": lambda value: isinstance(value, str),
    "object": lambda value: True,
}


#: Printed name of a type → the type of which values fit as they are.
USUAL: dict[str, type] = {
    "float": float, "Number": float, "bool": bool, "torch.dtype": dtypes.dtype, "str": str,
}

#: Tests of what is in a tuple of such a kind.
ELEMENTS: dict[str, Check] = {
    "tuple of ints": is_size_element, "tuple of floats": is_real, "tuple of Tensors": is_tensor,
}  # fmt: skip


def as_number(value: Any) -> Any:
    """Return a number of any kind as a Python number."""
    if type(value) in (int, float, bool, complex):
        return value
    if isinstance(value, np.generic):
        return dtypes.python_number(value)
    return value.item() if hasattr(value, "item") else value


def _as_checked_number(value: Any) -> Any:
    dtypes.check_number(value)
    return as_number(value)


def _as_dtype(value: Any) -> Any:
    return value if type(value) is dtypes.dtype else dtypes.BY_PYTHON_TYPE[value]


def as_int(value: Any) -> int:
    """Return an integer of any kind as Python's, which has at most 64 bits."""
    found = operator.index(value)
    dtypes.check_long(found)
    return found


#: Sizes up to which an integer is not looked at twice.
LARGEST_USUAL = 1 << 40


def as_ints(value: Any) -> tuple[int, ...]:
    """Return a size as a tuple of Python's integers."""
    for item in value:
        if type(item) is not int or not -LARGEST_USUAL <= item <= LARGEST_USUAL:
            break
    else:
        return tuple(value)
    if found := tuple(map(operator.index, value)):
        dtypes.check_long(min(found))
        dtypes.check_long(max(found))
    return found


CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "int": as_int,
    "float": lambda value: float(as_number(value)),
    "Number": _as_checked_number,
    "bool": bool,
    "tuple of ints": as_ints,
    "tuple of floats": lambda value: tuple(float(as_number(item)) for item in value),
    "tuple of Scalars": lambda value: tuple(map(_as_checked_number, value)),
    "tuple of Tensors": tuple,
    "torch.dtype": _as_dtype,
}


#: Kinds of which one element stands for many where a size is known.
REPEATED: dict[str, Check] = {"tuple of ints": is_integer, "tuple of floats": is_real}
_ONE = {"tuple of ints": "int", "tuple of floats": "float"}


def one_or_each(kind: str) -> Callable[[Any], Any]:
    """Return the conversion of a list that one element may stand for."""
    one, each = CONVERSIONS[_ONE[kind]], CONVERSIONS[kind]
    return lambda value: each(value) if isinstance(value, list | tuple) else one(value)


def tested_by_name(kind: str) -> Check:
    """Return how torch's comparison with what was given tests a value: by the name of its type alone."""
    names = {"float": ("float", "int"), "Tensor": ("Tensor", "Parameter")}.get(kind, (kind,))
    return lambda value: type_name(value) in names


def first_of_size(value: Any) -> Any:
    """Return the first element of what begins like a size and is none; all other values as they are."""
    if isinstance(value, list | tuple) and value and is_size_element(value[0]):
        return value if all(map(is_size_element, value)) else value[:1]
    return value
