"""Python data as arrays: numbers, nested sequences, NumPy arrays and tensors, read as ``torch.tensor`` reads
them.

What this module must do:

- find the sizes along the first elements, then the dtype over all elements, then store, so that of several
  mistakes the one that torch finds first is reported;
- refuse numbers that the dtype cannot hold, with torch's texts;
- always return a new array in C order.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtype_limits, dtypes
from ..array.dtype_words import sized_name
from ..array.layout import convert, copy
from ..array.quiet import IGNORE, loud, quiet
from ..array.strides import as_given
from ..core.value import array_of
from ..core.warn import warn_once
from .tensor import Tensor

_NUMBERS = frozenset({bool, int, float, complex})
_LISTS, _INTS_AND_FLOATS = {list, tuple}, {int, float}
_INT64 = np.dtype(np.int64)
_PLAIN_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_LEAST_DTYPE = {bool: 0, int: 1, float: 2, complex: 3}
MOST_DIMENSIONS = 128


def _silent(function: Callable[..., ndarray]) -> Callable[..., ndarray]:
    """Compute inf where a number is too large for a dtype without NumPy's warning."""

    def call(*args: Any) -> ndarray:
        token = quiet(IGNORE)
        try:
            return function(*args)
        finally:
            loud(token)

    call.__doc__ = function.__doc__
    return call


#: A copy in another dtype, rounded as torch rounds.
cast_array = _silent(convert)


def array_from(data: Any, dtype: np.dtype[Any] | None) -> ndarray:
    """Return a new array of `data`, of the dtype given or else of the one that its elements call for."""
    # The common cases, for which the general way takes four times as long.
    if (plain := _plain_dtype(data, dtype)) is not None:
        token = quiet(IGNORE)
        try:
            return np.array(data, plain)
        except (OverflowError, ValueError):
            pass  # what is read number by number says why
        finally:
            loud(token)
    return _read(data, dtype)


def _plain_dtype(data: Any, dtype: np.dtype[Any] | None) -> np.dtype[Any] | None:
    """Return the dtype of ints, floats, and lists of nothing else, where NumPy reads them as torch does."""
    kind: type | None = type(data)
    if kind is list or kind is tuple:
        kinds = set(map(type, data))
        if kinds and kinds <= _LISTS:
            kinds = set(map(type, chain.from_iterable(data)))
        kind = float if kinds == _INTS_AND_FLOATS else kinds.pop() if len(kinds) == 1 else None
    if kind is float:
        found = dtypes.get_default_dtype().numpy if dtype is None else dtype
        return found if found in _PLAIN_FLOATS else None
    if kind is int:
        return _INT64 if dtype is None else dtype if dtype == _INT64 or dtype in _PLAIN_FLOATS else None
    return None


@_silent
def _read(data: Any, dtype: np.dtype[Any] | None) -> ndarray:
    if (kind := type(data)) in _NUMBERS:
        return stored([data], dtype or number_dtype(kind), ())
    if isinstance(data, Tensor):
        return converted(array_of(data), dtype)
    if isinstance(data, ndarray):
        check_array(data)
        return converted(as_given(data), dtype)
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{kind.__name__}'")
    if isinstance(data, np.generic):
        # With a dtype it is read as one of the items of a list, unless its imaginary part is dropped.
        if dtype is None or data.dtype.kind == "c":
            return converted(np.asarray(data), dtype)
        return stored([data], dtype, ())
    if not (sizes := _sizes(data)):
        found = _dtype_of_item(data) if dtype is None else dtype
        return stored([data], found, ())
    if isinstance((flat := _flat(data, sizes, dtype)), ndarray):
        return flat
    return stored(flat, dtype or _common_dtype(flat), sizes)


def converted(array: ndarray, dtype: np.dtype[Any] | None) -> ndarray:
    """Return a copy of an array in another dtype, laid out alike and rounded as torch rounds."""
    return copy(array) if dtype is None or array.dtype == dtype else convert(array, dtype)


def check_array(array: ndarray) -> None:
    """Raise torch's error for an array that no tensor can share."""
    numpy_dtype = array.dtype
    if numpy_dtype.type.__module__ == "ml_dtypes":
        raise dtypes.no_tensor_of(numpy_dtype)
    dtypes.from_numpy_dtype(numpy_dtype)
    for stride in array.strides:
        if stride % numpy_dtype.itemsize:
            raise ValueError(
                "given numpy array strides not a multiple of the element byte size. Copy the numpy array to "
                "reallocate the memory."
            )
        if stride < 0:
            raise ValueError(
                "At least one stride in the given numpy array is negative, and tensors with negative strides "
                "are not currently supported. (You can probably work around this by making a copy of your "
                "array  with array.copy().) "
            )


