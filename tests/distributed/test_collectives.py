"""Collectives among real processes: the values and error texts of torch's gloo."""

from __future__ import annotations

import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from .jobs import MPIEXEC, RUN, TORCH, command, environment, job, needs_mpi, needs_torch

pytestmark = needs_mpi


def lines(folder: Path, rank: int) -> list[str]:
    return (folder / f"{rank}.txt").read_text().splitlines()


@needs_torch
def test_two_ranks_as_torch(tmp_path: Path) -> None:
    for name, launcher in (("ours", RUN), ("torch", TORCH)):
        (tmp_path / name).mkdir()
        done = job(launcher, 2, "collectives.py", tmp_path / name, OMP_NUM_THREADS="1")
        assert done.returncode == 0, done.stderr
    for rank in range(2):
        ours = lines(tmp_path / "ours", rank)
        assert len(ours) > 90
        assert ours == lines(tmp_path / "torch", rank)


def test_four_ranks_under_mpiexec(tmp_path: Path) -> None:
    done = job(MPIEXEC, 4, "collectives.py", tmp_path)
    assert done.returncode == 0, done.stderr
    found = [dict(line.split(" ", 1) for line in lines(tmp_path, rank) if " " in line) for rank in range(4)]
    assert found[0]["all_gather_into_tensor"] == found[3]["all_gather_into_tensor"]
    for rank in range(4):
        text = "\n".join(lines(tmp_path, rank))
        assert "all_reduce int64 SUM ('torch.int64', [2, 3], [[10, 14, 18], [10, 14, 18]])" in text
        assert "all_reduce bfloat16 AVG ('torch.bfloat16', [2, 3], [[2.5, 3.5, 4.5], [2.5," in text
        assert f"new_subgroups [[{rank // 2 * 2}, {rank // 2 * 2 + 1}], 2]" in text
        assert "gradient all_reduce [[10.0, 20.0], " + f"[{14.0 * (rank + 1)}, {14.0 * (rank + 1)}]]" in text


def test_two_machines(tmp_path: Path) -> None:
    """A name space with another host name is another machine for MPI, which goes by the network then."""
    other = ["unshare", "--uts", "sh", "-c", 'hostname other; exec "$@"', "sh"]
    if shutil.which("unshare") is None or subprocess.run([*other, "true"], capture_output=True).returncode:
        pytest.skip("needs the right to set a host name")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    nodes = ["--nnodes=2", "--master-addr=127.0.0.1", f"--master-port={port}", "--node-rank"]
    launch = [*RUN[:-1], *nodes]
    with subprocess.Popen(
        [*other, *command([*launch, "1", "--nproc-per-node"], 1, "collectives.py", tmp_path)],
        env=environment(), stderr=subprocess.PIPE, text=True,
    ) as second:  # fmt: skip
        first = job([*launch, "0", "--nproc-per-node"], 1, "collectives.py", tmp_path)
        _, errors = second.communicate(timeout=120)
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + errors
    for rank in range(2):
        text = "\n".join(lines(tmp_path, rank))
        assert "all_reduce float16 SUM ('torch.float16', [2, 3], [[3.0, 5.0, 7.0], [3.0," in text


def test_what_gloo_does_not_do(tmp_path: Path) -> None:
    done = job(RUN, 2, "beyond_gloo.py", TORCH_DISTRIBUTED_DEBUG="DETAIL")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("all as expected") == 2
