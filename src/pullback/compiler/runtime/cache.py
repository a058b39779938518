"""Machine code and Python's bytecode on disk, so that a new process does not compile what an earlier one has.

An entry is one file: a line that says what it is, a checksum, a description in JSON and bytes. Its name is a
digest of what was compiled and of everything that compiled it: these sources, LLVM, the processor. Nothing is
executed while an entry is read, and an entry that is damaged, cut short or of another kind counts as absent.

What an entry holds runs in the process that loads it, so the folder must be the user's own and writable for
nobody else; in any other folder nothing is read or written. Entries appear under their names at once and
whole, so that several processes may read and write at the same time. `PULLBACK_CACHE_DIR` names the folder,
``PULLBACK_CACHE=0`` turns the cache off.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

try:
    # As in `program.digests`, which a helper process, that runs this file by itself, does not find.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

_T = TypeVar("_T")

#: Beyond so many bytes the entries that were not used for longest are removed.
LIMIT = 512 << 20

#: Writes of a process from one look at all entries to the next: 11,500 of them take 32 ms.
SELDOM = 16
_writes = itertools.count()

_MAGIC = b"pullback machine code 1\n"
_DIGEST = 32
_SUFFIX = ".code"
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))


def folder() -> str | None:
    """Return where entries are; None where the cache is off or has no place.

    By each system's rules: ``$XDG_CACHE_HOME`` or ``~/.cache`` on Linux, ``~/Library/Caches`` on macOS,
    ``%LOCALAPPDATA%`` on Windows.
    """
    if os.environ.get("PULLBACK_CACHE", "1") == "0":
        return None
    named = os.environ.get("PULLBACK_CACHE_DIR")
    if named:
        return os.path.abspath(named)
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(base, "pullback") if os.path.isabs(base) else None


def key(*parts: str | bytes) -> str:
    """Return the name of what is compiled from some parts on this processor by these sources."""
    return _named(_surroundings(), parts)


def key_of_text(*parts: str | bytes) -> str:
    """Return the name of what LLVM makes of a text, no matter which sources have written it."""
    return _named(_compiler(), parts)


def key_of_python(source: str, filename: str) -> str:
    """Return the name of what this Python makes of a source."""
    return _named(repr((sys.version, sys.flags.optimize)).encode(), (source, filename))


def _named(surroundings: bytes, parts: Iterable[str | bytes]) -> str:
    digest = blake2b(surroundings, digest_size=20)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


@functools.cache
def _surroundings() -> bytes:
    import numpy as np

    # In a working tree the version stays while the sources change.
    sources = [*_sources(_PACKAGE, deep=False)]
    for name in ("compiler", "ops", "core", "array"):
        sources += _sources(os.path.join(_PACKAGE, name), deep=True)
    sources.sort()
    return repr((_compiler(), np.__version__, sys.version_info[:2], sources)).encode()


@functools.cache
def _compiler() -> bytes:
    import llvmlite

    from . import engine

    about = os.stat(os.path.join(_PACKAGE, "compiler", "emit", "codegen.py"))
    made_by = (llvmlite.__version__, engine.machine_name(), about.st_size, about.st_mtime_ns)
    return repr(made_by).encode()


def _sources(place: str, deep: bool) -> Iterator[tuple[str, int, int]]:
    """Yield the sources in a folder of the package: what they are called there, their sizes and times."""
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                about = entry.stat()
                yield entry.path[len(_PACKAGE) :], about.st_size, about.st_mtime_ns
            elif deep and entry.name != "__pycache__" and entry.is_dir():
                yield from _sources(entry.path, deep)


def read(name: str) -> tuple[Any, bytes] | None:
    """Return the description and bytes of an entry; None where there is none."""
    place = _own_folder(create=False)
    if place is None:
        return None
    path = os.path.join(place, name + _SUFFIX)
    try:
        data = _content(path)
    except OSError:
        return None
    found = None if data is None else _unpacked(data)
    with contextlib.suppress(OSError):
        if found is not None:
            os.utime(path)
        elif data is not None:
            os.unlink(path)
    return found


def made_of(name: str, make: Callable[[Any, bytes], _T]) -> _T | None:
    """Return what `make` makes of an entry; None without one, or of one it cannot read: that is removed."""
    found = read(name)
    if found is None:
        return None
    try:
        return make(*found)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        place = _own_folder(create=False)
        if place is not None:
            _remove([os.path.join(place, name + _SUFFIX)])
        return None


def _content(path: str) -> bytes | None:
    """Return what is in a file; None where it is no file of the user's own. No pipe is waited for."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)
    descriptor = os.open(path, flags)
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or not _is_own(about):
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def _unpacked(data: bytes) -> tuple[Any, bytes] | None:
    start = len(_MAGIC) + _DIGEST
    if data[: len(_MAGIC)] != _MAGIC or len(data) < start + 8:
        return None
    if blake2b(data[start:], digest_size=_DIGEST).digest() != data[len(_MAGIC) : start]:
        return None
    length = int.from_bytes(data[start : start + 8], "little")
    start += 8
    if length > len(data) - start:
        return None
    if not length:
        return None, data[start:]
    import json

    try:
        return json.loads(data[start : start + length]), data[start + length :]
    except (ValueError, RecursionError):
        return None


def write(name: str, description: object, content: bytes) -> None:
    """Keep an entry; where that cannot be done, do nothing."""
    place = _own_folder(create=True)
    if place is None:
        return
    about = b""
    if description is not None:
        import json

        about = json.dumps(description).encode()
    body = len(about).to_bytes(8, "little") + about + content
    checksum = blake2b(body, digest_size=_DIGEST).digest()
    # What the `tempfile` of Python does, which takes 5 ms to import.
    temporary = os.path.join(place, f"{name}.{os.urandom(8).hex()}")
    with contextlib.suppress(OSError):
        try:
            with open(temporary, "xb", opener=functools.partial(os.open, mode=0o600)) as file:
                file.write(_MAGIC + checksum + body)
            os.replace(temporary, os.path.join(place, name + _SUFFIX))
        except BaseException:
            os.unlink(temporary)
            raise
        if next(_writes) % SELDOM == 0:
            _trim(place)


def clear() -> None:
    """Remove all entries."""
    place = _own_folder(create=False)
    if place is not None:
        _remove(path for path, _ in _entries(place))


def _own_folder(create: bool) -> str | None:
    """Return the folder, if it is the user's own."""
    place = folder()
    if place is None:
        return None
    try:
        if create:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.mkdir(place, mode=0o700)
        about = os.lstat(place)
    except OSError:
        return None
    return place if stat.S_ISDIR(about.st_mode) and _is_own(about) else None


def _is_own(about: os.stat_result) -> bool:
    # Windows has no such owners and modes; there the folder in the user's profile is the user's.
    return not hasattr(os, "getuid") or (
        about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _entries(place: str) -> list[tuple[str, os.stat_result]]:
    found = []
    # `scandir` takes a fifth of the time of paths.
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.name.endswith(_SUFFIX):
                with contextlib.suppress(OSError):
                    found.append((entry.path, entry.stat()))
    return found


def _trim(place: str) -> None:
    entries = _entries(place)
    size = sum(about.st_size for _, about in entries)
    if size <= LIMIT:
        return
    gone = []
    for path, about in sorted(entries, key=lambda entry: entry[1].st_mtime):
        gone.append(path)
        size -= about.st_size
        # Some more than needed, so that not every write removes something.
        if size <= LIMIT * 3 // 4:
            break
    _remove(gone)


def _remove(paths: Iterable[str]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)
