"""Run the processes of a job that the launcher started on this machine, and what it does while they run.

What this module must do:

- have a store and a coordinator ready before the first process runs;
- end all processes within seconds where one fails, where the launcher is told to end, and where it is killed;
- tell of the failure as torchrun does: which rank, by what, with its traceback.
"""

import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ..array.threads import processors
from .coordinator import Coordinator
from .elastic.multiprocessing.errors import ERROR_FILE
from .rendezvous import KEY, address_text
from .tcp_store import TCPStore

#: The streams of a process, as torchrun counts them.
OUTPUT, ERRORS = 1, 2
#: For how many seconds processes that were told to end may take.
PATIENCE = 3.0
#: For how many seconds to wait for the process by which others failed.
CAUSE = 1.0


@dataclass
class Launch:
    """Hold what is to be started."""

    command: list[str]
    program: str
    count: int
    nodes: int = 1
    node: int = 0
    host: str = "127.0.0.1"
    port: int = 0
    name: str = "none"
    restarts: int = 0
    role: str = "default"
    log_dir: str | None = None
    #: Which streams of which local rank go to a log, and whether they are shown as well.
    tee: dict[int, int] = field(default_factory=dict)
    redirect: dict[int, int] = field(default_factory=dict)
    shown: list[int] = field(default_factory=list)
    rank_argument: bool = False
    patience: float = PATIENCE
    virtual_local_rank: bool = False

    def logged(self, local_rank: int) -> int:
        """Return which streams of a process go to a log: 1 is its output, 2 its errors, 3 both."""
        return self.tee.get(local_rank, 0) | self.redirect.get(local_rank, 0)


@dataclass
class Worker:
    """A process of the job."""

    rank: int
    local_rank: int
    process: subprocess.Popen[bytes]
    error_file: Path
    ended: float = 0.0


