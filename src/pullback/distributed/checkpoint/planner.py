"""torch.distributed.checkpoint.planner: what a checkpoint's planners decide, and the plans that they make.

A planner names the parts of a state that a process writes or reads (`SavePlan`, `LoadPlan`), one process
brings the plans of all into line, and the planner hands out tensors and takes what was read. Programs derive
their own from those of `default_planner.py`.
"""

import io
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, auto
from math import prod
from typing import Any, ClassVar

from .metadata import ChunkStorageMetadata, Metadata, MetadataIndex, StorageMeta, TensorProperties


class WriteItemType(Enum):
    """Say what is written: a whole tensor, a part of one, or another object as bytes."""

    TENSOR = auto()
    SHARD = auto()
    BYTE_IO = auto()


class LoadItemType(Enum):
    """Say what is read: elements of a tensor, or another object as bytes."""

    TENSOR = auto()
    BYTE_IO = auto()


@dataclass(frozen=True)
class BytesIOWriteData:
    """Hold how many bytes an object takes."""

    nbytes: int


@dataclass(frozen=True)
class TensorWriteData:
    """Describe the part of a tensor that is written, and the tensor."""

    chunk: ChunkStorageMetadata
    properties: TensorProperties
    size: Any


@dataclass(frozen=True)
class WriteItem:
    """Say what one process writes."""

    index: MetadataIndex
    type: WriteItemType
    bytes_io_data: BytesIOWriteData | None = None
    tensor_data: TensorWriteData | None = None

    def tensor_storage_size(self) -> int | None:
        """Return how many bytes the tensor's elements take, or None for another object."""
        if self.tensor_data is None:
            return None
        return prod(self.tensor_data.size) * self.tensor_data.properties.dtype.itemsize


@dataclass(frozen=True)
class ReadItem:
    """Say what one process reads: where it is in the checkpoint, and where it goes."""

    type: LoadItemType
    dest_index: MetadataIndex
    dest_offsets: Any
    storage_index: MetadataIndex
    storage_offsets: Any
    lengths: Any


@dataclass(frozen=True)
class SavePlan:
    """Hold all that one process writes, and what planner and storage add to it."""

    items: list[WriteItem]
    storage_data: Any = None
    planner_data: Any = None
    usable: bool = True


@dataclass
class LoadPlan:
    """Hold all that one process reads, and what planner and storage add to it."""

    items: list[ReadItem]
    storage_data: Any = None
    planner_data: Any = None


class SavePlanner(ABC):
    """Decide what each process writes of a state.

    A checkpoint calls `set_up_planner` and `create_local_plan` in every process, `create_global_plan` in the
    coordinating one, then `finish_plan` in every process and `resolve_data` for each item.
    """

    _cached_save_plan: ClassVar[dict[str, SavePlan]] = {}

    @abstractmethod
    def set_up_planner(
        self, state_dict: dict[str, Any], storage_meta: StorageMeta | None = None,
        is_coordinator: bool = False,
    ) -> None:  # fmt: skip
        """Take the state that is to be saved."""

    @abstractmethod
    def create_local_plan(self) -> SavePlan:
        """Return what this process would write."""

    @abstractmethod
    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """Return what each process writes, and what the checkpoint says of its entries."""

    @abstractmethod
    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """Return what this process writes, from its part of the global plan."""

    @abstractmethod
    def resolve_data(self, write_item: WriteItem) -> Any:
        """Return the tensor, or the bytes of an object in a stream."""


class LoadPlanner:
    """Decide what each process reads into a state.

    A checkpoint calls `set_up_planner` and `create_local_plan` in every process, `create_global_plan` in the
    coordinating one, then `finish_plan` in every process. Each item is read by `load_bytes`, or into what
    `resolve_tensor` returns, after which `commit_tensor` is told.
    """

    @abstractmethod
    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Take the state that is to be filled and what the checkpoint says of its entries."""

    @abstractmethod
    def create_local_plan(self) -> LoadPlan:
        """Return what this process reads."""

    @abstractmethod
    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """Return what each process reads."""

    @abstractmethod
    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        """Return what this process reads, from its part of the global plan."""

    @abstractmethod
    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Take an object from a stream of its bytes."""

    def resolve_bytes(self, read_item: ReadItem) -> io.BytesIO:
        """Return the stream that an object's bytes go to, where the storage asks for one."""
        raise NotImplementedError("LoadPlanner.resolve_bytes is not implemented")

    @abstractmethod
    def resolve_tensor(self, read_item: ReadItem) -> Any:
        """Return the tensor that elements are copied into, of the shape `read_item.lengths`."""

    @abstractmethod
    def commit_tensor(self, read_item: ReadItem, tensor: Any) -> None:
        """Take note that a tensor of `resolve_tensor` has its elements."""


for _class in list(vars().values()):
    if isinstance(_class, type) and _class.__module__ == __name__:
        _class.__module__ = "torch.distributed.checkpoint.planner"

__all__ = [
    "BytesIOWriteData", "LoadItemType", "LoadPlan", "LoadPlanner", "ReadItem", "SavePlan", "SavePlanner",
    "TensorWriteData", "WriteItem", "WriteItemType",
]  # fmt: skip
