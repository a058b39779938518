"""Functions that make tensors in the shape, or of the dtype, of another one: ``*_like`` and ``new_*``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import layout as layouts
from ..array.elementwise import fill as fill_array
from ..array.strides import laid_out_empty
from ..core.device import CPU, META
from ..core.meta import array_or_phantom
from ..core.value import TensorBase, array_of, dtype_of, shape_of, wrap
from ..core.wrapper import is_wrapper, named
from .api import public, with_signature
from .batching import batch_levels, enter
from .constants import SPARSE, preserve_format
from .creation import (
    check_options,
    check_size,
    format_strides,
    made,
    made_sparse,
    strided_array,
    unset,
    warn_of_copy,
)
from .data import array_from, filling
from .meta import meta_tensor, on_device
from .signature import OPTIONS, described, method, parsed

_LIKE = f"*, torch.memory_format memory_format = None, {OPTIONS}"


def array_like(
    function: str, input: Any, dtype: Any, device: Any, pin_memory: bool, memory_format: Any
) -> ndarray:
    """Return an uninitialised array in the shape of a tensor, laid out alike or as a memory format says."""
    check_options(function, device, pin_memory)
    chosen = dtype_of(input) if dtype is None else dtype.numpy
    if memory_format is None or memory_format is preserve_format:
        value = array_or_phantom(input)
        return np.empty(shape_of(input), chosen) if value is None else layouts.empty_like(value, chosen)
    shape = shape_of(input)
    strides = format_strides(shape, memory_format)
    return np.empty(shape, chosen) if strides is None else laid_out_empty(shape, strides, chosen)


def meta_like(input: Any, dtype: Any, memory_format: Any, requires_grad: bool) -> Any:
    """Return a tensor without elements in another's shape, laid out alike or as a memory format says."""
    shape = shape_of(input)
    if memory_format is None or memory_format is preserve_format:
        laid_out = array_or_phantom(input)
        strides = None if laid_out is None else layouts.dense_strides(laid_out)
    else:
        strides = format_strides(shape, memory_format)
    return meta_tensor(shape, dtype_of(input) if dtype is None else dtype.numpy, strides, requires_grad)


def place(function: str, like: Any, device: Any, pin_memory: bool = False) -> Any:
    """Return the device that is asked for, that of a tensor where none is."""
    return like.device if device is None and not pin_memory else check_options(function, device, pin_memory)


def made_for(like: Any, array: ndarray, requires_grad: bool) -> Any:
    """Return a leaf around an array, with a row of its own for each row of a vmap that `like` has rows of."""
    levels = batch_levels(like) if like._level else []
    if not levels:
        return made(array, requires_grad)
    sizes = tuple(size for _, size in levels)
    tensor = wrap(np.broadcast_to(array, (*sizes, *array.shape)).copy())
    for level, _ in levels:
        tensor = enter(tensor, 0, level)
    return tensor.requires_grad_(True) if requires_grad else tensor


def _by_class(function: str, *args: Any, **options: Any) -> Any:
    """Return what the class of a tensor without memory makes like it."""
    return named(function, *args, **{name: v for name, v in options.items() if v is not None})


def _like(function: str, what: str, fill: Any) -> Callable[..., Any]:
    def create(
        input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
        requires_grad: bool = False, memory_format: Any = None,
    ) -> Any:
        if is_wrapper(input):
            return _by_class(function, input, dtype=dtype, device=device).requires_grad_(requires_grad)
        if place(function, input, device, pin_memory) is META:
            return meta_like(input, dtype, memory_format, requires_grad)
        array = array_like(function, input, dtype, CPU, pin_memory, memory_format)
        if fill is None:
            unset(array)
        else:
            fill_array(array, fill)
        return made_for(input, array, requires_grad)

    create.__doc__ = f"Make a tensor of {what} in the shape, dtype and layout of `input`."
    of_dense = parsed(function, f"(Tensor input, {_LIKE})")(create)
    parser = of_dense.parser  # type: ignore[attr-defined]  # functions take attributes

    def call(*args: Any, **kwargs: Any) -> Any:
        if "layout" in kwargs and kwargs["layout"] in SPARSE:
            return made_sparse(parser, args, kwargs)
        return of_dense(*args, **kwargs)

    call.behind, call.taken = create, lambda: 1  # type: ignore[attr-defined]  # functions take attributes
    return public(described(call, create, parser), name=function, method=False, out=False)


