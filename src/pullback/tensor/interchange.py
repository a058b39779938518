"""Share the memory of NumPy arrays, buffers and DLPack tensors, and read all that `asarray` takes.

What this module must do:

- share memory wherever torch shares it, so that both sides see each other's writes;
- make a shared array a storage of its own that begins at its first element, as torch does;
- refuse what torch refuses: negative strides, foreign byte orders, dtypes that torch lacks.
"""

from enum import IntEnum
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.strides import as_given
from ..core.device import CPU
from ..core.value import TensorBase, dtype_of
from ..core.warn import warn_once
from ..ops import convert
from .api import public, with_signature
from .creation import check_options, made
from .data import array_from, cast_array, check_array
from .meta import on_device


class Memory:
    """The memory of an array that another object owns, as the beginning of a storage."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, array: ndarray) -> None:
        self.owner = array
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface


def shared(array: ndarray) -> ndarray:
    """Return an array on the same memory that a tensor can hold."""
    check_array(array)
    if not array.flags.writeable:
        warn_once(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This "
            "means writing to this tensor will result in undefined behavior. You may want to copy the array "
            "to protect its data or make it writable before converting it to a tensor. This type of warning "
            "will be suppressed for the rest of this program.",
        )
    elif array.base is None and array.size:
        return array.view(ndarray)
    return np.asarray(Memory(array)) if array.size else as_given(array)


@public(method=False, out=False)
def from_numpy(array: Any, /) -> Any:
    """Wrap a NumPy array: tensor and array see each other's writes.

    Parameters
    ----------
    array : numpy.ndarray
        Of a dtype that torch has and without negative strides.
    """
    if not isinstance(array, ndarray):
        kind = type(array)
        name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
        raise TypeError(f"expected np.ndarray (got {name})")
    return made(shared(array))


@with_signature(
    "(object data, *, torch.dtype dtype = None, torch.device device = None)", method=False, out=False,
)
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """Make a tensor of data, without a copy where dtype and memory allow it.

    Parameters
    ----------
    data : tensor, array, number or sequence
        A tensor is returned as it is, an array is shared; the rest is copied.
    dtype : dtype, optional
    """
    where = check_options("as_tensor", device)
    if isinstance(data, TensorBase):
        if device is not None or where is not CPU:
            data = on_device(data, where)
        return data if dtype is None else convert.as_dtype(data, dtype.numpy)
    return on_device(_of_data(data, dtype), where)


def _of_data(data: Any, dtype: Any) -> Any:
    if isinstance(data, ndarray):
        array = shared(data)
        return made(array if dtype is None or array.dtype == dtype.numpy else cast_array(array, dtype.numpy))
    return made(array_from(data, None if dtype is None else dtype.numpy))


@with_signature(
    "(object obj, *, torch.dtype dtype = None, torch.device device = None, bool copy = None, "
    "bool requires_grad = None)",
    method=False, out=False,
)
def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Any:
    """Make a tensor of `obj`, shared or copied as `copy` says (None: shared where that is possible).

    Parameters
    ----------
    obj : tensor, array, object with a buffer or DLPack, number or sequence
    dtype : dtype, optional
    copy : bool, optional
        True for a copy, False for an error where one would be needed.
    requires_grad : bool, optional
        By default what `obj` says.
    """
    where = check_options("asarray", device)
    if (tensor := _aliased(obj, dtype)) is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        new = on_device(made(array_from(obj, None if dtype is None else dtype.numpy)), where)
        return new.requires_grad_(bool(requires_grad))
    if device is not None or where is not CPU:
        tensor = on_device(tensor, where)
    have = dtypes.from_numpy_dtype(dtype_of(tensor))
    if dtype is not None and dtype is not have:
        if copy is False:
            raise ValueError(
                f"can't alias tensor with dtype '{have.scalar_type}' into dtype '{dtype.scalar_type}'."
            )
        tensor = convert.as_dtype(tensor, dtype.numpy)
    elif copy:
        tensor = convert.clone(tensor)
    if requires_grad is None:
        if isinstance(obj, TensorBase) and tensor.requires_grad:
            warn_once(
                "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of "
                "False. Pass requires_grad=False explicitly to get the old behavior and silence this "
                "warning.",
            )
    elif requires_grad and not tensor.requires_grad:
        if dtype_of(tensor).kind in "biu":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        tensor.requires_grad_(True)
    elif not requires_grad and tensor.requires_grad:
        tensor = tensor.detach()
    return tensor


def _aliased(obj: Any, dtype: Any) -> Any:
    """Return a tensor on the memory of `obj`, or None where it has none to share."""
    if isinstance(obj, TensorBase):
        return obj
    if isinstance(obj, ndarray):
        return made(shared(obj))
    if isinstance(obj, np.generic):
        return made(np.asarray(obj))
    if hasattr(obj, "__dlpack__"):
        return from_dlpack(obj)
    if hasattr(obj, "_is_pullback_storage"):
        kind = dtype or getattr(obj, "dtype", dtypes.int64)
        content = getattr(obj, "_untyped_storage", obj)._bytes
        return made(content[: content.size // kind.itemsize * kind.itemsize].view(kind.numpy))
    try:
        memoryview(obj)
    except TypeError:
        return None
    chosen = dtypes.get_default_dtype() if dtype is None else dtype
    return frombuffer(obj, dtype=chosen)


@with_signature(
    "(object buffer, *, torch.dtype dtype, int count = -1, int offset = 0, bool requires_grad = False)",
    method=False, out=False,
)
def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Any:
    """Wrap the memory of an object that has the buffer protocol as a one-dimensional tensor.

    Parameters
    ----------
    buffer : object
    dtype : dtype
    count : int
        Elements to take; negative for all.
    offset : int
        Bytes to skip at the beginning.
    """
    try:
        memory = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    size, length = dtype.itemsize, memory.nbytes
    if length == 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} "
            f"bytes) minus 1"
        )
    if count > 0 and offset + count * size > length:
        raise ValueError(
            f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be "
            f"greater than actual buffer length ({length} bytes)"
        )
    if count < 0 and (length - offset) % size:
        raise ValueError(
            f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of "
            f"element size ({size})"
        )
    elements = (length - offset) // size if count < 0 else count
    array = np.frombuffer(memory, dtype.numpy, elements, offset)
    if memory.readonly:
        warn_once(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors. This "
            "means you can write to the underlying (supposedly non-writable) buffer using the tensor. You "
            "may want to copy the buffer to protect its data or make it writable before converting it to a "
            "tensor. This type of warning will be suppressed for the rest of this program.",
        )
    return made(np.asarray(Memory(array)).view(dtype.numpy), requires_grad)


class DLDeviceType(IntEnum):
    """The kinds of devices that DLPack knows."""

    kDLCPU = 1
    kDLCUDA = 2


class _Capsule:
    """A DLPack capsule as an object that exports itself."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


@public(method=False, out=False)
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Any:
    """Wrap the memory of an object that exports DLPack, or of a DLPack capsule."""
    check_options("from_dlpack", device)
    source = ext_tensor
    if not hasattr(source, "__dlpack__"):
        if type(source).__name__ != "PyCapsule":
            raise RuntimeError(
                "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only "
                "once, so you might have already constructed a tensor from it once."
            )
        source = _Capsule(source)
    array = np.from_dlpack(source)
    return made(array.copy() if copy else np.asarray(Memory(array)))


def to_dlpack(tensor: Any) -> Any:
    """Return a DLPack capsule on the tensor's memory, to be consumed once."""
    return tensor.__dlpack__()
