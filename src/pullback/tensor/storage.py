"""The memory behind tensors: storages, offsets, and tensors that are put onto other memory.

What this module must do:

- show the memory that several tensors share as one storage object, the same one for all of them;
- put a tensor onto a storage with any offset, size and strides (`set_`), or change its size in place
  (`resize_`).

A storage cannot grow where it lies: it gets other memory, and all tensors that lie on it move along.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import sys
from collections.abc import Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.dtype_words import c_name, type_word
from ..array.strides import address, contiguous_strides, extent, owner, storage, strides_of
from ..core.device import CPU
from ..core.inplace import check_writable
from ..core.marked import IN_MEMORY, Marked, memory_of
from ..core.meta import Meta, is_meta
from ..core.modes import modes
from ..core.value import TensorBase, array_of, dtype_of, innermost, shape_of
from ..core.versions import bump
from ..core.warn import warn, warn_once
from ..core.wrapper import is_wrapper
from .api import public, with_signature
from .constants import contiguous_format
from .creation import made, unset
from .memory_format import in_format
from .signature import method
from .tensor import Tensor
from .typed_storage import TYPES, TypedStorage
from .untyped_storage import UntypedStorage, _of_bytes, mapped

_STORAGES: WeakValueDictionary[tuple[int, int], UntypedStorage] = WeakValueDictionary()


@public(method=False, out=False)
def from_file(
    filename: Any, shared: bool | None = None, size: int | None = 0, *, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """Return a one-dimensional tensor on the elements of a file; see `UntypedStorage.from_file`.

    Parameters
    ----------
    filename : str or path
    shared : bool, optional
        Whether writes go to the file.
    size : int
        How many elements.
    dtype : dtype, optional
        Of the elements; the default dtype where none is given.
    """
    kind = (dtype or dtypes.get_default_dtype()).numpy
    return made(mapped(filename, shared, (size or 0) * kind.itemsize).view(kind), requires_grad)


def is_storage(obj: Any, /) -> bool:
    """Return whether an object is a storage."""
    return isinstance(obj, UntypedStorage | TypedStorage)


def storage_of(array: ndarray) -> tuple[UntypedStorage, int]:
    """Return the storage that an array lies in, and the place of its first element there, in bytes."""
    root, offset = storage(array)
    key = (address(root), root.nbytes)
    found = _STORAGES.get(key) if root.nbytes else None
    if found is None:
        found = _of_bytes(root.reshape(-1).view(np.uint8))
        _STORAGES[key] = found
    return found, offset


def over_storage(
    memory: UntypedStorage | TypedStorage, dtype: dtypes.dtype, offset: int = 0,
    size: Sequence[int] | None = None, stride: Sequence[int] | None = None,
) -> Any:
    """Return a tensor of a dtype on a storage; of one dimension and all of it where no size is given."""
    if (untyped := memory.untyped()).device is not CPU:
        from . import meta_storage

        shape = (untyped.nbytes() // dtype.itemsize,) if size is None else size
        return meta_storage.over_meta(untyped, dtype.numpy, offset, shape, stride)  # type: ignore[arg-type]  # the one other kind
    return made(array_over(memory, dtype.numpy, offset, size, stride))


def array_over(
    memory: UntypedStorage | TypedStorage, dtype: np.dtype[Any], offset: int, size: Sequence[int] | None,
    stride: Sequence[int] | None, known: int = 0,
) -> ndarray:
    """Return an array on a storage, which grows where it is too short; `known` as `give_size` takes it."""
    untyped = memory.untyped()
    shape = (untyped.nbytes() // dtype.itemsize,) if size is None else tuple(size)
    strides = contiguous_strides(shape) if stride is None else tuple(stride)
    if 0 in shape:
        return untyped._bytes[:0].view(dtype).reshape(shape)
    if (needed := (offset + extent(shape, strides)) * dtype.itemsize) > untyped.nbytes():
        give_size(untyped, needed, known)
    return np.ndarray(
        shape, dtype, untyped._bytes, offset * dtype.itemsize, tuple(s * dtype.itemsize for s in strides)
    )


def give_size(memory: UntypedStorage, size: int, known: int = 0) -> None:
    """Give a storage another number of bytes. Where it needs other memory, the tensors on it move along;
    `known` of them the caller moves.
    """
    alone = _references(memory) <= _least() + known
    whole = storage(memory._bytes)[0].reshape(-1).view(np.uint8)
    if size <= whole.size:
        memory._bytes = whole[:size]
        return
    content = np.empty(size, np.uint8)
    content[: memory.nbytes()] = memory._bytes
    low = address(whole)
    for tensor in () if alone else _tensors():
        array = memory_of(tensor)
        place = address(array) - low
        if array.size and 0 <= place < whole.size:
            tensor._value = _like(tensor, np.ndarray(array.shape, array.dtype, content, place, array.strides))
    _STORAGES.pop((low, whole.size), None)
    memory._bytes = content
    _STORAGES[address(content), size] = memory


def _tensors() -> list[Any]:
    """Return all tensors of arrays; to find them takes 10 ms among 100,000 objects."""
    found = [t for t in gc.get_objects() if issubclass(type(t), TensorBase)]
    return [t for t in found if type(getattr(t, "_value", None)) in IN_MEMORY]


def _references(memory: UntypedStorage) -> int:
    """Return how many references lead to what owns the memory of a storage."""
    if sys.implementation.name != "cpython":
        return sys.maxsize
    root = owner(memory._bytes)
    return sys.getrefcount(root)


@functools.cache
def _least() -> int:
    """Return what `_references` gives where no tensor lies on a storage."""
    return _references(UntypedStorage(1))


# --- methods ------------------------------------------------------------------------------------------------


@public(is_function=False, out=False)
def data_ptr(self: Any) -> int:
    """Return the address of the first element; 0 where there is none."""
    if is_meta(self):
        return 0
    array = memory_of(self)
    return address(array) if array.size else 0


public(data_ptr, name="const_data_ptr", is_function=False, out=False)


@public(is_function=False, out=False)
def storage_offset(self: Any) -> int:
    """Return the place of the first element in the storage, in elements."""
    if is_meta(self) or is_wrapper(self):
        return innermost(self).offset
    array = memory_of(self)
    return storage(array)[1] // array.itemsize


@public(is_function=False, out=False)
def untyped_storage(self: Any) -> UntypedStorage:
    """Return the bytes that the tensor, and all that share memory with it, lie in."""
    if is_meta(self):
        from . import meta_storage

        return meta_storage.storage_of(innermost(self).memory)
    return storage_of(memory_of(self))[0]


def _typed_storage(self: Any) -> TypedStorage:
    return TypedStorage(wrap_storage=untyped_storage(self), dtype=self.dtype, _internal=True)


Tensor._typed_storage = _typed_storage  # type: ignore[method-assign]  # torch's name


@public(name="storage", is_function=False, out=False)
def typed_storage(self: Any) -> TypedStorage:
    """Return the storage, counted in elements (deprecated: see `untyped_storage`)."""
    warn_once(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only "
        "storage class. This should only matter to you if you are using storages directly.  To access "
        "UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()",
    )
    return _typed_storage(self)


@with_signature(is_function=False, out=False)
def is_set_to(self: Any, tensor: Any) -> bool:
    """Return whether both tensors are the same part of the same storage in the same shape."""
    a, b = memory_of(self), memory_of(tensor)
    return a.shape == b.shape and strides_of(a) == strides_of(b) and address(a) == address(b)


@public(is_function=False, out=False)
def share_memory_(self: Any) -> Any:
    """Move the tensor's storage to memory that processes started later share, and return the tensor.

    Views that were taken before stay on the memory that was; `pullback.multiprocessing` tells how a process
    gets the tensor.
    """
    if is_meta(self):
        raise RuntimeError("_share_fd_: only available on CPU")
    if shared_memory_of(self) is not None:
        return self
    from multiprocessing.sharedctypes import RawArray

    array = memory_of(self)
    root, offset = storage(array)
    memory = np.frombuffer(RawArray("B", max(root.nbytes, 1)), np.uint8)
    memory[: root.nbytes] = root.reshape(-1).view(np.uint8)
    self._value = _like(self, np.ndarray(array.shape, array.dtype, memory, offset, array.strides))
    return self


def shared_memory_of(tensor: Any) -> tuple[Any, int] | None:
    """Return the shared memory that a tensor lies in and its place there in bytes; None for other memory."""
    if is_meta(tensor):
        return None
    array = memory_of(tensor)
    owner: Any = array
    while isinstance(owner, ndarray) and owner.base is not None:
        owner = owner.base
    owner = getattr(owner, "obj", owner)
    if not isinstance(owner, ctypes.Array):
        return None
    return owner, address(array) - ctypes.addressof(owner)


@public(is_function=False, out=False)
def is_shared(self: Any) -> bool:
    """Return whether the tensor lies in memory that processes share."""
    return shared_memory_of(self) is not None


def _like(self: Any, array: Any) -> Any:
    """Return an array, or a layout, that is read as what a tensor holds is."""
    value = self._value
    return value.over(array) if type(value) is Marked else array


def _put_onto(self: Any, array: Any) -> Any:
    self._value = _like(self, array)
    self._view = None
    bump(self)
    return self


def _check_place(offset: int, size: Any, stride: Any) -> None:
    """Raise torch's error for a place that is in no storage."""
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if size is None:
        return
    if any(n < 0 for n in size):
        raise RuntimeError("numel: integer multiplication overflow")
    if stride is None or 0 in size:
        return
    if len(size) != len(stride):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
    if any(n < 0 for n in stride) or (offset + extent(tuple(size), tuple(stride))) >> 60:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}"
        )


