"""Small runs of the attacks of tools/attack: `python -m tools.attack` has the large ones."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.security.attacks import attacked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and limited")


def test_hostile_files() -> None:
    said = attacked("fuzz", "--count", "500")
    lines = [line.split(" ended in ") for line in said.splitlines() if " ended in " in line]
    ends = {end: int(count) for count, end in lines}
    assert sum(ends.values()) == 500
    assert ends["UnpicklingError"] > 100 and ends["RuntimeError"] > 100 and ends["a value"] > 20


def _touch(source: Any) -> Any:
    from tools.attack import canary

    return canary.touch(source)


def _foreign(source: Any) -> Any:
    return {}["absent"]


def _endless(source: Any) -> Any:
    while True:
        pass


@pytest.mark.parametrize(
    ("load", "verdict"),
    [(_touch, "execution"), (_foreign, "foreign"), (_endless, "hang")],
)
def test_the_verdicts(
    load: Callable[[Any], Any], verdict: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import signal

    from tools.attack import fuzz

    monkeypatch.setattr(fuzz.torch, "load", load)
    if verdict == "hang":
        monkeypatch.setattr(fuzz, "PROCESSOR", 0.3)
    before = signal.signal(signal.SIGPROF, fuzz._over)
    try:
        assert fuzz.attempt("a file", b"", tmp_path).startswith(verdict)
    finally:
        signal.signal(signal.SIGPROF, before)


# A child's peak begins at what it has, not at what the process before it once had.
LARGE = """
import os
from pathlib import Path
from tools.attack import fuzz
if os.fork():
    os._exit(os.waitstatus_to_exitcode(os.wait()[1]))
fuzz.torch.load = lambda source: b"a" * (fuzz.MEMORY + (20 << 20))
verdict = fuzz.attempt("a file", b"", Path("."))
os._exit(0 if verdict.startswith("memory") else 1)
"""


def test_much_memory_is_seen() -> None:
    from tests.security.attacks import program

    program("-c", LARGE)


def test_a_name_that_is_not_told_of_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tools.attack import fuzz, pickles

    content = pickles.archive(b"\x80\x02cposix\nsystem\n.")
    assert fuzz._blinded(content) is None
    monkeypatch.setattr(fuzz.torch.serialization, "get_unsafe_globals_in_checkpoint", lambda file: [])
    assert fuzz._blinded(content) == "blinded: posix.system is looked up and not told of"


def test_files_follow_from_seed_and_number() -> None:
    from tools.attack.files import file

    assert [file(3, n) for n in range(26)] == [file(3, n) for n in range(26)]
    assert len({file(3, n)[1] for n in range(26)}) > 15


GUARDED = """
import ctypes, os, sys
import numpy as np
from tools.attack.guards import Memory, install
held = install(Memory(sys.argv[1] == "end"))
array = np.arange(5.0)
beyond = array.ctypes.data + (40 if sys.argv[1] == "end" else -8)
if os.fork():
    status = os.wait()[1]
    os._exit(0 if os.WIFSIGNALED(status) and array.sum() == 10 else 1)
ctypes.c_double.from_address(beyond).value
os._exit(0)
"""


@pytest.mark.parametrize("place", ["end", "begin"])
def test_one_element_too_many_is_a_crash(place: str) -> None:
    from tests.security.attacks import program

    program("-c", GUARDED, place)


def test_compiled_ops_between_guard_pages() -> None:
    pytest.importorskip("llvmlite")
    attacked("ops", "--count", "5")


def test_interrupts() -> None:
    attacked("interrupts", "--count", "12")


def test_threads() -> None:
    attacked("threads", "--count", "10")


def test_large_graphs() -> None:
    attacked("graphs", "--count", "10000")


def test_nothing_is_left_for_the_collector() -> None:
    attacked("leaks", "--count", "40")


def test_killed_saves() -> None:
    attacked("saves", "--count", "10")


def test_the_cache_folder() -> None:
    attacked("cache", "--count", "60")


def test_environments() -> None:
    attacked("environments", "--count", "4")
