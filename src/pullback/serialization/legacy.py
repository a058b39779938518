"""Read checkpoints from before the zip format: a row of pickles, then the storages' bytes.

Magic number, version and a note on the machine; the object, whose storages are numbers; the list of numbers;
and per storage its element count and its bytes. Older still is a tar file of such parts, read without
``weights_only`` only, as in torch.
"""

import io
import struct
import tarfile
from collections.abc import Callable
from typing import Any

import numpy as np

from ..array import dtypes
from ..core.device import CPU, device
from ..tensor.storage import over_storage
from ..tensor.typed_storage import TypedStorage
from ..tensor.untyped_storage import UntypedStorage, _of_bytes
from .names import StorageKind
from .restricted import key_of, shown

MAGIC = 0x1950A86A20F9469CFC6C
VERSION = 1001

#: Runs one pickle: ``run(content, place, reference)`` gives the object and the place behind the pickle.
Run = Callable[[bytes, int, Callable[[Any], Any]], tuple[Any, int]]
#: Says on which device the storages of a location come, or refuses.
Restore = Callable[[Any], device]


def on_cpu(restore: Restore, location: Any) -> None:
    """Refuse a place for storages that these formats, whose tensors come before the bytes, cannot go to."""
    if restore(location) is not CPU:
        raise RuntimeError("checkpoints from before the zip format are loaded on the CPU only")


def nothing_to_refer_to(reference: Any) -> Any:
    """Refuse a reference in a pickle that may have none."""
    raise RuntimeError("the checkpoint refers to a storage where it may not")


class Storages:
    """The storages of a file: made, of their sizes, when the pickle refers to them, and filled behind it.

    All together may not want more than `limit` bytes; `restore` checks where each was.
    """

    def __init__(self, limit: int, restore: Restore) -> None:
        self.left = limit
        self.restore = restore
        self.roots: dict[Any, TypedStorage] = {}
        self.views: dict[Any, TypedStorage] = {}

    def __call__(self, reference: Any) -> Any:
        if not isinstance(reference, tuple) or not reference:
            raise RuntimeError(f"Unknown saved id type: {shown(reference)}")
        kind = reference[0].decode("ascii", "replace") if isinstance(reference[0], bytes) else reference[0]
        if kind == "module" and len(reference) > 1:
            return reference[1]
        if kind != "storage" or len(reference) != 6:
            raise RuntimeError(f"Unknown saved id type: {shown(kind)}")
        _, storage_kind, key, location, count, view = reference
        on_cpu(self.restore, location)
        root = self._root(storage_kind, key, count)
        if view is None:
            return root
        if not isinstance(view, tuple) or len(view) != 3 or any(type(n) is not int for n in view[1:]):
            raise RuntimeError("a view of a storage in the checkpoint needs a key, an offset and a size")
        view_key, offset, size = view
        if key_of(view_key) not in self.views:
            width = root.dtype.itemsize
            if offset < 0 or size < 0 or (offset + size) * width > root.nbytes():
                raise RuntimeError("a view of a storage in the checkpoint lies outside of it")
            part = root.untyped()._bytes[offset * width : (offset + size) * width]
            self.views[view_key] = typed(part, root.dtype)
        return self.views[view_key]

    def _root(self, kind: Any, key: Any, count: Any) -> TypedStorage:
        if (found := self.roots.get(key_of(key))) is not None:
            return found
        dtype = dtype_of_kind(kind)
        if type(count) is not int or count < 0:
            raise RuntimeError("the size of a storage in the checkpoint is not a number of elements")
        if (size := count * dtype.itemsize) > self.left:
            raise RuntimeError("the checkpoint's storages are larger than the file: it is cut off or damaged")
        self.left -= size
        made = self.roots[key] = typed(np.zeros(size, np.uint8), dtype)
        return made


def dtype_of_kind(kind: Any) -> dtypes.dtype:
    """Return the dtype of a storage class in a reference."""
    if not isinstance(kind, StorageKind):
        raise RuntimeError(f"a reference of the checkpoint names {shown(kind)} where a storage class belongs")
    return kind.dtype if kind.dtype is not None else dtypes.uint8


