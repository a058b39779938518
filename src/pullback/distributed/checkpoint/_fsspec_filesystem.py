"""torch.distributed.checkpoint._fsspec_filesystem: checkpoints wherever the package fsspec reaches.

The package is asked for when a writer or a reader is made, and no part of any extra.
"""

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...errors import with_note
from .filesystem import FileSystemReader, FileSystemWriter


class _Place:
    """Hold what fsspec has for the place of a checkpoint."""

    fs: Any

    @staticmethod
    def _path(path: Any) -> Any:
        return os.fspath(path)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Return whether fsspec knows such a place."""
        try:
            _file_system(checkpoint_id, {})
        except (ImportError, ValueError):
            return False
        return True


class FsspecWriter(_Place, FileSystemWriter):
    """Write a checkpoint to a place that fsspec names, as ``memory://run/1`` or ``s3://bucket/run``.

    Parameters
    ----------
    path : str
    single_file_per_rank, sync_files, thread_count, per_thread_copy_ahead, overwrite
        As of `FileSystemWriter`.
    options
        Of fsspec's file system.

    Raises
    ------
    ModuleNotFoundError
        fsspec is not installed.
    """

    def __init__(
        self, path: str | os.PathLike[str], single_file_per_rank: bool = True, sync_files: bool = True,
        thread_count: int = 1, per_thread_copy_ahead: int = 10_000_000, overwrite: bool = True,
        **options: Any,
    ) -> None:  # fmt: skip
        self.fs = _file_system(path, options)
        super().__init__(path, overwrite=overwrite)

    def _make_folder(self) -> None:
        self.fs.makedirs(self.path, exist_ok=True)

    def _exists(self, name: str) -> bool:
        return bool(self.fs.exists(f"{self.path}/{name}"))

    def _write(self, name: str, fill: Callable[[Any], None]) -> None:
        """Write a file; `.metadata`, which comes last, takes its place when it is whole."""
        beside = f"{self.path}/{name}.tmp"
        with self.fs.open(beside, "wb") as stream:
            fill(stream)
        self.fs.mv(beside, f"{self.path}/{name}")


class FsspecReader(_Place, FileSystemReader):
    """Read a checkpoint from a place that fsspec names.

    Parameters
    ----------
    path : str
    options
        Of fsspec's file system.

    Raises
    ------
    ModuleNotFoundError
        fsspec is not installed.
    """

    def __init__(self, path: str | os.PathLike[str], **options: Any) -> None:
        self.fs = _file_system(path, options)
        super().__init__(path)

    def _open(self, name: str) -> Any:
        return self.fs.open(f"{self.path}/{name}", "rb")


def _file_system(path: str | os.PathLike[str], options: dict[str, Any]) -> Any:
    """Return what fsspec has for a place."""
    try:
        core = import_module("fsspec.core")
    except ModuleNotFoundError as error:
        raise with_note(
            error,
            "FsspecWriter and FsspecReader need the package fsspec: pip install fsspec. FileSystemWriter and "
            "FileSystemReader take folders without it; other storage is a class of your own, derived from "
            "torch.distributed.checkpoint.StorageWriter and StorageReader.",
        ) from None
    return core.url_to_fs(path, **options)[0]


__all__ = ["FsspecReader", "FsspecWriter"]
