"""Damaged and hostile files end in an error: nothing runs, nothing hangs, memory stays bounded."""

from __future__ import annotations

import io
import os
import pickle
import struct
import tracemalloc
import zipfile
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pullback as torch
from pullback.serialization.restricted import Unpickler
from tests.recorded import DATA

#: What a damaged file may end in. Anything else is a mistake of ours.
EXPECTED = (RuntimeError, pickle.UnpicklingError, EOFError, ValueError, TypeError, NotImplementedError)

FILES = [(DATA / "checkpoints" / name).read_bytes() for name in ("archive.pt", "rows.pt")]

#: No file of these tests has more than 10 kB, and none may take more memory than this to refuse.
LIMIT = 8 << 20

#: Of these 5,000 took 25 s of processor time. `tools/attack` damages more, for as long as it is asked to.
PICKLES = 500
DAMAGED = 800

ran: list[Any] = []


class Bomb:
    """Runs when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ran.append, ("boom",)


class Shell:
    """Would run a command when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("exit 1",)


def archive(content: bytes, **records: bytes) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr("archive/data.pkl", content)
        file.writestr("archive/version", b"3\n")
        for name, record in records.items():
            file.writestr(f"archive/data/{name}", record)
    stream.seek(0)
    return stream


def attempt(content: bytes) -> None:
    """Load a file: an error of those expected, or a value; within the limit of memory."""
    tracemalloc.start()
    try:
        torch.load(io.BytesIO(content))
    except EXPECTED:
        assert not ran
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < LIMIT
    assert not ran


@st.composite
def damaged(draw: Any) -> bytes:
    """A checkpoint with some bytes changed, cut out or put in."""
    content = bytearray(draw(st.sampled_from(FILES)))
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(content) - 1))
        kind = draw(st.integers(0, 3))
        if kind == 0:
            content[place] = draw(st.integers(0, 255))
        elif kind == 1:
            content[place : place + 4] = draw(
                st.sampled_from([b"\xff" * 4, bytes(4), b"\x7f\xff\xff\xff", b"cos\n"])
            )
        elif kind == 2:
            del content[place : place + draw(st.integers(1, 40))]
        else:
            content[place:place] = draw(st.binary(min_size=1, max_size=12))
        if not content:
            break
    return bytes(content)


@settings(max_examples=DAMAGED, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(damaged())
def test_damaged_files(content: bytes) -> None:
    attempt(content)


@settings(max_examples=PICKLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(st.data())
def test_damaged_pickles_in_whole_archives(data: Any) -> None:
    # The archive is right, with right sums, so that the pickle is always reached.
    with zipfile.ZipFile(io.BytesIO(FILES[0])) as file:
        content = bytearray(file.read("archive/data.pkl"))
        records = {n[13:]: file.read(n) for n in file.namelist() if n.startswith("archive/data/")}
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=5))
        if not content:
            return
    attempt(archive(bytes(content), **records).getvalue())


@pytest.mark.parametrize("thing", [Bomb(), Shell(), [Bomb()], {"a": Shell()}, eval, os.system, open])
def test_nothing_runs(thing: Any) -> None:
    content = pickle.dumps(thing, 2)
    for file in (archive(content).getvalue(), content):
        with pytest.raises((pickle.UnpicklingError, RuntimeError)):
            torch.load(io.BytesIO(file))
    assert not ran


def run(content: bytes) -> Any:
    return Unpickler(content, lambda reference: reference).load()


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x02X\xff\xff\xff\xffa.",  # text longer than the file
        b"\x80\x04\x8d" + b"\xff" * 8 + b".",  # the same with 64 bits
        b"\x80\x04\x8b\xff\xff\xff\x7f.",  # an integer longer than the file
        b"\x80\x02Nr\xff\xff\xff\xff0h\x00.",  # a far place in the memo, then one that is not there
        b"\x80\x02.",  # nothing on the stack
        b"\x80\x02t.",  # no mark
        b"\x80\x02]}a",  # cut off
        b"\x80\x02(}i.",  # an instruction of protocol 0
        b"\x80\x02cos\nsystem\nX\x01\x00\x00\x00a\x85R.",  # a blocked module
        b"\x80\x02c__builtin__\neval\nX\x01\x00\x00\x001\x85R.",  # Python 2's name of a builtin
        b"\x80\x02cbuiltins\nbytearray\nJ\xff\xff\xff\x7f\x85R.",  # a length that would be allocated
        b"\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00aX\x03\x00\x00\x00zip\x86R.",  # a codec that unpacks
        b"\x80\x02c_codecs\ndecode\n.",  # a neighbour of an allowed name
        b"\x80\x02ctorch\nnn.Module\n.",  # a dotted name
        b"\x80\x02}}}s.",  # a key that cannot be one
        b"\x80\x02]K\x01K\x02s.",  # an item for a list
        b"\x80\x02K\x01K\x02a.",  # an element for a number
        b"\x80\x02cbuiltins\nset\n}b.",  # attributes for a class
        b"\x80\x02ccollections\nOrderedDict\n}X\x01\x00\x00\x00aK\x01sb.",  # the same
        b"\x80\x02X\x07\x00\x00\x00storage\x85Q.",  # a reference that is too short is passed on
        b"\x80\x02K\x01Q.",  # a reference that is no tuple
        b"\xff",  # no instruction
    ],
)
def test_hostile_pickles(content: bytes) -> None:
    if content.endswith(b"\x85Q."):
        with pytest.raises(RuntimeError, match="which is no storage"):
            torch.load(archive(content))
        return
    with pytest.raises(pickle.UnpicklingError):
        run(content)
    attempt(archive(content).getvalue())


