"""Pickles and archives written instruction by instruction."""

from __future__ import annotations

import io
import struct
import zipfile


def archive(content: bytes, others: dict[str, bytes] | None = None, **records: bytes) -> bytes:
    """A checkpoint around a pickle; `records` are its storages, by number after a letter."""
    stream = io.BytesIO()
    parts = {"data.pkl": content, "version": b"3\n", **(others or {})}
    parts |= {f"data/{name[1:]}": record for name, record in records.items()}
    with zipfile.ZipFile(stream, "w") as file:
        for name, record in parts.items():
            file.writestr(zipfile.ZipInfo(f"archive/{name}"), record)  # dated 1980, whenever it is
    return stream.getvalue()


def text(value: str) -> bytes:
    """Push a text."""
    content = value.encode()
    return b"X" + struct.pack("<I", len(content)) + content


def number(value: int) -> bytes:
    """Push an integer of 64 bits."""
    return b"\x8a\x08" + struct.pack("<q", value)


def numbers(values: tuple[int, ...]) -> bytes:
    """Push a tuple of integers."""
    return b"(" + b"".join(map(number, values)) + b"t"


def named(module: str, name: str) -> bytes:
    """Push what a name stands for."""
    return f"c{module}\n{name}\n".encode()


def storage(key: str, count: int, kind: str = "FloatStorage") -> bytes:
    """Push a storage of `count` elements."""
    return b"(" + text("storage") + named("torch", kind) + text(key) + text("cpu") + number(count) + b"tQ"


def tensor(
    count: int = 2, offset: int = 0, size: tuple[int, ...] = (2,), stride: tuple[int, ...] = (1,),
    kind: str = "FloatStorage",
) -> bytes:  # fmt: skip
    """Push a tensor on the storage 0."""
    arguments = _arguments(count, offset, size, stride, kind)
    return named("torch._utils", "_rebuild_tensor_v2") + arguments + b"R"


def _arguments(count: int, offset: int, size: tuple[int, ...], stride: tuple[int, ...], kind: str) -> bytes:
    place = number(offset) + numbers(size) + numbers(stride)
    return b"(" + storage("0", count, kind) + place + b"\x89" + named("collections", "OrderedDict") + b")Rt"


def with_state(state: bytes) -> bytes:
    """Push a tensor that is given attributes."""
    return (
        named("torch._tensor", "_rebuild_from_type_v2") + b"(" + named("torch._utils", "_rebuild_tensor_v2")
        + named("torch", "Tensor") + _arguments(2, 0, (2,), (1,), "FloatStorage") + state + b"tR"
    )  # fmt: skip
