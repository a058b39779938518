"""Programs that run in several processes of pullback and of torch alike, and what each process tells."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .jobs import FOLDER, MPIEXEC, job, needs_mpi, needs_torch

__all__ = ["needs_mpi", "needs_torch", "run", "run_in_torch", "same"]


def _results(folder: str) -> dict[str, Any]:
    """What processes have told, by name."""
    return {file.stem: json.loads(file.read_text()) for file in Path(folder).glob("*.json")}


def run(program: str, *arguments: str, ranks: int = 2) -> dict[str, Any]:
    """Run a program of this folder in several processes of pullback; return its results."""
    with tempfile.TemporaryDirectory() as folder:
        more = {"OMP_NUM_THREADS": "1", "RESULTS": folder, "PYTHONWARNINGS": "ignore"}
        done = job(MPIEXEC, ranks, program, *arguments, **more)
        found = _results(folder)
        assert {str(rank) for rank in range(ranks)} <= set(found), done.stderr[-4000:]
        return found


def run_in_torch(program: str, *arguments: str, ranks: int = 2, timeout: float = 120) -> dict[str, Any]:
    """Run a program of this folder in several processes of torch with gloo; return its results."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        processes = []
        for rank in range(ranks):
            variables = {
                **os.environ, "RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1", "RESULTS": folder,
            }  # fmt: skip
            command = [sys.executable, "-W", "ignore", str(FOLDER / program), *arguments]
            processes.append(
                subprocess.Popen(
                    command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
                )
            )
        try:
            errors = [process.communicate(timeout=timeout)[1] for process in processes]
        finally:
            for process in processes:
                process.kill()
        told = _results(folder)
        assert {str(rank) for rank in range(ranks)} <= set(told), "".join(errors)[-4000:]
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
