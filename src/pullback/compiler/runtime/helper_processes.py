"""Processes that compile LLVM's text while Python traces, lowers and plans.

llvmlite lets one thread of a process compile at a time. Processes of their own are not held up by that, nor
by the interpreter's lock, and the memory that LLVM takes goes with them when they end. They live as long as
the building of one program, and run `codegen` by itself. Where they cannot be had, or end too early,
everything is compiled in this process: the machine code is the same.

``PULLBACK_COMPILE_PROCESSES`` says how many there may be; 0 is none.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from queue import SimpleQueue

from ...array import locks
from ..emit import codegen
from ..emit.codegen import Code, Effort
from .processor import machine

#: Processes at most, as long as nobody says otherwise.
MOST = 3

_Job = tuple[str, Effort, "Future[Code]"]


class Helpers:
    """Some processes, each with a thread that hands it one text after the other."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def __len__(self) -> int:
        return len(self._threads)

    def grow(self, count: int) -> None:
        """Have as many processes, or more."""
        for _ in range(count - len(self)):
            thread = threading.Thread(target=self._lead, daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the platform gives no more
                return
            self._threads.append(thread)

    def submit(self, text: str, effort: Effort) -> Callable[[], Code]:
        """Begin to compile a text; what is returned waits for the machine code."""
        future: Future[Code] = Future()
        self._jobs.put((text, effort, future))

        def result() -> Code:
            try:
                return future.result()
            except (EOFError, OSError):
                return codegen.compiled(text, effort)

        return result

    def dismiss(self) -> None:
        """Let the processes go when they have done what was submitted."""
        for _ in self._threads:
            self._jobs.put(None)

    def _lead(self) -> None:
        """Start a process, and lead it."""
        failure: BaseException
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", codegen.__file__, _folder(), *machine()[:2]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                # Ctrl-C is for the program: its end ends the process, too.
                start_new_session=True, creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )  # fmt: skip
        except OSError as error:
            failure = error
        else:
            # Closing the pipe of a process that has ended may fail.
            with contextlib.suppress(OSError), process:
                failure = self._hand_over(process)
                process.kill()
        # A process that waits for a text that no other compiles does so itself.
        while (job := self._jobs.get()) is not None:
            job[2].set_exception(failure)

    def _hand_over(self, process: subprocess.Popen[bytes]) -> BaseException:
        """Give a process what is submitted, until that is all; what ended it."""
        assert process.stdin is not None
        assert process.stdout is not None
        while (job := self._jobs.get()) is not None:
            text, effort, future = job
            try:
                codegen.send(process.stdin, effort, text.encode())
                called, content = codegen.receive(process.stdout)
            except (EOFError, OSError) as error:
                future.set_exception(error)
                return error
            future.set_result(Code((content,), tuple(called)))
        self._jobs.put(None)
        return EOFError("there is nothing left to do")


def _folder() -> str:
    import llvmlite

    return str(Path(llvmlite.__file__).parent.parent)


def _allowed() -> int:
    """Return how many processes there may be here."""
    named = os.environ.get("PULLBACK_COMPILE_PROCESSES")
    if named is not None:
        return int(named) if named.isdecimal() else 0
    # What embeds Python need not understand Python's options; a frozen program does not.
    executable = Path(sys.executable or "").stem.lower()
    if not executable.startswith(("python", "pypy")) or getattr(sys, "frozen", False):
        return 0
    if not Path(codegen.__file__).is_file() or sys.platform == "emscripten":
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 0 if cores < 2 else min(cores, MOST)


_lock = locks.lock()
_current: Helpers | None = None
_users = 0


@contextlib.contextmanager
def at_work() -> Iterator[None]:
    """Open a ``with`` block that may have helpers; blocks of several threads share them."""
    global _current, _users
    with _lock:
        _current = _current or Helpers()
        _users += 1
        process = os.getpid()
    try:
        yield
    finally:
        if process == os.getpid():
            _leave()


def _leave() -> None:
    global _current, _users
    with _lock:
        _users -= 1
        if not _users and _current is not None:
            _current.dismiss()
            _current = None


def summon(count: int) -> None:
    """Start so many helpers, where there may be as many, for the blocks that there are now."""
    with _lock:
        if _current is not None and len(_current) < count:
            _current.grow(min(count, _allowed()))


def submitted(text: str, effort: Effort) -> Callable[[], Code]:
    """Have a text compiled, by helpers where there are some; what is returned gives the machine code."""
    with _lock:
        if _current:
            return _current.submit(text, effort)
    return lambda: codegen.compiled(text, effort)


def _forget() -> None:
    """Forget the parent's threads, of which a forked child has none."""
    global _current, _users
    _current, _users = None, 0


locks.in_child(_forget)
