"""Run several processes that run one function, of which an error in any ends all."""

import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import Any


class ProcessException(Exception):
    """A process failed."""

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.pid = pid


class ProcessRaisedException(ProcessException):
    """A process ended by an exception."""


class ProcessExitedException(ProcessException):
    """A process ended by a signal or with a status other than 0."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name


def _run(function: Callable[..., Any], index: int, args: tuple[Any, ...], error_file: str) -> None:
    """Run a process's function; an exception goes into a file."""
    try:
        function(index, *args)
    except KeyboardInterrupt:
        pass  # the parent was interrupted too and tells it
    except Exception:  # noqa: BLE001  # every one is told by the parent
        with open(error_file, "wb") as file:
            pickle.dump(traceback.format_exc(), file)
        sys.exit(1)


class ProcessContext:
    """Processes that were started.

    Parameters
    ----------
    processes : list
    error_files : list of str
        Where each leaves its exception.
    """

    def __init__(self, processes: list[Any], error_files: list[str]) -> None:
        self.processes = processes
        self.error_files = error_files
        self.sentinels = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """Return the numbers of the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process ends.

        Parameters
        ----------
        timeout : float, optional
            Seconds to wait at most.
        grace_period : float, optional
            Seconds that the others have to end by themselves where one failed.

        Returns
        -------
        bool
            Whether all have ended.

        Raises
        ------
        ProcessRaisedException, ProcessExitedException
            Where a process failed; the others have then been ended.
        """
        if not self.sentinels:
            return True
        ready = multiprocessing.connection.wait(list(self.sentinels), timeout=timeout)
        failed = None
        for sentinel in ready:
            index = self.sentinels.pop(sentinel)
            self.processes[index].join()
            if self.processes[index].exitcode != 0 and failed is None:
                failed = index
        if failed is None:
            return not self.sentinels
        self._end_all(grace_period)
        self._raise(failed)
        return True

    def _end_all(self, grace_period: float | None) -> None:
        if grace_period is not None:
            for process in self.processes:
                process.join(grace_period)
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        for process in self.processes:
            process.join(30)
            if process.is_alive():
                process.kill()
                process.join()

    def _raise(self, index: int) -> None:
        process = self.processes[index]
        code = process.exitcode
        try:
            with open(self.error_files[index], "rb") as file:
                text = pickle.load(file)
        except (OSError, EOFError):
            text = None
        if text is not None:
            told = f"\n\n-- Process {index} terminated with the following error:\n{text}"
            raise ProcessRaisedException(told, index, process.pid)
        if code < 0:
            name = signal.Signals(-code).name
            raise ProcessExitedException(
                f"process {index} terminated with signal {name}", index, process.pid, code, name
            )
        raise ProcessExitedException(
            f"process {index} terminated with exit code {code}", index, process.pid, code
        )


SpawnContext = ProcessContext


def start_processes(
    fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True,
    daemon: bool = False, start_method: str = "spawn",
) -> ProcessContext | None:
    """Start processes that call ``fn(index, *args)``.

    Parameters
    ----------
    fn : callable
        For ``"spawn"`` one of a module's top level.
    args : tuple
    nprocs : int
    join : bool
        Whether to wait for all of them.
    daemon : bool
        Whether they end with this process.
    start_method : str
        ``"spawn"``, ``"fork"`` or ``"forkserver"``.

    Returns
    -------
    ProcessContext or None
        None where they were waited for.
    """
    context = multiprocessing.get_context(start_method)
    processes, error_files = [], []
    for index in range(nprocs):
        handle, path = tempfile.mkstemp(prefix="pytorch-errorfile-")
        os.close(handle)
        os.unlink(path)
        process = context.Process(target=_run, args=(fn, index, args, path), daemon=daemon)  # type: ignore[attr-defined]  # every context has it
        process.start()
        error_files.append(path)
        processes.append(process)
    started = ProcessContext(processes, error_files)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True,
    daemon: bool = False, start_method: str = "spawn",
) -> ProcessContext | None:
    """Start processes that call ``fn(index, *args)``; see `start_processes`."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)
