"""Files that `save` and the cache write: what a killed process, a full disk and strange entries leave."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pullback as torch
from pullback.compiler.runtime import cache, engine, image
from pullback.serialization.replacing import replacing
from tests.security.attacks import ROOT, program

posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes, locks and limits are POSIX'")

def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.part"))


KILLED = """
import os, sys
from pullback.serialization.replacing import replacing

with replacing(sys.argv[1]) as stream:
    stream.write(b"begun")
    stream.flush()
    os._exit(0)
"""


@posix
def test_the_next_save_of_a_name_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    path, other = tmp_path / "a.pt", tmp_path / "a.pt.pt"
    torch.save(torch.ones(3), path)
    for file in (path, other):
        program("-c", KILLED, str(file))
    assert len(left(tmp_path)) == 2
    torch.save(torch.zeros(3), path)
    assert [name.startswith("a.pt.pt.") for name in left(tmp_path)] == [True]
    assert torch.load(path).tolist() == [0, 0, 0]


def test_a_part_that_is_being_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    with replacing(str(path)) as stream:
        stream.write(b"mine")
        torch.save(torch.ones(2), path)
        assert len(left(tmp_path)) == 1
    assert path.read_bytes() == b"mine" and not left(tmp_path)


FULL = """
import gc, resource, sys
import pullback as torch
folder = sys.argv[1]
small, large = torch.ones(10), torch.ones(100_000)
torch.save(small, folder + "/a.pt")
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
for legacy in (True, False):
    for file in (folder + "/a.pt", open(folder + "/open.pt", "wb", buffering=0)):
        try:
            torch.save(large, file, _use_new_zipfile_serialization=legacy)
        except OSError as error:
            print(error.errno)
        else:
            raise SystemExit("nothing was raised")
        gc.collect()
print(torch.load(folder + "/a.pt").tolist() == small.tolist())
"""


@posix
def test_a_full_disk_leaves_the_old_file_and_no_noise(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-X", "dev", "-W", "ignore::ResourceWarning", "-c", FULL, str(tmp_path)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200)
    assert run.stdout.split() == [str(errno.EFBIG)] * 4 + ["True"], run.stderr
    assert run.stderr == ""
    assert not left(tmp_path)


# --- the cache ----------------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(tmp_path / "cache"))
    cache.write("mine", ["a"], b"content")
    assert cache.read("mine") == (["a"], b"content")
    return tmp_path / "cache"


def sealed(about: bytes, content: bytes = b"", length: int | None = None) -> bytes:
    """Return an entry with a right checksum."""
    size = len(about) if length is None else length
    body = size.to_bytes(8, "little") + about + content
    return cache._MAGIC + hashlib.blake2b(body, digest_size=32).digest() + body


@posix
@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "device"])
def test_an_entry_that_is_no_file_is_absent(place: Path, kind: str) -> None:
    entry = place / "mine.code"
    content = entry.read_bytes()
    entry.unlink()
    if kind == "pipe":
        os.mkfifo(entry)
    elif kind == "folder":
        entry.mkdir()
    elif kind == "link":
        (place / "there").write_bytes(content)
        entry.symlink_to(place / "there")
    else:
        entry.symlink_to("/dev/zero")
    assert cache.read("mine") is None
    cache.write("mine", ["b"], b"other")  # over what can be replaced
    assert cache.read("mine") == (None if kind == "folder" else (["b"], b"other"))


@pytest.mark.parametrize(
    "content",
    [
        sealed(b"{"),
        sealed(b"[" * 100_000 + b"]" * 100_000),
        sealed(b"9" * 5000),
        sealed(b"\xff\xfe"),
        sealed(b"[]", length=2**62),
        sealed(b"")[:-4],
        b"",
        cache._MAGIC,
    ],
)
def test_an_entry_that_cannot_be_read_is_absent(place: Path, content: bytes) -> None:
    (place / "mine.code").write_bytes(content)
    assert cache.read("mine") is None


@pytest.mark.parametrize(
    "about", [b"3", b"null", b"{}", b"[[]]", b'{"symbols": 3}', b'{"symbols": []}', b'"text"']
)
def test_an_entry_that_says_something_else_is_absent(place: Path, about: bytes) -> None:
    entry = place / "mine.code"
    entry.write_bytes(sealed(about))
    assert image.read(image.Name("mine", [])) is None
    assert not entry.exists()
    if about in (b"3", b"null"):
        entry.write_bytes(sealed(about))
        assert engine.found_as("mine") is None
