"""Runs of the attacks of tools/attack, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def program(*arguments: str, seconds: float = 240, **variables: str) -> str:
    """Run Python in a process of its own, which must end well; what it says."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": paths, **variables}
    run = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True,
        timeout=seconds, check=False,
    )  # fmt: skip
    assert run.returncode == 0, f"{run.returncode}: {run.stdout}\n{run.stderr}"
    return run.stdout


def attacked(*arguments: str, **variables: str) -> str:
    """Run an attack, which must find that nothing goes wrong; what it says."""
    return program("-m", "tools.attack", *arguments, **variables)
