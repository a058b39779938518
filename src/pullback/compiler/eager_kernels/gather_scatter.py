"""Native loops that read at places an index names, or add there, for arrays of any size.

The arrays are seen as ``(outer, extent, inner)``, the index lying along the middle axis; it names a place for
every element of ``(outer, count, inner)`` or, where is added, for whole rows of ``inner`` elements. Loops for
one element type serve every size. Threads share the outer axis, the inner one, or the places that are
written, so what is added at a place is added in the order of the index on any thread.
"""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from ..emit.restricted_python import Bytes, Int, Words, apart, load, load_real, native, store
from ..passes import parallel_rows
from ..passes.parallel_rows import LINE
from ..runtime.shared_kernels import address
from .jobs import Jobs

#: Elements of the inner axis that a thread takes at a time.
STRETCH = 64
#: Elements of a row for each time that the index is gone through.
LONG_ENOUGH = 128
#: Nanoseconds for an element at a place that an index names, and for one of a whole row.
ELEMENT, OF_ROW = 1.0, 0.3

#: All bits of a number but for its sign.
NUMBERS = (1 << 63) - 1
#: What parts share.
OUTER, MIDDLE, INNER, EXTENT = 0, 1, 2, 3
#: Whether an index names rows, elements, or elements of an axis with none behind it.
WHOLE, EACH, LAST = 0, 1, 2
#: Of each job: bytes and bits of an element, whether it is a floating number, whether elements are added.
SIZE, BITS, REAL, ADDS, KIND = 4, 32, 1, 1, WHOLE

_MOVABLE = tuple(map(np.dtype, (np.float32, np.float64, np.int32, np.int64)))


def _movable(x: ndarray, index: ndarray) -> bool:
    return index.dtype == np.int64 and x.dtype in _MOVABLE


class Moving(Jobs):
    """The loops, made when they are first asked for."""

    def read(self, x: ndarray, index: ndarray, out: ndarray) -> bool | None:
        """Write ``out[l, m, t] = x[l, index[l, m, t], t]``; return False where an index is outside, None
        where the dtypes are others.

        x and out are ``(outer, extent, inner)`` and ``(outer, count, inner)``, C-ordered, of one dtype; the
        index is int64, like `out`.
        """
        if not _movable(x, index):
            return None
        axis = OUTER if len(out) >= parallel_rows.MOST else INNER if out.shape[2] == 1 else MIDDLE
        return self._run(x, index, out, axis)

    def add(self, base: ndarray, index: ndarray, source: ndarray, whole: bool) -> bool | None:
        """Do ``base[l, index[l, m, t], t] += source[l, m, t]`` in order of m; return False where an index is
        outside, None where the dtypes are others. The index is like `source`, or ``(count,)`` if `whole`.
        """
        if not _movable(base, index):
            return None
        outer, _, inner = source.shape
        axis = OUTER
        if whole and outer < parallel_rows.MOST:
            axis = EXTENT
        elif outer * STRETCH < inner:
            axis = INNER
        return self._run(base, index, source, axis, WHOLE if whole else EACH, True)

    def _run(
        self, base: ndarray, index: ndarray, other: ndarray, axis: int, kind: int = EACH, adds: bool = False
    ) -> bool:
        (outer, count, inner), step = other.shape, base.shape[2]
        if kind == EACH and inner == 1:
            # With nothing behind it, the axis that the index lies along is the one that loops go along.
            kind, count, inner = LAST, 1, count
        real = int(adds and base.dtype.kind == "f")
        job = self.native(moved, base.itemsize, REAL=real, ADDS=int(adds), KIND=kind)
        shared = (outer, count, -(-inner // STRETCH), base.shape[1])[axis]
        parts = parallel_rows.count(shared, other.size * (OF_ROW if kind == WHOLE else ELEMENT), False)
        if axis == EXTENT:
            # Every part goes through the whole index.
            parts = max(1, min(parts, inner // LONG_ENOUGH))
        wrong = np.zeros((parts, LINE), np.uint8)
        arrays = (base, index, other, wrong)
        fields = (*(address(a) for a in arrays), outer, base.shape[1], count, inner, step, axis)
        job.run(shared, parts, fields)
        return not wrong.any()


@native
def moved(
    base: Bytes, index: Words, other: Bytes, wrong: Bytes, outer: Int, extent: Int, count: Int, inner: Int,
    step: Int, axis: Int, part: Int, lo: Int, hi: Int,
) -> None:  # fmt: skip
    """Move what is a part's share of an axis, and note whether an index was outside. From a place that is
    named to the next there are `step` elements.
    """
    last = hi * STRETCH if axis == INNER and hi * STRETCH < inner else inner
    first = lo * STRETCH if axis == INNER else 0
    # LLVM compares once with what it knows not to be below 0.
    extent = extent & NUMBERS
    outside = 0
    for k in range(lo if axis == OUTER else 0, hi if axis == OUTER else outer):
        to = base + k * extent * step * SIZE
        for m in range(lo if axis == MIDDLE else 0, hi if axis == MIDDLE else count):
            row = (k * count + m) * inner
            here = other + row * SIZE
            if KIND == WHOLE:
                place = index[m]
                if place < 0 or place >= extent:
                    outside = 1
                # Rows that another part adds to are passed over.
                elif axis != EXTENT or lo <= place < hi:
                    for t in apart(first, last):
                        move(to + (place * step + t) * SIZE, here + t * SIZE)
            elif KIND == LAST and ADDS == 1:
                for t in range(first, last):
                    outside = outside | named(to, index[row + t], here + t * SIZE, step, t, extent)
            else:
                for t in apart(first, last):
                    outside = outside | named(to, index[row + t], here + t * SIZE, step, t, extent)
    store(wrong + part * LINE, 64, outside)


@native
def named(to: Bytes, place: Int, here: Bytes, step: Int, column: Int, extent: Int) -> Int:
    """Move an element to or from a place, kept within the axis; return 1 where it is outside."""
    outside = 1 if (place < 0) | (place >= extent) else 0
    kept = 0 if outside == 1 else place
    move(to + (kept * step + column if KIND == EACH else kept) * SIZE, here)
    return outside


@native
def move(there: Bytes, here: Bytes) -> None:
    """Read the element `there`, or add the one `here` to it."""
    if ADDS == 0:
        store(here, BITS, load(there, BITS))
    elif REAL == 1:
        store(there, BITS, load_real(there, BITS) + load_real(here, BITS))
    else:
        store(there, BITS, load(there, BITS) + load(here, BITS))