def number_dtype(kind: type) -> np.dtype[Any]:
    """Return the dtype that a Python number becomes."""
    if issubclass(kind, float):
        return dtypes.get_default_dtype().numpy
    if issubclass(kind, complex):
        return dtypes.default_complex().numpy
    # A member of an enumeration is a number, too.
    return np.dtype(int if issubclass(kind, int) and kind is not bool else kind)


def _is_sequence(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return True
    # The class of an enumeration has items; a member that is a number has none.
    if isinstance(data, Tensor | np.generic | dict | int | float):
        return False
    return hasattr(type(data), "__getitem__") and hasattr(type(data), "__len__")


def _sizes(data: Any) -> tuple[int, ...]:
    sizes: list[int] = []
    while _is_sequence(data):
        length = len(data)
        sizes.append(length)
        if len(sizes) > MOST_DIMENSIONS:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if length == 0:
            break
        data = data[0]
    return tuple(sizes)


def _flat(data: Any, sizes: tuple[int, ...], dtype: np.dtype[Any] | None) -> list[Any] | ndarray:
    """Return the elements in row-major order; an array where the innermost sequences are arrays."""
    level = [data]
    wrong: Exception | None = None
    for dim, size in enumerate(sizes):
        if level and all(type(item) is ndarray for item in level):
            return _from_arrays(level, sizes, dim, dtype)
        below: list[Any] = []
        for item in level:
            if not _is_sequence(item):
                if dtype is None or not isinstance(item, dict):
                    wrong = wrong or TypeError("not a sequence")
                    below.append(item)
                    continue
                # Where the dtype is known torch reads what can be iterated over, such as the keys of a dict.
                item = list(item)
            if len(item) != size:
                wrong = wrong or ValueError(
                    f"expected sequence of length {size} at dim {dim} (got {len(item)})"
                )
            below.extend(item)
        level = below
    if wrong is not None:
        if dtype is None:
            _common_dtype(level)
        raise wrong
    return level


def _from_arrays(
    arrays: list[ndarray], sizes: tuple[int, ...], dim: int, dtype: np.dtype[Any] | None
) -> ndarray:
    if dim:
        warn_once(
            "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting "
            "the list to a single numpy.ndarray with numpy.array() before converting to a tensor.",
        )
    for array in arrays:
        if array.shape != sizes[dim:]:
            at = next(i for i, (have, want) in enumerate(zip(array.shape, sizes[dim:])) if have != want)
            raise ValueError(
                f"expected sequence of length {sizes[dim + at]} at dim {dim + at} (got {array.shape[at]})"
            )
    common = dtype
    if common is None:
        found = dtypes.from_numpy_dtype(arrays[0].dtype)
        for array in arrays[1:]:
            found = dtypes.promote_types(found, dtypes.from_numpy_dtype(array.dtype))
        common = found.numpy
    return np.stack([convert(a, common) for a in arrays]).reshape(sizes)


def _common_dtype(flat: Sequence[Any]) -> np.dtype[Any]:
    if not (kinds := set(map(type, flat))):
        return dtypes.get_default_dtype().numpy
    if kinds <= _NUMBERS:
        return number_dtype(max(kinds, key=_LEAST_DTYPE.__getitem__))
    found: dtypes.dtype | None = None
    for item in flat:
        current = dtypes.from_numpy_dtype(_dtype_of_item(item))
        found = current if found is None else dtypes.promote_types(found, current)
    assert found is not None
    return found.numpy


def _dtype_of_item(item: Any) -> np.dtype[Any]:
    if isinstance(item, Tensor):
        return array_of(item).dtype
    if isinstance(item, ndarray | np.generic):
        return dtypes.from_numpy_dtype(item.dtype).numpy
    for kind in (bool, int, float, complex):
        if isinstance(item, kind):
            return number_dtype(kind)
    if isinstance(item, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(item).__name__}'")
    if _is_sequence(item):
        return _common_dtype(list(item))
    raise RuntimeError(f"Could not infer dtype of {type(item).__name__}")


def stored(flat: list[Any], dtype: np.dtype[Any], sizes: tuple[int, ...]) -> ndarray:
    """Return the elements as an array of `dtype`, each checked as torch checks it."""
    if dtype == np.uint64:
        for item in flat:
            if not isinstance(item, int):
                raise TypeError("an integer is required")
            if not 0 <= item <= dtypes.MOST:
                raise dtypes.integer_overflow(item)
    if not set(map(type, flat)) <= _NUMBERS:
        flat = [_as_number(item, dtype) for item in flat]
    if dtype.kind in "cW":
        return np.array(flat, dtype).reshape(sizes)
    if dtype.kind == "b":
        return np.array([bool(item) for item in flat], dtype).reshape(sizes)
    if any(type(item) is complex for item in flat):
        raise TypeError(
            "must be real number, not complex" if dtype.kind in "fV"
            else "'complex' object cannot be interpreted as an integer"
        )
    if dtype.kind in "iu":
        return _stored_integers(flat, dtype).reshape(sizes)
    stored_as = dtype if dtype.itemsize > 2 else np.dtype(np.float32)
    array = np.array(flat, stored_as)
    return convert(array, dtype).reshape(sizes)


def _stored_integers(flat: list[Any], dtype: np.dtype[Any]) -> ndarray:
    if not any(type(item) is float for item in flat):
        try:
            return np.array(flat, dtype)
        except OverflowError:
            pass  # found below, number by number
    return np.array([checked_integer(item, dtype, str) for item in flat], dtype)


def checked_integer(
    number: Any, dtype: np.dtype[Any], name: Callable[[np.dtype[Any]], str] = sized_name
) -> int:
    """Return a number as the integer that a dtype stores: floats cut off, small negatives wrapped."""
    limits = np.iinfo(dtype)
    low, high = int(limits.min), int(limits.max)
    if type(number) is float:
        if not low <= number <= high:
            raise overflow(name(dtype))
        return int(number)
    if not -(2**63) <= number < (2**64 if dtype == np.uint64 else 2**63):
        raise ValueError("Overflow when unpacking long long")
    if dtype.kind == "u" and -high <= number < 0:
        return int(number) + high + 1
    if not low <= number <= high:
        raise overflow(name(dtype))
    return int(number)


#: The integers below are numbers of float64.
_EXACT = 1 << 53


@_silent
def scalar_array(number: Any, dtype: np.dtype[Any]) -> ndarray:
    """Return a Python number as a 0-d array of `dtype`; refuse one that is out of range."""
    fits = type(number) is float and (-1e38 < number < 1e38 or math.isinf(number))
    is_small = type(number) is int and -_EXACT < number < _EXACT
    if ((fits or is_small) and dtype in _PLAIN_FLOATS) or (is_small and dtype == _INT64):
        return np.array(number, dtype)
    if dtype.kind == "b":
        return np.array(bool(number))
    dtypes.check_number(number)
    if isinstance(number, complex) and dtype.kind not in "cW":
        if number.imag != 0:
            raise overflow(sized_name(dtype))
        number = number.real
    if dtype.kind in "iu":
        if type(number) is float:
            limits = np.iinfo(dtype)
            if not limits.min <= number <= limits.max:
                raise overflow(sized_name(dtype))
        elif not isinstance(number, bool) and number >= 2**63 and dtype != np.uint64:
            raise overflow(sized_name(dtype))
        return np.array(checked_integer(number, dtype), dtype)
    limit = _largest(dtype)
    parts = (number.real, number.imag) if isinstance(number, complex) else (number,)
    if any(math.isfinite(part) and not -limit <= part <= limit for part in parts):
        raise overflow(sized_name(dtype))
    return convert(np.array(number, np.complex128 if isinstance(number, complex) else np.float64), dtype)


def filling(number: Any, dtype: np.dtype[Any]) -> ndarray:
    """Return what to fill an array of `dtype` with: the range of complex64 is that of complex32, too."""
    return scalar_array(number, dtypes.complex64.numpy if dtype == dtypes.COMPLEX32 else dtype)


@cache
def _largest(dtype: np.dtype[Any]) -> float:
    return dtype_limits.finfo(dtypes.from_numpy_dtype(dtype)).max


def overflow(name: str) -> RuntimeError:
    """Build the error for a number outside the range of a dtype."""
    return RuntimeError(f"value cannot be converted to type {name} without overflow")


def _as_number(item: Any, dtype: np.dtype[Any]) -> Any:
    if type(item) in _NUMBERS:
        return item
    # Of NumPy's floats float64 alone is one of Python's, and its bool is no int.
    refused = dtype.kind in "iub" and isinstance(item, np.float16 | np.float32)
    if refused or (dtype.kind in "iu" and isinstance(item, np.bool_)):
        raise TypeError(f"'numpy.{type(item).__name__}' object cannot be interpreted as an integer")
    if isinstance(item, Tensor):
        if array_of(item).size != 1 and dtype.kind in "biu":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        if array_of(item).size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if item._node is not None:
            warn_once(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                "Consider using tensor.detach() first.",
            )
        return item.item()
    if isinstance(item, ndarray | np.generic):
        number = item.item()
        return float(number) if type(number) not in _NUMBERS else number
    if dtype.kind in "iu":
        return operator.index(item)
    if dtype.kind == "b":
        return bool(item)
    if dtype.kind in "cW":
        return complex(item)
    if not hasattr(type(item), "__float__"):
        raise TypeError(f"must be real number, not {type(item).__name__}")
    return float(item)
