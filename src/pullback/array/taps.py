"""Linear maps along one axis that give each place a weighted sum of a few others, and their transposes.

Resampling and adaptive averages are such maps, one axis after another: y[o] = Σ_k weights[o, k] ·
x[places[o, k]]. `transposed` turns a table round, so that the transpose too gathers, which costs as much as
the map itself; adding each element of y to its places costs 20 times that (8×32×128×128 to 64×64, bilinear:
270 ms, 14 ms so).

Planes are worked on in blocks that stay in the cache, on several threads where there is enough to do.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from . import large
from .named_tuples import NamedTuple
from .threads import run_parts, stretches
from .tiering import Hotness

#: Bytes of the largest array in a block.
_BLOCK_BYTES = 512 << 10

#: Elements below which a thread is not worth waking.
_WORTH_THREADS = 200_000

#: Elements below which NumPy is as fast as a native loop, which gives the same bits; nanoseconds of NumPy's
#: calls for a term, and of an element in it.
_LEAST, _CALLS, _ELEMENT = 2048, 5000, 2
_HOTNESS = Hotness()


class Tap(NamedTuple):
    """One term of the sum: ``out[rows] += weights · x[places]``; rows None are all of them, a slice where
    they follow one another, and weights None are 1.
    """

    rows: ndarray | slice | None
    places: ndarray
    weights: ndarray | None


class Taps(NamedTuple):
    """A map from `size` places to `output`: its first term is that of all rows."""

    size: int
    output: int
    terms: tuple[Tap, ...]
    #: Rows of no term at all.
    empty: ndarray
    #: What each row is multiplied by at the end: its weights, where all of a row are equal.
    scale: ndarray | None = None


def from_table(places: ndarray, weights: ndarray, size: int, counts: ndarray | None = None) -> Taps:
    """Return the map whose row o has the places and weights of row o of these tables ``(output, taps)``, the
    first ``counts[o]`` of them where counts are given.
    """
    output, taps = places.shape
    if counts is None:
        counts = np.full(output, taps)
    scale = None
    if taps > 1 and (weights == weights[:, :1]).all():
        scale, weights = weights[:, 0], np.ones_like(weights)
    terms = []
    for tap in range(taps):
        chosen = counts > tap
        rows = None if tap == 0 or chosen.all() else _in_a_row(np.flatnonzero(chosen))
        within: Any = slice(None) if rows is None else rows
        factors = weights[within, tap]
        terms.append(Tap(rows, places[within, tap], None if (factors == 1).all() else factors))
    return Taps(size, output, tuple(terms), np.flatnonzero(counts == 0), scale)


def _in_a_row(rows: ndarray) -> ndarray | slice:
    """Return rows as a slice if they are consecutive: adding to 4·54·14 numbers takes 3 µs so, else 11."""
    follow = rows.size and rows[-1] - rows[0] == rows.size - 1
    return slice(int(rows[0]), int(rows[-1]) + 1) if follow else rows


def transposed(places: ndarray, weights: ndarray, size: int, counts: ndarray | None = None) -> Taps:
    """Return the transpose of the map that `from_table` makes of the same tables."""
    output, taps = places.shape
    used = np.ones(places.shape, bool) if counts is None else np.arange(taps) < counts[:, None]
    rows = np.broadcast_to(np.arange(output)[:, None], places.shape)[used]
    targets, factors = places[used], weights[used]
    order = np.argsort(targets, kind="stable")
    rows, targets, factors = rows[order], targets[order], factors[order]
    numbers = np.bincount(targets, minlength=size)
    tap = np.arange(len(targets)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    back = np.zeros((size, max(1, int(numbers.max(initial=1)))), np.intp)
    back_weights = np.zeros(back.shape, weights.dtype)
    back[targets, tap], back_weights[targets, tap] = rows, factors
    return from_table(back, back_weights, output, numbers)


def along(x: ndarray, taps: Taps, axis: int) -> ndarray:
    """Return the map along one axis of an array."""
    columns = (-1, *(1,) * (x.ndim - axis - 1))
    total: ndarray | None = None
    for rows, places, weights in taps.terms:
        term = x.take(places, axis)
        if weights is not None:
            np.multiply(term, weights.reshape(columns).astype(x.dtype, copy=False), out=term)
        if total is None:
            total = term
        elif rows is None:
            np.add(total, term, out=total)
        else:
            # Of the first axis, for those of another one leave no step where calls are recorded.
            total.swapaxes(0, axis)[rows] += term.swapaxes(0, axis)
    assert total is not None
    if taps.scale is not None:
        np.multiply(total, taps.scale.reshape(columns).astype(x.dtype, copy=False), out=total)
    if taps.empty.size:
        total.swapaxes(0, axis)[taps.empty] = 0
    return total


def _native(planes: ndarray, out: ndarray, largest: int, steps: list[tuple[int, Taps]]) -> Any:
    """Return whether native code did it; where NumPy's calls have cost as much, or the arrays are large."""
    given = ("over_planes", planes, out, steps)
    if largest >= large.SIZE:
        return large.ask(*given)
    if largest < _LEAST or not large.is_there():
        return False
    terms = sum(len(taps.terms) for _, taps in steps)
    return _HOTNESS.is_hot_sampled(lambda: terms * (_CALLS + _ELEMENT * largest)) and _HOTNESS.ask(*given)


def over_planes(x: ndarray, axes: Sequence[Taps]) -> ndarray:
    """Return the maps along the spatial axes of x ``(N, C, *size)``."""
    steps = list(enumerate(axes, 1))
    if prod(x.shape[2:]) < prod(taps.output for taps in axes):
        # Elements picked along the last axis cost more than whole rows: let it see the smaller array.
        steps.reverse()
    shape = list(x.shape)
    for axis, taps in steps:
        shape[axis + 1] = taps.output
    planes = np.ascontiguousarray(x).reshape(prod(x.shape[:2]), *x.shape[2:])
    result = np.empty(shape, x.dtype)
    out = result.reshape(len(planes), *shape[2:])
    largest = max(planes.size, out.size)
    if out.size and isinstance(x, ndarray) and _native(planes, out, largest, steps):
        return result
    together = max(1, _BLOCK_BYTES * len(planes) // max(1, largest * x.itemsize))
    bounds = stretches(len(planes), largest, _WORTH_THREADS)

    def part(index: int) -> None:
        low, high = bounds[index]
        for start in range(low, high, together):
            block = planes[start : min(start + together, high)]
            for axis, taps in steps:
                block = along(block, taps, axis)
            out[start : start + len(block)] = block

    if out.size:
        run_parts(part, len(bounds))
    return result
