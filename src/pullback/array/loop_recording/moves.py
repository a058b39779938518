"""Do NumPy's functions that find places of elements, or take elements from places, and note what they do."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from .arrays import FUNCTIONS, Recorded, plain_of
from .recorder import Recorder, axes_around
from .steps import MOST_SORTED, MOVED, OWN, SORTED, SOUGHT, Unrecorded

_INT64 = np.dtype(np.int64)


def _argsort(recorder: Recorder, x: Any, axis: int | None = -1, kind: Any = None, **named: Any) -> Any:
    """Return `np.argsort` of few elements along an axis, by a stable sort."""
    plain = recorder.read(plain_of(x))
    if kind != "stable" or named or axis is None or plain.dtype.char not in SORTED or not plain.size:
        raise Unrecorded("a sort of another kind")
    if plain.shape[axis] > MOST_SORTED:
        raise Unrecorded("a sort of many elements")
    result = plain.argsort(axis, kind="stable")
    recorder.remember(OWN, result)
    moved, sorted_ = np.moveaxis(plain, axis, -1), np.moveaxis(result, axis, -1)
    outer = axes_around(moved.shape[:-1], [moved, sorted_])
    steps = (moved.strides[-1], sorted_.strides[-1])
    places = recorder.places(moved, sorted_)
    recorder.note("argsort", (plain.dtype, _INT64), outer, moved.shape[-1:], steps, places)
    return recorder.told(result)


def _extreme(name: str) -> Callable[..., Any]:
    """Return what does `np.argmax` or `np.argmin`."""

    def find(
        recorder: Recorder, x: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False
    ) -> Any:
        plain = plain_of(x)
        if out is not None or plain.dtype.char not in SOUGHT:
            raise Unrecorded(f"numpy.{name} of another kind")
        result = np.asarray(getattr(plain, name)(axis, keepdims=keepdims))
        recorder.remember(OWN, result)
        moved = plain.reshape(-1) if axis is None else np.moveaxis(plain, axis, -1)
        if not np.may_share_memory(moved, plain):
            raise Unrecorded("an extreme of an array with gaps")
        lead = moved.shape[:-1]
        outer = axes_around(lead, [moved, result.reshape(lead)])
        places = recorder.places(moved, result)
        steps = (moved.strides[-1], 0)
        recorder.note(name, (plain.dtype, result.dtype), outer, moved.shape[-1:], steps, places)
        return recorder.told(result)

    return find


def _in_range(recorder: Recorder, indices: Any, size: int) -> ndarray:
    """Return indices as int64; the next ones are to be in range, too."""
    told = recorder.told(np.asarray(plain_of(indices)))
    if told.dtype.kind not in "iu":
        raise Unrecorded("indices of another kind")
    told = told.astype(_INT64, copy=False)
    if recorder.find(plain_of(told)) is None:  # they are always the same
        known = plain_of(told)
        if ((known < -size) | (known >= size)).any():
            raise Unrecorded("indices out of range")
        return np.where(known < 0, known + size, known)
    recorder.check_places(told, size)
    return plain_of(told)


def _spread_offsets(recorder: Recorder, indices: ndarray, stride: int) -> ndarray:
    """Return how many bytes behind the first element those at indices lie."""
    if recorder.find(indices) is None:
        return indices * stride
    return plain_of(np.multiply(recorder.told(indices), stride))


def _take_along_axis(recorder: Recorder, x: Any, indices: Any, axis: int | None = -1) -> Any:
    """Return `np.take_along_axis`."""
    plain = recorder.read(plain_of(x))
    if axis is None or not np.size(indices) or not plain.size:
        raise Unrecorded("elements of another kind")
    axis %= plain.ndim
    places = _in_range(recorder, indices, plain.shape[axis])
    result = np.take_along_axis(plain, places, axis)
    recorder.remember(OWN, result)
    strides = [0 if d == axis or n == 1 else s for d, (n, s) in enumerate(zip(plain.shape, plain.strides))]
    spread = np.lib.stride_tricks.as_strided(plain, result.shape, strides)
    recorder.gather(_spread_offsets(recorder, places, plain.strides[axis]), spread, result)
    return recorder.told(result)


def _take(
    recorder: Recorder, x: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise"
) -> Any:  # fmt: skip
    """Return `np.take`."""
    x = recorder.told(plain_of(x))
    if type(indices) is not Recorded:
        how: Any = {"axis": axis, "mode": mode}
        return recorder.move(x, lambda places: places.take(indices, **how), plain_of(out))
    if axis is None and not plain_of(x).flags.c_contiguous:
        raise Unrecorded("indices of another kind")
    x = x if axis is not None else recorder.told(plain_of(x).reshape(-1))
    if mode != "raise" or indices.dtype.kind not in "iu" or not indices.size:
        raise Unrecorded("indices of another kind")
    indices = indices.astype(np.int64, copy=False)
    axis = 0 if axis is None else axis % x.ndim
    recorder.check_places(indices, x.shape[axis])
    plain = recorder.read(plain_of(x))
    result = plain.take(plain_of(indices), axis, out=plain_of(out))
    if out is None:
        recorder.remember(OWN, result)
    places = plain_of(indices * plain.strides[axis])
    before, behind = plain.shape[:axis], plain.shape[axis + 1 :]
    places = places[(*(None,) * axis, ..., *(None,) * len(behind))]
    strides = (*plain.strides[:axis], *(0,) * indices.ndim, *plain.strides[axis + 1 :])
    spread = np.lib.stride_tricks.as_strided(plain, (*before, *indices.shape, *behind), strides)
    recorder.gather(places, spread, result)
    return recorder.told(result)


def _reached(recorder: Recorder, plain: ndarray, key: Any) -> tuple[ndarray, ndarray]:
    """Return how far behind the first element of an array those at arrays of indices lie, one array for each
    of the first axes, and an array of the shape of these elements to which that is added.
    """
    keys = key if type(key) is tuple else (key,)
    arrays = [k for k in keys if isinstance(k, ndarray) and k.dtype.kind in "iu"]
    shape = np.broadcast_shapes(*[k.shape for k in arrays])
    if len(arrays) < len(keys) or not plain.size or 0 in shape:
        raise Unrecorded("elements where others say")
    offsets: Any = 0
    for indices, size, stride in zip(arrays, plain.shape, plain.strides, strict=False):
        own = _spread_offsets(recorder, _in_range(recorder, indices, size), stride)
        offsets = recorder.told(own) + offsets if recorder.find(own) is not None else own + offsets
    rest = plain.shape[len(arrays) :]
    offsets = plain_of(offsets)[(..., *(None,) * len(rest))]
    strides = [0] * len(shape) + [*plain.strides[len(arrays) :]]
    return offsets, np.lib.stride_tricks.as_strided(plain, (*shape, *rest), strides)


def _at_places(recorder: Recorder, x: Any, key: Any) -> Any:
    """Return elements at arrays of indices."""
    plain = recorder.read(plain_of(x))
    offsets, spread = _reached(recorder, plain, key)
    result = np.empty(spread.shape, plain.dtype)
    result[...] = plain[tuple(map(plain_of, key)) if type(key) is tuple else plain_of(key)]
    recorder.remember(OWN, result)
    recorder.gather(offsets, spread, result)
    return recorder.told(result)


def _put(recorder: Recorder, x: Any, key: Any, value: Any) -> None:
    """Write elements to arrays of indices."""
    offsets, spread, values = _written(recorder, x, key, value)
    if spread.itemsize not in MOVED:
        raise Unrecorded(f"elements of {spread.itemsize} bytes")
    plain_of(x)[tuple(map(plain_of, key)) if type(key) is tuple else plain_of(key)] = values
    recorder.loop("scatter", [spread.dtype], [offsets, values, spread], 0)


def _add_at(recorder: Recorder, x: Any, key: Any, value: Any) -> None:
    """Do `np.add.at`."""
    offsets, spread, values = _written(recorder, x, key, value)
    if spread.dtype.char not in SORTED.replace("?", ""):
        raise Unrecorded(f"sums of {spread.dtype}")
    np.add.at(plain_of(x), tuple(map(plain_of, key)) if type(key) is tuple else plain_of(key), values)
    recorder.loop("add_at", [spread.dtype], [offsets, values, spread], 0)


def _written(recorder: Recorder, x: Any, key: Any, value: Any) -> tuple[ndarray, ndarray, ndarray]:
    """Return what `_reached` gives, in C order, and what is to be written there, of the same shape."""
    plain = plain_of(x)
    offsets, spread = _reached(recorder, plain, key)
    value = value if isinstance(value, ndarray) else np.asarray(value, plain.dtype)
    if value.dtype != plain.dtype:
        value = recorder.cast(recorder.read(plain_of(value)), plain.dtype)
    values = np.broadcast_to(recorder.read(plain_of(value)), spread.shape)
    if np.may_share_memory(values, plain):
        raise Unrecorded("operands that overlap")
    if offsets.size != spread.size or not offsets.flags.c_contiguous:
        # So that of elements that are written twice the last counts.
        offsets = plain_of(recorder.told(np.broadcast_to(recorder.read(offsets), spread.shape)).copy())
    return recorder.read(offsets), spread, values


def _sort(recorder: Recorder, x: Any, axis: int | None = -1, kind: Any = None, **named: Any) -> Any:
    """Return `np.sort`."""
    axis = 0 if axis is None else axis
    return _take_along_axis(recorder, x, _argsort(recorder, x, axis, kind, **named), axis)


def _searchsorted(recorder: Recorder, sequence: Any, values: Any, side: Any = "left") -> Any:
    """Return `np.searchsorted`."""
    x, wanted = recorder.read(plain_of(sequence)), recorder.read(plain_of(values))
    if x.dtype != wanted.dtype or x.dtype.char not in SORTED or not x.size or not wanted.size:
        raise Unrecorded("places in a sequence of another kind")
    result = np.asarray(np.searchsorted(x, wanted, side))
    recorder.remember(OWN, result)
    row, out = wanted.reshape(-1), result.reshape(-1)
    if not np.may_share_memory(row, wanted):
        raise Unrecorded("places of elements with gaps")
    steps = (row.strides[0], 0, out.strides[0], x.strides[0])
    places = recorder.places(row, x, out)
    name = f"search_{side}"
    recorder.note(name, (x.dtype, x.dtype, _INT64), [], (row.size, x.size), steps, places)
    return recorder.told(result)


def _count_nonzero(recorder: Recorder, x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Return how many elements are not 0."""
    found = recorder.told(plain_of(x)) != 0
    return np.add.reduce(found, axis=axis, dtype=_INT64, keepdims=keepdims, out=...)


def _broadcast_arrays(recorder: Recorder, *arrays: Any) -> Any:
    """Return `np.broadcast_arrays`."""
    return (*map(recorder.told, np.broadcast_arrays(*map(recorder.read, map(plain_of, arrays)))),)


FUNCTIONS |= {
    np.broadcast_arrays: _broadcast_arrays,
    np.argmax: _extreme("argmax"), np.argmin: _extreme("argmin"),
    np.argsort: _argsort, np.take_along_axis: _take_along_axis, ndarray.__getitem__: _at_places,
    ndarray.__setitem__: _put, np.add: _add_at,
    np.take: _take, np.count_nonzero: _count_nonzero, np.sort: _sort, np.searchsorted: _searchsorted,
}  # fmt: skip
