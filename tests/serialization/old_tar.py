"""Checkpoints in the oldest format, a tar file, which torch still reads and no longer writes."""

from __future__ import annotations

import io
import pickle
import struct
import tarfile

#: Pickles ``torch.FloatStorage`` and ``torch.FloatTensor`` by name, without torch.
FLOATS, TENSORS = b"ctorch\nFloatStorage\n", b"ctorch\nFloatTensor\n"


def _row(*values: int | bytes, kind: bytes) -> bytes:
    """A pickled tuple of small numbers, texts and one class."""
    parts = (
        b"K" + bytes([v]) if isinstance(v, int) else b"X" + struct.pack("<I", len(v)) + v for v in values
    )
    return b"\x80\x02(" + b"".join(parts) + kind + b"t."


def old_checkpoint(elements: int = 6) -> bytes:
    """``{"a": t, "b": t}`` with the same tensor t of 0, 1, 2, … twice; `elements` is what the file says of
    its storage.
    """
    storages = pickle.dumps(1, 2) + _row(7, b"cpu", kind=FLOATS)
    storages += struct.pack("<q", elements)
    storages += struct.pack("<6f", *range(6)) + pickle.dumps([], 2)
    tensors = pickle.dumps(1, 2) + _row(9, 7, kind=TENSORS) + struct.pack("<ii", 2, 0)
    tensors += struct.pack("<5q", 2, 3, 3, 1, 0)  # sizes, strides, offset
    value = b"\x80\x02}(X\x01\x00\x00\x00aX\x01\x00\x00\x009QX\x01\x00\x00\x00bX\x01\x00\x00\x009Qu."
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in (("storages", storages), ("tensors", tensors), ("pickle", value)):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return stream.getvalue()
