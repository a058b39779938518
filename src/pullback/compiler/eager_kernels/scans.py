"""Native loops along rows in which an element depends on those before it: running sums and products, the
first few in order.

A running sum of float32 is kept in float64, as torch keeps it. A chain of additions leaves the processor idle
most of the time, so several rows go side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..emit.restricted_python import Bytes, Int, Real, Words, apart, load, load_real, native, room, store
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import FLOATS, Job, Jobs

#: Rows side by side. Of eight whose length is a power of two, what is read and written falls on the same
#: lines of the cache: 1,024 rows of as many float64 take 1.5 to 7.7 ms, four at a time 0.6; float32 either
#: way 0.6.
TOGETHER = 4
#: What is combined in running sums and products.
SUMMED, _COMBINED = (*FLOATS, np.dtype(np.int64)), ("add", "multiply")
#: Nanoseconds for an element of a running sum, in rows and down columns, and for one that is looked at for
#: the first few.
SUM, DOWN, LOOK = 0.8, 0.4, 0.8
#: The most that is looked for: what is found is kept in order, and putting one in its place takes as long as
#: there are places.
FEW = 64

#: Of each job: bytes and bits of an element, whether it is a floating number, whether elements are added, and
#: whether they come from the end, or the largest first.
SIZE, BITS, REAL, ADDS, REVERSE = 4, 32, 1, 1, 0


class Running(Jobs):
    """The loops, made when they are first asked for."""

    def _gathering(
        self, function: Callable[..., None], name: str, dtype: np.dtype[Any], reverse: bool, **more: int
    ) -> Job:
        real, adds = int(dtype.kind == "f"), int(name == "add")
        return self.native(function, dtype.itemsize, REAL=real, ADDS=adds, REVERSE=int(reverse), **more)

    def gathered(self, name: str, x: ndarray, out: ndarray, reverse: bool) -> bool:
        """Write running sums or products of rows ``(rows, length)``; return whether it was done."""
        if x.dtype not in SUMMED or name not in _COMBINED:
            return False
        together = TOGETHER if len(x) > 1 else 1
        job = self._gathering(rows_gathered, name, x.dtype, reverse, TOGETHER=together)
        groups = -(-len(x) // together)
        parts = parallel_rows.count(groups, x.size * SUM, False, parallel_rows.FINE)
        job.run(groups, parts, (address(x), address(out), len(x), x.shape[1]))
        return True

    def down(self, name: str, x: ndarray, out: ndarray, reverse: bool) -> bool:
        """Return the same down the columns of each matrix of ``(count, length, columns)``; whether that was
        done. What is gathered starts as its first element, as in NumPy.
        """
        if x.dtype not in SUMMED or name not in _COMBINED:
            return False
        count, length, columns = x.shape
        job = self._gathering(columns_gathered, name, x.dtype, reverse)
        parts = parallel_rows.count(columns, x.size * DOWN, False, parallel_rows.FINE)
        totals = np.empty(columns, np.int64 if x.dtype.kind == "i" else np.float64)
        job.run(columns, parts, (address(x), address(out), address(totals), count, length, columns))
        return True

    def first(self, x: ndarray, places: ndarray, descending: bool) -> bool:
        """Return the first places of each row of ``(rows, length)`` in order, as many as there is room for;
        equal elements keep their order, and nan is the largest. Whether that was done.
        """
        count = places.shape[1]
        if x.dtype not in FLOATS or not 0 < count <= FEW:
            return False
        job = self.native(first_of_rows, x.itemsize, REVERSE=int(descending))
        parts = parallel_rows.count(len(x), x.size * LOOK, False)
        values = np.empty((parts, FEW))
        fields = (address(x), address(places), address(values), x.shape[1], count)
        job.run(len(x), parts, fields)
        return True


@native
def rows_gathered(x: Bytes, out: Bytes, rows: Int, length: Int, part: Int, lo: Int, hi: Int) -> None:
    """Gather along a part's share of groups of rows; beyond the last one that is computed again."""
    totals = room(TOGETHER)
    for group in range(lo, hi):
        a = group * TOGETHER * length
        b = a + length if group * TOGETHER + 1 < rows else a
        c = b + length if group * TOGETHER + 2 < rows else b
        d = c + length if group * TOGETHER + 3 < rows else c
        for k in range(TOGETHER):
            begin(totals + k)
        for n in range(length):
            at = length - 1 - n if REVERSE == 1 else n
            gather(totals, x + (a + at) * SIZE, out + (a + at) * SIZE)
            if TOGETHER > 1:
                gather(totals + 1, x + (b + at) * SIZE, out + (b + at) * SIZE)
                gather(totals + 2, x + (c + at) * SIZE, out + (c + at) * SIZE)
                gather(totals + 3, x + (d + at) * SIZE, out + (d + at) * SIZE)


@native
def columns_gathered(
    x: Bytes, out: Bytes, totals: Words, count: Int, length: Int, columns: Int, part: Int, lo: Int, hi: Int
) -> None:
    """Gather down a part's share of the columns of each matrix."""
    for matrix in range(count):
        for column in apart(lo, hi):
            begin(totals + column)
        for n in range(length):
            line = matrix * length + (length - 1 - n if REVERSE == 1 else n)
            for column in apart(lo, hi):
                at = (line * columns + column) * SIZE
                gather(totals + column, x + at, out + at)


@native
def begin(total: Words) -> None:
    """Let nothing be gathered: 0 + -0 is 0, so a sum of floating numbers starts at -0."""
    if REAL == 1:
        store(total, 64, -0.0 if ADDS == 1 else 1.0)
    else:
        store(total, 64, 0 if ADDS == 1 else 1)


@native
def gather(total: Words, x: Bytes, out: Bytes) -> None:
    """Add a number to what is gathered, or multiply it, and write that."""
    if REAL == 1:
        number = load_real(x, BITS)
        real_after = load_real(total, 64) + number if ADDS == 1 else load_real(total, 64) * number
        store(total, 64, real_after)
        store(out, BITS, real_after)
    else:
        after = total[0] + load(x, BITS) if ADDS == 1 else total[0] * load(x, BITS)
        total[0] = after
        store(out, BITS, after)


@native
def first_of_rows(
    x: Bytes, places: Words, kept: Bytes, length: Int, count: Int, part: Int, lo: Int, hi: Int
) -> None:  # fmt: skip
    """Insert each element of a row that comes before the last of those that are kept, which falls out."""
    values = kept + part * FEW * 8
    for row in range(lo, hi):
        source = x + row * length * SIZE
        target = places + row * count
        held = 0
        for n in range(length):
            value = load_real(source + n * SIZE, BITS)
            hole = held
            if held < count:
                held = held + 1
            else:
                hole = count - 1
                if not is_before(value, load_real(values + hole * 8, 64)):
                    continue
            while hole > 0 and is_before(value, load_real(values + (hole - 1) * 8, 64)):
                store(values + hole * 8, 64, load_real(values + (hole - 1) * 8, 64))
                target[hole] = target[hole - 1]
                hole = hole - 1
            store(values + hole * 8, 64, value)
            target[hole] = n


@native
def is_before(x: Real, y: Real) -> bool:
    """Return whether x comes strictly before y; nan is the largest."""
    if REVERSE == 1:
        return (x > y) | ((x != x) & (y == y))
    return (x < y) | ((y != y) & (x == x))
