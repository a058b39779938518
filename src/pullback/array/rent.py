"""Say when native code that gives NumPy's bits pays: rent, then buy, from one account.

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
    """Hold what all have paid, and what has come of it.

    Attributes
    ----------
    paid : float
        Nanoseconds.
    arrivals : int
        How often another process has made machine code.
    compiles_apart : bool
        Whether other processes compile; the compiler finds out when it first wants one.
    is_open : bool
        Whether what runs machine code is imported.
    pays_apart : bool
        Whether what was paid is worth another process.
    """

    __slots__ = ("arrivals", "compiles_apart", "is_open", "paid", "pays_apart")

    def __init__(self) -> None:
        self.paid, self.arrivals = 0.0, 0
        self.compiles_apart, self.is_open, self.pays_apart = True, False, False


account = Account()


class Rent:
    """Count what work of one kind costs in NumPy, until native code pays.

    Attributes
    ----------
    bought : object
        What was bought, for those who keep it here; a copy has to earn it again.
    """

    __slots__ = ("_due", "_is_due", "_pause", "_seen", "_times", "bought")

    def __init__(self) -> None:
        self._due, self._is_due = 0.0, False
        #: How many arrivals there had been when it was not on disk.
        self._seen = -1
        #: How many times the next look at what the work costs is for, and how many are to pass before it.
        self._times, self._pause = 1, 0
        self.bought: Any = None

    def __reduce__(self) -> Any:
        return Rent, ()

    def pays(self, nanoseconds: float) -> bool:
        """Return whether it is time to ask for native code: the work so far, with what is to be done now, has
        cost as much.
        """
        if self._is_due or not large.is_there():
            return self._is_due
        self._due += nanoseconds
        # What is worth native code at once does not pay for all else.
        account.paid += min(nanoseconds, COMPILER)
        if account.paid >= APART and not account.pays_apart:
            account.pays_apart = True
            account.arrivals += 1
        if self._seen >= 0 and account.compiles_apart:
            self._is_due = self._seen != account.arrivals
        else:
            self._is_due = self._left() <= 0
        return self._is_due

    def _left(self) -> float:
        """Return what is still to be paid."""
        whole, own = (OPEN, KERNEL) if self._seen < 0 else (COMPILER, LOOP)
        there = account.is_open if self._seen < 0 else "llvmlite.binding" in sys.modules
        return max(own - self._due, 0 if there else whole - account.paid)

    def pays_seldom_asked(self, cost: Callable[[], float]) -> bool:
        """Return the same of work that is done again and again, whose cost in nanoseconds takes time to find
        out: as long as a tenth of an optimizer's small step. It is not asked for each time.
        """
        if self._is_due or not large.is_there():
            return self._is_due
        if self._seen >= 0 and account.compiles_apart:
            return self.pays(0)
        if self._pause:
            self._pause -= 1
            return False
        now = cost()
        if now and not self.pays(self._times * now):
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
