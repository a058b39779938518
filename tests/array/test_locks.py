"""All locks are those of `array.locks`, which a forked child finds free."""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pullback
from pullback.array import locks

#: Python's properties that are computed once have a lock up to 3.11.
MADE = re.compile(
    r"(?:threading|_thread)\.(allocate_lock|Lock|RLock|Condition|Semaphore|BoundedSemaphore|Event|Barrier)\("
    r"|@(?:functools\.)?cached_property"
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


def asked_twice(make: Callable[[Callable[[], object]], Any], monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What two threads get who ask for the same at once: the second comes while the first makes it."""
    comes, start = threading.Semaphore(0), threading.Barrier(2)

    def made() -> object:
        for _ in range(2):
            assert comes.acquire(timeout=10)
        return object()

    own = locks.reentrant_lock
    with monkeypatch.context() as patch:
        patch.setattr(locks, "reentrant_lock", lambda: _Seen(own(), comes))
        asked = make(made)
    found: list[object] = []

    def ask() -> None:
        start.wait()
        found.append(asked())

    others = [threading.Thread(target=ask) for _ in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    return found


def test_what_is_computed_is_computed_once_where_two_threads_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own cached property has no lock from 3.12 on."""

    def holder(made: Callable[[], object]) -> Any:
        class Holder:
            @locks.computed
            def value(self) -> object:
                return made()

        found = Holder()
        return lambda: found.value

    first, second = asked_twice(holder, monkeypatch)
    assert first is second


def test_what_is_made_once_is_made_once_where_two_threads_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = asked_twice(locks.once, monkeypatch)
    assert first is second


def test_what_is_computed_may_ask_for_its_like() -> None:
    class Holder:
        def __init__(self, within: Any) -> None:
            self._within = within

        @locks.computed
        def depth(self) -> int:
            return 0 if self._within is None else 1 + self._within.depth

    assert Holder(Holder(Holder(None))).depth == 2
