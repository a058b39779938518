"""Starting real jobs of several processes."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "programs"
SOURCE = Path(__file__).parents[2] / "src"

needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or os.name != "posix", reason="needs mpi4py and MPICH"
)
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="compares with torch")

RUN = [sys.executable, "-m", "pullback.distributed.run", "--nproc-per-node"]
MPIEXEC = [str(Path(sys.executable).parent / "mpiexec"), "-n"]
TORCH = [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--nproc-per-node"]


def environment(**more: str) -> dict[str, str]:
    """The variables of a job: pullback as it is here, code that others have compiled, and no traces of a job
    that the tests are part of.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PMI_", "TORCHELASTIC_", "MASTER_")) and name not in ("RANK", "WORLD_SIZE")
    }
    return {**kept, "PYTHONPATH": str(SOURCE), "PULLBACK_CACHE": "1", "PYTHONWARNINGS": "", **more}


def command(launcher: list[str], count: int, program: str, *args: object) -> list[str]:
    """The command line of a job."""
    start = [sys.executable, "-m", "pullback"] if launcher is MPIEXEC else []
    return [*launcher, str(count), *start, str(FOLDER / program), *map(str, args)]


def job(
    launcher: list[str], count: int, program: str, *args: object, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a job to its end, within a bounded time."""
    return subprocess.run(
        command(launcher, count, program, *args), env=environment(**more), capture_output=True, text=True,
        timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip
