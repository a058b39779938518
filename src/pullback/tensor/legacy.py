"""Constructors from before `torch.tensor`: ``torch.Tensor(2, 3)``, ``torch.FloatTensor([1, 2])`` and
``x.new(…)``.

What this module must do:

- read the five forms of arguments: nothing, a storage, a tensor, sizes, data;
- make ``torch.FloatTensor`` and its like types that have a dtype and of which tensors are instances.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array import dtypes
from ..array.dtype_words import c_name
from ..core.device import as_device, device
from ..core.size import Size
from ..core.value import TensorBase, dtype_of
from ..ops.view import alias
from .api import public
from .constants import layout, strided
from .creation import check_size, made, unset
from .data import array_from
from .interchange import from_numpy
from .signature import Parser
from .storage import over_storage
from .tensor import Tensor

_NEW = Parser(
    "new",
    "(*, torch.device device = None)",
    "(torch.Storage storage)",
    "(Tensor other)",
    "(tuple of ints size, *, torch.device device = None)",
    "(object data, *, torch.device device = None)",
)

def _options(dtype: dtypes.dtype) -> str:
    return (
        f"TensorOptions(dtype={c_name(dtype.numpy)}, device=cpu, layout=Strided, "
        "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))"
    )


def construct(args: tuple[Any, ...], kwargs: dict[str, Any], dtype: dtypes.dtype, exact: bool) -> Any:
    """Make a tensor as the legacy constructors do; `exact` refuses a tensor of another dtype than `dtype`."""
    given = _NEW.bind(args, kwargs)
    where = given.get("device")
    if where is not None and (kind := (where if isinstance(where, device) else device(where)).type) != "cpu":
        if "other" in given or (len(args) == 1 and isinstance(args[0], TensorBase)):
            raise _tensor_with_device()
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {kind} was passed")
    if "other" in given:
        return _of_tensor(given["other"], dtype, exact)
    if "storage" in given:
        return over_storage(given["storage"], dtype)
    if "size" in given and not (args and isinstance(args[0], tuple | list) and type(args[0]) is not Size):
        check_size(given["size"])
        return made(unset(np.empty(given["size"], dtype.numpy)))
    if "size" not in given and "data" not in given:
        as_device(where, "new")
        return made(np.empty(0, dtype.numpy))
    data = args[0] if args else given["data"]
    if isinstance(data, TensorBase):
        raise _tensor_with_device()
    if isinstance(data, dict) or not hasattr(type(data), "__getitem__"):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    if isinstance(data, np.ndarray) and data.dtype == dtype.numpy:
        # It is not copied, as by `as_tensor`.
        return from_numpy(data)
    return made(array_from(data, dtype.numpy))


def _tensor_with_device() -> RuntimeError:
    return RuntimeError(
        "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported.  Use "
        "torch.tensor(...) or torch.as_tensor(...) instead."
    )


def _of_tensor(other: Any, dtype: dtypes.dtype, exact: bool) -> Any:
    have = dtypes.from_numpy_dtype(dtype_of(other))
    if exact and have is not dtype:
        raise TypeError(f"expected {_options(dtype)} (got {_options(have)})")
    return alias(other)


def _new_tensor(cls: type, *args: Any, **kwargs: Any) -> Any:
    made_tensor = construct(args, kwargs, dtypes.get_default_dtype(), False)
    if cls is not Tensor:
        made_tensor.__class__ = cls
    return made_tensor


@public(is_function=False, out=False)
def new(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Make a tensor of this tensor's dtype by the legacy forms of arguments."""
    return construct(args, kwargs, dtypes.from_numpy_dtype(dtype_of(self)), True)


class tensortype(type):
    """The class of the legacy tensor types."""

    __module__ = "torch"

    dtype: dtypes.dtype
    layout: layout
    is_cuda: bool
    is_sparse: bool

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and not cls.is_cuda and dtype_of(instance) == cls.dtype.numpy

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls.is_cuda:
            raise TypeError(
                f"type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA enabled."
            )
        return construct(args, kwargs, cls.dtype, True)


_TEXT = """Make or recognise tensors of {}, as programs did before there were dtypes.

A call takes sizes, a sequence of numbers or a tensor of that dtype. It raises torch's TypeError for anything
else, and always for a type of `torch.cuda`.
"""


def _legacy_types(is_cuda: bool) -> dict[str, tensortype]:
    members = {
        "__module__": "torch.cuda" if is_cuda else "torch",
        "layout": strided,
        "is_cuda": is_cuda,
        "is_sparse": False,
    }
    return {
        name: tensortype(name, (), {**members, "dtype": dtype, "__doc__": _TEXT.format(dtype)})
        for dtype in _DTYPES
        for name in (f"{dtype.scalar_type}Tensor",)
    }


_DTYPES = (
    dtypes.float32,
    dtypes.float64,
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.uint8,
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.bool,
)

#: The types that torch's top level has.
TYPES = _legacy_types(is_cuda=False)

#: Those of `torch.cuda`, which have no instances and make none: programs choose between the two.
CUDA_TYPES = _legacy_types(is_cuda=True)

Tensor.__new__ = staticmethod(_new_tensor)  # type: ignore[method-assign]  # subclasses may add parameters of their own
