"""Editors and type checkers see what the declarations make at import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_stubs_are_what_the_declarations_give() -> None:
    """`tests/typed` has a type checker read them."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.make_stubs", "--check"],
        capture_output=True, text=True, cwd=ROOT, timeout=280,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