def typed(content: Any, dtype: dtypes.dtype) -> TypedStorage:
    """Return a storage of bytes with a dtype."""
    return TypedStorage(wrap_storage=_of_bytes(content), dtype=dtype, _internal=True)


def load_rows(content: bytes, run: Run, restore: Restore) -> Any:
    """Load the row of pickles."""
    magic, place = run(content, 0, nothing_to_refer_to)
    # A tensor would be compared element by element.
    if type(magic) is not int or magic != MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version, place = run(content, place, nothing_to_refer_to)
    if type(version) is not int or version != VERSION:
        raise RuntimeError(f"Invalid protocol version: {shown(version)}")
    machine, place = run(content, place, nothing_to_refer_to)
    if isinstance(machine, dict) and machine.get("little_endian") is False:
        raise RuntimeError("pullback does not read checkpoints of big-endian machines in the old format")
    storages = Storages(len(content), restore)
    result, place = run(content, place, storages)
    keys, place = run(content, place, nothing_to_refer_to)
    if not isinstance(keys, list) or any(key_of(key) not in storages.roots for key in keys):
        raise RuntimeError("the checkpoint lists storages that its object does not refer to")
    for key in keys:
        place = _fill(storages.roots[key], content, place)
    return result


def _fill(storage: TypedStorage, content: bytes, place: int) -> int:
    size = storage.nbytes()
    if (missing := place + 8 + size - len(content)) > 0:
        raise RuntimeError(f"unexpected EOF, expected {missing} more bytes. The file might be corrupted.")
    (count,) = struct.unpack_from("<q", content, place)
    if count * storage.dtype.itemsize != size:
        raise RuntimeError(
            f"storage has wrong byte size: expected {size} got {count * storage.dtype.itemsize}"
        )
    storage.untyped()._bytes[...] = np.frombuffer(content, np.uint8, size, place + 8)
    return place + 8 + size


def is_tar(content: bytes) -> bool:
    """Return whether a file is a tar file: the oldest format."""
    return content[257:262] == b"ustar"


def load_tar(content: bytes, run: Run, restore: Restore) -> Any:
    """Load the oldest format: parts of a tar file, read by name into memory."""
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tar:

        def part(name: str) -> bytes:
            try:
                member = tar.extractfile(name)
            except KeyError:
                member = None
            if member is None:
                raise RuntimeError(f"the checkpoint has no part {name}")
            return member.read()

        things: dict[int, Any] = {}
        _tar_storages(part("storages"), run, restore, things)
        _tar_tensors(part("tensors"), run, things)

        def reference(saved: Any) -> Any:
            return saved[0] if isinstance(saved, tuple) else things[int(saved)]

        return run(part("pickle"), 0, reference)[0]


def _tar_storages(content: bytes, run: Run, restore: Restore, things: dict[int, Any]) -> None:
    count, place = run(content, 0, nothing_to_refer_to)
    for _ in range(count):
        (key, location, kind), place = run(content, place, nothing_to_refer_to)
        on_cpu(restore, location)
        dtype = dtype_of_kind(kind)
        (elements,) = struct.unpack_from("<q", content, place)
        size = elements * dtype.itemsize
        if elements < 0 or place + 8 + size > len(content):
            raise RuntimeError("the checkpoint ends inside a storage: it is cut off")
        things[key] = typed(np.frombuffer(content, np.uint8, size, place + 8).copy(), dtype)
        place += 8 + size
    views, place = run(content, place, nothing_to_refer_to)
    for target, root, offset, size in views:
        storage = things[root]
        width = storage.dtype.itemsize
        part: UntypedStorage = storage.untyped()
        things[target] = typed(part._bytes[offset * width : (offset + size) * width], storage.dtype)


def _tar_tensors(content: bytes, run: Run, things: dict[int, Any]) -> None:
    count, place = run(content, 0, nothing_to_refer_to)
    for _ in range(count):
        (key, storage_id, _), place = run(content, place, nothing_to_refer_to)
        (rank,) = struct.unpack_from("<i", content, place)
        numbers = struct.unpack_from(f"<{2 * rank + 1}q", content, place + 8)
        place += 8 + 8 * len(numbers)
        storage = things[storage_id]
        things[key] = over_storage(
            storage, storage.dtype, numbers[-1], numbers[:rank], numbers[rank : 2 * rank]
        )
