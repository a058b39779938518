"""torch.distributed.checkpoint: states of several processes in one folder, for any other number of them."""

from __future__ import annotations

from . import (
    default_planner,
    filesystem,
    format_utils,
    metadata,
    optimizer,
    planner,
    state_dict,
    state_dict_loader,
    state_dict_saver,
)
from .default_planner import DefaultLoadPlanner, DefaultSavePlanner
from .filesystem import FileSystemReader, FileSystemWriter
from .metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    TensorStorageMetadata,
)
from .optimizer import load_sharded_optimizer_state_dict
from .planner import LoadPlanner, SavePlanner
from .state_dict_loader import load, load_state_dict
from .state_dict_saver import async_save, save, save_state_dict

__all__ = [
    "BytesStorageMetadata", "ChunkStorageMetadata", "DefaultLoadPlanner", "DefaultSavePlanner",
    "FileSystemReader", "FileSystemWriter", "LoadPlanner", "Metadata", "MetadataIndex", "SavePlanner",
    "TensorStorageMetadata", "async_save", "default_planner", "filesystem", "format_utils", "load",
    "load_sharded_optimizer_state_dict", "load_state_dict", "metadata", "optimizer", "planner", "save",
    "save_state_dict", "state_dict", "state_dict_loader", "state_dict_saver",
]  # fmt: skip
