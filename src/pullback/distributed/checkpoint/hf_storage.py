"""torch.distributed.checkpoint.hf_storage: checkpoints in Hugging Face's layout, files of safetensors.

One process writes ``model-00001-of-0000N.safetensors`` and an index that says which entry is in which file.
Where all write (`save_distributed`), each has ``shard-0000R-model-...`` with its parts, whose headers say
where in the whole tensor each part begins; consolidation joins them into files that any other library reads.
The extra ``files`` is needed.
"""

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...core.size import Size
from ...serialization.replacing import replacing
from ...serialization.safetensors import load_file, metadata_of, save_file
from ...tensor.creation import zeros
from ...torch_names.futures import Future
from .default_planner import narrowed
from .filesystem import FileSystemReader, FileSystemWriter, _read_tensor
from .metadata import (
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
)
from .planner import LoadItemType, LoadPlan, LoadPlanner, SavePlan, SavePlanner, WriteItemType
from .storage import WriteResult

_SUFFIX = ".safetensors"
_INDEX = "model.safetensors.index.json"
_SHARDS = "sharded"
#: In a file's header: where in its tensor each part begins.
_OFFSETS = "DCP_SHARDING_INFO"


@dataclass
class _HFStorageInfo:
    """Say where an entry is: the file, and what it holds of it."""

    relative_path: str
    shape: Size
    dtype: Any


def _file_name(number: int, count: int, process: int | None = None) -> str:
    name = f"model-{number:05d}-of-{count:05d}{_SUFFIX}"
    return name if process is None else f"shard-{process:05d}-{name}"


class HuggingFaceStorageWriter(FileSystemWriter):
    """Write a checkpoint of tensors as files of safetensors.

    Parameters
    ----------
    path : str or path
    fqn_to_index_mapping : dict of str to int, optional
        The number, from 1 on, of the file that each entry goes to; by default there is one file.
    thread_count, thread_count_consolidation : int
        Not used.
    save_distributed : bool
        Whether all processes write their parts. Otherwise one process must write alone, as by
        ``save(..., no_dist=True)``.
    enable_consolidation : bool
        Whether the parts, which are then in the folder ``sharded``, are joined as well.
    """

    def __init__(
        self, path: str | os.PathLike[str], fqn_to_index_mapping: dict[str, int] | None = None,
        thread_count: int = 1, save_distributed: bool = False, enable_consolidation: bool = False,
        thread_count_consolidation: int = 1,
    ) -> None:  # fmt: skip
        self.fqn_to_index_mapping = fqn_to_index_mapping
        self.save_distributed = save_distributed
        self.enable_consolidation = enable_consolidation
        super().__init__(path, thread_count=thread_count)
        self.reset(path)

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begin a new checkpoint, in another folder where one is given."""
        super().reset(checkpoint_id)
        if checkpoint_id:
            self.consolidated_output_path = str(self.path) if self.enable_consolidation else None
            self.path = self.path / _SHARDS if self.enable_consolidation else self.path

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """Make the folder, and return the plan."""
        others = [item.index.fqn for item in plan.items if item.type is WriteItemType.BYTE_IO]
        if others:
            raise TypeError(
                f"files of safetensors hold tensors alone, and {', '.join(others)} are other objects: save "
                "them with FileSystemWriter"
            )
        self._make_folder()
        return plan

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Return the plans with the files of entries and, where all write, the numbers of processes."""
        if not self.save_distributed and sum(bool(plan.items) for plan in plans) > 1:
            raise RuntimeError(
                "several processes write to the same files: give HuggingFaceStorageWriter "
                "save_distributed=True, or save in one process with no_dist=True"
            )
        told: dict[str, Any] = {}
        if self.fqn_to_index_mapping is not None:
            told["fqn_to_index_mapping"] = self.fqn_to_index_mapping
        return [
            replace(plan, storage_data=told | ({"shard_index": number} if self.save_distributed else {}))
            for number, plan in enumerate(plans, 1)
        ]

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Write the items of a process into their files."""
        numbers = plan.storage_data.get("fqn_to_index_mapping")
        count = 1 if numbers is None else max(numbers.values())
        files: dict[int, list[Any]] = {}
        for item in plan.items:
            files.setdefault(1 if numbers is None else numbers[item.index.fqn], []).append(item)
        results = []
        for number, items in files.items():
            name = _file_name(number, count, plan.storage_data.get("shard_index"))
            # Tensors of a model may share memory, those of a file must not.
            tensors = {
                item.index.fqn: planner.resolve_data(item).detach().clone().contiguous() for item in items
            }
            begins = {item.index.fqn: {"saved_offsets": list(item.index.offset)} for item in items}
            about = {_OFFSETS: json.dumps(begins), "DCP_VERSION": "1.0", "format": "pt"}
            save_file(tensors, self.path / name, about)
            for item in items:
                held = tensors[item.index.fqn]
                results.append(
                    WriteResult(item.index, held.nbytes, _HFStorageInfo(name, held.shape, held.dtype))
                )
        return Future._of(results)

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Write the index of entries, and before it the whole tensors where they are asked for."""
        written = [result for part in results for result in part]
        if not self.save_distributed:
            files = {result.index.fqn: result.storage_data.relative_path for result in written}
            _write_index(self.path, files, sum(result.size_in_bytes for result in written))
        elif self.consolidated_output_path is not None:
            numbers = self.fqn_to_index_mapping or dict.fromkeys(metadata.state_dict_metadata, 1)
            _consolidate(self.path, Path(self.consolidated_output_path), numbers)