@with_signature(
    "()", "(torch.Storage source)",
    "(torch.Storage source, int storage_offset, tuple of ints size, tuple of ints stride = None)",
    "(Tensor source)", "(Tensor source, int storage_offset, tuple of ints size, tuple of ints stride = None)",
    is_function=False, out=False,
)
def set_(
    self: Any, source: Any = None, storage_offset: int | None = None, size: Any = None, stride: Any = None
) -> Any:
    """Put the tensor onto the storage of `source`, a storage or a tensor; onto an empty one where it is left
    out.

    Parameters
    ----------
    source : storage or tensor, optional
    storage_offset : int, optional
        Where the first element is, in elements.
    size, stride : tuple of int, optional
    """
    _check_dtype(self, source, storage_offset is None)
    check_writable(self, modes().grad and self.requires_grad, overlap=True)
    if is_meta(self):
        return _set_on_meta(self, source, storage_offset, size, stride)
    own = memory_of(self).dtype
    if source is None:
        return _put_onto(self, np.empty(0, own))
    _check_place(storage_offset or 0, size, stride)
    if isinstance(source, TensorBase):
        array = memory_of(source)
        if storage_offset is None:
            return _put_onto(self, array)
        source = storage_of(array)[0]
    return _put_onto(self, array_over(source, own, storage_offset or 0, size, stride))


