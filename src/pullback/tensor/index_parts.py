"""Read an index: its parts, the views that integers and slices take, the places that tensors name.

An index is applied from left to right: integers, slices, None and Ellipsis take views; what is left are index
tensors (masks become the places where they hold), which one `index` op reads or one `index_put` writes. So an
integer between index tensors does not separate them, unlike in NumPy.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..core import facade
from ..core.tracer import Tracer
from ..core.value import TensorBase, array_of, dtype_of, settled, shape_of, wrap, wrap_alias
from ..core.versions import Joined
from ..core.warn import warn
from ..ops import view as v
from ..ops.convert import cast
from ..ops.gather import places
from ..ops.reduce import count_nonzero
from ..ops.structure import expand, stack
from .argument_types import has_index
from .batching import refuse_batched
from .data import array_from

Ints = tuple[int, ...]

#: One indexed axis: where it is, and the places along it.
Entry = tuple[int, Any]

_BOOL = np.dtype(np.bool_)
_INT64 = np.dtype(np.int64)
_INT = {int}


def is_int(index: Any) -> bool:
    """Return whether an index is a Python or NumPy integer (and no bool)."""
    return (isinstance(index, int) and not isinstance(index, bool)) or isinstance(index, np.integer)


def is_mask(index: Any) -> bool:
    """Return whether an index is a tensor of bools: no call by one has a plan, for its shape is not known."""
    return type(index) is facade.Tensor and type(a := index._value) is ndarray and a.dtype is _BOOL


def selected(x: Any, dim: int, index: int, named_dim: int | None = None) -> Any:
    """Return the view at `index` of axis `dim`; messages call the axis `named_dim`."""
    if not (shape := shape_of(x)) and index == 0:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
            "convert a 0-dim tensor to a number"
        )
    dtypes.check_long(index)
    size = shape[dim] if shape else 0
    if not -size <= index < size:
        named_dim = dim if named_dim is None else named_dim
        raise IndexError(f"index {index} is out of bounds for dimension {named_dim} with size {size}")
    return v.select(x, dim, index + size if index < 0 else index)


def sliced(x: Any, dim: int, part: slice, keep_whole: bool = True) -> Any:
    """Return the view of a slice of axis `dim`, or the tensor for a whole slice without `keep_whole`."""
    if part.step is None or part.step == 1:
        step = 1
        if part.start is None is part.stop and not keep_whole and shape_of(x):
            return x
    else:
        if (step := _slice_end(part.step)) == 0:
            raise ValueError("slice step cannot be zero")
        if step < 0:
            raise ValueError("step must be greater than zero")
    start = 0 if part.start is None else _slice_end(part.start)
    stop = None if part.stop is None else _slice_end(part.stop)
    if not (shape := shape_of(x)):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    size = shape[dim]
    if not keep_whole and start == 0 and step == 1 and (stop is None or stop >= size):
        return x
    start = min(max(start + size if start < 0 else start, 0), size)
    stop = size if stop is None else min(max(stop + size if stop < 0 else stop, start), size)
    return v.slice_dim(x, dim, start, stop, step)


def _slice_end(end: Any) -> int:
    if type(end) is int:
        return end
    if isinstance(end, TensorBase) or hasattr(end, "__index__"):
        return operator.index(end)
    raise TypeError("slice indices must be integers or None or have an __index__ method")


def listed(index: Any) -> ndarray | None:
    """Return a list of Python's integers as an array; None for all else.

    So they are read in 1 µs, and in 14 as what a list may hold otherwise.
    """
    if type(index) is not list or {*map(type, index)} != _INT:
        return None
    try:
        return np.array(index, np.int64)
    except OverflowError:
        return None


def as_tuple(index: Any) -> tuple[Any, ...]:
    """Return the parts of an index; a list of sequences, slices or tensors is a tuple, as torch warns."""
    if type(index) is tuple:
        return index
    if isinstance(index, tuple):
        return tuple(index)
    if isinstance(index, (TensorBase, ndarray)) or not _is_sequence(index) or len(index) >= 32:
        return (index,)
    if {*map(type, index)} == _INT:
        return (index,)
    if any(
        item is None or item is Ellipsis or isinstance(item, (slice, TensorBase)) or _is_sequence(item)
        for item in index
    ):
        warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
            "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
            "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result"
        )
        return tuple(index)
    return (index,)


def _is_sequence(v: Any) -> bool:
    if isinstance(v, (list, tuple, str, range, ndarray)):
        return not isinstance(v, ndarray) or v.ndim > 0
    return hasattr(v, "__getitem__") and hasattr(v, "__len__") and not isinstance(v, (dict, set, np.generic))


def _axes_taken(item: Any) -> int:
    if item is None or item is Ellipsis or item is True or item is False:
        return 0
    if isinstance(item, TensorBase) and ((kind := dtype_of(item)).kind == "b" or kind == np.uint8):
        return len(shape_of(item))
    return 1


def _count_axes(parts: tuple[Any, ...], rank: int) -> int:
    taken = sum([_axes_taken(item) for item in parts])
    if taken > rank:
        raise _too_many(rank)
    return taken


def _too_many(rank: int) -> IndexError:
    return IndexError(f"too many indices for tensor of dimension {rank}")


def _read(parts: tuple[Any, ...], rank: int) -> tuple[tuple[Any, ...], int]:
    """Return the parts of an index as `_as_index` reads them, and how many axes they take."""
    try:
        parts = tuple([_as_index(item) for item in parts])
    except (IndexError, TypeError):
        _count_axes(parts, rank)
        raise
    return parts, _count_axes(parts, rank)


def applied(x: Any, parts: tuple[Any, ...], keep_whole: bool) -> tuple[Any, list[Entry]]:
    """Take the views that the parts of an index ask for; return what is left of `x`, and the indexed axes.

    Raises torch's IndexError or TypeError for indices out of range, too many, or of a wrong type.
    """
    rank = len(shape_of(x))
    taken = 0
    for item in parts:
        if type(item) is slice or type(item) is int:
            taken += 1
        elif item is not None and item is not Ellipsis:
            # Of other parts it is more to say how many axes they take.
            parts, taken = _read(parts, rank)
            break
    else:
        if taken > rank:
            raise _too_many(rank)
    entries: list[Entry] = []
    dim = 0
    for position, item in enumerate(parts):
        if type(item) is int:
            x = selected(x, dim, item, position)
        elif type(item) is slice:
            x = sliced(x, dim, item, keep_whole)
            dim += 1
        elif item is Ellipsis:
            dim += rank - taken
        elif item is None:
            x = v.unsqueeze(x, dim)
            dim += 1
        elif item is True or item is False:
            x = v.unsqueeze(x, dim)
            entries.append((dim, np.zeros(1 if item else 0, np.int64)))
            dim += 1
        else:
            kind = dtype_of(item)
            own_rank = len(shape_of(item))
            mask = kind.kind == "b" or kind == np.uint8
            if own_rank == 0 and kind.kind in "iub" and item._level == 0:
                if not mask:
                    x = selected(x, dim, int(array_of(item)), position)
                    continue
                x = v.unsqueeze(x, dim)
                entries.append((dim, np.zeros(1 if array_of(item) else 0, np.int64)))
                dim += 1
            else:
                entries.append((dim, item))
                dim += own_rank if mask else 1
    return x, entries


def _as_index(item: Any) -> Any:
    """Return one part of an index as int, slice, None, Ellipsis, bool or tensor."""
    kind = type(item)
    if (
        kind is int
        or kind is slice
        or item is None
        or item is Ellipsis
        or kind is bool
        or isinstance(item, TensorBase)
    ):
        return item
    if is_int(item) or has_index(item):
        return operator.index(item)
    if (places := listed(item)) is not None:
        return wrap(places)
    if isinstance(item, ndarray) or _is_sequence(item):
        array = array_from(item, None)
        if array.dtype.kind != "b" and array.dtype != np.uint8:
            array = array.astype(_INT64) if array.dtype.kind in "iu" else array_from(item, _INT64)
        return wrap(array)
    from ..errors import type_name

    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {type_name(item)})"
    )


def asked_size(x: Any) -> Callable[[Any], int] | None:
    """Return what tells a size that follows from a traced value; None of others, or if it is unknown."""
    value = settled(x) if isinstance(x, TensorBase) else x
    return value.recorder.size if type(value) is Tracer else None


def traced_places(x: Any) -> Any:
    """Return the places, (rank, n), of what is not 0 in a value whose trace knows sizes; None for others."""
    size = asked_size(x)
    return None if size is None else places(x, size(count_nonzero(x, tuple(range(len(shape_of(x)))))))


def mask_entries(x: Any, dim: int, mask: Any) -> list[Entry]:
    """Return the places where a mask holds, along each of the axes it covers."""
    if dtype_of(mask) == np.uint8:
        warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
    shape, own = shape_of(x), shape_of(mask)
    for j, size in enumerate(own):
        if dim + j >= len(shape) or shape[dim + j] != size:
            raise IndexError(
                f"The shape of the mask {list(own)} at index {j} does not match the shape of the indexed "
                f"tensor {list(shape)} at index {dim + j}"
            )
    refuse_batched(
        "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
        "indexing with a boolean mask.", mask,
    )
    if (traced := traced_places(mask)) is not None:
        return [(dim + j, v.select(traced, 0, j)) for j in range(len(own))]
    return [(dim + j, places) for j, places in enumerate(array_of(mask).nonzero())]


def without_masks(x: Any, entries: list[Entry]) -> list[Entry]:
    """Return the same entries with masks as places, checked for torch's dtypes of indices."""
    found: list[Entry] = []
    for dim, index in entries:
        if (kind := dtype_of(index)).kind == "b" or kind == np.uint8:
            found += mask_entries(x, dim, index)
        elif kind == _INT64 or kind == np.int32:
            found.append((dim, index))
        else:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return found


