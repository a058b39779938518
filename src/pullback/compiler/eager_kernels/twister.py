"""A native loop that makes the next blocks of words of a Mersenne twister, as NumPy's MT19937 makes them.

Matsumoto and Nishimura 1998, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random
number generator": the recurrence in place, then the tempering of each word.
"""

from __future__ import annotations

from collections.abc import Callable

from numpy import ndarray

from ...array.random import STATE_WORDS
from ..emit.restricted_python import Bytes, Int, apart, load, native, store
from ..runtime.shared_kernels import address
from .jobs import Jobs

#: How far the word that is mixed in lies ahead.
AHEAD = 397


class Twister(Jobs):
    """The loop, made when it is first asked for."""

    def filler(self) -> Callable[[ndarray, ndarray], None]:
        """Return ``fill(key, out)``, which writes blocks of words and leaves the last one's key."""
        # A block follows from the one before: all of them are one part.
        job = self.native(blocks, 4)
        return lambda key, out: job.run(out.size // STATE_WORDS, 1, (address(key), address(out)))


@native
def blocks(key: Bytes, out: Bytes, part: Int, lo: Int, hi: Int) -> None:
    """Write the next blocks of words."""
    for block in range(lo, hi):
        for n in range(STATE_WORDS - AHEAD):
            twist(key, n, n + 1, n + AHEAD)
        for n in range(STATE_WORDS - AHEAD, STATE_WORDS - 1):
            twist(key, n, n + 1, n + AHEAD - STATE_WORDS)
        twist(key, STATE_WORDS - 1, 0, AHEAD - 1)
        for n in apart(0, STATE_WORDS):
            word = load(key + 4 * n, 32)
            word = word ^ (word >> 11)
            word = word ^ ((word << 7) & 0x9D2C5680)
            word = word ^ ((word << 15) & 0xEFC60000)
            store(out + 4 * (block * STATE_WORDS + n), 32, word ^ (word >> 18))


@native
def twist(key: Bytes, n: Int, after: Int, ahead: Int) -> None:
    """Write the next word at a place."""
    low = load(key + 4 * after, 32)
    joined = (load(key + 4 * n, 32) & 0x80000000) | (low & 0x7FFFFFFF)
    last = (0 - (low & 1)) & 0x9908B0DF
    store(key + 4 * n, 32, load(key + 4 * ahead, 32) ^ (joined >> 1) ^ last)
