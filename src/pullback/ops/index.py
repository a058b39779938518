"""Reading and writing at places that integer tensors name, as ``x[i, :, j]`` does after its slices are taken,
and at places in all elements as one row (``take`` and ``put``, each the transpose of the other).

All index tensors of a call travel as one: `where`, ``(k, *shape)``, holds the places along each of the k axes
`dims`. So the ops have a fixed number of inputs, and batching an index is batching one value. NumPy's rule
for where the axes of the index go is torch's: at the indexed axes where those are adjacent, else in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.deferred_import import import_later
from ..array.layout import as_first, placed, towards
from ..array.layout import copy as copied
from ..array.strides import restrided
from ..core.op import Axes, Term, Terms, like_first, op
from ..core.value import dtype_of, shape_of
from .comparison import zeros_of
from .convert import cast
from .gather import zeros_for
from .structure import expand, permute, permute_to_front, reshape, stack, unbind
from .view import LEAD

scatter = import_later("..array.scatter", __package__)

Ints = tuple[int, ...]


def _key(where: ndarray, dims: Ints) -> tuple[Any, ...]:
    """Return what is between the brackets."""
    key: list[Any] = list(LEAD[dims[-1] + 1])
    for dim, places in zip(dims, where, strict=True):
        key[dim] = places
    return tuple(key)


def out_of_range(where: ndarray, dims: Ints, shape: Ints) -> IndexError:
    """Build torch's error for the first place that an axis does not have."""
    if where.size and not all(shape[dim] for dim in dims):
        return IndexError("index is out of bounds for dimension with size 0")
    for k, dim in enumerate(dims):
        size = shape[dim]
        wrong = where[k][(where[k] < -size) | (where[k] >= size)]
        if wrong.size:
            return IndexError(f"index {wrong[0]} is out of bounds for dimension {k} with size {size}")
    raise AssertionError("every index is within its axis")


def reads_nothing(x: ndarray, dims: Ints) -> bool:
    """Return whether an array has no elements, though the indexed axes have places: torch takes any index."""
    return not x.size and all(x.shape[d] for d in dims)


def adjacent(dims: Sequence[int]) -> bool:
    """Return whether the indexed axes stand side by side, so that the index's axes take their place."""
    return dims[-1] - dims[0] == len(dims) - 1


def _index(x: ndarray, where: ndarray, /, dims: Ints) -> ndarray:
    try:
        if len(dims) == 1:
            found = np.asarray(np.take(x, where[0, ...], dims[0]))
        else:
            found = np.array(x[_key(where, dims)], order="C")
    except IndexError:
        if not reads_nothing(x, dims):
            raise out_of_range(where, dims, x.shape) from None
        return _index(x, np.zeros_like(where), dims)
    return found if x.flags.c_contiguous else _placed_as_read(found, x, where[0], dims)


def _placed_as_read(found: ndarray, x: ndarray, places: ndarray, dims: Ints) -> ndarray:
    """Return what was read laid out as torch does: along the axes not indexed, then along the places."""
    lead = dims[0] if adjacent(dims) else 0
    strides = [stride for axis, stride in enumerate(x.strides) if axis not in dims]
    walked = restrided(x, found.shape, (*strides[:lead], *(0,) * places.ndim, *strides[lead:]))
    return placed(found, (walked, places.reshape(*places.shape, *(1,) * (len(strides) - lead))))


def _index_put(x: ndarray, where: ndarray, values: ndarray, /, dims: Ints, accumulate: bool) -> ndarray:
    new = copied(x)
    put_at(new, where, values, dims, accumulate)
    return new


def put_at(x: ndarray, where: ndarray, values: ndarray, dims: Ints, accumulate: bool) -> None:
    """Write (or add) `values` at the places of an array."""
    key = _key(where, dims)
    try:
        if accumulate:
            values = np.asarray(values).astype(x.dtype, copy=False)
            if x.flags.c_contiguous and x.dtype.itemsize > 2:
                scatter.add_put(x, key, values)
            else:
                x += scatter.put_sum(x.shape, key, values)
        else:
            x[key] = values
    except (IndexError, ValueError):
        if any(s.size and (s.min() < -n or s.max() >= n) for s, n in zip(where, (x.shape[d] for d in dims))):
            if reads_nothing(x, dims):
                return put_at(x, np.zeros_like(where), values, dims, accumulate)
            raise out_of_range(where, dims, x.shape) from None
        raise


# --- with a batch axis first --------------------------------------------------------------------------------


def batched_where(size: int, where: Term, batched: int | None, dims: Ints) -> tuple[Any, Ints]:
    """Return `where` for a batch along axis 0, whose own place is indexed too if `where` is batched."""
    own = tuple(d + 1 for d in dims)
    if batched is None:
        return where, own
    where = permute_to_front(where, batched)
    rows = unbind(where, 1)
    shape = shape_of(rows[0])
    steps = np.arange(size).reshape(size, *(1,) * (len(shape) - 1))
    return stack(
        [np.broadcast_to(steps, shape).astype(np.int64), *(cast(r, np.dtype(np.int64)) for r in rows)], 0
    ), (0, *own)