def packed(x: Any, entries: list[Entry]) -> tuple[Ints, Any]:
    """Return indexed axes and their places as one value ``(k, *shape)``, which counts the writes to the masks
    and index tensors that it was packed of.
    """
    given = [index for _, index in entries if isinstance(index, TensorBase)]
    dims, where = _packed(without_masks(x, entries))
    where = where if isinstance(where, TensorBase) else wrap(where)
    if given and where._counter is not given[0]._counter:
        where._counter = Joined(*given)
    return dims, where


def _packed(entries: list[Entry]) -> tuple[Ints, Any]:
    if len(entries) == 1:
        dim, places = entries[0]
        if isinstance(places, TensorBase):
            if type(places._value) is ndarray:
                if (array := places._value).dtype == _INT64:
                    return (dim,), wrap_alias(array[None], places)
                return (dim,), wrap(array.astype(_INT64)[None])
            places = places if dtype_of(places) == _INT64 else cast(places, _INT64)
            return (dim,), v.unsqueeze(places, 0)
        return (dim,), places[None]
    dims = tuple(dim for dim, _ in entries)
    places_of = [p for _, p in entries]
    plain = [p._value if isinstance(p, TensorBase) else p for p in places_of]
    try:
        # NumPy takes 5 µs for shapes that broadcast; those of a mask's places are all the same.
        shape, *others = {*map(shape_of, places_of)}
        shape = np.broadcast_shapes(shape, *others) if others else shape
    except ValueError:
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            + ", ".join(str(list(shape_of(p))) for p in places_of)
        ) from None
    if all(type(p) is ndarray for p in plain):
        where = np.empty((len(dims), *shape), np.int64)
        for k, p in enumerate(plain):
            where[k] = p
        return dims, wrap(where)  # as a tensor the op takes it at once: 74 µs a call with a history, 34 so
    return dims, stack(
        [expand(p if isinstance(p, ndarray) else cast(p, _INT64), shape) for p in places_of], 0
    )


