"""Maxima, minima, medians and their places.

Where several elements tie, the gradient is torch's: shared evenly by the ops that return values only
(`max()`, `amax`), to the one whose index is returned by those that return indices (`max(dim)`). nan is larger
and smaller than everything.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.deferred_import import import_later
from ..array.layout import in_order
from ..array.reduction import gathered, places
from ..array.short_rows import reduced
from ..array.threads import run_parts, stretches
from ..array.tiering import Hotness
from ..core.batched import dim_first, dim_second
from ..core.op import Call, Covectors, Rule, Several, Term, Terms, like_first, op
from ..core.value import dtype_of, shape_of
from .comparison import eq, isnan, where
from .convert import cast
from .reduce import count, kept, over_rows, shifted
from .sort import orderable
from .structure import reshape, sum_dims

selection = import_later("..array.selection", __package__)
scatter = import_later("..array.scatter", __package__)

# --- probabilities ------------------------------------------------------------------------------------------


def check_probabilities(q: ndarray) -> None:
    """Raise torch's error where a number of an array is below 0 or above 1."""
    if ((q < 0) | (q > 1)).any():
        raise RuntimeError("quantile() q values must be in the range [0, 1]")


def _probabilities(q: ndarray, /) -> ndarray:
    check_probabilities(q)
    return q.copy()


#: The same numbers, refused where one is no probability: a program asks when it runs.
probabilities: Call = op(
    "probabilities", _probabilities, (lambda g: g,), batch=lambda size: (), shape=like_first,
    jvp=lambda primals, tangents, out: tangents[0],
)  # fmt: skip

# --- one element per row, and back --------------------------------------------------------------------------


#: The elements of x at the places `index` along `dim` (of the rank of x, any size along `dim`).
pick: Call = op(
    "pick", lambda x, index, /, dim: np.take_along_axis(x, index, axis=dim) if x.ndim else x.copy(),
    (lambda g, shape_x, index, dim: place(g, index, dim, shape_x[dim] if shape_x else 1), None),
    kind="gather", batch=dim_first,
)


def _place(g: ndarray, index: ndarray, /, dim: int, size: int) -> ndarray:
    if g.ndim == 0:
        return g.copy()
    out = np.zeros((*g.shape[:dim], size, *g.shape[dim + 1 :]), g.dtype)
    if g.shape[dim] == 1:
        scatter.put(out, dim, index, g)
    else:
        scatter.add(out, dim, index, g)
    return out


#: Zeros with g added at the places `index` along `dim`: the transpose of `pick`.
place: Call = op(
    "place", _place,
    (lambda g, index, dim: pick(g, index, dim), None),
    kind="gather", halves=True, node_name="ScatterAddBackward0",
    batch=dim_first,
)


def _selected_rule(g: Term, shape_x: tuple[int, ...], indices: Term, dim: int, keepdim: bool) -> Term:
    """Return the covector of the values goes to where they came from."""
    if not shape_x:
        return g
    shape = kept(shape_x, (dim,))
    return place(reshape(g, shape), reshape(indices, shape), dim, shape_x[dim])


def _selected_jvp(primals: Terms, tangents: Terms, out: Terms, dim: int, keepdim: bool) -> Covectors:
    if not (shape := shape_of(primals[0])):
        return tangents[0], None
    picked = pick(tangents[0], reshape(out[1], kept(shape, (dim,))), dim)
    return reshape(picked, shape_of(out[0])), None


def selecting(name: str, kernel: Callable[..., Any], **fields: Any) -> Call:
    """Declare an op that selects one element per row: ``kernel(x, dim, keepdim)`` gives (values, indices)."""
    return op(
        name, kernel, (_selected_rule,), kind="gather", outputs=("values", "indices"), differentiable=(0,),
        inputs=("x",), attrs=("dim", "keepdim"), jvp=_selected_jvp, batch=dim_first,
        place=in_order, **fields,
    )  # fmt: skip


