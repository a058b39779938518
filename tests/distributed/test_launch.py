"""How jobs are told what to start, and how a process learns its place."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from pullback import distributed as dist
from pullback.core.settings import SETTINGS
from pullback.distributed import launch, run
from pullback.distributed.coordinator import Coordinator
from pullback.distributed.elastic.multiprocessing.errors import record


def options(*args: str) -> Any:
    return run.launch_of(run.parse_args(args))


def test_options_of_torchrun() -> None:
    told = options("--nproc_per_node=4", "--nnodes=2", "--node-rank", "1", "--master_addr", "there",
                   "--master-port=1234", "--max-restarts", "3", "train.py", "--lr", "0.1")  # fmt: skip
    assert told.command == [sys.executable, "-u", "-m", "pullback", "train.py", "--lr", "0.1"]
    assert (told.count, told.nodes, told.node, told.restarts) == (4, 2, 1, 3)
    assert (told.host, told.port) == ("there", 1234)
    told = options("--standalone", "-m", "package.train", "-x")
    assert told.command[1:] == ["-u", "-m", "pullback", "-m", "package.train", "-x"]
    assert (told.count, told.host, told.port) == (1, "127.0.0.1", 0)
    assert options("--rdzv-endpoint=h:5", "--nnodes=2", "x").port == 5
    assert options("--no-python", "./program", "y").command == ["./program", "y"]


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["--nproc-per-node=gpu", "x"], "Cuda is not available."),
        (["--nproc-per-node=many", "x"], "Unsupported nproc_per_node value: many"),
        (["--nproc-per-node=0", "x"], "Unsupported nproc_per_node value: 0"),
        (["--nnodes=1:4", "x"], "write --nnodes 4"),
        (["--nnodes=2", "x"], "needs --master-addr"),
        (["--tee=4", "x"], "4 does not match"),
        (["--redirects=1:many", "x"], "1:many does not match"),
        (["--logs-specs=mine", "x"], "--logs-specs is not served: use --tee 3 and --log-dir"),
    ],
)
def test_options_that_are_refused(args: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run.main(args)
    assert ended.value.code == 2
    assert text in capsys.readouterr().err


def test_what_a_process_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    names = ["RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "TORCHELASTIC_RUN_ID"]
    program.write_text(f"import os, sys; print([os.environ[name] for name in {names}], sys.argv[1:])")
    both = ["--no-python", sys.executable, str(program), "a"]
    assert run.main(["--nproc-per-node=2", "--rdzv-id=7", *both]) == 0
    assert sorted(capfd.readouterr().out.splitlines()) == [
        f"{[str(rank), str(rank), '2', '2', '127.0.0.1', '7']} ['a']" for rank in range(2)
    ]
    logs = tmp_path / "logs"
    assert launch.main(["--use-env", "--log-dir", str(logs), "-t", "3", *both]) == 0
    (log,) = logs.glob("none_*/attempt_0/0/stdout.log")
    assert capfd.readouterr().out == f"[default0]:{log.read_text()}"


def test_what_processes_print_goes_where_options_say(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import os, sys; r = os.environ['RANK']; print('out', r); print('err', r, file=sys.stderr)"
    )
    common = ["--nproc-per-node=2", "--log-dir", str(tmp_path / "logs"), "--rdzv-id=7"]
    both = ["--no-python", sys.executable, str(program)]
    assert run.main([*common, "-r", "0:3", "--tee", "1:1", *both]) == 0
    shown = capfd.readouterr()
    assert (shown.out, shown.err) == ("[default1]:out 1\n", "err 1\n")
    (folder,) = (tmp_path / "logs").glob("7_*/attempt_0")
    logs = {str(log.relative_to(folder)): log.read_text() for log in folder.glob("*/*.log")}
    assert logs == {"0/stdout.log": "out 0\n", "0/stderr.log": "err 0\n", "1/stdout.log": "out 1\n"}


def test_variables_stand_for_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PET_NPROC_PER_NODE", "3")
    monkeypatch.setenv("PET_STANDALONE", "1")
    told = run.parse_args(["x"])
    assert (told.standalone, options("x").count, options("--nproc-per-node=2", "x").count) == (True, 3, 2)


def test_signals_end_the_launcher() -> None:
    with pytest.raises(SystemExit) as ended, run.ended_by("SIGUSR1,SIGINT"):
        signal.raise_signal(signal.SIGUSR1)
    assert ended.value.code == 128 + signal.SIGUSR1
    assert signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL


def test_the_rank_as_an_argument(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys; print(sys.argv[1:])")
    assert launch.main([str(program), "x"]) == 0
    assert capfd.readouterr().out == "['--local-rank=0', 'x']\n"


def test_an_error_is_written_for_the_launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "error.json"))

    @record
    def fail() -> None:
        raise ValueError("why")

    with pytest.raises(ValueError, match="why"):
        fail()
    told = json.loads((tmp_path / "error.json").read_text())["message"]
    assert told["message"] == "ValueError: why"
    assert "in fail\n" in told["extraInfo"]["py_callstack"]


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("foo://x", "No rendezvous handler for foo://"),
        ("tcp://127.0.0.1:1", "using tcp:// rendezvous: rank parameter missing"),
        ("tcp://127.0.0.1?rank=0", "tcp:// rendezvous: port number missing"),
        ("tcp://127.0.0.1:1?rank=0", "tcp:// rendezvous: world size parameter missing"),
        ("file://", "Error initializing torch.distributed using file:// rendezvous: path missing"),
    ],
)
def test_places_that_do_not_tell_enough(url: str, text: str) -> None:
    with pytest.raises((ValueError, RuntimeError)) as caught:
        dist.init_process_group("gloo", init_method=url)
    assert text in str(caught.value)


def test_a_place_that_tells_all() -> None:
    dist.init_process_group("cpu:gloo,cuda:nccl", init_method="tcp://127.0.0.1:1?rank=0&world_size=1")
    assert (dist.get_rank(), dist.get_backend_config()) == (0, "cpu:gloo,cuda:gloo")
    dist.destroy_process_group()


@pytest.mark.parametrize(("backend", "text"), [
    ("nccl", "Distributed package doesn't have NCCL built in"), ("foo", "Unknown backend type foo"),
])  # fmt: skip
def test_backends_that_are_not_there(backend: str, text: str) -> None:
    with pytest.raises((RuntimeError, ValueError), match=text):
        dist.init_process_group(backend, rank=0, world_size=1)


def test_without_mpi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    for name in ("PMI_RANK", "OMPI_COMM_WORLD_RANK"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(RuntimeError, match="need MPI, which cannot be loaded") as caught:
        dist.init_process_group("gloo", init_method="tcp://127.0.0.1:1", rank=0, world_size=2)
    assert "pip install 'pullback[distributed]'" in caught.value.__notes__[0]
    assert not dist.is_initialized()


def test_levels_of_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SETTINGS, "collective_checks", None)
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "detail")
    assert dist.get_debug_level() is dist.DebugLevel.DETAIL
    dist.set_debug_level(dist.DebugLevel.INFO)
    assert dist.get_debug_level() is dist.DebugLevel.INFO
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "much")
    with pytest.raises(RuntimeError, match="must be OFF, INFO, or DETAIL"):
        dist.set_debug_level_from_env()


def test_which_ranks_share_a_node() -> None:
    job = Coordinator.__new__(Coordinator)
    job.size = 5
    job.places = {rank: {"host": host} for rank, host in enumerate("aabba")}
    assert job.mapping() == "(vector,(0,1,2),(1,1,2),(0,1,1))"


def test_ranks_on_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    assert dist.get_node_local_rank(fallback_rank=2) == 2
    with pytest.raises(RuntimeError, match="LOCAL_RANK is not in the environment"):
        dist.get_node_local_rank()
    monkeypatch.setitem(os.environ, "LOCAL_RANK", "1")
    assert dist.get_node_local_rank() == 1


def test_an_interrupt_that_the_shell_ignores_ends_the_launcher() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(SystemExit, match="130"), run.ended_by("SIGTERM,SIGINT"):
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