def result_axes(rank: int, dims: Ints, rank_where: int, whole: Ints) -> Ints:
    """Return the axes of a batched result: batch, then as ``x[...]`` of one example has them.

    `rank`, `dims` and `rank_where` are of one example: its axes, those indexed, and those of its index.
    `whole` are the indexed axes of the batch: ``dims + 1``, with 0 in front where the index is batched too.
    """
    rest = rank - len(dims)
    with_batch = whole[0] == 0
    lead = dims[0] if adjacent(dims) else 0
    if with_batch:
        # Batch and index axes are in front unless only axis 0 and its neighbours are indexed, where it is the
        # same.
        if lead == 0:
            return tuple(range(1 + rank_where + rest))
        index = tuple(range(1, 1 + rank_where))
        others = tuple(range(1 + rank_where, 1 + rank_where + rest))
        return (0, *others[:lead], *index, *others[lead:])
    if adjacent(dims):
        return tuple(range(1 + rank_where + rest))
    # The index's axes came first and the batch axis after them.
    return (rank_where, *range(rank_where), *range(rank_where + 1, rank_where + 1 + rest))


def _index_batched(size: int, values: Terms, batched: Axes, dims: Ints) -> Any:
    x, where = values
    rank_where = len(shape_of(where)) - 1 - (batched[1] is not None)
    if batched[0] is None:
        rank = len(shape_of(x))
        lead = dims[0] if adjacent(dims) else 0
        where = (
            where if batched[1] in (None, 1) else permute(where, _moved(len(shape_of(where)), batched[1], 1))
        )
        out = index(x, where, dims)
        return permute_to_front(out, lead) if rank else out
    x = permute_to_front(x, batched[0])
    rank = len(shape_of(x)) - 1
    whole_where, whole = batched_where(size, where, batched[1], dims)
    out = index(x, whole_where, whole)
    return _ordered(out, result_axes(rank, dims, rank_where, whole))


def _moved(rank: int, source: int, destination: int) -> Ints:
    order = [d for d in range(rank) if d != source]
    order.insert(destination, source)
    return tuple(order)


def _ordered(x: Term, axes: Ints) -> Term:
    return x if axes == tuple(range(len(axes))) else permute(x, axes)


def _inverse(axes: Ints) -> Ints:
    return tuple(axes.index(d) for d in range(len(axes)))


def _aligned(values: Any, batched: int | None, size: int, shape: Ints) -> Any:
    """Return values expanded to ``(size, *shape)``."""
    if batched is None:
        return expand(values, (size, *shape))
    values = permute_to_front(values, batched)
    own = shape_of(values)[1:]
    return expand(reshape(values, (size, *(1,) * (len(shape) - len(own)), *own)), (size, *shape))


def result_shape(shape: Ints, index_shape: Ints, dims: Ints) -> Ints:
    """Return the shape of ``x[...]`` for x of `shape`."""
    rest = tuple(n for d, n in enumerate(shape) if d not in dims)
    lead = dims[0] if adjacent(dims) else 0
    return (*rest[:lead], *index_shape, *rest[lead:])


def _index_shape(where: Term, batched: int | None) -> Ints:
    shape = shape_of(where)
    return (shape[1:] if batched is None else tuple(n for d, n in enumerate(shape) if d != batched)[1:])


def _index_backward_batched(size: int, values: Terms, batched: Axes, shape: Ints, dims: Ints) -> Any:
    g, where = values
    small = _index_shape(where, batched[1])
    g = _aligned(g, batched[0], size, result_shape(shape, small, dims))
    whole_where, whole = batched_where(size, where, batched[1], dims)
    axes = result_axes(len(shape), dims, len(small), whole)
    return index_backward(_ordered(g, _inverse(axes)), whole_where, (size, *shape), whole)


def _index_put_batched(size: int, values: Terms, batched: Axes, dims: Ints, accumulate: bool) -> Any:
    x, where, source = values
    x = expand(x, (size, *shape_of(x))) if batched[0] is None else permute_to_front(x, batched[0])
    shape = shape_of(x)[1:]
    small = _index_shape(where, batched[1])
    source = _aligned(source, batched[2], size, result_shape(shape, small, dims))
    whole_where, whole = batched_where(size, where, batched[1], dims)
    axes = result_axes(len(shape), dims, len(small), whole)
    return index_put(x, whole_where, _ordered(source, _inverse(axes)), whole, accumulate)


# --- the ops ------------------------------------------------------------------------------------------------


#: The elements of x at the places `where` of the axes `dims`.
index: Any = op(
    "index", _index, (lambda g, shape_x, where, dims: index_backward(g, where, shape_x, dims), None),
    kind="gather",
    batch_rule=_index_batched,
)