zeros_like = _like("zeros_like", "zeros", 0)
ones_like = _like("ones_like", "ones", 1)
empty_like = _like("empty_like", "uninitialised elements", None)


@with_signature(f"(Tensor input, Number fill_value, {_LIKE})", method=False, out=False)
def full_like(
    input: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, memory_format: Any = None,
) -> Any:
    """Make a tensor with every element `fill_value` in the shape, dtype and layout of `input`."""
    if is_wrapper(input):
        made = _by_class("full_like", input, fill_value, dtype=dtype, device=device)
        return made.requires_grad_(requires_grad)
    if place("full_like", input, device, pin_memory) is META:
        return meta_like(input, dtype, memory_format, requires_grad)
    array = array_like("full_like", input, dtype, CPU, pin_memory, memory_format)
    array[...] = filling(fill_value, array.dtype)
    return made_for(input, array, requires_grad)


# --- methods of a tensor that gives the dtype ---------------------------------------------------------------


def _chosen(self: Any, dtype: Any) -> np.dtype[Any]:
    return dtype_of(self) if dtype is None else dtype.numpy


def _new(function: str, what: str, fill: Any) -> Callable[..., Any]:
    def create(
        self: Any, size: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
        pin_memory: bool = False, requires_grad: bool = False,
    ) -> Any:
        if is_wrapper(self):
            made = _by_class(function, self, list(size), dtype=dtype, device=device)
            return made.requires_grad_(requires_grad)
        where = place(function, self, device, pin_memory)
        check_size(size)
        if where is META:
            return meta_tensor(size, _chosen(self, dtype), None, requires_grad)
        array = np.empty(size, _chosen(self, dtype))
        if fill is None:
            unset(array)
        else:
            fill_array(array, fill)
        return made_for(self, array, requires_grad)

    create.__doc__ = f"Make a tensor of {what} with this tensor's dtype."
    declared = method(function, f"(tuple of ints size, *, {OPTIONS})")(create)
    return public(declared, name=function, is_function=False, out=False)


new_zeros = _new("new_zeros", "zeros", 0)
new_ones = _new("new_ones", "ones", 1)
new_empty = _new("new_empty", "uninitialised elements", None)


@with_signature(f"(tuple of ints size, Number fill_value, *, {OPTIONS})", is_function=False, out=False)
def new_full(
    self: Any, size: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """Make a tensor with every element `fill_value` with this tensor's dtype."""
    if is_wrapper(self):
        made = _by_class("new_full", self, list(size), fill_value, dtype=dtype, device=device)
        return made.requires_grad_(requires_grad)
    where = place("new_full", self, device, pin_memory)
    check_size(size)
    chosen = _chosen(self, dtype)
    if where is META:
        return meta_tensor(size, chosen, None, requires_grad)
    return made_for(self, np.full(size, filling(fill_value, chosen), chosen), requires_grad)


@with_signature(f"(tuple of ints size, tuple of ints stride, *, {OPTIONS})", is_function=False, out=False)
def new_empty_strided(
    self: Any, size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """Make an uninitialised tensor with this tensor's dtype and the given strides."""
    if place("new_empty_strided", self, device, pin_memory) is META:
        return meta_tensor(size, _chosen(self, dtype), stride, requires_grad)
    return made(strided_array(size, stride, _chosen(self, dtype)), requires_grad)


@with_signature(
    "(object data, *, torch.dtype dtype = None, torch.device device = None, bool requires_grad = False)",
    is_function=False, out=False,
)
def new_tensor(
    self: Any, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """Make a leaf tensor that holds a copy of the data, with this tensor's dtype."""
    where = place("new_tensor", self, device)
    if isinstance(data, TensorBase):
        warn_of_copy("new_tensor")
        data = array_of(data)
    new = made(array_from(data, _chosen(self, dtype)), requires_grad)
    return new if where is CPU else on_device(new, where).requires_grad_(requires_grad)
