"""Adding, or reducing, elements into places that an index names, where several may name the same place.

NumPy's ``ufunc.at`` has a fast loop for one-dimensional arrays of one dtype with an intp index: 0.7 ns an
element, as fast as torch and 100 times faster than sorting. Everything is brought into that form. Many rows
go through a sparse product instead (768 rows of 128: 0.05 ms; ``add.at`` on rows 0.65 ms, sort and
``reduceat`` 0.10 ms), which has the same bits.
"""

import functools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from . import large
from .deferred_import import import_later
from .entries import weighted_rows
from .scipy_functions import is_installed
from .threads import get_num_threads, run_parts, stretches
from .tiering import Hotness

loops = import_later(".strided_loops", __package__)

_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)
#: Elements up to which the places of an index's rows are kept: 0.6 µs instead of 5.
_SMALL = 4096
#: Elements in a row from which on native loops add slices.
_LONG_ROW = 16
#: Elements, and elements in a row, from which the sparse product is faster than ``add.at`` by 5 µs and more,
#: which is what pays for SciPy's import.
_WORTH_A_PRODUCT, _OF_A_ROW = 2048, 3

#: Elements from which threads are worth waking, and elements of an index in a block, whose positions stay in
#: the cache until they are used. Gathering 1,000,000 float32 takes one thread 2.2 ms with all positions at
#: once, 1.6 ms in blocks, and two threads 0.8 ms.
_WORTH_THREADS, _BLOCK = 1 << 18, 1 << 15
#: Elements from which rows may be copied by native threads, bytes of such a row, and nanoseconds for a row.
_WORTH_COPYING, _WIDE, _ROW = 1 << 16, 64, 5
_HOTNESS = Hotness()


def positions(index: ndarray, dim: int, shape: Sequence[int]) -> ndarray:
    """Return where the elements that `index` names along `dim` lie in a flat array of `shape`, as intp of the
    shape of `index`; each of its axes but `dim` is walked from 0.
    """
    if index.ndim == 0:
        return index.astype(np.intp)
    check_range(index, dim, shape[dim])
    if index.ndim == 1:
        return index.astype(np.intp, copy=False)
    out = np.empty(index.shape, np.intp)
    if index.size < _WORTH_THREADS:
        return _positions(index, dim, shape, out)

    def task(low: int, high: int) -> None:
        _positions(index[low:high], dim, shape, out[low:high], low)

    _by_stretches(task, len(index), index.size)
    return out


def check_range(index: ndarray, dim: int, length: int) -> None:
    """Raise torch's error for an index that is no place of an axis."""
    if not index.size or is_within(index, length):
        return
    lowest, highest = int(index.min()), int(index.max())
    if lowest < 0 or highest >= length:
        wrong = index[(index < 0) | (index >= length)].flat[0]
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {length}")


def is_within(index: ndarray, length: int) -> bool:
    """Return whether int64 places are all from 0 to `length`."""
    # Read without signs, what is negative is too large as well: one search instead of two.
    if index.dtype is not _INT64 and index.dtype != _INT64:
        return False
    return bool(np.maximum.reduce(index.view(_UINT64), axis=None) < length)


@functools.lru_cache(maxsize=64)
def _starts(index_shape: tuple[int, ...], dim: int, shape: tuple[int, ...]) -> ndarray:
    """Return where the first elements along `dim` lie, for each place of an index of a shape; read-only."""
    strides = [prod(shape[axis + 1 :]) for axis in range(len(index_shape))]
    parts = np.indices(index_shape, np.intp, sparse=True)
    kept = [part * stride for axis, (part, stride) in enumerate(zip(parts, strides)) if axis != dim]
    return sum(kept, np.zeros((1,) * len(index_shape), np.intp))


