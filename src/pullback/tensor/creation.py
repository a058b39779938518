"""Functions that make tensors from sizes, numbers and data."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy import ndarray

from .. import dtypes
from ..core.modes import modes
from ..core.value import TensorBase, array_of, dtype_of, shape_of, wrap
from ..device import as_device
from ..errors import argument_type, type_name
from .api import public
from .constants import layout as layout_class
from .data import array_from, cast_array


def made(array: ndarray, requires_grad: bool = False) -> Any:
    """Wrap a new array as a leaf, under the modes in force."""
    tensor = wrap(array)
    if modes().inference:
        tensor._inference = True
    if requires_grad:
        if array.dtype.kind in "biu":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        tensor.requires_grad_(True)
    return tensor


def chosen_dtype(dtype: Any, function: str) -> np.dtype[Any]:
    """The NumPy dtype of a `dtype` argument, the default where it is None."""
    if dtype is None:
        return dtypes.get_default_dtype().numpy
    if type(dtype) is dtypes.dtype:
        return dtype.numpy
    found = dtypes.BY_PYTHON_TYPE.get(dtype) if isinstance(dtype, type) else None
    if found is None:
        raise TypeError(f"{function}(): argument 'dtype' must be torch.dtype, not {type_name(dtype)}")
    return found.numpy


def check_options(function: str, layout: Any, device: Any, requires_grad: Any) -> None:
    """Refuse options that torch refuses: another layout, another device, a flag that is none."""
    if layout is not None and type(layout) is not layout_class:
        raise TypeError(f"{function}(): argument 'layout' must be torch.layout, not {type_name(layout)}")
    if type(requires_grad) is not bool:
        raise TypeError(f"{function}(): argument 'requires_grad' must be bool, not {type_name(requires_grad)}")
    as_device(device, function)


def sizes_of(function: str, args: tuple[Any, ...], size: Any) -> tuple[int, ...]:
    """The sizes given one by one, as one sequence, or by keyword."""
    if size is not None:
        if args:
            raise TypeError(f"{function}() got multiple values for argument 'size'")
        if not isinstance(size, (tuple, list)):
            raise argument_type(function, "size", None, "tuple of ints", size)
        given: Any = size
    elif len(args) == 1 and isinstance(args[0], (tuple, list)):
        given = args[0]
    elif not args:
        raise TypeError(f'{function}() missing 1 required positional arguments: "size"')
    else:
        given = args
        if not _is_size(args[0]):
            raise argument_type(function, "size", 1, "tuple of ints", args[0])
    shape = tuple(_checked_size(function, i, s) for i, s in enumerate(given))
    for s in shape:
        if s < 0:
            raise RuntimeError(f"{function}: Dimension size must be non-negative.")
    return shape


def _is_size(value: Any) -> bool:
    return isinstance(value, (int, np.integer, TensorBase)) and not isinstance(value, bool)


def _checked_size(function: str, position: int, value: Any) -> int:
    if type(value) is int:
        return value
    if not _is_size(value):
        raise TypeError(
            f"{function}(): argument 'size' failed to unpack the object at pos {position + 1} with error "
            f'"type must be tuple of ints,but got {type_name(value)}"'
        )
    return operator.index(value)


def _filled(function: str, fill: Any) -> Any:
    def create(
        *args: Any, size: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
        pin_memory: bool = False, requires_grad: bool = False, names: Any = None, memory_format: Any = None,
    ) -> Any:
        check_options(function, layout, device, requires_grad)
        return made(fill(sizes_of(function, args, size), chosen_dtype(dtype, function)), requires_grad)

    create.__name__ = create.__qualname__ = function
    return public(create, method=False)


zeros = _filled("zeros", np.zeros)
ones = _filled("ones", np.ones)
empty = _filled("empty", np.empty)


def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Any:
    """Make a leaf tensor that holds a copy of `data`."""
    check_options("tensor", None, device, requires_grad)
    return made(array_from(data, None if dtype is None else chosen_dtype(dtype, "tensor")), requires_grad)


public(tensor, method=False, out=False)


@public(method=False, out=False)
def from_numpy(array: ndarray, /) -> Any:
    """Wrap a NumPy array: both see each other's writes."""
    if not isinstance(array, ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    dtypes.from_numpy_dtype(array.dtype)
    if any(s < 0 for s in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with array.copy().) "
        )
    return made(array.view(ndarray))


@public(method=False)
def full(
    size: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """A tensor with every element `fill_value`."""
    check_options("full", layout, device, requires_grad)
    if isinstance(fill_value, TensorBase):
        fill_value = fill_value.item()  # type: ignore[attr-defined]
    value = array_from(fill_value, None if dtype is None else chosen_dtype(dtype, "full"))
    return made(np.full(sizes_of("full", (size,), None), value, value.dtype), requires_grad)


@public(method=False)
def arange(
    *args: Any, start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """Numbers from `start` up to, not including, `end` in steps of `step`."""
    check_options("arange", layout, device, requires_grad)
    if len(args) == 1:
        end = args[0]
    elif args:
        start, end, step = (*args, step)[:3]
    numbers = [v.item() if isinstance(v, TensorBase) else v for v in (start, end, step)]
    if dtype is None:
        whole = all(isinstance(v, (int, np.integer)) for v in numbers)
        dtype_ = np.dtype(np.int64) if whole else dtypes.get_default_dtype().numpy
    else:
        dtype_ = chosen_dtype(dtype, "arange")
    first, last, by = numbers
    if by == 0:
        raise RuntimeError("step must be nonzero")
    if (last - first) * by < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = math.ceil((last - first) / by)
    return made((first + by * np.arange(count)).astype(dtype_), requires_grad)


@public(method=False)
def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """`steps` numbers from `start` to `end`, both included, at equal distances."""
    check_options("linspace", layout, device, requires_grad)
    return made(np.linspace(start, end, steps, dtype=chosen_dtype(dtype, "linspace")), requires_grad)


@public(method=False)
def eye(
    n: int, m: int | None = None, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """Ones on the diagonal, zeros elsewhere."""
    check_options("eye", layout, device, requires_grad)
    return made(np.eye(n, m, dtype=chosen_dtype(dtype, "eye")), requires_grad)


def _like(function: str, fill: Any) -> Any:
    def create(
        input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
        memory_format: Any = None,
    ) -> Any:
        if not isinstance(input, TensorBase):
            raise argument_type(function, "input", 1, "Tensor", input)
        check_options(function, layout, device, requires_grad)
        chosen = dtype_of(input) if dtype is None else chosen_dtype(dtype, function)
        return made(fill(shape_of(input), chosen), requires_grad)

    create.__name__ = create.__qualname__ = function
    return public(create, method=False, out=False)


zeros_like = _like("zeros_like", np.zeros)
ones_like = _like("ones_like", np.ones)
empty_like = _like("empty_like", np.empty)


@public(method=False, out=False)
def full_like(input: Any, fill_value: Any, *, dtype: Any = None, requires_grad: bool = False, **options: Any) -> Any:
    """A tensor of the input's shape with every element `fill_value`."""
    chosen = dtype_of(input) if dtype is None else chosen_dtype(dtype, "full_like")
    return made(np.full(shape_of(input), cast_array(np.asarray(fill_value), chosen), chosen), requires_grad)


__all__ = ["array_of", "made", "tensor"]
