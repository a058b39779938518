"""Order: sorting, the largest few, places in a sorted row, counts. nan is larger than everything,
and sorts are stable.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.deferred_import import import_later
from ..array.layout import as_first
from ..array.threads import run_parts, split
from ..array.tiering import Hotness
from ..core.batched import dim_first, dim_second
from ..core.data_shaped import no_batch, no_shape
from ..core.op import Covectors, Term, Terms, op, renamed
from ..core.underivable import no_tangent, not_implemented
from .gather import gather, scatter_add, zeros_for

order = import_later("..array.order", __package__)
selection = import_later("..array.selection", __package__)
scatter = import_later("..array.scatter", __package__)


def orderable(x: ndarray) -> ndarray:
    """Return bfloat16 as float32, which NumPy can compare."""
    return x.astype(np.float32) if x.dtype.kind == "V" else x


def sorting(x: ndarray, dim: int, descending: bool) -> ndarray:
    """Return indices that sort an array along `dim`; equal elements keep their order in both directions."""
    keys = orderable(x)
    if x.size >= order.WORTH_PACKING and x.dtype == np.int64:
        # What fits into 32 bits, as labels do, is packed with its places: 200,000 take 9 ms instead of 70.
        least = keys.min()
        if int(keys.max()) - int(least) < 1 << 31:
            keys = (keys - least).astype(np.int32)
    if x.size >= order.WORTH_PACKING and order.packs(keys):
        return np.moveaxis(order.sorted_places(np.moveaxis(keys, dim, -1), descending), -1, dim)
    if not descending:
        return np.argsort(keys, axis=dim, kind="stable")
    turned = (*(slice(None),) * dim, slice(None, None, -1))
    return x.shape[dim] - 1 - keys[turned].argsort(axis=dim, kind="stable")[turned]


def _sort(x: ndarray, /, dim: int, descending: bool) -> tuple[ndarray, ndarray]:
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    indices = np.ascontiguousarray(sorting(x, dim, descending))
    return _at(x, dim, indices), indices


#: Elements from which, and the part of a row up to which, looking for the first k of each row is faster than
#: sorting it: 10 of 1024 in 1,024 rows of float32 take 45 ms by a sort and 2.6 ms on one thread so.
_WORTH_CHOOSING, _LARGEST_PART = 1 << 14, 1 / 8

#: Elements in a block of rows.
_BLOCK = 1 << 16

#: Elements from which a native loop is faster than to sort, once it is there, and nanoseconds for one that is
#: sorted: 4 of 800 take 43 µs by a sort and 28 so, 50 of each of 4 rows of 2,000 take 101 and 61.
_WORTH_LOOKING, _SORTED = 1 << 7, 60
_HOTNESS = Hotness()


def _first_places(x: ndarray, k: int, dim: int, descending: bool) -> ndarray:
    """Return the first k of the indices that sort an array along `dim`."""
    n = x.shape[dim]
    few = 0 < k <= n * _LARGEST_PART
    if few and _WORTH_LOOKING <= x.size < _WORTH_CHOOSING and _HOTNESS.is_hot(x.size * _SORTED):
        last = dim == x.ndim - 1
        rows = np.ascontiguousarray(x if last else np.moveaxis(x, dim, -1))
        places = np.empty((*rows.shape[:-1], k), np.int64)
        if _HOTNESS.ask("first_places", rows.reshape(-1, n), places.reshape(-1, k), descending):
            return places if last else np.ascontiguousarray(np.moveaxis(places, -1, dim))
    if x.size < _WORTH_CHOOSING or not few or x.dtype.kind not in "fiu":
        return np.ascontiguousarray(sorting(x, dim, descending)[(*(slice(None),) * dim, slice(k))])
    rows = np.ascontiguousarray(np.moveaxis(x, dim, -1))
    shape = (*rows.shape[:-1], k)
    rows = rows.reshape(-1, n)
    places = np.empty((len(rows), k), np.int64)
    if x.size >= large.SIZE and large.ask("first_places", rows, places, descending):
        return np.ascontiguousarray(np.moveaxis(places.reshape(shape), -1, dim))
    bounds = split(len(rows), max(1, x.size // _BLOCK))
    run_parts(
        lambda part: _choose(rows[slice(*bounds[part])], k, descending, places[slice(*bounds[part])]),
        len(bounds),
    )
    return np.ascontiguousarray(np.moveaxis(places.reshape(shape), -1, dim))


def _choose(rows: ndarray, k: int, descending: bool, places: ndarray) -> None:
    """Write the first k places of each row, from those that reach the k-th value."""
    n = rows.shape[1]
    border = n - k if descending else k - 1
    limit = np.partition(rows, border, axis=1)[:, border, None]
    # Not `>=`: nan, the largest, is never below the limit.
    reach = ~np.less(rows, limit) if descending else np.less_equal(rows, limit)
    clear = np.count_nonzero(reach, axis=1) == k
    if not clear.all():
        # Equals at the border, or a limit that is nan: these rows are sorted.
        doubtful = ~clear
        places[doubtful] = sorting(rows[doubtful], 1, descending)[:, :k]
        rows, reach = rows[clear], reach[clear]
    found = (np.flatnonzero(reach) % n).reshape(-1, k)
    first = sorting(np.take_along_axis(rows, found, 1), 1, descending)
    places[clear] = np.take_along_axis(found, first, 1)


def _at(x: ndarray, dim: int, places: ndarray) -> ndarray:
    """Return the elements at places along an axis that are known to be there."""
    return x.take(places) if x.ndim == 1 else scatter.taken(x, dim, places)


def _all_differ(rows: ndarray, descending: bool) -> bool:
    """Return whether no two of sorted numbers of a row are equal, nor both nan: these come first or last."""
    if rows.shape[-1] < 2:
        return True
    if np.logical_or.reduce(np.equal(rows[..., 1:], rows[..., :-1]), axis=None):
        return False
    border = rows[..., 1] if descending else rows[..., -2]
    return bool(np.logical_and.reduce(np.equal(border, border), axis=None))


def _topk(x: ndarray, /, k: int, dim: int, largest: bool) -> tuple[ndarray, ndarray]:
    if not x.ndim:
        return (x.copy() if k else np.empty(0, x.dtype)), np.zeros(() if k else (0,), np.int64)
    # One more than asked for: it tells whether the last one has an equal that is left out.
    places = _first_places(x, min(k + 1, x.shape[dim]), dim, largest)
    found = _at(x, dim, places)
    if dim == x.ndim - 1 and _all_differ(found, largest):
        return np.ascontiguousarray(found[..., :k]), np.ascontiguousarray(places[..., :k])
    lead = (slice(None),) * dim
    values, indices = (np.ascontiguousarray(a[(*lead, slice(k))]) for a in (found, places))
    equal = found[(*lead, slice(1, None))] == found[(*lead, slice(-1))]
    if x.dtype.kind in "fV":
        nans = np.isnan(found)
        equal |= nans[(*lead, slice(1, None))] & nans[(*lead, slice(-1))]
    if equal.any() and x.shape[dim] <= selection.MOST:
        # Torch chooses among equals, and orders them, in a way of its own.
        rows, chosen = np.moveaxis(orderable(x), dim, -1), np.moveaxis(indices, dim, -1)
        for row in map(tuple, np.argwhere(equal.any(dim))):
            chosen[row] = selection.first_places(rows[row], k, largest)
        values = scatter.taken(x, dim, indices)
    return values, indices


def _places_rule(g: Term, shape_x: tuple[int, ...], indices: Term, dim: int) -> Term:
    """Return the covector of the values goes to where they came from."""
    return scatter_add(zeros_for(g, shape_x), indices, g, dim)


def _sort_jvp(primals: Terms, tangents: Terms, out: Terms, dim: int, descending: bool) -> Covectors:
    return gather(tangents[0], out[1], dim), None


#: Values in order along `dim`, and where they were.
sort: Any = op(
    "sort", _sort, (_places_rule,), kind="gather", outputs=("values", "indices"), differentiable=(0,),
    jvp=_sort_jvp, batch=dim_first, place=as_first, sizes_kept=True,
)

#: The same (every sort here is stable) under the node name of a sort for which `stable` is given.
sort_stable: Any = renamed(sort, "sort_stable", "SortBackward1")

#: The k largest (smallest) values along `dim` in order, and where they were.
topk: Any = op(
    "topk", _topk, (_places_rule,), kind="gather", outputs=("values", "indices"), differentiable=(0,),
    jvp=lambda primals, tangents, out, k, dim, largest: _sort_jvp(primals, tangents, out, dim, largest),
    batch=dim_second,
)


# --- places in a sorted row, counts -------------------------------------------------------------------------


#: Rows for each halving of a row from which all rows are searched together, and most values in each: 256 rows
#: of 9 take 307 µs one by one, and 45 together.
_ROWS, _COLUMNS = 8, 32


def _searched(sequence: ndarray, values: ndarray, right: bool) -> ndarray:
    """Search all rows together: places grow by powers of two as long as what is before them is below."""
    count = sequence.shape[-1]
    found = np.zeros(values.shape, np.int64)
    for bit in reversed(range(count.bit_length())):
        further = found + (1 << bit)
        before = np.take_along_axis(sequence, np.minimum(further, count) - 1, -1)
        reached = before <= values if right else before < values
        if values.dtype.kind == "f":
            reached |= np.isnan(values) & (right | ~np.isnan(before))
        np.copyto(found, further, where=reached & (further <= count))
    return found


def _searchsorted(sequence: ndarray, values: ndarray, /, right: bool, small: bool) -> ndarray:
    side: Any = "right" if right else "left"
    dtype = np.int32 if small else np.int64
    sequence, values = orderable(sequence), orderable(values)
    if sequence.ndim == 1:
        return np.asarray(np.searchsorted(sequence, values, side)).astype(dtype)
    rows, length, columns = prod(sequence.shape[:-1]), sequence.shape[-1], values.shape[-1]
    if rows >= _ROWS * length.bit_length() and columns <= _COLUMNS:
        return _searched(sequence, values, right).astype(dtype)
    pairs = zip(
        sequence.reshape(rows, sequence.shape[-1]), values.reshape(rows, values.shape[-1]), strict=True
    )
    found = np.empty((rows, values.shape[-1]), dtype)
    for row, (ordered, wanted) in zip(found, pairs, strict=True):
        row[...] = np.searchsorted(ordered, wanted, side)
    return found.reshape(values.shape)


#: Where values would be inserted into sorted rows: before (or after) equal elements.
searchsorted: Any = op("searchsorted", _searchsorted)


def _bincount(x: ndarray, weights: ndarray | None, /, minlength: int, length: int | None) -> ndarray:
    counts = np.bincount(x, weights, minlength if length is None else length)
    return counts.astype(np.float32) if weights is not None and weights.dtype == np.float32 else counts


def _bins(x: Term, weights: Any, minlength: int, length: int | None) -> Any:
    if length is None:
        return no_shape("bincount")()
    dtype = np.int64 if weights is None else np.float32 if weights.dtype == np.float32 else np.float64
    return (((length,), np.dtype(dtype)),)


#: How often each non-negative integer occurs, or the sum of its weights: `length` of them where it is known.
bincount: Any = op("bincount", _bincount, underivable="bincount", shape=_bins)


def _histc(x: ndarray, /, bins: int, low: float, high: float) -> ndarray:
    kept = orderable(x).reshape(-1)
    kept = kept[(kept >= low) & (kept <= high)].astype(np.float64)
    places = ((kept - low) * (bins / (high - low))).astype(np.int64)
    return np.bincount(np.minimum(places, bins - 1), minlength=bins).astype(x.dtype)


#: How many elements fall into each of `bins` equal parts of [low, high].
histc: Any = op("histc", _histc)


#: Pairs up to which each is compared: of 8 and 8 integers that takes 3 µs, and what NumPy does 30.
_PAIRS = 1 << 12


def _isin(x: ndarray, test: ndarray, /, invert: bool) -> ndarray:
    x, test = orderable(x), orderable(test)
    if x.size * test.size > _PAIRS:
        return np.asarray(np.isin(x, test, invert=invert))
    pairs = x.reshape(-1, 1) == test.reshape(-1)
    found = np.logical_or.reduce(pairs, 1).reshape(x.shape)
    return np.logical_not(found, out=found) if invert else found


#: Which elements of x occur among those of `test`.
isin: Any = op("isin", _isin)


# --- distinct values ----------------------------------------------------------------------------------------


def runs(x: ndarray, dim: int | None) -> ndarray:
    """Mark where a new value begins along the flat array, or a new slice along `dim`."""
    rows = orderable(x.reshape(-1) if dim is None else np.moveaxis(x, dim, 0) if dim else x)
    new = np.ones(len(rows), bool)
    if rows.ndim == 1:
        np.not_equal(rows[1:], rows[:-1], out=new[1:])
    elif len(rows):
        rows = rows.reshape(len(rows), -1)
        new[1:] = (rows[1:] != rows[:-1]).any(1)
    return new


def distinct(
    x: ndarray, dim: int | None, in_order: Callable[[ndarray], ndarray] | None, alone: bool = False
) -> tuple[ndarray, ndarray, ndarray]:
    """Return distinct values (slices), the place of each element's among them, and their counts; the values
    `alone` if so asked, with empty arrays behind them.

    `in_order` gives the order in which to look for equal neighbours, by default as they stand.
    """
    rows = x.reshape(-1) if dim is None else np.moveaxis(x, dim, 0)
    if alone and rows.ndim == 1 and (in_order is None or rows.size < order.WORTH_PACKING):
        ordered = rows if in_order is None else rows[in_order(rows)]
        return ordered[runs(ordered, 0)], _NONE, _NONE
    places = slice(None) if in_order is None else in_order(rows)
    ordered = rows[places]
    new = runs(ordered, 0)
    inverse = np.empty(len(rows), np.int64)
    inverse[places] = new.cumsum() - 1
    first = new.nonzero()[0]
    ends = np.concatenate((first, (len(rows),)))
    counts = ends[1:] - ends[:-1]
    values = np.ascontiguousarray(ordered[first])
    if dim is not None:
        values = np.moveaxis(values, 0, dim)
    return values, inverse, counts.astype(np.int64, copy=False)


def lexical(rows: ndarray) -> ndarray:
    """Return the order that sorts rows by their first element, then their second, and so on."""
    if not rows.size:
        return np.arange(len(rows))
    if rows.ndim == 1:
        return sorting(rows, 0, False)
    flat = orderable(rows).reshape(len(rows), -1)
    return np.lexsort(flat.T[::-1])


_NONE = np.empty(0, np.int64)


def _distinct_op(name: str, in_order: Callable[[ndarray], ndarray] | None) -> Any:
    def kernel(x: ndarray, /, dim: int | None, alone: bool = False) -> tuple[ndarray, ndarray, ndarray]:
        values, inverse, counts = distinct(x, dim, in_order, alone)
        return values, inverse if dim is not None or inverse is _NONE else inverse.reshape(x.shape), counts

    return op(
        name, kernel, (not_implemented(name),), kind="gather", outputs=("values", "inverse", "counts"),
        differentiable=(0,), jvp=no_tangent(name), shape=no_shape(name), batch_rule=no_batch(name),
    )


#: Distinct values in order (of all elements; of the slices along `dim`), where each is, and how many there
#: are; and the same of neighbours.
unique = _distinct_op("_unique2", lexical)
unique_dim = _distinct_op("unique_dim", lexical)
unique_consecutive = _distinct_op("unique_consecutive", None)
