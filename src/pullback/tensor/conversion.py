"""Tensors in another dtype or on another device: `to`, `type`, `float` and their like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..array import dtypes
from ..array.strides import suggests_channels_last
from ..core.device import CPU, as_device, device
from ..core.meta import is_meta
from ..core.value import TensorBase, dtype_of, innermost, shape_of
from ..core.warn import warn_once
from ..errors import with_name
from ..ops import convert
from .api import public, with_signature
from .constants import channels_last, channels_last_3d, contiguous_format, preserve_format
from .memory_format import converted, in_format
from .meta import on_device
from .signature import Parser, reads


def cast(input: Any, dtype: dtypes.dtype) -> Any:
    """Return the tensor in a dtype: itself where it has it."""
    if (have := dtype_of(input)) == dtype.numpy:
        return input
    if have.kind in "cW" and dtype.category < dtypes.COMPLEX and dtype is not dtypes.bool:
        warn_once("Casting complex values to real discards the imaginary part")
    return convert.cast(input, dtype.numpy)


_TO = Parser(
    "to",
    "(torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, *, "
    "torch.memory_format memory_format = None)",
    "(torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format "
    "= None)",
    "(Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = "
    "None)",
    numbers=True,
)


@public(is_function=False, out=False)
@reads(_TO, tensor_first=True)
def to(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Convert to a dtype, a device, or another tensor's dtype: ``to(dtype)``, ``to(device, dtype)``,
    ``to(other)``.

    Parameters
    ----------
    dtype : dtype, optional
    device : device, optional
        The CPU.
    tensor : tensor, optional
        Gives the dtype.
    non_blocking : bool
        Makes no difference.
    copy : bool
        Copy also where nothing is to be converted.
    memory_format : memory_format, optional
    """
    if len(args) == 1 and not kwargs:
        if type(target := args[0]) is dtypes.dtype:
            return cast(self, target)
        if isinstance(target, TensorBase):
            return cast(on_device(self, target.device), dtypes.from_numpy_dtype(dtype_of(target)))  # type: ignore[attr-defined]  # the facade has it
        if isinstance(target, str | device):
            return on_device(self, as_device(target, "to"))
    given = _TO.bind(args, kwargs)
    dtype: Any = given.get("dtype")
    if "tensor" in given:
        device_of, dtype = _model(given["tensor"])
        self = self if device_of is None else on_device(self, device_of)
    elif given.get("device") is not None:
        self = on_device(self, as_device(given["device"], "to"))
    return _converted(self, dtype, given.get("memory_format"), given.get("copy"))


def _model(given: Any) -> tuple[Any, dtypes.dtype]:
    """Return the device and the dtype of what stands for a tensor: a number is in its kind's widest dtype."""
    if isinstance(given, TensorBase):
        return given.device, dtypes.from_numpy_dtype(dtype_of(given))  # type: ignore[attr-defined]  # the facade has it
    kind = type(given) if type(given) in (bool, int, complex) else float
    return None, dtypes.from_numpy_dtype(np.dtype(kind))


def _converted(self: Any, dtype: Any, wanted: Any, copy: Any) -> Any:
    """Return the tensor in a dtype and a memory format: itself if it is that, unless a copy is wanted."""
    same = dtype is None or dtype_of(self) == dtype.numpy
    if same and not copy and (wanted is None or wanted is preserve_format or wanted is suggested(self)):
        return self
    if wanted is None or wanted is preserve_format:
        return convert.cast(self, dtype_of(self)) if same else cast(self, dtype)
    return in_format(self, wanted) if same else converted(cast(self, dtype), wanted)


def parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """Return the device, dtype, `non_blocking` and memory format that arguments of `Module.to` ask for."""
    given = _TO.bind(args, kwargs)
    if given.get("copy"):
        raise RuntimeError(".to() does not accept copy argument")
    target: Any = given.get("tensor")
    if target is not None:
        return *_model(target), bool(given.get("non_blocking")), given.get("memory_format")
    where = given.get("device")
    wanted = None if where is None else as_device(where, "to")
    return wanted, given.get("dtype"), bool(given.get("non_blocking")), given.get("memory_format")