# --- as NumPy takes it --------------------------------------------------------------------------------------


#: dtypes of what says which places of an axis are meant.
_PLACES = (_INT64, _BOOL)
_NO_STEP = (int, type(None))


def is_plain(index: Any) -> bool:
    """Return whether an index is Python integers and slices without step, behind an ellipsis or none."""
    if (kind := type(index)) is tuple:
        rest = index[1:] if index and index[0] is ... else index
        for k in rest:
            if type(k) is not int and not (type(k) is slice and is_plain(k)):
                return False
        return len(rest) > 0
    if kind is slice:
        return index.step is None and type(index.start) in _NO_STEP and type(index.stop) in _NO_STEP
    return kind is int


def arrays_of(index: Any, x: Any) -> Any:
    """Return an index as NumPy takes it where it is a mask over the first axes of a tensor, or masks over
    axes and places along them, between which there may be slices, and beside which numbers; None for others.
    """
    if type(index) is tuple and len(index) == 1:
        index = index[0]
    if type(index) is facade.Tensor:
        if type(array := index._value) is not ndarray or not array.ndim:
            return None
        fits = array.dtype is _INT64
        fits = fits or (array.dtype is _BOOL and array.shape == shape_of(x)[: array.ndim])
        return array if fits else None
    if type(index) is not tuple:
        return listed(index)
    arrays: list[Any] = []
    for k in index:
        if type(k) is list:
            if (k := listed(k)) is None:
                return None
        elif type(k) is facade.Tensor:
            k = k._value
            if type(k) is not ndarray or not k.ndim or k.dtype not in _PLACES:
                return None
        elif type(k) is not int and (type(k) is not slice or not is_plain(k)):
            return None
        arrays.append(k)
    if not any(type(k) is ndarray for k in arrays):
        return None
    if any(type(k) is int for k in arrays):
        # NumPy takes a number for a place: with a slice between the two, the axis of the places goes first.
        taken = [n for n, k in enumerate(arrays) if type(k) is not slice]
        if taken[-1] - taken[0] >= len(taken):
            return None
    return tuple(arrays)
