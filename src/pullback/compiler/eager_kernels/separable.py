"""Native loops for maps that go along one axis after another (`array.taps`), plane by plane.

Each thread works off planes of its own, and what lies between two axes stays in a buffer of one plane. Sums
are taken in the order of the taps, products and sums rounded apart, as the NumPy kernels do.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.taps import Taps
from ..emit.restricted_python import Bytes, Int, Object, Real, Words, apart, load_real, native, room, store
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import FLOATS, Jobs

#: Nanoseconds for an element of the result and a tap.
TAP = 0.3

#: Tables that are kept.
_KEPT = 128

#: Words that tell of an axis: extents around it and the map's, in order of `Separable.run`, then its table.
OF_AXIS = 9
#: Bytes and bits of an element: each job has its own.
SIZE, BITS = 4, 32


class Separable(Jobs):
    """The loops, made when they are first asked for."""

    def __init__(self) -> None:
        super().__init__()
        #: By dtype and map: the map, which keeps its number, its table and where the table's arrays are.
        self._tables: dict[tuple[Any, int], tuple[Taps, tuple[ndarray, ...], tuple[int, ...]]] = {}

    def _table(self, taps: Taps, dtype: np.dtype[Any]) -> tuple[Any, tuple[ndarray, ...], tuple[int, ...]]:
        """Return a map, its table and where the table's arrays are."""
        key = dtype, id(taps)
        found = self._tables.get(key)
        if found is None:
            if len(self._tables) >= _KEPT:
                self._tables.clear()
            table = _table(taps, dtype)
            found = self._tables[key] = taps, table, tuple(map(address, table))
        return found

    def run(self, planes: ndarray, out: ndarray, steps: Sequence[tuple[int, Taps]]) -> bool:
        """Map planes ``(n, *size)`` to ``(n, *output)``, axis by axis; return whether it was done."""
        if planes.dtype not in FLOATS or all(_picks(taps) for _, taps in steps):
            return False
        job = self.native(mapped, planes.itemsize)
        shape = list(planes.shape[1:])
        between, work = 1, 0.0
        fields: list[int] = []
        # Another thread may have the tables forgotten while they are read.
        held = [self._table(taps, planes.dtype) for _, taps in steps]
        for (axis, taps), (_, table, addresses) in zip(steps, held, strict=True):
            several = table[0].shape[1]
            outer, inner = prod(shape[: axis - 1]), prod(shape[axis:])
            shape[axis - 1] = taps.output
            between = max(between, prod(shape))
            work += prod(shape) * several * TAP
            fields += [outer, taps.size, taps.output, inner, several, *addresses]
        parts = parallel_rows.count(len(planes), work * len(planes), False)
        stride = parallel_rows.stride(between, planes.dtype)
        scratch = np.empty((parts, 2, stride), np.uint8)
        sizes = (len(steps), prod(planes.shape[1:]), prod(out.shape[1:]), stride)
        told = np.array(fields, np.int64)
        job.run(len(planes), parts, (*map(address, (planes, out, scratch, told)), *sizes))
        return True


def _picks(taps: Taps) -> bool:
    """Return whether a map only picks elements, which NumPy does as fast."""
    return len(taps.terms) == 1 and taps.terms[0].weights is None and taps.scale is None


def _table(taps: Taps, dtype: np.dtype[Any]) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Return (places, weights, how many each row has, what each row is multiplied by)."""
    places = np.zeros((taps.output, len(taps.terms)), np.int64)
    weights = np.ones(places.shape, dtype)
    counts = np.zeros(taps.output, np.int64)
    for k, (rows, of_term, factors) in enumerate(taps.terms):
        within: Any = slice(None) if rows is None else rows
        places[within, k] = of_term
        if factors is not None:
            weights[within, k] = factors
        counts[within] += 1
    counts[taps.empty] = 0
    scale = np.ones(taps.output, dtype) if taps.scale is None else taps.scale.astype(dtype)
    return places, weights, counts, scale


@native
def mapped(
    x: Bytes, out: Bytes, scratch: Bytes, tables: Words, axes: Int, of_x: Int, of_out: Int, stride: Int,
    part: Int, lo: Int, hi: Int,
) -> None:  # fmt: skip
    """Map a part's share of the planes: between two axes one lies in either of the part's buffers."""
    buffers = scratch + part * stride * 2
    for plane in range(lo, hi):
        source = x + plane * of_x * SIZE
        for n in range(axes):
            target = buffers + (n & 1) * stride
            if n + 1 == axes:
                target = out + plane * of_out * SIZE
            along(source, target, tables + n * OF_AXIS)
            source = target


@native
def along(source: Bytes, target: Bytes, table: Words) -> None:
    """Run the map along one axis, by rows of what lies behind it or, where nothing does, by elements."""
    size = table[1]
    output = table[2]
    inner = table[3]
    taps = table[4]
    arrays: Object = table + 5
    places: Words = arrays[0]
    weights: Bytes = arrays[1]
    counts: Words = arrays[2]
    scales: Bytes = arrays[3]
    for a in range(table[0]):
        for o in range(output):
            here = target + (a * output + o) * inner * SIZE
            before = source + a * size * inner * SIZE
            of_row = weights + o * taps * SIZE
            scale = load_real(scales + o * SIZE, BITS)
            if inner == 1:
                element(before, here, places + o * taps, of_row, counts[o], scale)
            else:
                row(before, here, places + o * taps, of_row, counts[o], scale, inner)


@native
def element(
    source: Bytes, here: Bytes, places: Words, weights: Bytes, count: Int, scale: Real
) -> None:  # fmt: skip
    """Write the sum of elements by weights."""
    total = room(1)
    store(total, BITS, 0.0)
    for k in range(count):
        product = rounded(load_real(source + places[k] * SIZE, BITS) * load_real(weights + k * SIZE, BITS))
        # Not 0 + product: that would lose the sign of a zero.
        store(total, BITS, product if k == 0 else load_real(total, BITS) + product)
    store(here, BITS, load_real(total, BITS) * scale)


@native
def row(
    source: Bytes, here: Bytes, places: Words, weights: Bytes, count: Int, scale: Real, inner: Int
) -> None:
    """Write the sum of rows by weights."""
    if count == 0:
        for c in apart(0, inner):
            store(here + c * SIZE, BITS, 0.0)
        return
    for k in range(count):
        there = source + places[k] * inner * SIZE
        weight = load_real(weights + k * SIZE, BITS)
        if k == 0:
            for c in apart(0, inner):
                store(here + c * SIZE, BITS, load_real(there + c * SIZE, BITS) * weight)
        else:
            for c in apart(0, inner):
                product = rounded(load_real(there + c * SIZE, BITS) * weight)
                store(here + c * SIZE, BITS, load_real(here + c * SIZE, BITS) + product)
    if scale != 1.0:
        for c in apart(0, inner):
            store(here + c * SIZE, BITS, load_real(here + c * SIZE, BITS) * scale)


@native
def rounded(number: Real) -> Real:
    """Return a number as an element holds it."""
    place = room(1)
    store(place, BITS, number)
    return load_real(place, BITS)