def suggested(self: Any) -> Any:
    """Return the memory format that torch takes a tensor to be in, judged by its strides."""
    array = innermost(self)
    rank = len(shape_of(self))
    if hasattr(array, "strides") and suggests_channels_last(array):
        return channels_last if rank == 4 else channels_last_3d
    return contiguous_format


_FORMAT = "(*, torch.memory_format memory_format = None)"


def _casting_method(name: str, dtype: dtypes.dtype) -> Callable[..., Any]:
    parser = Parser(name, _FORMAT)

    @reads(parser, tensor_first=True)
    def convert_to(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs:
            return _converted(self, dtype, parser.bind(args, kwargs).get("memory_format"), False)
        return cast(self, dtype)

    text = f"Return the tensor in {dtype.name}: itself where it is that already."
    return public(with_name(convert_to, name, text), name=name, is_function=False, out=False)


for _name, _dtype in {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16,
    "int": dtypes.int32, "long": dtypes.int64, "short": dtypes.int16, "char": dtypes.int8,
    "byte": dtypes.uint8,
    "bool": dtypes.bool, "chalf": dtypes.complex32, "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
}.items():  # fmt: skip
    _casting_method(_name, _dtype)


@with_signature(is_function=False, out=False)
def type_as(self: Any, other: Any) -> Any:
    """Return the tensor in the dtype of `other`."""
    return cast(on_device(self, other.device), dtypes.from_numpy_dtype(dtype_of(other)))


@with_signature(_FORMAT, is_function=False, out=False)
def cpu(self: Any, *, memory_format: Any = None) -> Any:
    """Return the tensor itself: it is on the CPU."""
    return _converted(on_device(self, CPU), None, memory_format, False)


def _elsewhere(kind: str, given: Any) -> Any:
    """Raise torch's error for a tensor that is to go to a kind of device of which there is none."""
    name = kind if given is None else given
    if isinstance(name, str):
        name = device(name)
    if isinstance(name, device) and name.type != kind:
        raise RuntimeError(f"Invalid device, must be {kind} device")
    return as_device(name, kind)


def _absent(kind: str) -> Callable[..., Any]:
    def move(self: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Any:
        return _elsewhere(kind, device)

    with_name(move, kind, "Raise torch's error: there is no such device.")
    return public(move, is_function=False, out=False)


cuda, xpu, ipu = map(_absent, ("cuda", "xpu", "ipu"))


@public(is_function=False, out=False)
def pin_memory(self: Any, device: Any = None) -> Any:
    """Raise torch's error: only an accelerator has pinned memory."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


# --- types by their names -----------------------------------------------------------------------------------


def type_name(self: Any) -> str:
    """Return the name of the legacy type of a tensor, such as ``'torch.FloatTensor'``."""
    place = "meta." if is_meta(self) else ""
    return f"torch.{place}{dtypes.from_numpy_dtype(dtype_of(self)).scalar_type}Tensor"


@public(is_function=False, name="type", out=False)
def type_(self: Any, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
    """Return the name of the tensor's type, or with a dtype, a type or a name the tensor in that dtype."""
    if dtype is None:
        return type_name(self)
    if isinstance(dtype, dtypes.dtype):
        return cast(self, dtype)
    if isinstance(dtype, type):
        name = f"{dtype.__module__}.{dtype.__name__}" if dtype.__module__ != "builtins" else dtype.__name__
    elif isinstance(dtype, str):
        name = dtype
    else:
        raise TypeError("dtype must be a type, str, or dtype object")
    return cast(on_device(self, CPU), dtype_of_type_name(name))


def dtype_of_type_name(name: str) -> dtypes.dtype:
    """Return the dtype that a name such as ``'torch.FloatTensor'`` stands for."""
    if name == "torch.Tensor":
        return dtypes.get_default_dtype()
    if (found := _BY_TYPE_NAME.get(name)) is None:
        raise ValueError(f"invalid type: '{name}'")
    return found


_BY_TYPE_NAME = {f"torch.{d.scalar_type}Tensor": d for d in dtypes.BY_NAME.values()}
