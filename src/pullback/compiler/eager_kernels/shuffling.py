"""A native loop that shuffles as `array.random_integer.shuffle_in_turn` does: one swap after the other."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from ..emit.restricted_python import Bytes, Int, Words, load, native
from ..runtime.shared_kernels import address
from .jobs import Jobs


class Shuffling(Jobs):
    """The loop, made when it is first asked for."""

    def shuffled(self, words: ndarray) -> ndarray:
        """Return the integers up to the number of words in the order that these random words give."""
        order, words = np.arange(words.size + 1), np.ascontiguousarray(words)
        # A swap follows from the one before: all of them are one part.
        self.native(swaps, 4).run(words.size, 1, (address(order), address(words)))
        return order


@native
def swaps(order: Words, words: Bytes, part: Int, lo: Int, hi: Int) -> None:
    """Swap each element with one that is not before it."""
    for n in range(lo, hi):
        word = load(words + 4 * n, 32)
        rest = hi + 1 - n
        place = n + word - word // rest * rest
        moved = order[n]
        order[n] = order[place]
        order[place] = moved
