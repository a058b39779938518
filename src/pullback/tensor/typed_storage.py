"""Storages that count in elements of a dtype, which torch has deprecated: `TypedStorage`, `FloatStorage`, ….

`FloatStorage` and its like are types of which storages of their dtype are instances; what they make is a
`TypedStorage`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..core.device import CPU, device
from ..errors import with_name
from .creation import made
from .data import array_from
from .sizes import is_int
from .untyped_storage import UntypedStorage, _of_bytes

_FORMS = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, torch.device device, torch.dtype dtype)\n"
    " * (int size, *, torch.device device, torch.dtype dtype)\n"
    " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, torch.dtype dtype)"
)

_NO_DEVICE = "Argument 'device' should not be specified when 'wrap_storage' is given"


class TypedStorage:
    """A storage that counts in elements of a dtype (deprecated: see `UntypedStorage`).

    Parameters
    ----------
    source : int or sequence of numbers, optional
        The number of elements, which are not set, or the elements.
    wrap_storage : UntypedStorage, optional
        The bytes, in place of `source`.
    dtype : dtype, optional
        The default dtype where it is left out.
    """

    __module__ = "torch.storage"

    _is_pullback_storage = True
    is_sparse = False
    is_cuda = False
    is_hpu = False
    filename = None

    def __init__(
        self, *source: Any, device: Any = None, dtype: dtypes.dtype | None = None,
        wrap_storage: UntypedStorage | None = None, _internal: bool = False,
    ) -> None:  # fmt: skip
        if wrap_storage is not None:
            for wrong, why in (
                (source, "No positional arguments should be given when using 'wrap_storage'"),
                (dtype is None, "Argument 'dtype' must be specified"),
                (device is not None, _NO_DEVICE),
            ):
                if wrong:
                    raise RuntimeError(f"{_FORMS}\n{why}")
        self.dtype = dtypes.get_default_dtype() if dtype is None else dtype
        self._untyped_storage = _bytes_of(source, self.dtype) if wrap_storage is None else wrap_storage

    def _elements(self) -> ndarray:
        return self._untyped_storage._bytes.view(self.dtype.numpy)

    def untyped(self) -> UntypedStorage:
        """Return the bytes."""
        return self._untyped_storage

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return self._untyped_storage.data_ptr()

    @property
    def _cdata(self) -> int:
        return self._untyped_storage._cdata

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._untyped_storage.nbytes()

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def size(self) -> int:
        """Return the number of elements."""
        return self.nbytes() // self.dtype.itemsize

    __len__ = size
    _size = size

    def element_size(self) -> int:
        """Return bytes per element."""
        return self.dtype.itemsize

    @property
    def device(self) -> device:
        """Return the device of the bytes."""
        return self._untyped_storage.device

    def _place(self, index: Any) -> int:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not is_int(index):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return int(index)

    def __getitem__(self, index: int) -> Any:
        return made(self._elements()[self._place(index), ...]).item()

    _getitem = __getitem__

    def __setitem__(self, index: Any, value: Any) -> None:
        self._elements()[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """Return the elements as a list."""
        return made(self._elements()).tolist()

    def fill_(self, value: Any) -> TypedStorage:
        """Set every element."""
        self._elements()[...] = value
        return self

    def copy_(self, source: TypedStorage, non_blocking: bool | None = None) -> TypedStorage:
        """Copy the elements of another storage."""
        self._elements()[...] = source._elements()
        return self

    def clone(self) -> TypedStorage:
        """Return a storage of its own with the same elements."""
        return _of(self._untyped_storage.clone(), self.dtype)

    def resize_(self, size: int) -> None:
        """Give the storage another number of elements."""
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    def resizable(self) -> bool:
        """Return True: the storage has memory of its own."""
        return True

    def cpu(self) -> TypedStorage:
        """Return the storage itself."""
        return self

    def to(self, *, device: Any, non_blocking: bool = False) -> TypedStorage:
        """Return the storage itself: the CPU is where it is."""
        return self

    def get_device(self) -> None:
        """Return None: the storage is on the CPU."""

    def is_pinned(self, device: Any = "cuda") -> bool:
        """Return False: only an accelerator has pinned memory."""
        return False

    def is_shared(self) -> bool:
        """Return False: no other process sees it."""
        return False

    def share_memory_(self) -> TypedStorage:
        """Return the storage itself."""
        return self

    @classmethod
    def from_buffer(cls, *args: Any, **options: Any) -> TypedStorage:
        """Refuse, as torch does: only the types with a dtype can."""
        raise RuntimeError(
            "from_buffer: only supported for subclasses of _LegacyStorage, not for TypedStorage"
        )

    def _to(self, dtype: dtypes.dtype) -> TypedStorage:
        if dtype is self.dtype:
            return self
        array = made(self._elements()).to(dtype)._value
        return _of(_of_bytes(array.view(np.uint8)), dtype)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the legacy type, or the elements in the dtype of a type."""
        if dtype is None:
            return f"torch.{self.pickle_storage_type()}"
        return self._to(TYPES[str(getattr(dtype, "__name__", dtype)).rpartition(".")[2]].dtype)

    def pickle_storage_type(self) -> str:
        """Return the name of the legacy type, without the module."""
        return f"{self.dtype.scalar_type}Storage"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TypedStorage)
            and self.dtype is other.dtype
            and self._untyped_storage == other._untyped_storage
        )

    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return _of, (self._untyped_storage, self.dtype)

    def __repr__(self) -> str:
        place = self.device
        lines = " " + "\n ".join(map(str, self.tolist())) if place is CPU else "..."
        return (
            f"{lines}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={place}) of size {self.size()}]"
        )


