"""A native function that copies the rows which an index names, for rows of any size, on threads."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from ..emit.restricted_python import Bytes, Int, Words, copy, native
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import Jobs


class RowCopies(Jobs):
    """The function, made when it is first asked for."""

    def take(self, x: ndarray, index: ndarray, out: ndarray, work: float) -> bool:
        """Write ``out[l, m] = x[l, index[m]]`` for int64 indices in range; return whether that was done.

        x and out are ``(outer, extent, inner)`` and ``(outer, count, inner)``, C-ordered, of one dtype. One
        thread may take `work` nanoseconds.
        """
        if index.dtype != np.int64:
            return False
        index = np.ascontiguousarray(index)
        rows = len(out) * len(index)
        parts = parallel_rows.count(rows, work, False, parallel_rows.FINE)
        sizes = x.shape[1], len(index), out.shape[2] * out.itemsize
        self.native(copied, 1).run(rows, parts, (*(address(a) for a in (x, index, out)), *sizes))
        return True


@native
def copied(
    x: Bytes, index: Words, out: Bytes, extent: Int, count: Int, width: Int, part: Int, lo: Int, hi: Int
) -> None:
    """Copy a part's share of the rows, of so many bytes each."""
    for row in range(lo, hi):
        outer = row // count
        place = outer * extent + index[row - outer * count]
        copy(out + row * width, x + place * width, width)
