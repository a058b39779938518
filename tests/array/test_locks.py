"""All locks are those of `array.locks`, which a forked child finds free."""

from __future__ import annotations

import importlib
import re
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