def _positions(index: ndarray, dim: int, shape: Sequence[int], out: ndarray, first: int = 0) -> ndarray:
    """Return `positions` of indices that are in range; `first` is where axis 0 begins."""
    stride = prod(shape[dim + 1 :])
    if index.size <= _SMALL and not first:
        if stride == 1:
            return np.add(index, _starts(index.shape, dim, tuple(shape)), out=out)
        np.multiply(index, stride, out=out)
        return np.add(out, _starts(index.shape, dim, tuple(shape)), out=out)
    np.multiply(index, stride, out=out)
    for axis, length in enumerate(index.shape):
        if axis != dim and (length > 1 or first):
            start = 0 if axis else first
            steps = np.arange(start, start + length, dtype=np.intp) * prod(shape[axis + 1 :])
            out += steps.reshape((-1,) + (1,) * (index.ndim - axis - 1))
    return out


def _by_stretches(task: Callable[[int, int], None], length: int, size: int) -> None:
    """Call ``task(start, stop)`` on stretches of ``range(length)``, in parallel if `size` is worth it."""
    bounds = stretches(length, size, _WORTH_THREADS)
    run_parts(lambda part: task(*bounds[part]), len(bounds))


def taken(x: ndarray, dim: int, index: ndarray) -> ndarray:
    """Return `gather` of places that are known to be there."""
    if x.size > _SMALL:
        return gather(x, dim, index)
    return x.reshape(-1).take(_positions(index, dim, x.shape, np.empty(index.shape, np.intp)))


def put(out: ndarray, dim: int, index: ndarray, values: ndarray) -> None:
    """Write values at such places of an array in C order, each written once."""
    if out.size > _SMALL:
        np.put_along_axis(out, index, values, axis=dim)
    else:
        out.reshape(-1)[_positions(index, dim, out.shape, np.empty(index.shape, np.intp))] = values


def add(out: ndarray, dim: int, index: ndarray, values: ndarray) -> None:
    """Add values at places of a C-ordered array; 100 sorted rows of 100 take 50 µs, ``add.at`` 182."""
    np.add.at(out.reshape(-1), positions(index, dim, out.shape).reshape(-1), values.reshape(-1))


def _of_rows(index: ndarray, dim: int, shape: Sequence[int]) -> ndarray | None:
    """Return a large index that is expanded along all axes behind `dim`, without these, as it names whole
    rows; else None. 4×90×9 rows of 32: gathered in 1,013 µs by elements, 267 so; 4×810 added in 335, 51.
    """
    behind = index.shape[dim + 1 :]
    if index.size <= _SMALL or not behind or behind != tuple(shape[dim + 1 :]):
        return None
    if any(step for step, size in zip(index.strides[dim + 1 :], behind) if size > 1):
        return None
    first: tuple[Any, ...] = (..., *(0,) * len(behind))
    return index[first]


