"""All locks are those of `array.locks`, which a forked child finds free."""

from __future__ import annotations

import re
from pathlib import Path

import pullback

MADE = re.compile(r"threading\.(Lock|RLock|Condition|Semaphore|BoundedSemaphore|Event|Barrier)\(")


def test_no_other_file_makes_a_lock() -> None:
    folder = Path(pullback.__file__).parent
    makers = [
        path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.py"))
        if MADE.search(path.read_text(encoding="utf-8"))
    ]
    assert makers == ["array/locks.py"]