def _check_dtype(self: Any, source: Any, is_whole: bool) -> None:
    """Raise torch's error for a source of another dtype: a tensor taken whole, or a storage with a dtype."""
    own = dtype_of(self)
    if isinstance(source, TypedStorage) and source.dtype.numpy != own:
        raise RuntimeError(
            f"Expected a Storage of type {c_name(own)} or an UntypedStorage, but got type "
            f"{type_word(source.dtype.numpy)} for argument 1 'storage'"
        )
    if is_whole and isinstance(source, TensorBase) and dtype_of(source) != own:
        raise RuntimeError(
            f"Could not set tensor of type {c_name(dtype_of(source))} to a tensor of type {c_name(own)}"
        )


def _set_on_meta(self: Any, source: Any, storage_offset: int | None, size: Any, stride: Any) -> Any:
    own = innermost(self).dtype
    if source is None:
        return _put_onto(self, Meta((0,), own))
    if isinstance(source, TensorBase):
        if storage_offset is None:
            return _put_onto(self, innermost(source))
        source = untyped_storage(source)
    placed = over_storage(source, dtypes.from_numpy_dtype(own), storage_offset or 0, size, stride)
    return _put_onto(self, innermost(placed))


@with_signature(is_function=False, out=False)
def resize_(self: Any, size: Any, *, memory_format: Any = None) -> Any:
    """Give the tensor another size: its elements are the storage's from its first one on, in C order."""
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    if any(s < 0 for s in size):
        raise RuntimeError("numel: integer multiplication overflow")
    if is_meta(self):
        own = innermost(self)
        return self if size == own.shape else _put_onto(self, Meta(size, own.dtype))
    if size != shape_of(self):
        memory, offset = storage_of(memory_of(self))
        dtype, before = dtype_of(self), memory.nbytes()
        _put_onto(self, array_over(memory, dtype, offset // dtype.itemsize, size, None, known=1))
        if memory.nbytes() > before:
            unset(memory._bytes[-(-before // dtype.itemsize) * dtype.itemsize :].view(dtype))
    if memory_format is not None and memory_format is not contiguous_format:
        _put_onto(self, array_of(in_format(self, memory_format)))
    return self


@public(out=False)
@method("resize_as_", "(Tensor the_template, *, torch.memory_format memory_format = None)")
def resize_as_(self: Any, the_template: Any, *, memory_format: Any = None) -> Any:
    """Give the tensor the size of another one (see `resize_`)."""
    return resize_(self, shape_of(the_template), memory_format=memory_format)


def _resized(self: Any, size: tuple[int, ...]) -> Any:
    warn("non-inplace resize is deprecated")
    have = shape_of(self)
    if int(np.prod(have)) != int(np.prod(size)):
        raise RuntimeError(
            f"requested resize to {'x'.join(map(str, size))} ({int(np.prod(size))} elements in total), but "
            f"the given tensor has a size of {'x'.join(map(str, have))} ({int(np.prod(have))} elements). "
            f"autograd's resize can only "
            "change the shape of a given tensor, while preserving the number of elements. "
        )
    return self.contiguous().view(size)


@with_signature("(tuple of ints sizes)", is_function=False, out=False)
def resize(self: Any, sizes: Any) -> Any:
    """Return the tensor in another shape (deprecated: see `reshape`)."""
    return _resized(self, sizes)


@with_signature("(Tensor tensor)", is_function=False, out=False)
def resize_as(self: Any, tensor: Any) -> Any:
    """Return the tensor in the shape of another one (deprecated: see `reshape`)."""
    return _resized(self, shape_of(tensor))


#: torch's top level has these as they are.
NAMES: dict[str, Any] = {
    **TYPES,
    "UntypedStorage": UntypedStorage,
    "TypedStorage": TypedStorage,
    "is_storage": is_storage,
}
