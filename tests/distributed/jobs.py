"""Programs that run in several processes, as a user would start them."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).parent / "programs"
SOURCE = Path(__file__).parents[2] / "src"

#: mpiexec of the environment that runs the tests, or any.
MPIEXEC = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")

needs_mpi = pytest.mark.skipif(
    find_spec("mpi4py") is None or MPIEXEC is None, reason="needs mpi4py and MPI's mpiexec"
)


def results(text: str) -> dict[str, Any]:
    """What processes have printed as ``RESULT name JSON``, by name."""
    lines = [line.split(" ", 2) for line in text.splitlines() if line.startswith("RESULT ")]
    return {name: json.loads(value) for _, name, value in lines}


def run(program: str, *arguments: str, ranks: int = 2, timeout: float = 120) -> dict[str, Any]:
    """Run a program of this folder in several processes of pullback; return its results."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    command = [str(MPIEXEC), "-n", str(ranks), sys.executable, "-W", "ignore", "-m", "pullback",
               str(PROGRAMS / program), *arguments]  # fmt: skip
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )
    found = results(done.stdout)
    assert str(ranks - 1) in found, done.stderr[-4000:]
    return found


def run_in_torch(program: str, *arguments: str, ranks: int = 2, timeout: float = 120) -> dict[str, Any]:
    """Run a program of this folder in several processes of torch with gloo; return its results."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    processes = []
    for rank in range(ranks):
        environment = {
            **os.environ, "RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1", "LOCAL_RANK": str(rank),
        }  # fmt: skip
        processes.append(
            subprocess.Popen(
                [sys.executable, "-W", "ignore", str(PROGRAMS / program), *arguments], env=environment,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
        )  # fmt: skip
    told: dict[str, Any] = {}
    try:
        for process in processes:
            out, errors = process.communicate(timeout=timeout)
            told |= results(out)
            assert told, errors[-4000:]
    finally:
        for process in processes:
            process.kill()
    return told


def same(here: Any, there: Any, tolerance: float = 1e-6) -> bool:
    """Whether nested results are equal, numbers up to a tolerance."""
    if isinstance(here, float) and isinstance(there, float):
        return abs(here - there) <= tolerance * max(1.0, abs(there))
    if isinstance(here, list) and isinstance(there, list):
        return len(here) == len(there) and all(
            same(a, b, tolerance) for a, b in zip(here, there, strict=True)
        )
    if isinstance(here, dict) and isinstance(there, dict):
        return here.keys() == there.keys() and all(same(here[k], there[k], tolerance) for k in here)
    return bool(here == there)
