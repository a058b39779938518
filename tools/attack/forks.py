"""Fork while threads are inside the package: the child must compute, and must not wait for ever.

Threads call a compiled function, draw random numbers, compile, pull back and work on large arrays. The
process forks at random moments, and each child does one of these. A child that is not done in time is
deadlocked.
"""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import pullback as torch

#: Seconds that a child may take: it may compile.
PATIENCE = 60


class Load:
    """What threads do, and children after them."""

    def __init__(self) -> None:
        self.x = torch.randn(64, 64)
        self.traced = torch.randn(64, 64)  # a trace puts its own values into the tensors that it is given
        self.w = torch.randn(64, 64, requires_grad=True)
        self.large = torch.randn(1000, 1000)
        self.step = torch.compile(lambda x, w: ((x @ w).relu() * 2).sum())
        self._sums = self.traced.sum().item(), self.traced.sin().sum().item()
        self.generator = torch.Generator()
        self._number = 0
        self.stop = threading.Event()

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
        assert abs(found - right) < 1e-3 * max(1, abs(right)), (found, right)

    def pulled(self) -> None:
        """Pull a covector back to a leaf that other threads pull to."""
        (self.x @ self.w).sum().backward()

    def worked(self) -> None:
        """Work on arrays that are large enough for threads."""
        self.large.softmax(1)
        (self.large * 2 + 1).sum()

    def jobs(self) -> list[Callable[[], None]]:
        """Return all of it."""
        return [self.called, self.drawn, self.compiled, self.pulled, self.worked]

    def repeat(self, job: Callable[[], None]) -> None:
        """Do one of them until all stop."""
        while not self.stop.is_set():
            job()


def _child(job: Callable[[], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    faulthandler.dump_traceback_later(PATIENCE * 0.8)  # where it waits
    try:
        job()
        code = 0
    except BaseException:  # noqa: BLE001  # whatever it is, the child must not go on as its parent
        traceback.print_exc()
    finally:
        os._exit(code)


def _ended(pid: int) -> str | None:
    """Wait for a child; what was wrong with its end."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return None if code == 0 else f"ended with {code}"
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "deadlocked"


def forks(count: int, seed: int = 0) -> list[str]:
    """Fork so many times; what went wrong."""
    warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads: they are the attack
    load, chance = Load(), random.Random(seed)
    load.called()
    threads = [threading.Thread(target=load.repeat, args=(job,), daemon=True) for job in load.jobs()]
    for thread in threads:
        thread.start()
    wrong: Counter[str] = Counter()
    for number in range(count):
        time.sleep(chance.random() * 0.05)
        job: Any = load.jobs()[number % len(load.jobs())]
        if (end := _ended(_child(job))) is not None:
            wrong[f"a child that {job.__name__} {end}"] += 1
    load.stop.set()
    for thread in threads:
        thread.join()
    return [f"{times} times: {what}" for what, times in wrong.items()]


