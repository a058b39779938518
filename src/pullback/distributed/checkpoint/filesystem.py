"""torch.distributed.checkpoint.filesystem: a checkpoint as a folder.

Each process writes one file, ``__<rank>_0.distcp``, in which its tensors and objects follow one another, each
as `torch.save` writes it. ``.metadata`` says what is where; it is written last, so that a folder with it is
whole. torch reads these folders, and its folders are read.
"""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...serialization.load import _Trusting, load
from ...serialization.save import Pickler, save
from .metadata import Metadata, MetadataIndex


@dataclass
class _StorageInfo:
    """Say where an entry is: the file, and the bytes in it."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if value is not None}


_StorageInfo.__module__ = "torch.distributed.checkpoint.filesystem"


def pickled(value: Any) -> bytes:
    """Return what stands for an object, with torch's names of classes, whether torch is there or not."""
    stream = io.BytesIO()
    Pickler(stream, 4, False).dump(value)
    return stream.getvalue()


def unpickled(content: bytes) -> Any:
    """Return the object."""
    return _Trusting(io.BytesIO(content), lambda pid: None, {}).load()


class FileSystemWriter:
    """Write a checkpoint into a folder.

    Parameters
    ----------
    path : str or path
    single_file_per_rank, sync_files, thread_count, per_thread_copy_ahead, overwrite
        As torch has them: each process writes one file, which is on the disk when it is said to be.
    """

    def __init__(
        self, path: str | os.PathLike[str], single_file_per_rank: bool = True, sync_files: bool = True,
        thread_count: int = 1, per_thread_copy_ahead: int = 10_000_000, cache_staged_state_dict: bool = False,
        overwrite: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        self.path = Path(path)
        self.overwrite = overwrite

    def write(self, rank: int, items: dict[MetadataIndex, Any]) -> dict[MetadataIndex, _StorageInfo]:
        """Write the entries of a process; return where they are."""
        self.path.mkdir(parents=True, exist_ok=True)
        name = f"__{rank}_0.distcp"
        places: dict[MetadataIndex, _StorageInfo] = {}

        def fill(stream: Any) -> None:
            for index, value in items.items():
                part = io.BytesIO()
                save(value, part)
                start = stream.tell()
                stream.write(part.getbuffer())
                places[index] = _StorageInfo(name, start, stream.tell() - start)

        self._write(name, fill)
        return places

    def finish(self, metadata: Metadata) -> None:
        """Write what tells of all entries; the folder is whole then."""
        self._write(".metadata", lambda stream: stream.write(pickled(metadata)))

    def _write(self, name: str, fill: Any) -> None:
        """Write a file that is there whole or not at all."""
        beside = self.path / f"{name}.tmp"
        with open(beside, "wb") as stream:
            fill(stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, self.path / name)


class FileSystemReader:
    """Read a checkpoint from a folder.

    Parameters
    ----------
    path : str or path
    """

    def __init__(self, path: str | os.PathLike[str], **options: Any) -> None:
        self.path = Path(path)

    def read_metadata(self) -> Metadata:
        """Return what the checkpoint says of its entries."""
        return unpickled((self.path / ".metadata").read_bytes())

    def read(self, info: Any, *, weights_only: bool = True) -> Any:
        """Return the entry at a place."""
        with open(self.path / info.relative_path, "rb") as stream:
            stream.seek(info.offset)
            return load(io.BytesIO(stream.read(info.length)), weights_only=weights_only)


for _class in (FileSystemReader, FileSystemWriter):
    _class.__module__ = "torch.distributed.checkpoint.filesystem"

__all__ = ["FileSystemReader", "FileSystemWriter"]
