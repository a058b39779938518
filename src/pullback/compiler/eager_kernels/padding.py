"""Native loops that copy planes into larger or smaller ones, a value or elements of the planes around them.

Elements are numbers of their size, whatever they mean. Threads share the rows of the result, each of which is
written once, from its first element to its last.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy import ndarray

from ..emit.restricted_python import Bytes, Int, Words, copy, load, native, store
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import Jobs

#: Nanoseconds for a byte that is written, and for a row.
BYTE, ROW = 0.03, 4.0

#: Of each job: bytes and bits of an element, and whether there are elements of the planes around them.
SIZE, BITS, MIRRORS = 4, 32, 0


class Padding(Jobs):
    """The loops, made when they are first asked for."""

    def pad(self, planes: ndarray, out: ndarray, before: Sequence[int], value: ndarray) -> bool:
        """Write C-ordered planes ``(n, h, w)`` into ``(n, H, W)``, their first element at the place `before`,
        which may be outside, with an element `value` wherever they are not; whether that was done.
        """
        return self._run(planes, out, before, value, None)

    def mirror(self, planes: ndarray, out: ndarray, before: Sequence[int], places: ndarray) -> bool:
        """Do the same with elements of the planes: `places` has the row of each row, then the columns."""
        return self._run(planes, out, before, None, places)

    def _run(
        self, planes: ndarray, out: ndarray, before: Sequence[int], value: ndarray | None,
        places: ndarray | None,
    ) -> bool:
        size = out.itemsize
        if size not in (1, 2, 4, 8):
            return False
        job = self.native(rows, size, MIRRORS=int(places is not None))
        _, height, width = planes.shape
        count, high, wide = out.shape
        above, left = before
        begin = min(max(0, left), wide)
        end = max(begin, min(wide, left + width))
        arrays = (planes, out, value, places)
        sizes = (height, width, high, wide, above, left, begin, end)
        parts = parallel_rows.count(count * high, out.nbytes * BYTE + count * high * ROW, False)
        job.run(count * high, parts, (*(address(a) for a in arrays), *sizes))
        return True


@native
def rows(
    x: Bytes, out: Bytes, value: Bytes, places: Words, height: Int, width: Int, high: Int, wide: Int,
    above: Int, left: Int, begin: Int, end: Int, part: Int, lo: Int, hi: Int,
) -> None:  # fmt: skip
    """Write a part's share of the rows: where `begin` and `end` are, elements of the planes begin and end."""
    filled = 0 if MIRRORS == 1 else load(value, BITS)
    for row in range(lo, hi):
        target = out + row * wide * SIZE
        plane = row // high
        line = row - plane * high
        own = places[line] if MIRRORS == 1 else line - above
        if own < 0 or own >= height:
            fill(target, filled, target, places, 0, wide)
        else:
            source = x + (plane * height + own) * width * SIZE
            fill(target, filled, source, places + high, 0, begin)
            copy(target + begin * SIZE, source + (begin - left) * SIZE, (end - begin) * SIZE)
            fill(target, filled, source, places + high, end, wide)


@native
def fill(target: Bytes, filled: Int, source: Bytes, places: Words, begin: Int, end: Int) -> None:
    """Write elements that are beside those of the planes."""
    for column in range(begin, end):
        if MIRRORS == 1:
            store(target + column * SIZE, BITS, load(source + places[column] * SIZE, BITS))
        else:
            store(target + column * SIZE, BITS, filled)
