"""Load hostile files in processes that are watched: each may end in a value or in a documented error.

The verdicts on a file are: *crash* (its process ended), *hang* (more than 5 s of the processor, or 120 s),
*memory* (more than 64 MB beyond what loading all files before it took), *foreign* (an error that `load` does
not document), *execution* (something of `canary` was called, or Python told of something that loading never
does), *blinded* (`get_unsafe_globals_in_checkpoint` left out a name that an unpickler looks up).
"""

from __future__ import annotations

import contextlib
import io
import pickle
import resource
import signal
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pullback as torch

from . import canary
from .files import file, good
from .watched import watched

#: Seconds of the processor, and bytes, that a file may take.
PROCESSOR, MEMORY = 5.0, 64 << 20


class _Hang(BaseException):
    """The time of a file is over."""


def _over(number: int, frame: Any) -> None:
    raise _Hang


class _Watching(pickle._Unpickler):  # type: ignore[misc, name-defined]  # Python's own, whose memo is a dict
    """Notes the names that an unpickler looks up, and makes nothing of them."""

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8")
        self.found: set[tuple[str, str]] = set()

    def find_class(self, module: str, name: str) -> Any:
        self.found.add((module, name))
        return _Inert

    def persistent_load(self, pid: Any) -> Any:
        return _Inert()


class _Inert:
    """Stands for what a name is, and for what a call of it returns."""

    def __new__(cls, *arguments: Any, **named: Any) -> _Inert:
        return super().__new__(cls)

    def __setstate__(self, state: Any) -> None:
        return None

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def append(self, item: Any) -> None:
        """Take what a list would."""

    def extend(self, items: Any) -> None:
        """Take what a list would."""

    def add(self, item: Any) -> None:
        """Take what a set would."""


def _blinded(content: bytes) -> str | None:
    """Say which name an unpickler looks up that is not told of."""
    try:
        told = set(torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(content)))
    except (pickle.UnpicklingError, RuntimeError, ValueError):
        return None
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        name = next(n for n in archive.namelist() if n.count("/") == 1 and n.endswith("/data.pkl"))
        watching = _Watching(archive.read(name))
    try:
        watching.load()
    except (Exception, RecursionError):  # noqa: BLE001  # what it looked up until then counts
        pass
    for module, name in watching.found:
        allowed = torch.serialization.allowed.allowed(module, name) is not None
        if not allowed and f"{module}.{name}" not in told and module not in ("__builtin__", "copy_reg"):
            return f"blinded: {module}.{name} is looked up and not told of"
    return None


def _used(value: Any) -> None:
    """Look at the elements of all tensors: a place outside of memory is a crash."""
    pending, seen = [value], 0
    while pending and seen < 1000:
        part = pending.pop()
        seen += 1
        if isinstance(part, dict):
            pending.extend(part.values())
        elif isinstance(part, (list, tuple, set)):
            pending.extend(part)
        elif isinstance(part, torch.Tensor) and part.device.type == "cpu" and part.numel() < 10_000:
            repr(part.detach())
            (part.detach().to_dense() if part.layout is not torch.strided else part.detach()).sum()


#: What looking at a strange but right tensor may say.
_IN_USE = (RuntimeError, ValueError, TypeError, IndexError, OverflowError, AttributeError)


def _documented(error: BaseException) -> bool:
    kind, text = type(error), str(error)
    if kind in (pickle.UnpicklingError, RuntimeError) or kind.__name__ == "SafetensorError":
        return True
    if kind is EOFError:
        return text == "Ran out of input"
    return kind is ValueError and text.startswith("Unknown endianness type: ")


def attempt(name: str, content: bytes, place: Path) -> str:
    """Load one file; the verdict, or how it ended."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.setitimer(signal.ITIMER_PROF, PROCESSOR)
    canary.touched.clear()
    try:
        source: Any = io.BytesIO(content)
        if name.endswith("safetensors"):
            source = place / "file.safetensors"
            source.write_bytes(content)
        canary.watch(True)
        try:
            value = torch.load(source)
            end = "a value"
        except _Hang:
            raise
        except BaseException as error:  # noqa: BLE001  # the verdict
            end = type(error).__name__
            if not _documented(error):
                end = f"foreign: {end}: {error}"[:300]
        else:
            try:
                _used(value)
            except _IN_USE:
                pass
            except Exception as error:  # noqa: BLE001  # SystemError and the like
                end = f"foreign: in use, {type(error).__name__}: {error}"[:300]
        canary.watch(False)
        if canary.touched:
            return f"execution: {canary.touched[0]}"
        if content.startswith(b"PK\3\4") and (blinded := _blinded(content)) is not None:
            return blinded
    except _Hang:
        return f"hang: more than {PROCESSOR} s of the processor"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        canary.watch(False)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return f"memory: {grown >> 20} MB more" if grown > MEMORY else end


def _first(folder: Path) -> None:
    """Load files that are right: what is imported on first use is not a hostile file's doing. Nor is what
    tells of arguments that do not fit.
    """
    for content in good():
        _used(torch.load(io.BytesIO(content)))
    path = folder / "right.safetensors"
    path.write_bytes((2).to_bytes(8, "little") + b"{}")
    with contextlib.suppress(RuntimeError):  # the library is not installed
        torch.load(path)
    with contextlib.suppress(TypeError):
        torch.zeros(None)


def fuzz(count: int, seed: int = 0, jobs: int = 2) -> list[str]:
    """Load so many files; what went wrong, with the number of each file."""

    @contextlib.contextmanager
    def begun() -> Iterator[Callable[[int], str]]:
        warnings.simplefilter("ignore")
        signal.signal(signal.SIGPROF, _over)
        size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        resource.setrlimit(resource.RLIMIT_AS, (size + (4 << 30),) * 2)
        canary.install()
        with tempfile.TemporaryDirectory() as folder:
            _first(Path(folder))
            yield lambda number: verdict(number, Path(folder))

    def verdict(number: int, folder: Path) -> str:
        kind, content = file(seed, number)
        end = attempt(kind, content, folder)
        return f"file {number} of seed {seed}, {kind}: {end}" if ":" in end else end

    return watched(count, begun, jobs)
