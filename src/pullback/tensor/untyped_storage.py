"""Storages that count in bytes: `UntypedStorage`, the memory below tensors."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.deferred_import import import_later
from ..array.strides import address
from ..core.device import CPU, device

storages = import_later(".storage", __package__)


class StorageBase:
    """Mark what is a storage, whatever it holds; libraries ask whether something is one."""

    __module__ = "torch._C"
    __slots__ = ()


class UntypedStorage(StorageBase):
    """The bytes behind one or more tensors.

    Parameters
    ----------
    source : int or sequence of int
        The number of bytes, which are not set, or the bytes themselves.
    """

    __module__ = "torch.storage"
    __slots__ = ("__dict__", "__weakref__", "_bytes")

    _is_pullback_storage = True

    def __init__(self, source: int | Sequence[int] = 0) -> None:
        self._bytes: ndarray = (
            np.empty(source, np.uint8) if isinstance(source, int) else np.array(source, np.uint8)
        )

    @staticmethod
    def from_file(filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """Return a storage on a file, whose bytes are read when they are first asked for.

        Parameters
        ----------
        filename : str or path
        shared : bool
            Whether writes go to the file, which is made as long as is needed; otherwise they stay here.
        nbytes : int
            How many bytes of the file.
        """
        return _of_bytes(mapped(filename, shared, nbytes))

    def data_ptr(self) -> int:
        """Return the address of the first byte; 0 where there is none."""
        return address(self._bytes) if self._bytes.size else 0

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return int(self._bytes.size)

    size = nbytes
    __len__ = nbytes

    def element_size(self) -> int:
        """Return 1."""
        return 1

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    @property
    def device(self) -> device:
        """Return the CPU."""
        return CPU

    @property
    def _cdata(self) -> int:
        return address(self._bytes)

    def __getitem__(self, index: Any) -> Any:
        found = self._bytes[index]
        return _of_bytes(found) if isinstance(found, ndarray) else int(found)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._bytes[index] = value

    def __iter__(self) -> Iterator[int]:
        return iter(self._bytes.tolist())

    def tolist(self) -> list[int]:
        """Return the bytes as a list."""
        return self._bytes.tolist()

    def fill_(self, value: int) -> UntypedStorage:
        """Set every byte."""
        self._bytes[...] = value
        return self

    def copy_(self, source: UntypedStorage, non_blocking: bool | None = None) -> UntypedStorage:
        """Copy the bytes of another storage of the same size."""
        self._bytes[...] = source._bytes
        return self

    def clone(self) -> UntypedStorage:
        """Return a storage of its own with the same bytes."""
        return _of_bytes(self._bytes.copy())

    def untyped(self) -> UntypedStorage:
        """Return the storage itself."""
        return self

    def cpu(self) -> UntypedStorage:
        """Return the storage itself."""
        return self

    def resize_(self, size: int) -> None:
        """Give the storage another number of bytes; tensors on it stay so.

        One that is made smaller keeps its memory.
        """
        storages.give_size(self, size)

    def byteswap(self, dtype: dtypes.dtype) -> None:
        """Turn the order of the bytes of each number."""
        width = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
        self._bytes[...] = self._bytes.reshape(-1, width)[:, ::-1].reshape(-1)

    def is_shared(self) -> bool:
        """Return False: no other process sees it."""
        return False

    def type(self) -> str:
        """Return the name of the class."""
        return "torch.storage.UntypedStorage"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UntypedStorage)
            and self._cdata == other._cdata
            and self.nbytes() == other.nbytes()
        )

    __hash__ = object.__hash__

    def __deepcopy__(self, memo: dict[Any, Any]) -> UntypedStorage:
        copies = memo.setdefault("torch", {})
        key = (self._cdata, self.nbytes())
        if key not in copies:
            copies[key] = self.clone()
        return copies[key]

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_bytes, (self._bytes,)

    def __repr__(self) -> str:
        lines = "\n ".join(map(str, self.tolist()))
        return f" {lines}\n[torch.storage.UntypedStorage(device=cpu) of size {self.nbytes()}]"


def mapped(filename: Any, shared: bool | None, size: int) -> ndarray:
    """Return the bytes of a file as an array that the operating system fills when they are read.

    Raises a RuntimeError where the file is not there, or too short for one that is not shared.
    """
    if size == 0:
        return np.empty(0, np.uint8)
    path = os.fspath(filename)
    try:
        with open(path, "a+b" if shared else "rb") as file:
            length = file.seek(0, os.SEEK_END)
            if length < size and not shared:
                raise RuntimeError(
                    f"file <{path}> size <{length}> is smaller than the required mapping size <{size}>"
                )
            if length < size:
                file.truncate(size)
    except OSError as error:
        raise RuntimeError(
            f"unable to open file <{path}> in read-{'write' if shared else 'only'} mode: {error.strerror} "
            f"({error.errno})"
        ) from None
    return np.memmap(path, np.uint8, "r+" if shared else "c", shape=(size,)).view(ndarray)


def _of_bytes(content: ndarray) -> UntypedStorage:
    new = object.__new__(UntypedStorage)
    new._bytes = content if content.flags.writeable else content.copy()
    return new
