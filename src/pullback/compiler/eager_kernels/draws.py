"""A native loop that fills the arrays of many random draws, one after another from one stretch of words.

A compiled program draws all that it draws before it computes. By array kernels a draw of a few hundred
numbers takes 10 to 70 µs, nearly all of it Python's; together they take what their numbers take. The bits are
those of `array.random_normal`, `array.random_uniform` and `array.random_transform`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.random_integer import TWO_WORDS_FROM
from ...array.random_normal import BLOCK
from ..emit.codegen import PLACED
from ..runtime import cache, engine
from .jobs import Job

#: Larger draws are shared out among threads, each by itself.
MOST = 1 << 16
#: The fields of a row: where its words begin, the address of its array, how many blocks of normal numbers in
#: float32 and in float64, numbers in [0, 1) of one and of two words, trials and integers there are, two
#: numbers in float32, or in float64 the first and the second, and the limits of a trial's two words, or how
#: many integers there are to choose from, and the least.
FIELDS = (
    "from", "out", "blocks", "wide_blocks", "singles", "doubles", "trials", "integers", "factors", "second",
    "high", "low",
)  # fmt: skip


class Row:
    """One array, or a part of it, that a draw fills: how many `words` it takes, and the `offset` where it
    begins in its array, in bytes.
    """

    def __init__(
        self, words: int, offset: int = 0, factors: tuple[float, float] = (0, 0), **fields: int
    ) -> None:
        self.words, self.offset = words, offset
        dtype = np.float64 if "wide_blocks" in fields else np.float32
        numbers = np.array(factors, dtype).view(np.int64).tolist()
        packed = dict(zip(("factors", "second"), numbers, strict=False))
        self.fields = [{**packed, **fields}.get(name, 0) for name in FIELDS]


def rows(name: str, attrs: Sequence[Any], size: int, dtype: Any) -> list[Row] | None:
    """Return the rows of a draw, in the order of the stream; None where it is another kernel's."""
    if not 0 < size <= MOST:
        return None
    if dtype == np.int64 and name in ("random_below", "random_between"):
        least, stop = (0, attrs[0]) if name == "random_below" else attrs[:2]
        if stop is None or not 0 < stop - least < TWO_WORDS_FROM:
            return None
        return [Row(size, integers=size, high=stop - least, low=least)]
    if name == "normal" and dtype in (np.float32, np.float64) and size >= BLOCK:
        mean, std = attrs[:2]
        if std < 0 or not engine.fused():
            return None
        blocks, each = ("blocks", 1) if dtype == np.float32 else ("wide_blocks", 2)
        made = [Row(each * size, factors=(std, mean), **{blocks: size // BLOCK})]
        if size % BLOCK:
            # torch overwrites the last numbers with those of a block of their own.
            made.append(Row(each * BLOCK, 4 * each * (size - BLOCK), factors=(std, mean), **{blocks: 1}))
        return made
    if dtype == np.float64 and name == "uniform" and tuple(attrs[:2]) == (0, 1):
        return [Row(2 * size, doubles=size)]
    if dtype != np.float32:
        return None
    if name == "uniform" and tuple(attrs[:2]) == (0, 1):
        return [Row(size, singles=size)]
    if name in ("bernoulli_number", "dropout_noise"):
        p = attrs[0] if name == "bernoulli_number" else 1 - attrs[0]
        if not 0 <= p <= 1 or (name == "dropout_noise" and p == 0):
            return None
        # u < p of 53 bits compares whole numbers.
        high, low = divmod(math.ceil(math.ldexp(p, 53)), 2**32)
        value = 1 if name == "bernoulli_number" else np.float32(1) / np.float32(p)
        return [Row(2 * size, factors=(float(value), 0), trials=size, high=high, low=low)]
    return None


class Draws:
    """Draws that follow each other in a stream."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = np.array([row.fields for row in rows], np.int64)
        counts = [row.words for row in rows]
        self._rows[:, 0] = np.cumsum([0, *counts[:-1]])
        self._words = sum(counts)
        self._offsets = np.array([row.offset for row in rows], np.int64)
        self._at = self._rows.ctypes.data

    def fill(self, generator: Any, addresses: Sequence[int]) -> None:
        """Draw what the arrays at some addresses, one for each row, are filled with."""
        with generator.lock:
            words: ndarray = generator.words(self._words)
            np.add(addresses, self._offsets, out=self._rows[:, 1])
            begun().run(len(self._rows), 1, (words.ctypes.data, self._at))


@functools.cache
def begun() -> Job:
    """Return the loop, which may still be compiled."""
    # There is one for a processor: no text is written to find it.
    return Job(engine.named(cache.key("draws"), _text, PLACED))


def _text() -> str:
    from .draws_text import text  # what writes it takes 13 ms to import, and the loop is mostly found on disk

    return text()