#: Zeros of `shape` with g added at the places: the transpose of `index`.
index_backward: Any = op(
    "index_backward",
    lambda g, where, /, shape, dims: scatter.put_sum(shape, _key(where, dims), g),
    (lambda g, where, dims: index(g, where, dims), None), kind="gather",
    node_name="IndexPutBackward0", batch_rule=_index_backward_batched,
)


#: x with the elements at the places replaced by `values`, or with `values` added there.
index_put: Any = op(
    "index_put", _index_put,
    (
        lambda g, where, dims, accumulate: g if accumulate else index_put(
            g, where, np.zeros((), dtype_of(g)), dims, False
        ),
        None,
        lambda g, where, dims: index(g, where, dims),
    ),
    kind="gather",
    batch_rule=_index_put_batched,
)


# --- a whole value replaced ---------------------------------------------------------------------------------


def _copy(x: ndarray, source: ndarray, /, out: Any = ...) -> ndarray:
    new = np.empty_like(x) if out is ... else out
    np.copyto(new, towards(source, x.dtype), casting="unsafe")
    return new


#: `source` in the shape and dtype of x: what ``x.copy_(source)`` leaves in x.
copy: Any = op(
    "copy", _copy, (lambda g: zeros_of(g), lambda g: g), kind="linear", node_name="CopyBackwards",
    batch_rule=lambda size, values, dims: _copy_batched(size, values, dims), shape=like_first,
)


def _copy_batched(size: int, values: Terms, dims: Axes) -> Any:
    x = (
        expand(values[0], (size, *shape_of(values[0])))
        if dims[0] is None
        else permute_to_front(values[0], dims[0])
    )
    return copy(x, _aligned(values[1], dims[1], size, shape_of(x)[1:]))


def _filled(x: ndarray, /, value: Any, out: Any = ...) -> ndarray:
    if out is ...:
        return np.full_like(x, value)
    out.fill(value)
    return out


def _filling(name: str, node_name: str) -> Any:
    return op(
        name, _filled, (lambda g: zeros_of(g),), kind="linear",
        node_name=node_name,
        batch=lambda size, value: (value,), jvp=lambda primals, tangents, out, value: tangents[0] * 0,
        shape=like_first, place=as_first,
    )


def _filling_tensor(name: str, node_name: str) -> Any:
    return op(
        name, _copy, (lambda g: zeros_of(g), lambda g: g), kind="linear",
        node_name=node_name,
        batch_rule=_copy_batched, shape=like_first
    )


#: One number, or a tensor's one element, in every place of x; torch's nodes tell apart four ways to say it.
fill: Any = _filling("fill", "FillBackward0")
fill_tensor: Any = _filling_tensor("fill_tensor", "FillBackward1")
fill_inplace: Any = _filling("fill_inplace", "FillBackward2")
fill_tensor_inplace: Any = _filling_tensor("fill_tensor_inplace", "FillBackward3")

#: Zeros like x.
zero_inplace: Any = op(
    "zero_inplace", lambda x, /, out=...: np.zeros_like(x) if out is ... else _filled(x, 0, out),
    (lambda g: zeros_of(g),), kind="linear",
    node_name="ZeroBackward0", batch=lambda size: (), shape=like_first,
)


# --- flat places --------------------------------------------------------------------------------------------


def _check_flat(index: ndarray, size: int) -> None:
    if not index.size or scatter.is_within(index, size):
        return
    wrong = index[(index < -size) | (index >= size)]
    if wrong.size:
        raise IndexError(
            f"out of range: tried to access index {wrong.reshape(-1)[0]} on a tensor of {size} elements."
        )


def _take(x: ndarray, index: ndarray, /) -> ndarray:
    _check_flat(index, x.size)
    return np.asarray(x.reshape(-1).take(index))


#: Elements of x as one row at the places `index`.
take: Any = op(
    "take", _take, (lambda g, shape_x, index: put(zeros_for(g, shape_x), index, g, True), None),
    kind="gather", saves=("x",),
)


def _put(x: ndarray, index: ndarray, source: ndarray, /, accumulate: bool) -> ndarray:
    _check_flat(index, x.size)
    new = np.array(x, order="C")
    flat = new.reshape(-1)
    places = index.reshape(-1)
    if accumulate:
        flat += scatter.index_sum(source.reshape(-1), np.where(places < 0, places + x.size, places), x.size)
    else:
        flat[places] = source.reshape(-1)
    return new


#: x with the elements at flat places replaced by those of `source`, or with these added.
put: Any = op(
    "put_places", _put,
    (
        lambda g, index, accumulate: g if accumulate else put(g, index, zeros_for(g, shape_of(index)), False),
        None,
        lambda g, index, source: reshape(take(g, index), shape_of(source)),
    ),
    kind="gather",
    node_name="PutBackward0",
    place=as_first,
)
