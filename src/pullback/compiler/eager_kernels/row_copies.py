"""A native function that copies the rows which an index names, for rows of any size, on threads."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy import ndarray

from ...array.locks import computed
from ..emit.restricted_python import Bytes, Int, Object, Program, Words, copy, native
from ..passes import parallel_rows
from ..runtime import engine
from ..runtime.shared_kernels import address
from .jobs import Parts

#: Places in the context: rows and parts, addresses, rows of a slice in the source and of the index, bytes.
ROWS, PARTS, SOURCE, INDEX, TO, EXTENT, COUNT, WIDTH = range(8)


class RowCopies:
    """The function, made when it is first asked for."""

    def __init__(self) -> None:
        self._library = engine.library(Program((copy_part,), {}))

    @computed
    def _parts(self) -> Parts:
        return Parts(self._library.address("copy_part"))

    def take(self, x: ndarray, index: ndarray, out: ndarray, work: float) -> bool:
        """Write ``out[l, m] = x[l, index[m]]``; return whether that was done.

        Parameters
        ----------
        x, out
            ``(outer, extent, inner)`` and ``(outer, count, inner)``, C-ordered, of one dtype.
        index
            int64, ``(count,)``, all in range.
        work
            Nanoseconds that it may take one thread.
        """
        if index.dtype != np.int64:
            return False
        index = np.ascontiguousarray(index)
        rows = len(out) * len(index)
        parts = parallel_rows.count(rows, work, False, parallel_rows.FINE)
        width = out.shape[2] * out.itemsize
        words = (rows, parts, *(address(a) for a in (x, index, out)), x.shape[1], len(index), width)
        self._parts.run((ctypes.c_int64 * len(words))(*words), parts)
        return True


@native
def copy_part(context: Words, part: Int) -> None:
    """Copy a part's share of the rows."""
    rows = context[ROWS]
    parts = context[PARTS]
    arrays: Object = context + SOURCE
    source: Bytes = arrays[0]
    index: Words = arrays[1]
    to: Bytes = arrays[2]
    extent = context[EXTENT]
    count = context[COUNT]
    width = context[WIDTH]
    for row in range(part * rows // parts, (part + 1) * rows // parts):
        outer = row // count
        place = outer * extent + index[row - outer * count]
        copy(to + row * width, source + place * width, width)
