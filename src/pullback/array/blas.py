"""NumPy's and SciPy's OpenBLAS: the number of their threads.

Optional: where they were built with another BLAS, nothing is found and nothing changes.

OpenBLAS ends its threads before a fork, and does not expect one of them to be at work for another thread of
the program. Then the fork waits for ever, and the first large product of the child waits for a lock that
nobody frees. So a fork waits here until OpenBLAS's threads sleep, and such a child multiplies on one thread.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from . import locks, scipy_functions

#: What threads that only this package uses are called, also by the system. They never multiply by OpenBLAS's
#: threads.
OWN_THREAD = "pullback-worker"

#: Seconds that a fork waits for OpenBLAS's threads at most: after their last task they look for another for
#: some 25 ms.
_PATIENCE = 1.0

_Functions = tuple[Callable[[int], Any], Callable[[], int]]


class OpenBLAS:
    """The library that the extension module is linked to which `extension` imports; NumPy's and SciPy's have
    one each.
    """

    def __init__(self, extension: Callable[[], Any]) -> None:
        self._extension = extension
        self._functions: _Functions | None = None
        self._is_known = False
        self._lock = locks.lock()
        self._users, self._before = 0, 1
        self._is_resting = False

    def functions(self) -> _Functions | None:
        """Return its setter and getter, by the names that wheels or distributions give them, or None."""
        if not self._is_known:
            self._functions, self._is_known = self._found(), True
        return self._functions

    def _found(self) -> _Functions | None:
        try:
            library = ctypes.CDLL(self._extension().__file__)  # finds what the extension module is linked to
        except OSError:
            return None
        for prefix, suffix in (("scipy_", "64_"), ("scipy_", ""), ("", "64_"), ("", "")):
            setter, getter = (
                getattr(library, f"{prefix}openblas_{name}{suffix}", None)
                for name in ("set_num_threads", "get_num_threads")
            )
            if setter is not None and getter is not None:
                return setter, getter
        return None

    def set_num_threads(self, count: int) -> None:
        """Give it `count` threads, where it can be told."""
        if (functions := self.functions()) is not None:
            with self._lock:
                self._before = count
                if not self._users:
                    functions[0](count)

    def single_threaded(self) -> OpenBLAS:
        """Return a context in which each call runs on the thread that asks for it: the caller spreads the
        work itself, or it is not worth spreading.

        OpenBLAS makes threads that ask at the same time wait for one another, so products on two threads that
        may each use two threads run one after the other.
        """
        return self

    def is_held(self) -> bool:
        """Return whether some call is in such a context."""
        return self._users > 0

    def __enter__(self) -> None:
        if (functions := self.functions()) is not None:
            with self._lock:
                if not self._users:
                    self._before = functions[1]()
                    if self._before != 1:
                        functions[0](1)
                self._users += 1

    def __exit__(self, *error: object) -> None:
        if (functions := self.functions()) is not None:
            with self._lock:
                self._users -= 1
                if not self._users and self._before != 1:
                    functions[0](self._before)

    def rest(self) -> None:
        """Keep other threads of the program from OpenBLAS's threads, and wait until these sleep."""
        functions = self.functions() if has_foreign_threads() else None
        # A handler of signals may fork while its thread has the lock.
        if functions is None or not self._lock.acquire(timeout=_PATIENCE):
            return
        self._is_resting = True
        if not self._users:
            self._before = functions[1]()
            functions[0](1)
        end = time.monotonic() + _PATIENCE
        while not _foreign_threads_sleep() and time.monotonic() < end:
            time.sleep(0.001)

    def go_on(self, in_child: bool) -> None:
        """Let OpenBLAS take its threads again, but in a child whose parent had other threads. The child has
        none of those that used it.
        """
        if not self._is_known or self._functions is None:
            return
        if in_child:
            if self._users and not self._is_resting:
                self._functions[0](self._before)
            self._users, self._before = 0, 1
        elif self._is_resting:
            if not self._users:
                self._functions[0](self._before)
            self._lock.release()
        self._is_resting = False


def has_foreign_threads() -> bool:
    """Return whether the program has threads that this package did not start."""
    import threading  # see `locks`

    return any(t.name != OWN_THREAD and t is not threading.current_thread() for t in threading.enumerate())


def _foreign_threads_sleep() -> bool:
    """Return whether threads of others than Python and this package all sleep; True where unknown."""
    import threading

    pythons = {str(thread.native_id) for thread in threading.enumerate()}
    tasks = "/proc/self/task"
    for task in os.listdir(tasks) if os.path.isdir(tasks) else ():
        if task not in pythons:
            try:
                with open(f"{tasks}/{task}/stat", encoding="utf-8") as file:
                    _, _, named = file.read().partition("(")
            except OSError:  # it has ended
                continue
            name, _, fields = named.rpartition(") ")
            if name != OWN_THREAD and fields[0] in "RD":
                return False
    return True


_NUMPY = OpenBLAS(lambda: importlib.import_module("numpy._core._multiarray_umath"))
#: What SciPy's LAPACK computes by. It has threads of its own, which on short work fight over the cores with
#: those of NumPy's and of compiled programs.
SCIPY = OpenBLAS(lambda: scipy_functions.lapack())
set_num_threads, single_threaded, is_held = _NUMPY.set_num_threads, _NUMPY.single_threaded, _NUMPY.is_held

#: Multiplications of a product from which OpenBLAS takes threads, and bytes of what is multiplied up to which
#: they are kept from it: a product of 200 rows of float64 takes 0.4 ms on one thread. On two it may take 10:
#: each waits for the other, which waits for a core where another library's threads still look for work.
TAKES_THREADS, _SHORT = 1 << 18, 1 << 26


def product(x: ndarray, y: ndarray) -> ndarray:
    """Return ``np.matmul(x, y)``, on one thread where that takes less than about half a millisecond."""
    if (work := x.size * y.shape[-1]) < TAKES_THREADS or work * x.itemsize > _SHORT:
        return np.matmul(x, y)
    with single_threaded():
        return np.matmul(x, y)


locks.around_fork(_NUMPY.rest, _NUMPY.go_on)
# That of SciPy is on one thread wherever this package calls it, and need not be loaded.
locks.around_fork(lambda: None, SCIPY.go_on)