def _values_at(x: ndarray, indices: ndarray, dim: int, keepdim: bool) -> tuple[ndarray, ndarray]:
    """Return values and indices from indices that kept the dim."""
    values = scatter.taken(x, dim, indices)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


def _zero_index() -> ndarray:
    return np.zeros((), np.int64)


# --- maximum and minimum ------------------------------------------------------------------------------------


#: Elements from which threads are worth waking: NumPy goes through 2²⁰ float32 in 110 µs.
_WORTH_THREADS = 1 << 20


#: Nanoseconds that NumPy takes for an element down columns, and how many rows of them a native loop reduces
#: faster. Of 200 times 8 rows of 32 float32 the largest down columns take 67 µs in NumPy and 28 so, with
#: their places 301 and 29; of 2,000 times 4 rows of 8 with their places 522 and 30 (busy machine).
_DOWN, _ROWS = 5, 1 << 10
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_HOTNESS = Hotness()


def _down_columns(name: str, x: ndarray, dim: int, keepdim: bool) -> list[ndarray] | None:
    """Return what a native loop finds down columns, those of an axis before the last, of an array that is not
    small; None where NumPy is as fast.
    """
    lead, length, tail = prod(x.shape[:dim]), x.shape[dim], prod(x.shape[dim + 1 :])
    if x.size < large.ROWS or length > 2 * tail or x.dtype not in _FLOATS or not x.flags.c_contiguous:
        return None
    if not _HOTNESS.is_hot(x.size * _DOWN):
        return None
    found = _HOTNESS.ask("rows", f"{name}_along", (x.reshape(lead, length, tail),), (1,), (True,))
    shape = (*x.shape[:dim], *(1,) * keepdim, *x.shape[dim + 1 :])
    return None if found is None else [array.reshape(shape) for array in found]


def _where(name: str, x: ndarray, dim: int) -> ndarray:
    """Return where the largest ("max") or smallest ("min") elements are along an axis, which is kept."""
    if x.size >= large.SIZE and dim < x.ndim - 1 and (found := places(name, x, dim)) is not None:
        return found
    keys = orderable(x)
    if x.size < _WORTH_THREADS or not dim:
        return (keys.argmax if name == "max" else keys.argmin)(dim, keepdims=True)
    at = np.empty(kept(x.shape, (dim,)), np.intp)
    bounds = stretches(len(x), x.size, _WORTH_THREADS)

    def part(index: int) -> None:
        cut = slice(*bounds[index])
        (np.argmax if name == "max" else np.argmin)(keys[cut], axis=dim, keepdims=True, out=at[cut])

    run_parts(part, len(bounds))
    return at


def _arg(name: str, x: ndarray, dim: int, keepdim: bool) -> ndarray:
    if x.ndim == 0:
        return _zero_index()
    if x.size < large.WORTH and dim < x.ndim - 1:
        found = _down_columns(name, x, dim, keepdim)
        if found is not None:
            return found[1]
    if x.size >= large.WORTH:
        at = _where(name, x, dim)
        return at if keepdim else at.squeeze(dim)
    keys = orderable(x)
    return np.asarray((keys.argmax if name == "max" else keys.argmin)(dim, keepdims=keepdim))


#: Where the largest (smallest) element along `dim` is: the first of equals.
argmax = op("argmax", lambda x, /, dim, keepdim: _arg("max", x, dim, keepdim), kind="gather", batch=dim_first)
argmin = op("argmin", lambda x, /, dim, keepdim: _arg("min", x, dim, keepdim), kind="gather", batch=dim_first)


def _of_dim(name: str, x: ndarray, dim: int, keepdim: bool) -> tuple[ndarray, ndarray]:
    if x.ndim == 0:
        return x.copy(), _zero_index()
    found = _down_columns(name, x, dim, keepdim) if dim < x.ndim - 1 else None
    if found is not None:
        return found[0], found[1]
    return _values_at(x, _arg(name, x, dim, True), dim, keepdim)


max_dim = selecting("max", lambda x, dim, keepdim: _of_dim("max", x, dim, keepdim))
min_dim = selecting("min", lambda x, dim, keepdim: _of_dim("min", x, dim, keepdim))


