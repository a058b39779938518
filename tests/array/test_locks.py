"""All locks are those of `array.locks`, which a forked child finds free."""

from __future__ import annotations

import importlib
import re
import threading
from pathlib import Path
from typing import Any

import pytest

import pullback
from pullback.array import locks

MADE = re.compile(
    r"(?:threading|_thread)\.(allocate_lock|Lock|RLock|Condition|Semaphore|BoundedSemaphore|Event|Barrier)\("
)


def test_no_other_file_makes_a_lock() -> None:
    folder = Path(pullback.__file__).parent
    makers = [
        path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.py"))
        if MADE.search(path.read_text(encoding="utf-8"))
    ]
    assert makers == ["array/locks.py"]


def test_one_thread_at_a_time_imports_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[bool] = []

    def found(name: str) -> Any:
        held.append(locks.importing._is_owned())  # type: ignore[attr-defined]  # what `Condition` asks, too
        return pullback

    monkeypatch.setattr(importlib, "import_module", found)
    assert pullback._of_compiler("api", "tensor") is pullback.tensor
    assert held == [True]
    assert not locks.importing._is_owned()  # type: ignore[attr-defined]


class _Seen:
    """A lock that tells of each thread that comes to it."""

    def __init__(self, lock: Any, comes: threading.Semaphore) -> None:
        self._lock, self._comes = lock, comes

    def __enter__(self) -> None:
        self._comes.release()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_what_is_computed_is_computed_once_where_two_threads_ask() -> None:
    """Python's own cached property has no lock from 3.12 on."""
    comes, start = threading.Semaphore(0), threading.Barrier(2)

    class Holder:
        @locks.computed
        def value(self) -> object:
            # The other thread comes while this is being made.
            for _ in range(2):
                comes.acquire(timeout=10)
            return object()

    vars(Holder)["value"].lock = _Seen(vars(Holder)["value"].lock, comes)
    holder, found = Holder(), []

    def ask() -> None:
        start.wait()
        found.append(holder.value)

    others = [threading.Thread(target=ask) for _ in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert found == [holder.value] * 2


def test_what_is_computed_may_ask_for_its_like() -> None:
    class Holder:
        def __init__(self, within: Any) -> None:
            self._within = within

        @locks.computed
        def depth(self) -> int:
            return 0 if self._within is None else 1 + self._within.depth

    assert Holder(Holder(Holder(None))).depth == 2
