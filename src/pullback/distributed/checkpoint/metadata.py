"""torch.distributed.checkpoint.metadata: what a checkpoint says of its tensors, as torch writes it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ...core.size import Size
from ...tensor.constants import contiguous_format, strided


@dataclass
class ChunkStorageMetadata:
    """A part of a tensor: where it begins and how large it is."""

    offsets: Any
    sizes: Any


class _MEM_FORMAT_ENCODING(Enum):
    """Memory formats, as a checkpoint names them."""

    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


@dataclass
class TensorProperties:
    """Hold what a tensor is besides its shape and elements."""

    dtype: Any = None
    layout: Any = strided
    requires_grad: bool = False
    memory_format: Any = contiguous_format
    pin_memory: bool = False

    def __getstate__(self) -> tuple[Any, ...]:
        encoded = _MEM_FORMAT_ENCODING.TORCH_CONTIGUOUS_FORMAT
        return self.dtype, self.layout, self.requires_grad, encoded, self.pin_memory

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.dtype, self.layout, self.requires_grad, _, self.pin_memory = state
        self.memory_format = contiguous_format

    @staticmethod
    def create_from_tensor(tensor: Any) -> TensorProperties:
        """Return the properties of a tensor."""
        return TensorProperties(tensor.dtype, tensor.layout, tensor.requires_grad)


@dataclass
class TensorStorageMetadata:
    """A tensor: its properties, its shape and its parts."""

    properties: TensorProperties
    size: Any
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """An object that is no tensor."""


@dataclass
class StorageMeta:
    """Say by what names a checkpoint was saved and loaded."""

    checkpoint_id: str | os.PathLike[str] | None = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class Metadata:
    """All of a checkpoint: entries by name, paths of names, places in files."""

    state_dict_metadata: dict[str, Any]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


@dataclass(frozen=True)
class MetadataIndex:
    """The name of an object, or of the part of a tensor that begins at an offset."""

    fqn: str
    offset: Any = None
    index: int | None = field(hash=False, compare=False, default=None)

    def __init__(self, fqn: str, offset: Sequence[int] | None = None, index: int | None = None) -> None:
        object.__setattr__(self, "fqn", fqn)
        object.__setattr__(self, "index", index)
        if offset is not None:
            object.__setattr__(self, "offset", Size(offset))


for _class in list(vars().values()):
    if isinstance(_class, type) and _class.__module__ == __name__:
        _class.__module__ = "torch.distributed.checkpoint.metadata"

__all__ = [
    "BytesStorageMetadata", "ChunkStorageMetadata", "Metadata", "MetadataIndex", "StorageMeta",
    "TensorProperties", "TensorStorageMetadata",
]  # fmt: skip