def gather(x: ndarray, dim: int, index: ndarray) -> ndarray:
    """Return y[i, j, …] = x[i, …, index[i, j, …], …] with the index at axis `dim`."""
    if index.size == 1 and index.ndim == x.ndim > 0:
        # The logarithm of one action's probability: 1 µs instead of 5.
        place = int(index.reshape(()))
        if 0 <= place < x.shape[dim]:
            at: tuple[Any, ...] = (*(0,) * dim, place, *(0,) * (x.ndim - dim - 1), ...)
            return x[at].reshape(index.shape).copy()
    if x.ndim == 0 or index.ndim == 0:
        return x.reshape(-1)[positions(index.reshape(-1), 0, (x.size,))].reshape(index.shape)
    flat = np.ascontiguousarray(x).reshape(-1)
    if (rows := _of_rows(index, dim, x.shape)) is not None:
        places = positions(rows, dim, x.shape[: dim + 1])
        whole = take_slices(flat.reshape(-1, *x.shape[dim + 1 :]), places.reshape(-1), 0)
        return whole.reshape(index.shape)
    if index.size < _BLOCK:
        return flat.take(positions(index, dim, x.shape))
    out = np.empty(index.shape, x.dtype)
    if index.size >= large.SIZE and _alike(x, index, dim):
        source, places = np.ascontiguousarray(x), np.ascontiguousarray(index)
        if large.ask("read", _folded(source, dim), _folded(places, dim), _folded(out, dim)):
            return out
    check_range(index, dim, x.shape[dim])
    together = max(1, _BLOCK // prod(index.shape[1:]))

    def task(low: int, high: int) -> None:
        space = np.empty((min(together, high - low), *index.shape[1:]), np.intp)
        for start in range(low, high, together):
            stop = min(start + together, high)
            places = _positions(index[start:stop], dim, x.shape, space[: stop - start], start)
            # Of NumPy's modes this one needs no buffer to protect `out` from a failure.
            np.take(flat, places, out=out[start:stop], mode="wrap")

    _by_stretches(task, len(index), index.size)
    return out


def take_slices(x: ndarray, index: ndarray, dim: int) -> ndarray:
    """Return the slices of `x` that a one-dimensional index, all of it in range, names along `dim`."""
    shape = (*x.shape[:dim], index.size, *x.shape[dim + 1 :])
    if (size := prod(shape)) < _WORTH_COPYING:
        return x.take(index, dim)
    out = np.empty(shape, x.dtype)
    source = np.ascontiguousarray(x)
    if _copied(source, dim, index, out):
        return out

    def task(low: int, high: int) -> None:
        if dim:
            np.take(source[low:high], index, dim, out=out[low:high], mode="wrap")
        else:
            np.take(source, index[low:high], 0, out=out[low:high], mode="wrap")

    _by_stretches(task, shape[0], size)
    return out


def _copied(x: ndarray, dim: int, index: ndarray, out: ndarray) -> bool:
    """Copy the slices that an index names along `dim` by native threads, and tell whether that pays."""
    width = prod(out.shape[dim + 1 :]) * out.itemsize
    if width < _WIDE or get_num_threads() == 1 or out.dtype.hasobject:
        return False
    work = 2 * loops.BYTE * out.nbytes + _ROW * out.nbytes / width
    if work < loops.WORTH_THREADS or not _HOTNESS.is_hot(work):
        return False
    return bool(_HOTNESS.ask("take", _folded(x, dim), index, _folded(out, dim), work))


def scatter_add(base: ndarray, dim: int, index: ndarray, source: ndarray) -> ndarray:
    """Return `base` with source[i, j, …] added at [i, …, index[i, j, …], …]: the transpose of `gather`.

    `source` may be larger than `index`: only what stands under it is taken.
    """
    values = _under(index, source)
    if not base.ndim:
        return np.add(base, np.add.reduce(values, dtype=source.dtype), out=...)
    if not _is_half(values) and (rows := _of_rows(index, dim, base.shape)) is not None:
        places = positions(rows, dim, base.shape[: dim + 1]).reshape(-1)
        row = base.shape[dim + 1 :]
        added = np.array(base, order="C").reshape(-1, *row)
        return _add_rows(added, places, values.reshape(-1, *row)).reshape(base.shape)
    if index.size >= large.SIZE and _alike(base, index, dim) and values.dtype == base.dtype:
        out = np.array(base, order="C")
        under = values.reshape(index.shape)
        index = np.ascontiguousarray(index)
        if large.ask("add", _folded(out, dim), _folded(index, dim), _folded(under, dim), False):
            return out
    places = positions(index, dim, base.shape).reshape(-1)
    if _is_half(values):
        found = index_sum(values.astype(np.float32), places, base.size).reshape(base.shape)
        return np.add(base, found, out=...).astype(base.dtype)
    out = np.array(base, order="C")
    np.add.at(out.reshape(-1), places, values)
    return out


def _alike(x: ndarray, index: ndarray, dim: int) -> bool:
    """Return whether two arrays have the same axes but for one."""
    return x.ndim == index.ndim and all(
        a == b for axis, (a, b) in enumerate(zip(x.shape, index.shape)) if axis != dim
    )


def _folded(x: ndarray, dim: int) -> ndarray:
    """Return a C-ordered array as ``(outer, axis dim, inner)``."""
    return x.reshape(prod(x.shape[:dim]), x.shape[dim], prod(x.shape[dim + 1 :]))


def _is_half(values: ndarray) -> bool:
    return values.dtype.itemsize == 2 and values.dtype.kind not in "iu"


def _under(index: ndarray, source: ndarray) -> ndarray:
    """Return the elements of `source` that stand under `index`, flat."""
    cut: tuple[Any, ...] = tuple(map(slice, index.shape))
    return source[cut].reshape(-1)


def index_sum(values: ndarray, index: ndarray, size: int) -> ndarray:
    """Return out[j] = Σ of values[i] over the i with index[i] = j, both one-dimensional."""
    if _is_half(values):
        return index_sum(values.astype(np.float32), index, size).astype(values.dtype)
    out = np.zeros(size, values.dtype)
    np.add.at(out, index, values)
    return out


def sum_rows(values: ndarray, index: ndarray, rows: int) -> ndarray:
    """Return out[j] = Σ of values[i] over the i with index[i] = j, for rows of any shape: an embedding's
    covector, ``(n, *row)`` -> ``(rows, *row)``.
    """
    if _is_half(values):
        return sum_rows(values.astype(np.float32), index, rows).astype(values.dtype)
    return _add_rows(np.zeros((rows, *values.shape[1:]), values.dtype), index, values)


def _add_rows(out: ndarray, index: ndarray, values: ndarray) -> ndarray:
    """Add values[i] to row index[i] of a C-ordered array, and return it."""
    length = prod(out.shape[1:])
    index = index.astype(np.intp, copy=False)
    if values.size >= _WORTH_A_PRODUCT and length >= _OF_A_ROW and out.dtype != bool and is_installed():
        count = len(index)
        flat = values.reshape(count, length)
        weighted_rows(index, np.arange(count), np.ones(count, out.dtype), flat, out.reshape(-1, length))
    else:
        places = index if length == 1 else (index[:, None] * length + _counted(length)).reshape(-1)
        np.add.at(out.reshape(-1), places, values.reshape(-1))
    return out


@functools.lru_cache(maxsize=64)
def _counted(length: int) -> ndarray:
    """Return the places of a row; for reading only."""
    return np.arange(length, dtype=np.intp)


def index_add(base: ndarray, dim: int, index: ndarray, source: ndarray) -> ndarray:
    """Return `base` with slice i of `source` along `dim` added to slice index[i], which is in range."""
    if source.size >= large.SIZE and add_slices(out := np.array(base, order="C"), dim, index, source):
        return out
    if _is_half(source):
        return index_add(base.astype(np.float32), dim, index, source.astype(np.float32)).astype(base.dtype)
    if dim == 0:
        return _add_rows(np.array(base, order="C"), index, source)
    if source.size <= _SMALL:
        # In the order in which the result lies, so a plan holds: along axis 1 of 8×8 106 µs before, 2 now.
        out, places = np.array(base, order="C"), np.empty(source.shape, np.intp)
        spread = np.broadcast_to(index.reshape(-1, *(1,) * (base.ndim - dim - 1)), source.shape)
        places = _positions(spread, dim, base.shape, places)
        np.add.at(out.reshape(-1), places.reshape(-1), source.reshape(-1))
        return out
    out = np.array(np.moveaxis(base, dim, 0), order="C")
    return np.moveaxis(_add_rows(out, index, np.moveaxis(source, dim, 0)), 0, dim)


def add_slices(base: ndarray, dim: int, index: ndarray, source: ndarray) -> bool:
    """Add slice i of a large `source` along `dim` to slice index[i] of a C-ordered `base`, natively; whether
    that was done. All of the index is in range.
    """
    if source.size < large.SIZE or prod(base.shape[dim + 1 :]) < _LONG_ROW or base.dtype != source.dtype:
        return False
    slices = _folded(np.ascontiguousarray(source), dim)
    return bool(large.ask("add", _folded(base, dim), np.ascontiguousarray(index), slices, True))


def put_sum(shape: Sequence[int], key: tuple[Any, ...], values: ndarray) -> ndarray:
    """Return zeros of `shape` with `values` added at ``[key]``, as `add_put` adds them."""
    if _is_half(values):
        return put_sum(shape, key, values.astype(np.float32)).astype(values.dtype)
    if not values.size:
        # As in the reading, no place is looked at.
        return np.zeros(shape, values.dtype)
    return add_put(np.zeros(shape, values.dtype), key, values)


def add_put(x: ndarray, key: tuple[Any, ...], values: ndarray) -> ndarray:
    """Add `values`, which broadcast to the shape of ``x[key]``, at ``[key]`` of a C-ordered array of their
    dtype, and return it; NumPy's index may name a place many times.
    """
    lead = next((d for d, part in enumerate(key) if type(part) is not slice or part != slice(None)), 0)
    arrays = [part for part in key[lead:] if isinstance(part, ndarray) and part.dtype.kind in "iu"]
    if arrays and lead + len(arrays) == len(key):
        # Index arrays on axes that follow one another, of which the first are whole: rows are added.
        row, sizes = x.shape[len(key) :], x.shape[lead : len(key)]
        index, *others = (_from_the_start(part, d, n) for d, (part, n) in enumerate(zip(arrays, sizes), lead))
        for part, length in zip(others, sizes[1:], strict=True):
            index = index * length + part
        every = (*x.shape[:lead], *index.shape, *row)
        full = values if values.shape == every else np.broadcast_to(values, every)
        if lead:
            # A plan holds, as none did for places in an array of all: 16×20 at 32 of an axis 30 µs before.
            index = _counted(prod(x.shape[:lead]))[:, None] * prod(sizes) + index.reshape(-1)
        if full.size:
            _add_rows(x.reshape(-1, *row), index.reshape(-1), full.reshape(index.size, *row))
        return x
    places = np.arange(x.size).reshape(x.shape)[key]
    full = values if values.shape == places.shape else np.broadcast_to(values, places.shape)
    np.add.at(x.reshape(-1), places.reshape(-1), full.reshape(-1))
    return x


def _from_the_start(index: ndarray, axis: int, length: int) -> ndarray:
    """Return places along an axis, of which negative ones count from the end, counted from the start."""
    if not index.size or is_within(index, length):
        return index
    if int(index.min()) < -length or int(index.max()) >= length:
        raise IndexError(f"an index is out of bounds for axis {axis} with size {length}")
    return np.where(index < 0, index + length, index)


def scatter_reduce(
    base: ndarray, dim: int, index: ndarray, source: ndarray, reduce: str, include_self: bool = True
) -> ndarray:
    """Return `base` with the elements of `source` that fall on each place reduced into it.

    `include_self`: what stood at the place takes part; places that nothing falls on keep it either way.
    """
    if _is_half(base):
        wide = (base.astype(np.float32), dim, index, source.astype(np.float32), reduce, include_self)
        return scatter_reduce(*wide).astype(base.dtype)
    shape = base.shape or (1,)
    out = np.array(base).reshape(-1)
    index = index.reshape(index.shape or (1,))
    places = positions(index, dim, shape).reshape(-1)
    values = _under(index, source.reshape(source.shape or (1,))).astype(base.dtype, copy=False)
    if not include_self:
        out[places] = _identity(reduce, base.dtype)
    if reduce == "prod":
        np.multiply.at(out, places, values)
    elif reduce == "amax":
        np.maximum.at(out, places, values)
    elif reduce == "amin":
        np.minimum.at(out, places, values)
    else:
        np.add.at(out, places, values)
    if reduce == "mean":
        counts = np.bincount(places, minlength=out.size)
        if include_self:
            counts += 1
        counts = np.maximum(counts, 1)
        out = out // counts if base.dtype.kind in "iu" else out / counts
        out = out.astype(base.dtype, copy=False)
    return out.reshape(base.shape)


def _identity(reduce: str, dtype: np.dtype) -> Any:
    """Return the identity of a reduction."""
    if reduce in ("sum", "mean"):
        return 0
    if reduce == "prod":
        return 1
    lowest = reduce == "amax"
    if dtype.kind == "b":
        return not lowest
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if lowest else np.iinfo(dtype).max
    return -np.inf if lowest else np.inf
