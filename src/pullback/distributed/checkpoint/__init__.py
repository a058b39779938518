"""torch.distributed.checkpoint: states of several processes in one folder, for any other number of them."""

from __future__ import annotations

from . import filesystem, metadata, state_dict
from .filesystem import FileSystemReader, FileSystemWriter
from .loading import load
from .metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    TensorStorageMetadata,
)
from .saving import async_save, save

__all__ = [
    "BytesStorageMetadata", "ChunkStorageMetadata", "FileSystemReader", "FileSystemWriter", "Metadata",
    "MetadataIndex", "TensorStorageMetadata", "async_save", "filesystem", "load", "metadata", "save",
    "state_dict",
]  # fmt: skip