def _shared(g: Term, x: Term, out: Term, dims: tuple[int, ...]) -> Term:
    """Return the covector of an extreme value shared evenly among the elements that attain it.

    A nan is attained by none, which makes a row of nan.
    """
    shape = kept(shape_of(x), dims)
    g, out = reshape(g, shape), reshape(out, shape)
    chosen = cast(eq(x, out), dtype_of(g))
    return chosen * (g / sum_dims(chosen, dims, True))


def _extreme_all(name: str, ufunc: np.ufunc) -> Callable[..., ndarray]:
    def kernel(x: ndarray, /) -> ndarray:
        if x.size >= large.SIZE and (found := gathered(name, x, range(x.ndim), False)) is not None:
            return found
        return ufunc.reduce(x, axis=None, out=...)

    return kernel


def _extreme(name: str, ufunc: np.ufunc) -> Callable[..., ndarray]:
    def kernel(x: ndarray, /, dims: tuple[int, ...], keepdim: bool) -> ndarray:
        if x.size >= large.SIZE and (found := gathered(name, x, dims, keepdim)) is not None:
            return found
        if len(dims) == 1 and dims[0] < x.ndim - 1 and prod(x.shape[: dims[0] + 1]) >= _ROWS:
            down = _down_columns(name, x, dims[0], keepdim)
            if down is not None:
                return down[0]
        return reduced(ufunc, x, dims, keepdim)

    return kernel


def _shared_all_rule(g: Term, x: Term, out: Term) -> Term:
    """Return the rule of all elements as one row: nan attains nan, and others get zero in any case."""
    shape = shape_of(x)
    attained = eq(x, out) | (isnan(x) & isnan(out))
    share = g / sum_dims(cast(attained, dtype_of(g)), tuple(range(len(shape))), False)
    return where(attained, share, 0)


def _shared_rule(g: Term, x: Term, out: Term, dims: tuple[int, ...], keepdim: bool) -> Term:
    return _shared(g, x, out, dims)


#: The largest and smallest element over `dims`.
amax = op("amax", _extreme("amax", np.maximum), (_shared_rule,), kind="reduce", batch=shifted)
amin = op("amin", _extreme("amin", np.minimum), (_shared_rule,), kind="reduce", batch=shifted)

#: The largest and smallest element of all.
max_all = op(
    "max_all", _extreme_all("amax", np.maximum), (_shared_all_rule,), kind="reduce", node_name="MaxBackward1",
    batch_rule=over_rows(lambda x, dims: amax(x, dims, False)),
)
min_all = op(
    "min_all", _extreme_all("amin", np.minimum), (_shared_all_rule,), kind="reduce", node_name="MinBackward1",
    batch_rule=over_rows(lambda x, dims: amin(x, dims, False)),
)


#: Both.
aminmax = op(
    "aminmax",
    lambda x, /, dims, keepdim: (amin.op.kernel(x, dims, keepdim), amax.op.kernel(x, dims, keepdim)),
    (lambda g, x, min, max, dims: _shared(g[0], x, min, dims) + _shared(g[1], x, max, dims),),
    kind="reduce", outputs=("min", "max"), batch=shifted,
)


# --- order statistics ---------------------------------------------------------------------------------------


#: Elements that are sorted faster than they are partitioned, compared and counted.
_FEW = 1024
#: Elements up to which a median is looked for by a sort.
_SORTED = 128