def reference(key: str, count: int, kind: str = "FloatStorage") -> bytes:
    def text(value: str) -> bytes:
        return b"X" + struct.pack("<I", len(value)) + value.encode()

    number = b"\x8a\x08" + struct.pack("<q", count)
    return (
        b"("
        + text("storage")
        + b"ctorch\n"
        + kind.encode()
        + b"\n"
        + text(key)
        + text("cpu")
        + number
        + b"tQ"
    )


def tensor(storage: bytes, offset: int, size: int, stride: int) -> bytes:
    number = [b"\x8a\x08" + struct.pack("<q", n) for n in (offset, size, stride)]
    rebuild = b"ctorch._utils\n_rebuild_tensor_v2\n("
    return (
        b"\x80\x02" + rebuild + storage + number[0] + number[1] + b"\x85" + number[2] + b"\x85\x89"
        + b"ccollections\nOrderedDict\n)RtR."
    )  # fmt: skip


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (tensor(reference("0", 2**40), 0, 1, 1), "does not match expected size"),
        (tensor(reference("0", -1), 0, 1, 1), "needs a name and a number of elements"),
        (tensor(reference("1", 2), 0, 1, 1), "failed locating file data/1"),
        (tensor(reference("../../etc/passwd", 2), 0, 1, 1), "failed locating file"),
        (tensor(reference("0", 2), 0, 3, 1), "are out of bounds for storage of size 8"),
        (tensor(reference("0", 2), 2**60, 1, 1), "are out of bounds for storage of size 8"),
        (tensor(reference("0", 2), 0, 2, 2**62), "are out of bounds for storage of size 8"),
        (tensor(reference("0", 2), 0, -1, 1), "negative dimension"),
        (tensor(reference("0", 2), -1, 1, 1), "negative dimension"),
        (tensor(reference("0", 2), 0, 2, -1), "negative dimension"),
    ],
)
def test_sizes_that_do_not_fit(content: bytes, text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        torch.load(archive(content, **{"0": bytes(8)}))


def test_a_whole_tensor_is_taken() -> None:
    content = tensor(reference("0", 2), 0, 2, 1)
    assert torch.load(archive(content, **{"0": struct.pack("<2f", 1, 2)})).tolist() == [1, 2]


def test_compressed_records_are_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("archive/data.pkl", b"\x80\x02X" + struct.pack("<I", 1 << 24) + bytes(1 << 24) + b".")
    stream.seek(0)
    with pytest.raises(RuntimeError, match="is compressed; torch.save stores records as they are"):
        torch.load(stream)


def test_overlapping_records_cannot_add_up() -> None:
    storages = 50
    size = 1 << 16
    parts = b"".join(reference(str(i), size, "ByteStorage") for i in range(storages))
    stream = archive(b"\x80\x02](" + parts + b"e.", **{str(i): b"" for i in range(storages)}, big=bytes(size))
    # Every record's directory entry is pointed to the one with content.
    with zipfile.ZipFile(stream, "a") as file:
        big = file.NameToInfo["archive/data/big"]
        for entry in file.infolist():
            if "/data/" in entry.filename:
                entry.header_offset, entry.CRC = big.header_offset, big.CRC
                entry.file_size = entry.compress_size = size
        file._didModify = True  # type: ignore[attr-defined]  # writes the directory anew
    with pytest.raises(RuntimeError):
        torch.load(io.BytesIO(stream.getvalue()))
    attempt(stream.getvalue())


def test_a_script_archive_is_named() -> None:
    stream = archive(b"\x80\x02N.")
    with zipfile.ZipFile(stream, "a") as file:
        file.writestr("archive/constants.pkl", b"\x80\x02N.")
    stream.seek(0)
    with pytest.raises(RuntimeError, match="TorchScript archive"):
        torch.load(stream)
