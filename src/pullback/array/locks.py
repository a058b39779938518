"""Every lock of the package, so that a forked child finds them free.

A child has one thread: what another thread of its parent held when it forked nobody would ever release there.
Python frees its own locks in the child; this module does the same for those that are made here, and then runs
what modules ask for, such as forgetting threads that stayed in the parent.

A lock that says that something is half done must not be freed but waited for. That of a module which another
thread imports is one: Python leaves it locked in the child, where the first import of that module would wait
for ever. So a fork waits until no module that this package loads on demand is being imported, then for what
other modules ask for. What is half imported nevertheless the child imports again.
"""

from __future__ import annotations

import _imp
import _thread
import functools
import os
import sys
import time
import weakref
from collections.abc import Callable
from importlib import _bootstrap
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

if TYPE_CHECKING:
    # It takes 0.5 ms of an import; the locks themselves are `_thread`'s.
    import threading

_T = TypeVar("_T")

#: Seconds that a fork waits for other threads at most, and for one that may be about to begin.
PATIENCE, _MOMENT = 30.0, 0.1

#: What this package imports while it runs. A program's own modules may take as long as the program to import.
_AWAITED = sys.stdlib_module_names | {
    __name__.partition(".")[0], "llvmlite", "ml_dtypes", "numpy", "safetensors", "scipy",
}  # fmt: skip

#: What has Python's own way to be made anew in a child: locks and conditions.
_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_in_child: list[Callable[[], None]] = []
_around: list[tuple[Callable[[], None], Callable[[bool], None]]] = []


def held(lock: _T) -> _T:
    """Return a lock, which is free in a forked child."""
    _locks.add(lock)
    return lock


def lock() -> threading.Lock:
    """Return a new lock."""
    return held(_thread.allocate_lock())


def reentrant_lock() -> threading.RLock:
    """Return a new lock that its thread may take again."""
    return held(_thread.RLock())


def condition() -> threading.Condition:
    """Return a new condition with a lock of its own."""
    from threading import Condition

    return held(Condition())


#: Held while modules of the compiler are imported. Where one thread imports a package and another a part of
#: it, each waits for the other, and Python ends one of the imports with an error.
importing = reentrant_lock()


def in_child(function: Callable[[], None]) -> None:
    """Have a function called in every forked child, when all locks are free."""
    _in_child.append(function)


def around_fork(before: Callable[[], None], after: Callable[[bool], None]) -> None:
    """Have functions called before every fork, while nothing is imported, and after it in the parent and in
    the child, when all locks are free; the second is told whether it is in the child.
    """
    _around.append((before, after))


class computed(functools.cached_property[_T]):
    """A property that is computed once, whichever threads ask: Python's own has no lock from 3.12 on. What is
    computed stands in the object, where later calls find it without coming here.
    """

    def __init__(self, function: Callable[[Any], _T]) -> None:
        super().__init__(function)
        self.lock = reentrant_lock()

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> _T: ...
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | _T:
        """Compute it, or take what another thread has just computed."""
        with self.lock:
            return super().__get__(instance, owner)


def once(make: Callable[[], _T]) -> Callable[[], _T]:
    """Return a function that gives what `make` gave the first of all threads: as fast as `functools.cache`,
    which has several threads call it where the first call takes long.
    """
    turn = reentrant_lock()
    made: list[_T] = []

    @functools.wraps(make)
    def first() -> _T:
        with turn:
            if not made:
                made.append(make())
        return made[0]

    return functools.cache(first)


class _Imports:
    """Keep other threads from importing while the process is forked, by Python's own lock."""

    def __init__(self) -> None:
        self._is_held = False

    def rest(self) -> None:
        """Wait until no other thread imports what is awaited; none can begin to from then on."""
        start = time.monotonic()
        while True:
            _imp.acquire_lock()
            self._is_held = True
            waited = time.monotonic() - start
            if all(waited >= (_MOMENT if owner is None else PATIENCE) for owner in self._importers()):
                return
            self.go_on()
            time.sleep(0.001)

    def _importers(self) -> list[int | None]:
        """Return the threads that import what is awaited; None for one that may be about to."""
        return [owner for name, owner in self._others() if name.partition(".")[0] in _AWAITED]

    @staticmethod
    def _others() -> list[tuple[str, int | None]]:
        """Return the modules whose locks other threads hold or are about to take, and these threads."""
        known = getattr(_bootstrap, "_module_locks", {})
        locks = [(name, lock()) for name, lock in list(known.items())]
        me = _thread.get_ident()
        return [(name, lock.owner) for name, lock in locks if lock is not None and lock.owner != me]

    def forget(self) -> None:
        """Forget, in a child, what threads of the parent were importing."""
        for name, owner in self._others():
            _bootstrap._module_locks.pop(name)  # type: ignore[attr-defined]  # the next import makes another
            if owner is not None and name.partition(".")[0] in _AWAITED:
                sys.modules.pop(name, None)

    def go_on(self) -> None:
        """Let other threads import."""
        if self._is_held:
            self._is_held = False
            _imp.release_lock()


_imports = _Imports()


def _before() -> None:
    _imports.rest()
    for before, _ in _around:
        before()


def _after(in_child: bool) -> None:
    for _, after in reversed(_around):
        after(in_child)
    _imports.go_on()


def _begin() -> None:
    _imports.forget()
    for found in list(_locks):
        found._at_fork_reinit()
    _after(True)
    for function in _in_child:
        function()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=functools.partial(_after, False), after_in_child=_begin
    )
