"""Write files that appear whole or not at all: each is written beside its place and then moved there.

What is written beside is named after the file, with ``.part`` behind. A process that is killed leaves its
part behind. It holds a lock on the part as long as it lives, so the next that writes a file of that name can
tell, and removes the part.
"""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be removed
    fcntl = None  # type: ignore[assignment]

_PART = re.compile(r"\.\d+\.[0-9a-f]+\.part")


@contextmanager
def replacing(path: str) -> Iterator[Any]:
    """Open a stream whose content replaces a file at the end; an exception leaves the file as it was."""
    parent = os.path.dirname(path)
    if not os.path.isdir(parent):
        raise RuntimeError(f"Parent directory {parent} does not exist.")
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "wb") as stream:  # a device or a pipe has no place to be moved to
            yield stream
        return
    _remove_left(parent, os.path.basename(path))
    beside = f"{path}.{os.getpid()}.{id(path):x}.part"
    try:
        with _created(beside) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def _created(beside: str) -> Any:
    """Open a new file and lock it."""
    while True:
        stream = open(beside, "xb")  # noqa: SIM115  # the caller closes it
        # Who looks for what was left may have taken it for that before it was locked, and removed it.
        if _locks(stream.fileno()) and os.path.exists(beside):
            return stream
        stream.close()


def _locks(descriptor: int) -> bool:
    """Lock a file for this process; False where another one has it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # this file system has no locks
    return True


def _remove_left(parent: str, name: str) -> None:
    """Remove what killed processes left of files of a name."""
    with os.scandir(parent) as entries:
        left = [e.path for e in entries if e.name.startswith(name) and _PART.fullmatch(e.name[len(name) :])]
    for path in left:
        try:
            if fcntl is None:
                os.unlink(path)
                continue
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)
            finally:
                os.close(descriptor)
        except OSError:
            continue  # another process writes it, or owns it