def _index_of_rank(x: ndarray, rank: Any, dim: int) -> ndarray:
    """Return the index of the element of a given rank along `dim`, nan last; `rank` broadcasts against the
    rows.

    Of equal elements it is the one that a stable sort puts there: as many of them stand before it as the
    rank goes beyond the smaller ones.
    """
    rows = orderable(x)
    if x.size < _FEW:
        return np.take_along_axis(np.argsort(rows, axis=dim, kind="stable"), rank, axis=dim)
    found = np.take_along_axis(np.partition(rows, np.unique(rank), axis=dim), rank, axis=dim)
    same, before = rows == found, rows < found
    if rows.dtype.kind == "f":
        missing, absent = np.isnan(found), np.isnan(rows)
        same |= missing & absent
        before |= missing & ~absent
    beyond = rank - np.add.reduce(before, axis=dim, keepdims=True)
    if beyond.any():
        same &= np.add.accumulate(same, axis=dim, dtype=np.int64) > beyond
    return same.argmax(axis=dim, keepdims=True)


def _median_by(x: ndarray, dim: int, keepdim: bool, skip: bool) -> tuple[ndarray, ndarray]:
    if x.ndim == 0:
        return x.copy(), _zero_index()
    n = x.shape[dim]
    rank = np.full(kept(x.shape, (dim,)), (n - 1) // 2)
    if x.dtype.kind in "fV":
        nans = np.isnan(x)
        if skip:
            present = n - np.add.reduce(nans, axis=dim, keepdims=True)
            rank = np.maximum(present - 1, 0) // 2
        else:
            index = np.where(
                nans.any(axis=dim, keepdims=True), np.argmax(nans, axis=dim, keepdims=True),
                _index_of_rank(x, rank, dim),
            )
            return _values_at(x, index, dim, keepdim)
    return _values_at(x, _index_of_rank(x, rank, dim), dim, keepdim)


#: The lower median along `dim` and where it is; nan where there is a nan (`nanmedian` leaves them out).
median, nanmedian = (
    selecting(name, lambda x, dim, keepdim, skip=skip: _median_by(x, dim, keepdim, skip), node_name=node_name)
    for name, skip, node_name in (
        ("median", False, "MedianBackward1"), ("nanmedian", True, "NanmedianBackward1")
    )
)


def _median_of_all(skip: bool) -> Callable[..., ndarray]:
    """Return the kernel of a median without its place, which sorts nothing (10,000 numbers: 1/20)."""

    def run(x: ndarray, /) -> ndarray:
        keys = orderable(x).reshape(-1)
        count = len(keys)
        if x.dtype.kind in "fV":
            present = count - int(np.count_nonzero(np.isnan(keys)))
            count = present if skip or present == count else 0
        if not count:
            return np.asarray(np.nan).astype(x.dtype)
        rank = (count - 1) // 2
        # A sort is recorded (`array.loop_recording`), and of few elements as fast.
        ordered = np.sort(keys, kind="stable") if len(keys) < _SORTED else np.partition(keys, rank)
        return np.asarray(ordered[rank]).astype(x.dtype)

    return run


#: The lower median of all elements.
median_all = op(
    "median_all", _median_of_all(skip=False), (_shared_all_rule,), kind="reduce", node_name="MedianBackward0",
    batch_rule=over_rows(lambda x, dims: median(_rows(x), 1, False)[0]),
)
nanmedian_all = op(
    "nanmedian_all", _median_of_all(skip=True), (_shared_all_rule,), kind="reduce",
    node_name="NanmedianBackward0",
    batch_rule=over_rows(lambda x, dims: nanmedian(_rows(x), 1, False)[0]),
)


def _rows(x: Term) -> Term:
    shape = shape_of(x)
    return reshape(x, (shape[0], count(shape, tuple(range(1, len(shape))))))


def _kthvalue(x: ndarray, /, k: int, dim: int, keepdim: bool) -> tuple[ndarray, ndarray]:
    if x.ndim == 0:
        return x.copy(), _zero_index()
    index = _index_of_rank(x, np.full(kept(x.shape, (dim,)), k - 1), dim)
    keys = orderable(x)
    value = np.take_along_axis(keys, index, axis=dim)
    equals = np.count_nonzero((keys == value) | (np.isnan(keys) & np.isnan(value)), axis=dim)
    rows, chosen = np.moveaxis(keys, dim, -1), np.moveaxis(index, dim, -1)
    many = x.shape[dim] <= selection.MOST and (equals > 1).any()
    for row in map(tuple, np.argwhere(equals > 1) if many else ()):
        chosen[row] = selection.place_of_rank(rows[row], k - 1)
    return _values_at(x, index, dim, keepdim)


#: The k-th smallest element along `dim` (k from 1) and where it is.
kthvalue = op(
    "kthvalue", _kthvalue, (_selected_rule,), kind="gather", outputs=("values", "indices"),
    differentiable=(0,),
    jvp=lambda primals, tangents, out, k, dim, keepdim: _selected_jvp(primals, tangents, out, dim, keepdim),
    batch=dim_second,
    inputs=("x",), attrs=("k", "dim", "keepdim"),
)


def _mode(x: ndarray, /, dim: int, keepdim: bool) -> tuple[ndarray, ndarray]:
    if x.ndim == 0:
        return x.copy(), _zero_index()
    keys = orderable(x)
    order = np.argsort(keys, axis=dim, kind="stable")
    ordered = np.take_along_axis(x, order, axis=dim)
    lead = (slice(None),) * dim
    starts = np.ones(x.shape, np.bool_)
    starts[(*lead, slice(1, None))] = ordered[(*lead, slice(1, None))] != ordered[(*lead, slice(None, -1))]
    place_in_row = np.arange(x.shape[dim]).reshape((-1, *(1,) * (x.ndim - dim - 1)))
    run = place_in_row - np.maximum.accumulate(np.where(starts, place_in_row, 0), axis=dim)
    last = np.argmax(run, axis=dim, keepdims=True)
    index = np.take_along_axis(order, last, axis=dim)
    if selection.SORTED_BY_INSERTION < x.shape[dim] <= selection.MOST:
        rows, ends, chosen = (np.moveaxis(array, dim, -1) for array in (keys, last, index))
        for row in map(tuple, np.argwhere(run.any(dim))):
            chosen[row] = selection.sorted_places(rows[row])[ends[row].item()]
    return _values_at(x, index, dim, keepdim)


#: The most frequent element along `dim` (the smallest of several) and where it last is.
mode = selecting("mode", _mode)


# --- running maximum and minimum ----------------------------------------------------------------------------


def _running(compare: np.ufunc, accumulate: np.ufunc) -> Call:
    def kernel(x: ndarray, /, dim: int) -> tuple[ndarray, ndarray]:
        if x.ndim == 0:
            return x.copy(), _zero_index()
        values = accumulate.accumulate(x, axis=dim)
        lead = (slice(None),) * dim
        n = x.shape[dim]
        place_in_row = np.arange(n).reshape((-1, *(1,) * (x.ndim - dim - 1)))
        # A new leader is at least as good as what led before it, or is nan.
        leads = np.ones(x.shape, np.bool_)
        leads[(*lead, slice(1, None))] = compare(x[(*lead, slice(1, None))], values[(*lead, slice(None, -1))])
        if x.dtype.kind in "fV":
            leads |= np.isnan(x)
        indices = np.maximum.accumulate(np.where(leads, place_in_row, 0), axis=dim)
        return values, np.asarray(indices, np.int64)

    return kernel  # type: ignore[return-value]  # known only at run time


def _running_rule(g: Term, x: Term, indices: Term, dim: int) -> Term:
    if 0 in (shape := shape_of(x)):
        return x  # as torch
    return place(g, indices, dim, shape[dim]) if shape else g


def _running_op(name: str, kernel: Rule) -> Several:
    return op(
        name, kernel, (_running_rule,), kind="gather", outputs=("values", "indices"), differentiable=(0,),
        inputs=("x",), attrs=("dim",), batch=dim_first, place=in_order, sizes_kept=True,
        jvp=lambda primals, tangents, out, dim: (pick(tangents[0], out[1], dim), None),
    )  # fmt: skip


#: The largest (smallest) element so far along `dim` and where it is, the last of equals.
cummax = _running_op("cummax", _running(np.greater_equal, np.maximum))
cummin = _running_op("cummin", _running(np.less_equal, np.minimum))
