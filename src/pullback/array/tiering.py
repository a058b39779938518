"""Decide when work goes from NumPy to native code that gives the same bits: tier up by an account of cost.

Such code may begin at any call, so nobody waits for it. What NumPy's calls have cost beyond it is counted
here, for all that want some together: when that is what loading machine code costs, it is looked for on disk.
What is not there is compiled by a process of its own (`compiler.runtime.helper_processes`) while NumPy goes
on, and taken when it has come. Where there can be no such process this one compiles, when the calls have cost
what that costs. What is counted is work, never a clock.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from . import large

_T = TypeVar("_T")

#: Nanoseconds that it takes to import what runs machine code, to take one piece of it from disk, and to let
#: another process compile.
OPEN, KERNEL, APART = 6_000_000, 2_000_000, 16_000_000

#: Nanoseconds that LLVM's import costs this process, and a loop that it compiles.
COMPILER, LOOP = 100_000_000, 20_000_000

#: How many times work is done at most between two looks at what it costs.
_SELDOM = 15

#: Whether machine code that is not at hand is done without, for now.
waits: ContextVar[bool] = ContextVar("waits", default=False)


class NotYet(Exception):
    """Say that what takes long to have is not at hand: machine code that another process may be making."""


class Account:
    """Hold what NumPy's calls have cost together, and what has come of it.

    Attributes
    ----------
    spent : float
        Nanoseconds.
    arrivals : int
        How often another process has made machine code.
    compiles_apart : bool
        Whether other processes compile; the compiler finds out when it first wants one.
    is_open : bool
        Whether what runs machine code is imported.
    pays_apart : bool
        Whether what was spent is worth another process.
    """

    __slots__ = ("arrivals", "compiles_apart", "is_open", "spent", "pays_apart")

    def __init__(self) -> None:
        self.spent, self.arrivals = 0.0, 0
        self.compiles_apart, self.is_open, self.pays_apart = True, False, False


account = Account()


class Hotness:
    """Count what work of one kind costs in NumPy, until it is hot: native code pays.

    `compiled` keeps what was compiled, for those who have it here; a copy has to earn it again.
    """

    __slots__ = ("_due", "_is_due", "_pause", "_seen", "_times", "compiled")

    def __init__(self) -> None:
        self._due, self._is_due = 0.0, False
        #: How many arrivals there had been when it was not on disk.
        self._seen = -1
        #: How many times the next look at what the work costs is for, and how many are to pass before it.
        self._times, self._pause = 1, 0
        self.compiled: Any = None

    def __reduce__(self) -> Any:
        return Hotness, ()

    def is_hot(self, nanoseconds: float) -> bool:
        """Return whether it is time to ask for native code: the work so far has cost as much."""
        if self._is_due or not large.is_there():
            return self._is_due
        self._due += nanoseconds
        # What is worth native code at once does not pay for all else.
        account.spent += min(nanoseconds, COMPILER)
        if account.spent >= APART and not account.pays_apart:
            account.pays_apart = True
            account.arrivals += 1
        if self._seen >= 0 and account.compiles_apart:
            self._is_due = self._seen != account.arrivals
        else:
            self._is_due = self._left() <= 0
        return self._is_due

    @property
    def is_cold(self) -> bool:
        """Tell whether native code was not asked for yet, but will be."""
        return self._seen < 0 and not self._is_due and large.is_there()

    def _left(self) -> float:
        """Return how many nanoseconds are missing."""
        whole, own = (OPEN, KERNEL) if self._seen < 0 else (COMPILER, LOOP)
        there = account.is_open if self._seen < 0 else "llvmlite.binding" in sys.modules
        return max(own - self._due, 0 if there else whole - account.spent)

    def is_hot_sampled(self, cost: Callable[[], float]) -> bool:
        """Return the same of work that is done again and again, whose cost in nanoseconds takes time to find
        out: as long as a tenth of an optimizer's small step. It is not asked for each time.
        """
        if self._is_due or not large.is_there():
            return self._is_due
        # Until another process pays, what is not on disk goes on being counted: nothing else may be.
        if self._seen >= 0 and account.compiles_apart and account.pays_apart:
            return self.is_hot(0)
        if self._pause:
            self._pause -= 1
            return False
        if (now := cost()) and not self.is_hot(self._times * now):
            self._times = 1 + int(min(_SELDOM, max(self._left(), 0) / (4 * now)))
            self._pause = self._times - 1
        return self._is_due

    def get(self, make: Callable[..., _T], *given: Any) -> _T | None:
        """Return what a function makes with machine code; None where that is not at hand. The function must
        have done nothing when it asks for the code.
        """
        if not account.is_open:
            account.is_open = True
            large.look_for_compiler()
        if not large.is_there():
            return None
        before = account.arrivals
        if self._seen < 0 or account.compiles_apart:
            token = waits.set(True)
            try:
                return make(*given)
            except NotYet:
                self._seen = before
            finally:
                waits.reset(token)
            self._is_due = not account.compiles_apart and self._left() <= 0
        return make(*given) if self._is_due else None

    def ask(self, kernel: str, *given: Any) -> Any:
        """Return what a native kernel makes of arrays (`large.ask`), if it is at hand."""
        return self.get(large.ask, kernel, *given)
