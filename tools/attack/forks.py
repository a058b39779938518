"""Fork while threads are inside the package: the child must compute, and must not wait for ever.

Threads call a compiled function, draw random numbers, compile, pull back, multiply, import and work on large
arrays. The process forks at random moments, and each child does one of these. A child that is not done and
does not use the processor is deadlocked. Most is imported when the first function is compiled, so the forks
are those of many processes.
"""

from __future__ import annotations

import faulthandler
import importlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pullback as torch

#: Seconds that a child may go without using the processor, on however busy a machine, and that it may take.
PATIENCE, LONGEST = 30, 600

#: Forks of a process.
TOGETHER = 25


class Load:
    """What threads do, and children after them."""

    def __init__(self) -> None:
        self.x = torch.randn(64, 64)
        self.traced = torch.randn(64, 64)  # a trace puts its own values into the tensors that it is given
        self.w = torch.randn(64, 64, requires_grad=True)
        self.large = torch.randn(1000, 1000)
        self.matrix = torch.randn(300, 300)
        self.step = torch.compile(lambda x, w: ((x @ w).relu() * 2).sum())
        self._sums = self.traced.sum().item(), self.traced.sin().sum().item()
        self._size = self.traced.abs().sum().item()
        self.generator = torch.Generator()
        self._number = 0
        self.stop = threading.Event()
        #: What ended a thread.
        self.errors: list[str] = []

    def called(self) -> None:
        """Call what is compiled."""
        self.step(self.x, self.w)

    def drawn(self) -> None:
        """Draw. A trace takes draws from the default generator for its function's, so this is another one."""
        torch.randn(100_000, generator=self.generator)

    def compiled(self) -> None:
        """Compile what was not compiled before."""
        self._number += 1
        factor = self._number + os.getpid() / 2**23
        found = torch.compile(lambda x: (x * factor + x.sin()).sum())(self.traced).item()
        right = self._sums[0] * factor + self._sums[1]
        assert abs(found - right) < 1e-5 * (factor + 1) * self._size, (found, right)

    def pulled(self) -> None:
        """Pull a covector back to a leaf that other threads pull to."""
        (self.x @ self.w).sum().backward()

    def worked(self) -> None:
        """Work on arrays that are large enough for threads."""
        self.large.softmax(1)
        (self.large * 2 + 1).sum()

    def multiplied(self) -> None:
        """Multiply matrices for which OpenBLAS takes its threads."""
        self.matrix @ self.matrix

    def imported(self) -> None:
        """Import a module that is not there."""
        sys.modules.pop("colorsys", None)
        importlib.import_module("colorsys")

    def jobs(self) -> list[Callable[[], None]]:
        """Return all of it."""
        return [
            self.called, self.drawn, self.compiled, self.pulled, self.worked, self.multiplied, self.imported,
        ]  # fmt: skip

    def repeat(self, job: Callable[[], None]) -> None:
        """Do one of them until all stop."""
        try:
            while not self.stop.is_set():
                job()
        except Exception as error:  # noqa: BLE001  # told as it is
            self.errors.append(f"a thread that {job.__name__} ended with {type(error).__name__}: {error}")


def _child(job: Callable[[], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    faulthandler.register(signal.SIGUSR1)  # to say where it waits
    try:
        job()
        code = 0
    except BaseException:  # noqa: BLE001  # whatever it is, the child must not go on as its parent
        traceback.print_exc()
    finally:
        os._exit(code)


def _worked(pid: int) -> int:
    """Return the ticks of the processor that a process and its children have used, where the system tells."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12]) + sum(_worked(int(child)) for child in children)


def _ended(pid: int) -> str | None:
    """Wait for a child; what was wrong with its end."""
    start = last = time.monotonic()
    before = 0
    while (now := time.monotonic()) < min(last + PATIENCE, start + LONGEST):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return None if code == 0 else f"ended with {code}"
        if now > last + 1 and (ticks := _worked(pid)) != before:
            before, last = ticks, now
        time.sleep(0.002)
    os.kill(pid, signal.SIGUSR1)
    time.sleep(1)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "deadlocked"


def forks(count: int, seed: int = 0) -> list[str]:
    """Fork so many times; what went wrong."""
    if count <= TOGETHER:
        return _forks(count, seed)
    wrong = []
    for number, first in enumerate(range(0, count, TOGETHER)):
        part = ["--count", str(min(TOGETHER, count - first)), "--seed", str(seed * count + number)]
        command = [sys.executable, "-m", "tools.attack", "forks", *part]
        try:
            done = subprocess.run(
                command, stdout=subprocess.PIPE, text=True, timeout=TOGETHER * PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            wrong.append(f"a process that forks ({' '.join(part)}) is not done in {TOGETHER * PATIENCE} s")
            continue
        if done.returncode:
            wrong += done.stdout.strip().splitlines()[1:] or [f"a process ended with {done.returncode}"]
    return wrong


def _forks(count: int, seed: int) -> list[str]:
    warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads: they are the attack
    load, chance = Load(), random.Random(seed)
    load.called()
    threads = [threading.Thread(target=load.repeat, args=(job,), daemon=True) for job in load.jobs()]
    for thread in threads:
        thread.start()
    wrong: Counter[str] = Counter()
    for number in range(count):
        time.sleep(chance.random() * 0.05)
        job: Any = load.jobs()[(number + seed) % len(load.jobs())]
        if (end := _ended(_child(job))) is not None:
            wrong[f"a child that {job.__name__} {end}"] += 1
    load.stop.set()
    for thread in threads:
        thread.join()
    return [*(f"{times} times: {what}" for what, times in wrong.items()), *load.errors]