def _bytes_of(source: tuple[Any, ...], dtype: dtypes.dtype) -> UntypedStorage:
    if len(source) > 1:
        raise RuntimeError(f"{_FORMS}\nToo many positional arguments")
    first = source[0] if source else 0
    if is_int(first):
        return UntypedStorage(int(first) * dtype.itemsize)
    if not isinstance(first, Sequence):
        raise TypeError(f"{_FORMS}\nArgument type not recognized: {type(first)}")
    if isinstance(first, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(first).__name__}'")
    return _of_bytes(array_from(first, dtype.numpy).reshape(-1).view(np.uint8))


def _of(storage: UntypedStorage, dtype: dtypes.dtype) -> TypedStorage:
    return TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


class _LegacyStorageMeta(type):
    """The class of the types with a dtype."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return type(instance) is TypedStorage and instance.dtype is cls.dtype

    def __call__(cls, *source: Any, wrap_storage: Any = None, **options: Any) -> TypedStorage:
        forms = (
            f"{cls}.__new__ received an invalid combination of arguments. Expected one of:\n * no arguments\n"
            " * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)"
        )
        for name in ("device", "dtype"):
            if options.get(name) is not None:
                raise RuntimeError(f"{forms}\nKeyword argument '{name}' cannot be specified")
        if len(source) > 1:
            raise RuntimeError(f"{forms}\nToo many positional arguments")
        if source and not is_int(source[0]) and not isinstance(source[0], Sequence):
            raise TypeError(f"{forms}\nArgument type not recognized: {type(source[0])}")
        return TypedStorage(*source, wrap_storage=wrap_storage, dtype=cls.dtype, _internal=True)

    def from_buffer(cls, buffer: Any, byte_order: str = "native", **options: Any) -> TypedStorage:
        """Return a storage with the numbers whose bytes a buffer holds."""
        order = {"native": "=", "little": "<", "big": ">"}[byte_order]
        kind = cls.dtype.numpy
        array = np.frombuffer(buffer, kind.newbyteorder(order)).astype(kind)  # type: ignore[arg-type]  # one of three
        return _of(_of_bytes(array.view(np.uint8)), cls.dtype)

    def _new_shared(cls, size: int) -> TypedStorage:
        return _of(UntypedStorage(size * cls.dtype.itemsize), cls.dtype)


_NAMES = {
    "double": dtypes.float64, "float": dtypes.float32, "half": dtypes.float16, "long": dtypes.int64,
    "int": dtypes.int32, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8,
    "bool": dtypes.bool, "bfloat16": dtypes.bfloat16, "complex_double": dtypes.complex128,
    "complex_float": dtypes.complex64,
}  # fmt: skip

#: The types that torch's top level has.
TYPES: dict[str, Any] = {
    name: _LegacyStorageMeta(
        name, (), {"__module__": "torch", "dtype": dtype, "__doc__": f"A storage of elements of {dtype}."}
    )
    for dtype in _NAMES.values()
    for name in (f"{dtype.scalar_type}Storage",)
}


def _conversion(name: str, dtype: dtypes.dtype) -> Any:
    def convert(self: TypedStorage) -> TypedStorage:
        return self._to(dtype)

    return with_name(convert, name, f"The elements in {dtype}; the storage itself where it has that dtype.")


for _name, _dtype in _NAMES.items():
    setattr(TypedStorage, _name, _conversion(_name, _dtype))
