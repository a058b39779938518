"""Choose among the programs of a function that has all that it may have, and make more for what comes again.

A function that decodes with ``cache[:, : n + 1]`` is called with another length each time, and with the same
lengths for the next text. When it has as many programs as it may have, what was called before and comes again
gets one, too, as long as the programs that there are serve calls. Once five seconds have gone into such
programs, they have to pay: those made since take no more time than it would take to do eagerly the calls that
programs served or that came again. Programs are tried in the order in which they came last time, and hardly
ever once they no longer fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter as _now
from typing import Any

from .specialised_source import MISS
from .specialization import kinds_of

#: After so many calls in a row that no program fitted, only one of `_RARELY` or more looks for one: comparing
#: what eight programs depend on took 0.5 ms a call, twice what it then did eagerly.
_PATIENCE, _RARELY = 64, 16
#: Arguments, items of lists included, for which a miss counts once more, as a look takes time for each: at a
#: batch of 512 tensors in 128 named tuples 5 ms, as long as what was then done eagerly.
_MANY = 64
#: As many misses counts a program that ran until it found its numbers to be others: it took 2 ms of a step of
#: 20 ms with a residual quantizer, which has a program for each set of entries that are not used.
_RAN = 8
#: The share of the time of eager calls that rare looks may take, and how rare they get at most: 17 programs
#: that drawn numbers decide between took 5 ms to look at, before a step of 1.6 ms.
_SHARE, _RAREST = 0.03, 256
#: Calls done eagerly in the time of a look in vain, each of which counts as a miss, up to so many.
_DEAR = 8
#: Seconds that may be lost to programs of calls that come again before these have to pay for more. Of 200
#: calls of a step of 4 ms with 100 sizes, 50 were traced, in 22 times what all calls took.
_CREDIT = 5.0
#: An eager call counts as no longer than so many times those before: one of 200 compiled kernels in 2.6 s.
_SLOWER = 1.25
#: Calls that were done eagerly and are remembered.
_REMEMBERED = 1_000


class Recurring:
    """The programs of a function that runs eagerly where none fits, by the short `ways` through them, and how
    many may still be made.
    """

    def __init__(self, ways: list[Callable[..., Any]], left: int) -> None:
        self.ways = ways
        self._left = left
        #: By each way, the one that was taken after it.
        self._next: dict[Any, Callable[..., Any]] = {}
        self._last: Callable[..., Any] | None = None
        #: Calls that programs served, less the programs that were made for it.
        self._served = 0
        self._missed = self._asked = 0
        #: When the last look began, how long it took in vain, and how rare looks are to be.
        self._begun = _now()
        self._looked = 0.0
        self._rarely = _RARELY
        #: What an eager call takes, how many calls' time pays for programs, and what those made have taken.
        self._pace = 0.0
        self._paying = 0
        self._spent = 0.0
        #: The hashes of what those calls were given.
        self._seen: set[int] = set()

    def call(self, args: Any, kwargs: Any) -> Any:
        """Call the short way that is expected, then the others."""
        if self._rests():
            return MISS
        self._begun = _now()
        expected = self._next.get(self._last)
        if expected is not None and (result := expected(args, kwargs)) is not MISS:
            self._last = expected
            self.serve()
            return result
        for way in self.ways:
            if way is not expected and (result := way(args, kwargs)) is not MISS:
                self._next[self._last] = way
                self._last = way
                self.serve()
                return result
        self._last = None
        return MISS

    def _rests(self) -> bool:
        return self._missed > _PATIENCE and self._missed % self._rarely > 0

    def serve(self) -> None:
        """Note that a program has done a call."""
        self._served += 1
        self._paying += 1
        self._missed = 0

    def passes(self) -> bool:
        """Return whether no program is looked for in a call, and note it."""
        rests = self._rests()
        self._missed += rests
        return rests

    def wants(self, leaves: Sequence[Any], spec: object, ran: int, price: float) -> bool:
        """Return whether a call that no program fits gets one, which takes `price` seconds to make; `ran`
        programs ran for nothing.
        """
        stands_for = self._rarely if self._missed > _PATIENCE else 1  # calls that rest, too
        self._looked = _now() - self._begun
        # At most to where it begins to rest, or one call of some would never be that which looks.
        most = max(_PATIENCE, self._missed) + 1
        self._missed = min(self._missed + 1 + len(leaves) // _MANY + ran * _RAN, most)
        if not self._left:
            return False
        key = hash((spec, *kinds_of(leaves, frozenset())))
        if key not in self._seen:
            if len(self._seen) < _REMEMBERED:
                self._seen.add(key)
            return False
        self._paying += stands_for
        if self._spent + price > _CREDIT + self._paying * self._pace:
            return False
        self._asked += 1
        if self._served:
            self._served -= 1
        elif self._asked & self._asked - 1:
            # Unless it is the first, second, fourth, eighth … one: a buffer that fills has come to its end.
            return False
        self._left -= 1
        self._spent += price
        self._missed = 0
        return True

    def eagerly(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call the function after a look in vain, and weigh the time of the one against that of the other."""
        begun = _now()
        result = function(*args, **kwargs)
        took = _now() - begun
        self._pace = min(took, _SLOWER * self._pace or took)
        dear = self._looked / max(took, 1e-9)
        self._rarely = min(max(_RARELY, int(dear / _SHARE)), _RAREST)
        if self._missed <= _PATIENCE:
            self._missed = min(self._missed + min(int(dear), _DEAR), _PATIENCE + 1)
        return result
