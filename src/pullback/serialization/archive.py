"""Write and read the zip file around a checkpoint: records by name, storages on 64-byte boundaries.

Reading trusts nothing in the file: a record is read by its exact name into memory, never unpacked to a path;
only stored records are taken (so none is larger than the file); and all that is read together may not be
larger than the file, which overlapping records could make it.
"""

from __future__ import annotations

import errno
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import numpy as np
from numpy import ndarray

from ..tensor.interchange import Memory

#: Where the bytes of a record begin is a multiple of this.
ALIGNMENT = 64

#: Bytes read at once.
_PIECE = 1 << 20

#: The fixed part of the header before a record.
_HEADER = 30

#: How every archive begins: other files are in another format.
_BEGINNING = b"PK\x03\x04"

#: What torch adds to every error of its zip reader.
_DAMAGED = (
    ". This is an internal miniz error. If you are seeing this error, there is a high likelihood that your "
    "checkpoint file is corrupted. This can happen if the checkpoint was not saved properly, was transferred "
    "incorrectly, or the file was modified after saving."
)

#: What `zipfile` raises for files that are no good, besides an OSError for a place before the file.
_BAD_ZIP = (
    zipfile.BadZipFile, EOFError, LookupError, MemoryError, NotImplementedError, OverflowError, ValueError,
    struct.error, zlib.error,
)  # fmt: skip

#: The id of the extra field that fills up to the boundary, as in torch's files.
_FILLER = b"FB"


def begins_archive(stream: Any) -> bool:
    """Return whether an archive begins at a file's position, which stays."""
    start = stream.tell()
    first = stream.read(len(_BEGINNING))
    stream.seek(start)
    return bool(first == _BEGINNING)


@contextmanager
def opened(file: Any) -> Iterator[Any]:
    """Open a path for reading; a file object is as it is, and stays open."""
    if isinstance(file, (str, os.PathLike)):
        with open(file, "rb") as stream:
            yield stream
    else:
        yield file


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Raise torch's error where `zipfile` finds that a file is damaged."""
    try:
        yield
    except (*_BAD_ZIP, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise  # the disk, not the file
        no_end = str(error) == "File is not a zip file"
        reason = "failed finding central directory" if no_end else "invalid header or archive is corrupted"
        damaged = RuntimeError(f"PytorchStreamReader failed reading {what}: {reason}{_DAMAGED}")
        damaged.add_note(f"zipfile says: {error}")
        raise damaged from None


class Archive:
    """A checkpoint's records, for reading; RuntimeError for a file that is no archive, or a damaged one.

    The file must be seekable: at its present position begins the archive, or a file that ends with it. Where
    it is to be `mapped`, it is in memory, copied on write, instead of being read record by record.
    """

    def __init__(self, file: Any, mapped: bool = False) -> None:
        with _told("zip archive"):
            self._zip = zipfile.ZipFile(file)
        entries = self._zip.infolist()
        pickles = [
            e.filename for e in entries if e.filename.count("/") == 1 and e.filename.endswith("/data.pkl")
        ]
        if len(pickles) != 1:
            self._zip.close()
            raise RuntimeError(
                "PytorchStreamReader failed locating file data.pkl: file not found"
                if not pickles
                else f"the archive has {len(pickles)} records data.pkl"
            )
        self._folder = pickles[0].removesuffix("data.pkl")
        self._left = self._size()
        self._map = np.memmap(file, np.uint8, "c") if mapped else None

    def _size(self) -> int:
        stream: Any = self._zip.fp
        here = stream.tell()
        size = int(stream.seek(0, os.SEEK_END))
        stream.seek(here)
        return size

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def names(self) -> list[str]:
        """Return the names of all records."""
        return [name.removeprefix(self._folder) for name in self._zip.NameToInfo]

    def has(self, name: str) -> bool:
        """Return whether there is a record."""
        return self._folder + name in self._zip.NameToInfo

    def _entry(self, name: str, size: int | None) -> zipfile.ZipInfo:
        if (entry := self._zip.NameToInfo.get(self._folder + name)) is None:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found")
        if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
            raise RuntimeError(f"the record {name} is compressed; torch.save stores records as they are")
        if size is not None and entry.file_size != size:
            raise RuntimeError(
                f"record size {entry.file_size} does not match expected size {size} for record {name}"
            )
        if entry.file_size > self._left:
            raise RuntimeError(f"the record {name} has more bytes than the file: it is cut off or damaged")
        self._left -= entry.file_size
        return entry

    def read(self, name: str) -> bytes:
        """Return a record's bytes."""
        entry = self._entry(name, None)
        with _told(f"file {name}"):
            return self._zip.read(entry)

    def storage(self, name: str, size: int) -> ndarray:
        """Return a record of `size` bytes as a writable array of bytes."""
        entry = self._entry(name, size)
        if self._map is not None:
            start = self._start(entry)
            if start + size > self._map.size:
                raise RuntimeError(
                    f"the record {name} has more bytes than the file: it is cut off or damaged"
                )
            # A storage of its own that begins here, not a view of one that is the whole file.
            return np.asarray(Memory(self._map[start : start + size].view(ndarray)))
        content = np.empty(size, np.uint8)
        buffer = content.data
        count = 0
        with _told(f"file {name}"), self._zip.open(entry) as record:
            # An array is filled piece by piece: `read` would hold the record twice.
            while count < size:
                if not (piece := record.read(min(_PIECE, size - count))):
                    break
                buffer[count : count + len(piece)] = piece
                count += len(piece)
        if count != size:
            raise RuntimeError(f"the record {name} has more bytes than the file: it is cut off or damaged")
        return content

    def _start(self, entry: zipfile.ZipInfo) -> int:
        """Return where a record begins: behind its own header, whose lengths may not be the directory's."""
        assert self._map is not None, "asked of mapped files only"
        header = bytes(self._map[entry.header_offset : entry.header_offset + _HEADER])
        if header[:4] != _BEGINNING:
            raise RuntimeError(f"the record {entry.filename} has no header where the directory says")
        return (
            entry.header_offset + _HEADER + int.from_bytes(header[26:28], "little")
            + int.from_bytes(header[28:30], "little")
        )


class Writer:
    """A checkpoint's records, for writing to a stream; `folder` comes before the name of each."""

    def __init__(self, stream: Any, folder: str) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED)
        self._folder = folder
        self._sums = 0

    def write(self, name: str, content: Any) -> None:
        """Add a record of bytes, or of an array of them."""
        entry = zipfile.ZipInfo(f"{self._folder}/{name}", (1980, 0, 0, 0, 0, 0))
        place = self._zip.start_dir + _HEADER + len(entry.filename.encode())
        fill = -(place + 4) % ALIGNMENT
        entry.extra = _FILLER + fill.to_bytes(2, "little") + b"Z" * fill
        self._zip.writestr(entry, content)
        self._sums = zlib.crc32(name.encode() + entry.CRC.to_bytes(4, "little"), self._sums)

    def abandon(self) -> None:
        """Write nothing more: an open zip file would write its directory when it is freed."""
        self._zip.fp = None

    def close(self) -> None:
        """Write an id made of all records and the directory."""
        self.write(".data/serialization_id", f"{self._sums:040d}".encode())
        self._zip.close()
