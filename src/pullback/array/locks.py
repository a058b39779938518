"""Every lock of the package, so that a forked child finds them free.

A child has one thread: what another thread of its parent held when it forked nobody would ever release there.
Python frees its own locks in the child; this module does the same for those that are made here, and then runs
what modules ask for, such as forgetting threads that stayed in the parent.
"""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")

#: What has Python's own way to be made anew in a child: locks and conditions.
_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_in_child: list[Callable[[], None]] = []


def held(lock: _T) -> _T:
    """Return a lock, which is free in a forked child."""
    _locks.add(lock)
    return lock


def lock() -> threading.Lock:
    """Return a new lock."""
    return held(threading.Lock())


def reentrant_lock() -> threading.RLock:
    """Return a new lock that its thread may take again."""
    return held(threading.RLock())


def condition() -> threading.Condition:
    """Return a new condition with a lock of its own."""
    return held(threading.Condition())


def in_child(function: Callable[[], None]) -> None:
    """Have a function called in every forked child, when all locks are free."""
    _in_child.append(function)


class computed(functools.cached_property[_T]):
    """A property that is computed once. Python 3.11's own has a lock for all objects of the class."""

    def __init__(self, function: Callable[[Any], _T]) -> None:
        super().__init__(function)
        if (lock := getattr(self, "lock", None)) is not None:
            held(lock)


def _begin() -> None:
    for found in list(_locks):
        found._at_fork_reinit()
    for function in _in_child:
        function()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin)
