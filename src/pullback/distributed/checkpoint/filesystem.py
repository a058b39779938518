"""torch.distributed.checkpoint.filesystem: a checkpoint as a folder.

Each process writes one file, ``__<rank>_0.distcp``, in which its tensors and objects follow one another, each
as `torch.save` writes it. ``.metadata`` says what is where; it is written last, so that a folder with it is
whole. torch reads these folders, and its folders are read.
"""

import io
import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...core.warn import warn
from ...serialization.load import load
from ...serialization.save import save
from ...torch_names.futures import Future
from .default_planner import narrowed
from .metadata import Metadata, MetadataIndex, StorageMeta
from .planner import LoadItemType, LoadPlan, LoadPlanner, SavePlan, SavePlanner, WriteItemType
from .staging import BlockingAsyncStager
from .storage import StorageReader, StorageWriter, WriteResult
from .utils import pickled, unpickled


@dataclass
class _StorageInfo:
    """Say where an entry is: the file, and the bytes in it."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if value is not None}


@dataclass
class _StoragePrefix:
    """Hold how the names of a process's files begin."""

    prefix: str


class _Folder:
    """Hold the folder of a checkpoint; on other file systems it is the text that names it."""

    path: Any

    @staticmethod
    def _path(path: Any) -> Any:
        return Path(path)

    @property
    def checkpoint_id(self) -> Any:
        """Return the folder."""
        return self.path

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begin a checkpoint, or to read one, in another folder where one is given."""
        if checkpoint_id:
            self.path = self._path(checkpoint_id)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Return whether a name is one of a folder."""
        return isinstance(checkpoint_id, Path) or "://" not in str(checkpoint_id)


class FileSystemWriter(_Folder, BlockingAsyncStager, StorageWriter):
    """Write a checkpoint into a folder.

    Parameters
    ----------
    path : str or path
    single_file_per_rank, sync_files, thread_count, per_thread_copy_ahead, cache_staged_state_dict, options
        Not used: each process writes one file, which is on the disk when it is said to be.
    overwrite : bool
        Whether a checkpoint that is there may be replaced.
    """

    def __init__(
        self, path: str | os.PathLike[str], single_file_per_rank: bool = True, sync_files: bool = True,
        thread_count: int = 1, per_thread_copy_ahead: int = 10_000_000, cache_staged_state_dict: bool = False,
        overwrite: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(cache_staged_state_dict)
        self.path: Any = self._path(path)
        self.overwrite = overwrite
        self.rank = 0
        self.save_id = str(uuid.uuid4())

    # ----------------------------------------------- what other file systems do otherwise

    def _make_folder(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)

    def _exists(self, name: str) -> bool:
        return bool((self.path / name).exists())

    def _write(self, name: str, fill: Callable[[Any], None]) -> None:
        """Write a file that is there whole or not at all."""
        beside = self.path / f"{name}.tmp"
        with open(beside, "wb") as stream:
            fill(stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, self.path / name)

    # ----------------------------------------------- the steps of `save`

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begin a new checkpoint, in another folder where one is given."""
        super().reset(checkpoint_id)
        self.save_id = str(uuid.uuid4())

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Note the rank of this process, which names its file."""
        self.rank = kwargs.get("rank", 0)

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """Make the folder, and return the plan."""
        self._make_folder()
        if self._exists(".metadata"):
            if not self.overwrite:
                raise RuntimeError(f"Checkpoint already exists and {self.overwrite=}.")
            warn(
                f"Detected an existing checkpoint in {self.path}, overwriting since {self.overwrite=}. Past "
                "version 2.5 of PyTorch, `overwrite` will default to False. Set this variable to True to "
                "maintain this functionality or False to raise when an existing checkpoint is found."
            )
        return plan

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Return the plans with the beginnings of the names of each process's files."""
        return [
            replace(plan, storage_data=_StoragePrefix(f"__{rank}_")) if plan.storage_data is None else plan
            for rank, plan in enumerate(plans)
        ]

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Write the items of a process into its file."""
        name = f"{plan.storage_data.prefix}0.distcp"
        results: list[WriteResult] = []

        def fill(stream: Any) -> None:
            for item in plan.items:
                value, part = planner.resolve_data(item), io.BytesIO()
                if item.type is WriteItemType.BYTE_IO:
                    part = value
                else:
                    value = value.detach()
                    shared = value.untyped_storage().nbytes() != value.numel() * value.element_size()
                    save(value.clone() if shared else value, part)
                start = stream.tell()
                size = stream.write(part.getbuffer())
                results.append(WriteResult(item.index, size, _StorageInfo(name, start, size)))

        self._write(name, fill)
        return Future._of(results)

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Write what tells of all entries; the folder is whole then."""
        metadata.storage_data = {result.index: result.storage_data for part in results for result in part}
        metadata.storage_meta = self.storage_meta()
        self._write(".metadata", lambda stream: stream.write(pickled(metadata)))

    def storage_meta(self) -> StorageMeta:
        """Return by what name the checkpoint is saved."""
        return StorageMeta(self.checkpoint_id, self.save_id)


class FileSystemReader(_Folder, StorageReader):
    """Read a checkpoint from the folder `path`; options, as torch has them, make no difference."""

    def __init__(self, path: str | os.PathLike[str], **options: Any) -> None:
        self.path: Any = self._path(path)
        self.storage_data: dict[MetadataIndex, Any] = {}
        self.load_id = str(uuid.uuid4())

    def _open(self, name: str) -> Any:
        return open(self.path / name, "rb")

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begin to read, from another folder where one is given."""
        super().reset(checkpoint_id)
        self.storage_data = {}
        self.load_id = str(uuid.uuid4())

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Return what the checkpoint says of its entries."""
        with self._open(".metadata") as stream:
            metadata: Metadata = unpickled(stream.read())
        if getattr(metadata, "storage_meta", None) is None:
            metadata.storage_meta = StorageMeta()
        metadata.storage_meta.load_id = self.load_id  # type: ignore[union-attr]
        return metadata

    def set_up_storage_reader(
        self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any
    ) -> None:
        """Note where the entries are."""
        self.storage_data = metadata.storage_data

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """Return the plan."""
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """Return the plans."""
        return plans

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Read the items of a process, file after file."""
        files: dict[str, list[Any]] = {}
        for item in plan.items:
            place = self.storage_data[item.storage_index]
            files.setdefault(place.relative_path, []).append((place, item))
        for name, items in files.items():
            with self._open(name) as stream:
                for place, item in items:
                    stream.seek(place.offset)
                    content = io.BytesIO(stream.read(place.length))
                    if item.type is LoadItemType.BYTE_IO:
                        planner.load_bytes(item, content)
                    else:
                        _read_tensor(load(content, weights_only=True), item, planner)
        return Future._of(None)


def _read_tensor(stored: Any, item: Any, planner: LoadPlanner) -> None:
    """Copy elements of a stored part into what the planner has for them."""
    stored = narrowed(stored, item.storage_offsets, item.lengths)
    target = planner.resolve_tensor(item).detach()
    if target.size() != stored.size():
        raise AssertionError(f"req {item.storage_index} mismatch sizes {target.size()} vs {stored.size()}")
    target.copy_(stored)
    planner.commit_tensor(item, target)


for _class in (_StorageInfo, _StoragePrefix, FileSystemReader, FileSystemWriter):
    _class.__module__ = "torch.distributed.checkpoint.filesystem"

__all__ = ["FileSystemReader", "FileSystemWriter"]
