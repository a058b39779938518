"""torch.distributed.checkpoint.storage: what writes and reads the items of a checkpoint's plans.

`filesystem.py` has those for folders. A program's own, for a database or an object store, derive from these.
"""

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from ...torch_names.futures import Future
from .metadata import Metadata, MetadataIndex, StorageMeta
from .planner import LoadPlan, LoadPlanner, SavePlan, SavePlanner


@dataclass(frozen=True)
class WriteResult:
    """Say that an item is written, of how many bytes, and where."""

    index: MetadataIndex
    size_in_bytes: int
    storage_data: Any


class StorageWriter(ABC):
    """Write what planners have planned.

    `save` calls `reset`, then `set_up_storage_writer` and `prepare_local_plan` in every process,
    `prepare_global_plan` in the coordinating one, `write_data` in every process, and at last `finish` in the
    coordinating one.
    """

    @abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begin a new checkpoint."""

    @abstractmethod
    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Note whether this process coordinates."""

    @abstractmethod
    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """Return a process's plan with what the storage adds to it."""

    @abstractmethod
    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Return the plans of all with what the storage adds to them."""

    @abstractmethod
    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Write the items of a plan, which the planner resolves."""

    @abstractmethod
    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Write what tells of all items; the checkpoint is whole then."""

    @classmethod
    @abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Return whether this kind of storage takes such a name."""

    def storage_meta(self) -> StorageMeta | None:
        """Return by what name the checkpoint is saved."""
        return None


class StorageReader(ABC):
    """Read what planners have planned.

    `load` calls `reset`, then `read_metadata`, `set_up_storage_reader` and `prepare_local_plan` in every
    process, `prepare_global_plan` in the coordinating one, and `read_data` in every process.
    """

    @abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begin to read a checkpoint."""

    @abstractmethod
    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Return what the checkpoint says of its entries."""

    @abstractmethod
    def set_up_storage_reader(
        self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any
    ) -> None:
        """Note what there is, and whether this process coordinates."""

    @abstractmethod
    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """Return a process's plan with what the storage adds to it."""

    @abstractmethod
    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """Return the plans of all with what the storage adds to them."""

    @abstractmethod
    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Read the items of a plan into what the planner resolves."""

    @classmethod
    @abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Return whether this kind of storage takes such a name."""


for _class in (WriteResult, StorageWriter, StorageReader):
    _class.__module__ = "torch.distributed.checkpoint.storage"

__all__ = ["StorageReader", "StorageWriter", "WriteResult"]
