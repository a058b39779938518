"""torch.distributed.checkpoint: states of several processes in one folder, for any other number of them."""

from . import (
    api,
    default_planner,
    filesystem,
    format_utils,
    metadata,
    optimizer,
    planner,
    planner_helpers,
    staging,
    state_dict,
    state_dict_loader,
    state_dict_saver,
    stateful,
    storage,
    utils,
)
from .api import CheckpointException
from .default_planner import DefaultLoadPlanner, DefaultSavePlanner
from .filesystem import FileSystemReader, FileSystemWriter
from .hf_storage import HuggingFaceStorageReader, HuggingFaceStorageWriter
from .metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    TensorStorageMetadata,
)
from .optimizer import load_sharded_optimizer_state_dict
from .planner import LoadPlan, LoadPlanner, ReadItem, SavePlan, SavePlanner, WriteItem
from .state_dict_loader import load, load_state_dict
from .state_dict_saver import async_save, save, save_state_dict
from .storage import StorageReader, StorageWriter

__all__ = [
    "BytesStorageMetadata", "CheckpointException", "ChunkStorageMetadata", "DefaultLoadPlanner",
    "DefaultSavePlanner", "FileSystemReader", "FileSystemWriter", "HuggingFaceStorageReader",
    "HuggingFaceStorageWriter", "LoadPlan", "LoadPlanner",
    "Metadata", "MetadataIndex", "ReadItem", "SavePlan", "SavePlanner", "StorageReader",
    "StorageWriter", "TensorStorageMetadata", "WriteItem", "api", "async_save", "default_planner",
    "filesystem", "format_utils", "load", "load_sharded_optimizer_state_dict", "load_state_dict",
    "metadata", "optimizer", "planner", "planner_helpers", "save", "save_state_dict", "staging",
    "state_dict", "state_dict_loader", "state_dict_saver", "stateful", "storage", "utils",
]  # fmt: skip