def _write_index(folder: Path, files: dict[str, str], size: int) -> None:
    with replacing(str(folder / _INDEX)) as stream:
        told = {"metadata": {"total_size": size}, "weight_map": files}
        stream.write(json.dumps(told, indent=2).encode())


def _consolidate(source: Path, folder: Path, numbers: dict[str, int]) -> None:
    """Join the parts of entries that are in the files of a folder, and write them into another."""
    reader = HuggingFaceStorageReader(source)
    metadata = reader.read_metadata()
    paths = {place.relative_path for place in metadata.storage_data.values()}
    held = {path: load_file(path) for path in paths}
    count, total, files = max(numbers.values()), 0, {}
    for number in sorted(set(numbers.values())):
        tensors = {}
        for name in (name for name, other in numbers.items() if other == number):
            entry = metadata.state_dict_metadata[name]
            tensors[name] = zeros(tuple(entry.size), dtype=entry.properties.dtype)
            for chunk in entry.chunks:
                place = metadata.storage_data[MetadataIndex(name, chunk.offsets)]
                narrowed(tensors[name], chunk.offsets, chunk.sizes).copy_(held[place.relative_path][name])
            files[name] = _file_name(number, count)
            total += tensors[name].nbytes
        save_file(tensors, folder / _file_name(number, count), {"format": "pt"})
    _write_index(folder, files, total)


class HuggingFaceStorageReader(FileSystemReader):
    """Read a checkpoint from the files of safetensors in a folder, whatever has written them.

    Parameters
    ----------
    path : str or path
    thread_count : int
        Not used.
    """

    def __init__(self, path: str | os.PathLike[str], thread_count: int = 1) -> None:
        super().__init__(path)
        self.thread_count = thread_count

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Return what the headers of the files say of the entries."""
        entries: dict[str, Any] = {}
        places: dict[MetadataIndex, _HFStorageInfo] = {}
        for file in sorted(self.path.glob(f"*{_SUFFIX}")):
            begins = json.loads(metadata_of(file).get(_OFFSETS, "{}"))
            for name, tensor in load_file(file).items():
                shape = Size(tensor.shape)
                offsets = Size(begins[name]["saved_offsets"] if begins else [0] * len(shape))
                entry = entries.setdefault(
                    name, TensorStorageMetadata(TensorProperties(tensor.dtype), shape, [])
                )
                entry.chunks.append(ChunkStorageMetadata(offsets, shape))
                ends = (begin + size for begin, size in zip(offsets, shape, strict=True))
                entry.size = Size(max(pair) for pair in zip(entry.size, ends, strict=True))
                places[MetadataIndex(name, offsets)] = _HFStorageInfo(str(file), shape, tensor.dtype)
        return Metadata(entries, storage_data=places, storage_meta=StorageMeta(load_id=self.load_id))

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Read the items of a process, file after file."""
        files: dict[str, list[Any]] = {}
        for item in plan.items:
            if item.type is LoadItemType.BYTE_IO:
                raise TypeError(f"the checkpoint has a tensor for {item.storage_index.fqn}, which is none")
            files.setdefault(self.storage_data[item.storage_index].relative_path, []).append(item)
        for name, items in files.items():
            held = load_file(name)
            for item in items:
                _read_tensor(held[item.storage_index.fqn], item, planner)
        return Future._of(None)


__all__ = ["HuggingFaceStorageReader", "HuggingFaceStorageWriter"]
