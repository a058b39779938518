"""The storage of tensors on the device ``meta``: a number of bytes, none of which exist."""

from collections.abc import Iterator, Sequence
from typing import Any

from numpy import ndarray

from ..core.device import META, device
from ..core.levels import META as LEVEL
from ..core.meta import Memory, Meta
from ..core.value import wrap
from .untyped_storage import UntypedStorage


class MetaStorage(UntypedStorage):
    """A storage that has a size only; writing to it does nothing. Its tensors have the `memory` in common."""

    __slots__ = ("_memory",)

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @property
    def _bytes(self) -> ndarray:  # type: ignore[override]  # a slot of the storages that have bytes
        raise NotImplementedError("Not available for 'meta' device type")

    def data_ptr(self) -> int:
        """Return 0."""
        return 0

    def nbytes(self) -> int:
        """Return the number of bytes that there would be."""
        return self._memory.nbytes

    size = nbytes
    __len__ = nbytes

    @property
    def device(self) -> device:
        """Return the device ``meta``."""
        return META

    @property
    def _cdata(self) -> int:
        return id(self._memory)

    def __getitem__(self, index: Any) -> Any:
        return self._bytes[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._bytes[index] = value

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def fill_(self, value: int) -> UntypedStorage:
        """Return the storage itself."""
        return self

    def copy_(self, source: UntypedStorage, non_blocking: bool | None = None) -> UntypedStorage:
        """Return the storage itself."""
        return self

    def clone(self) -> UntypedStorage:
        """Return a storage of its own of the same size."""
        return storage_of_size(self.nbytes())

    def cpu(self) -> UntypedStorage:
        """Raise torch's error: there is nothing to copy."""
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")

    def __reduce__(self) -> tuple[Any, ...]:
        return storage_of_size, (self.nbytes(),)

    def __repr__(self) -> str:
        return f"...\n[torch.storage.UntypedStorage(device=meta) of size {self.nbytes()}]"


MetaStorage.__name__ = MetaStorage.__qualname__ = "UntypedStorage"


def storage_of_size(size: int) -> MetaStorage:
    """Return a storage of a number of bytes."""
    return storage_of(Memory(size))


def storage_of(memory: Memory) -> MetaStorage:
    """Return the storage that shows a memory, the same one each time."""
    if memory.shown is None:
        memory.shown = MetaStorage(memory)
    return memory.shown


def over_meta(
    storage: MetaStorage, dtype: Any, offset: int, size: Sequence[int], stride: Sequence[int] | None
) -> Any:
    """Return a tensor without elements on a storage."""
    return wrap(Meta(size, dtype, stride, storage._memory, offset), None, LEVEL)
