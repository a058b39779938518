"""A few threads for work that NumPy does on one: the parts of a large loop run side by side.

NumPy drops the interpreter lock inside its loops, so Python threads are enough. Waking a thread and waiting
for it costs 40 to 80 µs on the target machine, hence nothing here is used below the sizes that the callers
measured.

A job is cut into as many parts as `get_num_threads` says on every thread: when the threads are busy with
another job, or there are none to be had, the caller runs all parts itself: results never depend on what else
goes on.
"""

from __future__ import annotations

import os
from _thread import _local
from collections.abc import Callable
from contextlib import nullcontext

from . import blas, locks
from .quiet import SHORT_BUFFERS, loud, quiet


class _Worker:
    """One thread that runs the function it is handed. A pair of locks wakes it 10 µs sooner than a queue."""

    __slots__ = ("_done", "_error", "_go", "_task")

    def __init__(self) -> None:
        self._go = locks.lock()
        self._done = locks.lock()
        self._go.acquire()
        self._done.acquire()
        self._task: Callable[[], None] | None = None
        self._error: BaseException | None = None
        from threading import Thread  # with the first thread: it takes 0.5 ms of an import

        Thread(target=self._run, name=blas.OWN_THREAD, daemon=True).start()

    def _run(self) -> None:
        _inside.active = True
        quiet(SHORT_BUFFERS)
        while True:
            self._go.acquire()
            task = self._task
            assert task is not None
            try:
                task()
            except BaseException as error:  # noqa: BLE001  # handed to the thread that waits
                self._error = error
            del task
            self._task = None
            self._done.release()

    def start(self, task: Callable[[], None]) -> None:
        self._task = task
        self._go.release()

    def wait(self) -> BaseException | None:
        self._done.acquire()
        error, self._error = self._error, None
        return error


_inside = _local()
_busy = locks.lock()
_workers: list[_Worker] = []
_count = 0
_set = False


def _default_count() -> int:
    setting = os.environ.get("OMP_NUM_THREADS", "")
    return int(setting) if setting.isdecimal() and int(setting) > 0 else processors()


def processors() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def get_num_threads() -> int:
    """Return the number of threads of large kernels: OMP_NUM_THREADS, else the cores of this process."""
    global _count
    if not _count:
        _count = _default_count()
    return _count


def set_num_threads(count: int) -> None:
    """Use `count` threads from now on, in these kernels and in BLAS."""
    global _count, _set
    if count <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _count, _set = count, True
    blas.set_num_threads(count)


def were_set() -> bool:
    """Return whether `set_num_threads` was called."""
    return _set


def run_parts(part: Callable[[int], None], parts: int, *, uses_blas: bool = False) -> None:
    """Call ``part(0) … part(parts - 1)``, side by side where threads are free, and return when all are done.

    A part must write to places of its own only; part ``i`` runs after part ``i - threads`` on the same
    thread. The first exception that one raises is raised here. With `uses_blas` BLAS keeps to one thread per
    part meanwhile.
    """
    threads = min(get_num_threads(), parts)
    token = quiet(SHORT_BUFFERS)
    try:
        if threads <= 1:
            for index in range(parts):
                part(index)
            return
        free = not getattr(_inside, "active", False) and _busy.acquire(blocking=False)
        try:
            with blas.single_threaded() if uses_blas else nullcontext():
                _run_on_threads(part, parts, threads if free else 1)
        finally:
            if free:
                _busy.release()
    finally:
        loud(token)


def _run_on_threads(part: Callable[[int], None], parts: int, threads: int) -> None:
    def share(first: int) -> Callable[[], None]:
        def run() -> None:
            for index in range(first, parts, threads):
                part(index)

        return run

    while len(_workers) < threads - 1:
        try:
            _workers.append(_Worker())
        except RuntimeError:  # the platform has no threads, as a browser's Python has none, or gives no more
            threads = len(_workers) + 1
    helpers = _workers[: threads - 1]
    for position, worker in enumerate(helpers, 1):
        worker.start(share(position))
    try:
        share(0)()
    finally:
        # Wait for all even when this thread's own share failed: the parts write into the caller's arrays.
        errors = [worker.wait() for worker in helpers]
    for error in errors:
        if error is not None:
            raise error


def worthwhile(work: int, worth: int) -> int:
    """Return how many threads work pays for: two from `worth` on, and one more for each further half of it.

    When each kernel took all of 16 threads from `worth` on, here 262,144 elements, a step of graph
    convolutions that gathers 384,000 took 3,233 µs, on one thread 1,784.
    """
    return min(get_num_threads(), 2 * work // worth) if work >= worth else 1


def stretches(length: int, work: int, worth: int) -> list[tuple[int, int]]:
    """Return the bounds of nearly equal stretches of ``range(length)``, one for each `worthwhile` thread."""
    return split(length, worthwhile(work, worth))


def split(length: int, parts: int) -> list[tuple[int, int]]:
    """Return the bounds of at most `parts` nearly equal stretches of ``range(length)``."""
    parts = max(1, min(parts, length))
    return [(length * i // parts, length * (i + 1) // parts) for i in range(parts)]


def _forget_threads() -> None:
    """Forget the parent's threads, of which a forked child has none."""
    _workers.clear()


locks.in_child(_forget_threads)
