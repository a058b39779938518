"""Tensors in another dtype, another layout, or copied."""

from __future__ import annotations

from typing import Any

from .. import dtypes
from ..core.value import TensorBase, dtype_of
from ..ops import convert
from .api import public
from .memory_format import converted
from .tensor import Tensor


def _cast(input: Any, dtype: dtypes.dtype) -> Any:
    return input if dtype_of(input) == dtype.numpy else convert.cast(input, dtype.numpy)


@public(is_function=False, out=False)
def to(input: Any, *args: Any, **kwargs: Any) -> Any:
    """The tensor in another dtype, or another memory format."""
    if "memory_format" in kwargs:
        wanted = kwargs.pop("memory_format")
        return converted(to(input, *args, **kwargs), wanted)
    for a in (*args, *kwargs.values()):
        if isinstance(a, dtypes.dtype):
            return _cast(input, a)
        if isinstance(a, TensorBase):
            return _cast(input, dtypes.from_numpy_dtype(dtype_of(a)))
    return input


def _method(dtype: dtypes.dtype) -> Any:
    def convert_to(self: Any, memory_format: Any = None) -> Any:
        return converted(_cast(self, dtype), memory_format)

    return convert_to


for _name, _dtype in {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16,
    "int": dtypes.int32, "long": dtypes.int64, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8,
    "bool": dtypes.bool, "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
}.items():  # fmt: skip
    setattr(Tensor, _name, _method(_dtype))
