"""Do many pieces of work in processes that are watched: one that ends or stands still is replaced."""

from __future__ import annotations

import json
import mmap
import os
import select
import signal
import struct
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager

#: Seconds that a piece of work may take.
CLOCK = 120.0

#: A block in which pieces of work are done by their numbers. A piece gives how it ended; with a colon in it,
#: that is wrong.
Begun = Callable[[], AbstractContextManager[Callable[[int], str]]]


def _work(numbers: range, begun: Begun, at: mmap.mmap, out: int) -> None:
    """Do some pieces; how they end goes to `out`, the number of the present one to `at`."""
    ends: Counter[str] = Counter()

    def tell(what: object) -> None:
        os.write(out, json.dumps(what).encode() + b"\n")

    with begun() as piece:
        for number in numbers:
            at[:8] = struct.pack("<q", number)
            end = piece(number)
            if ":" in end:
                tell(end)
            ends[end if ":" not in end else "what went wrong"] += 1
            if ends.total() == 100:
                tell(ends)
                ends.clear()
    tell(ends)


class _Worker:
    """A process that does every so many-th piece."""

    def __init__(self, numbers: range, begun: Begun) -> None:
        self.numbers = numbers
        self.at = mmap.mmap(-1, 8)
        self.at[:8] = struct.pack("<q", -1)
        read, write = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            code = 1
            try:
                os.close(read)
                _work(numbers, begun, self.at, write)
                code = 0
            except Exception:  # noqa: BLE001  # whatever it is, the process must not go on as its parent
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(write)
        self.pipe = os.fdopen(read, "rb", buffering=0)
        self.last, self.since = -1, time.monotonic()

    def number(self) -> int:
        """Return the piece that it does now."""
        return int(struct.unpack("<q", self.at[:8])[0])

    def is_stuck(self) -> bool:
        """Return whether it has done the same piece for too long."""
        if self.number() != self.last:
            self.last, self.since = self.number(), time.monotonic()
        return time.monotonic() - self.since > CLOCK


def watched(count: int, begun: Begun, jobs: int = 2, name: Callable[[int], str] = str) -> list[str]:
    """Do so many pieces of work; what went wrong."""
    workers = [_Worker(range(first, count, jobs), begun) for first in range(min(jobs, count))]
    ends: Counter[str] = Counter()
    wrong: list[str] = []
    while workers:
        ready, _, _ = select.select([w.pipe for w in workers], [], [], 1.0)
        for worker in list(workers):
            stuck = worker.is_stuck()
            if stuck:
                os.kill(worker.pid, signal.SIGKILL)
            elif worker.pipe not in ready:
                continue
            if not stuck and (line := worker.pipe.readline()):
                told = json.loads(line)
                if isinstance(told, dict):
                    ends.update(told)
                else:
                    wrong.append(told)
                continue
            code = os.waitstatus_to_exitcode(os.waitpid(worker.pid, 0)[1])
            worker.pipe.close()
            workers.remove(worker)
            if code:
                number = worker.number()
                if number < 0:
                    raise RuntimeError("a process ended before it began to work")
                wrong.append(f"{name(number)}: " + (f"hang of {CLOCK} s" if stuck else f"crash: {code}"))
                step = worker.numbers.step
                workers.append(_Worker(range(number + step, count, step), begun))
    for end, times in sorted(ends.items()):
        print(f"  {times} ended in {end}", flush=True)
    return wrong