class Job:
    """The processes that a launcher starts."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.workers: list[Worker] = []
        self.coordinator: Coordinator | None = None
        self.service = threading.Thread()
        self.copiers: list[threading.Thread] = []
        if launch.log_dir is None:
            self.folder = Path(tempfile.mkdtemp(prefix="pullback-run-"))
        else:
            Path(launch.log_dir).mkdir(parents=True, exist_ok=True)
            self.folder = Path(tempfile.mkdtemp(prefix=f"{launch.name}_", dir=launch.log_dir))
        self.logs = self.folder

    def run(self) -> int:
        """Run the program until it ends in all processes; return the exit status."""
        try:
            for attempt in range(self.launch.restarts + 1):
                if not (failed := self.attempt(attempt)):
                    return 0
                if attempt < self.launch.restarts:
                    say(f"restarting all processes after rank {failed[0].rank} failed")
            say(self.report(failed))
            return 1
        finally:
            if self.launch.log_dir is None:
                shutil.rmtree(self.folder, ignore_errors=True)

    def attempt(self, number: int) -> list[Worker]:
        """Start all processes and wait for them; return those that failed, the first one first."""
        store = self.meeting_place()
        environment = self.environment(store.port, number)
        self.workers = []
        self.logs = self.folder / f"attempt_{number}"
        try:
            for local_rank in range(self.launch.count):
                self.workers.append(self.start(local_rank, environment))
            failed = self.wait()
            if not failed and self.coordinator is not None and self.coordinator.started:
                # Processes on other machines may still need to hear of each other.
                self.service.join()
        finally:
            self.end_all()
            store.close()
        return failed

    def meeting_place(self) -> TCPStore:
        """Return the store of the job: machine 0 has it, and the coordinator."""
        launch = self.launch
        master = launch.node == 0
        store = TCPStore(launch.host, launch.port, is_master=master, wait_for_workers=False)
        if master:
            local = launch.host in ("127.0.0.1", "localhost")
            listener = socket.create_server(("127.0.0.1" if local else "", 0), backlog=2048)
            store.set(KEY, address_text(listener.getsockname()[1]))
            coordinator = Coordinator(listener)
            self.service = threading.Thread(target=coordinator.serve, args=(None,), daemon=True)
            self.service.start()
            self.coordinator = coordinator
        return store

    def environment(self, port: int, attempt: int) -> dict[str, str]:
        """Return the variables that are the same for all processes."""
        launch = self.launch
        total = launch.count * launch.nodes
        values = {
            "WORLD_SIZE": total, "LOCAL_WORLD_SIZE": launch.count, "GROUP_RANK": launch.node,
            "GROUP_WORLD_SIZE": launch.nodes, "ROLE_NAME": launch.role, "ROLE_WORLD_SIZE": total,
            "MASTER_ADDR": launch.host, "MASTER_PORT": port, "TORCHELASTIC_RUN_ID": launch.name,
            "TORCHELASTIC_RESTART_COUNT": attempt, "TORCHELASTIC_MAX_RESTARTS": launch.restarts,
            "TORCHELASTIC_USE_AGENT_STORE": True,
        }  # fmt: skip
        result = {**os.environ, **{name: str(value) for name, value in values.items()}}
        if launch.count > 1:
            # As many threads in all as there are processors.
            result.setdefault("OMP_NUM_THREADS", str(max(1, processors() // launch.count)))
        return result

    def start(self, local_rank: int, environment: dict[str, str]) -> Worker:
        launch = self.launch
        rank = launch.node * launch.count + local_rank
        error_file = self.folder / f"error_{rank}.json"
        error_file.unlink(missing_ok=True)
        visible = 0 if launch.virtual_local_rank else local_rank
        own = {"RANK": str(rank), "LOCAL_RANK": str(visible), "ROLE_RANK": str(rank)}
        command = list(launch.command)
        if launch.rank_argument:
            command.insert(command.index(launch.program) + 1, f"--local-rank={local_rank}")
        logged = launch.logged(local_rank)
        hidden = bool(launch.shown) and local_rank not in launch.shown
        piped = [hidden or bool(logged & stream) for stream in (OUTPUT, ERRORS)]
        try:
            process = subprocess.Popen(
                command, env={**environment, **own, ERROR_FILE: str(error_file)},
                stdin=None if rank == 0 else subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped[0] else None, stderr=subprocess.PIPE if piped[1] else None,
            )  # fmt: skip
        except OSError as error:
            raise SystemExit(f"torchrun: cannot start {launch.command[0]!r}: {error.strerror}") from None
        for stream, output in ((OUTPUT, process.stdout), (ERRORS, process.stderr)):
            if output is not None:
                copier = threading.Thread(
                    target=self.copy_output, args=(local_rank, stream, output), daemon=True
                )
                copier.start()
                self.copiers.append(copier)
        return Worker(rank, local_rank, process, error_file)

    def copy_output(self, local_rank: int, stream: int, output: BinaryIO) -> None:
        """Bring what a process prints to where the options want it."""
        launch = self.launch
        tees = bool(launch.tee.get(local_rank, 0) & stream)
        redirects = bool(launch.redirect.get(local_rank, 0) & stream) and not tees
        shown = not redirects and (not launch.shown or local_rank in launch.shown)
        name = "stdout.log" if stream == OUTPUT else "stderr.log"
        there = sys.stdout if stream == OUTPUT else sys.stderr
        prefix = f"[{launch.role}{local_rank}]:".encode() if tees else b""
        with output, ExitStack() as files:
            log = None
            if launch.logged(local_rank) & stream:
                folder = self.logs / str(local_rank)
                folder.mkdir(parents=True, exist_ok=True)
                log = files.enter_context(open(folder / name, "ab"))
            for line in output:
                if log is not None:
                    log.write(line)
                    log.flush()
                if shown:
                    there.buffer.write(prefix + line)
                    there.buffer.flush()

    def wait(self) -> list[Worker]:
        """Wait until all processes ended well or one failed; return those that failed, the cause first."""
        ended: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        for worker in self.workers:
            threading.Thread(target=note_end, args=(worker, ended), daemon=True).start()
        failed: list[Worker] = []
        for _ in self.workers:
            try:
                # A process that failed for want of another is not the cause, which comes soon.
                worker = ended.get(timeout=CAUSE if failed else None)
            except queue.Empty:
                break
            if worker.process.returncode != 0:
                failed.append(worker)
                if not wanted_another(worker):
                    break
        return sorted(failed, key=wanted_another)

    def end_all(self) -> None:
        """End all processes that still run: by asking, then by force."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            running = [worker.process for worker in self.workers if worker.process.poll() is None]
            for process in running:
                process.send_signal(number)
            end = time.monotonic() + self.launch.patience
            for process in running:
                try:
                    process.wait(max(end - time.monotonic(), 0.01))
                except subprocess.TimeoutExpired:
                    continue
        for copier in self.copiers:
            copier.join(self.launch.patience)

    def report(self, failed: list[Worker]) -> str:
        """Return what is said of a failure, in torchrun's form."""
        width = 60
        title = f"{self.launch.program} FAILED"
        stays = self.launch.log_dir is not None
        cause, *others = [entry(index, worker, stays) for index, worker in enumerate(failed)]
        return "\n".join(
            [
                "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "=" * width, title,
                "-" * width, "Failures:", *(others or ["  <NO_OTHER_FAILURES>"]), "-" * width,
                "Root Cause (first observed failure):", cause, "=" * width,
            ]
        )  # fmt: skip


def note_end(worker: Worker, ended: queue.SimpleQueue[Worker]) -> None:
    """Wait for the end of a process."""
    worker.process.wait()
    worker.ended = time.time()
    ended.put(worker)


def say(text: str) -> None:
    """Write on standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def told(worker: Worker) -> dict[str, Any]:
    """Return what a process wrote of its error: message and traceback, or nothing."""
    try:
        return json.loads(worker.error_file.read_text())["message"]
    except (OSError, ValueError):
        return {}


def wanted_another(worker: Worker) -> bool:
    """Return whether a process failed for want of another."""
    return "Connection closed by peer" in told(worker).get("message", "")


def entry(index: int, worker: Worker, stays: bool) -> str:
    """Return what is said of one process, whose file is named if it stays."""
    code = worker.process.returncode
    found = told(worker)
    trace = found.get("extraInfo", {}).get("py_callstack")
    if trace is None and code < 0:
        trace = f"Signal {-code} ({signal.Signals(-code).name}) received by PID {worker.process.pid}"
    elif trace is None:
        trace = "<N/A>: the program ended by its exit status; what it printed is above"
    when = time.strftime("%Y-%m-%d_%H:%M:%S", time.localtime(worker.ended))
    lines = {
        "time": when, "host": socket.gethostname(),
        "rank": f"{worker.rank} (local_rank: {worker.local_rank})",
        "exitcode": f"{code} (pid: {worker.process.pid})",
        "error_file": str(worker.error_file) if found and stays else "<N/A>", "traceback": trace,
    }  # fmt: skip
    return "\n".join([f"[{index}]:", *(f"  {name:<10}: {value}" for name, value in lines.items())])
