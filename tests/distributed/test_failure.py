"""Jobs in which a process really fails: they end, name the rank and leave nothing behind."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from .jobs import FOLDER, MPIEXEC, RUN, command, environment, job, needs_mpi

pytestmark = needs_mpi


def assert_gone(text: str) -> None:
    """No process that told its number runs any more; its status may not have been asked for yet."""
    for pid in re.findall(r"^pid (\d+)$", text, re.MULTILINE):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            continue
        assert state in "ZX"


def root_cause(text: str) -> str:
    return text.split("Root Cause (first observed failure):")[1]


def test_a_rank_that_raises(tmp_path: Path) -> None:
    done = job(RUN, 3, "failing.py", "raise", 100, TMPDIR=str(tmp_path))
    assert not list(tmp_path.iterdir())
    assert done.returncode == 1
    cause = root_cause(done.stderr)
    assert "rank      : 1 (local_rank: 1)" in cause
    assert "ValueError: something of rank one's\n" in cause
    assert "[rank1]: ValueError: something of rank one's\n" in done.stderr
    assert "in <module>\n    raise ValueError" in cause
    assert_gone(done.stdout)


def test_a_rank_that_is_killed() -> None:
    done = job(RUN, 2, "failing.py", "kill", 100)
    assert done.returncode == 1
    cause = root_cause(done.stderr)
    assert "rank      : 1 (local_rank: 1)" in cause
    assert "Signal 9 (SIGKILL) received by PID" in cause
    assert_gone(done.stdout)


def test_a_rank_that_hangs() -> None:
    done = job(RUN, 2, "failing.py", "hang", 0.5)
    assert done.returncode == 1
    silent, hanging = (
        f"[Rank 0]: Timed out waiting 500ms for {what} operation to complete: rank 1 "
        for what in ("recv", "all_reduce")
    )
    assert f"{silent}is here:\n" in done.stderr
    assert f"{hanging}has not begun it; its last was all_reduce. It is here:\n" in done.stderr
    assert done.stderr.count("threading.Event().wait()\n") >= 2
    assert_gone(done.stdout)


def test_a_rank_that_is_killed_under_mpiexec() -> None:
    done = job(MPIEXEC, 2, "failing.py", "kill", 100)
    assert done.returncode != 0
    assert re.search(r"pullback: rank 1 \(process \d+ on .*\) ended without a word: it was", done.stderr)
    assert_gone(done.stdout)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_a_launcher_that_is(number: signal.Signals, tmp_path: Path) -> None:
    with subprocess.Popen(
        command(RUN, 2, "failing.py", "hang", 100), env=environment(TMPDIR=str(tmp_path)),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as launcher:  # fmt: skip
        assert launcher.stdout is not None
        line = launcher.stdout.readline()
        launcher.send_signal(number)
        # The output ends when the last process of the job has.
        text = line + launcher.stdout.read()
    assert launcher.returncode != 0
    assert text.startswith("pid ")
    assert number == signal.SIGKILL or not list(tmp_path.iterdir())


@pytest.fixture
def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def spawned(place: str, how: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pullback", str(FOLDER / "spawning.py"), place, how],
        env={name: value for name, value in environment().items() if name != "OMP_NUM_THREADS"},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def test_spawned_processes_meet(tmp_path: Path) -> None:
    done = spawned(f"file://{tmp_path / 'meeting'}", "well")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all ended\n"


def test_a_spawned_process_that_is_killed(unused_port: int) -> None:
    done = spawned(f"tcp://127.0.0.1:{unused_port}", "killed")
    assert done.returncode == 1
    assert "ProcessExitedException: process 1 terminated with signal SIGKILL" in done.stderr
