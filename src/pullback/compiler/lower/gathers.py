"""Reading and writing at places that integer tensors name.

A place is checked before anything is read there: `Context.require` notes that an index must be within its
axis, and a program whose index is not refuses its results, upon which the function runs eagerly and raises
what eager raises. What the loops themselves read is clamped to the axis, so a wrong index never leaves it.
Values are added up in the order of the index, so sums do not depend on threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..emit.scalars import computing
from .context import INT64, Context, broadcast
from .handlers import Analysis, Handler
from .index import Index, Indices, constant
from .lowered import Lowered, Shape
from .routines import scattered
from .views import copied


def place(ops: Handler, x: Any, extent: int, wraps: bool = False) -> Index:
    """Return an index tensor's element as an index; with `wraps` negative ones count from the end."""
    value = ops.cast(x, INT64)
    zero = ops.constant(0, INT64)
    if wraps:
        from_end = ops.add(value, ops.constant(extent, INT64))
        value = ops.select(ops.lt(value, zero), from_end, value)
    value = ops.minimum(ops.maximum(value, zero), ops.constant(extent - 1, INT64))
    return ops.place(value, extent)


def number(ops: Handler, value: int) -> Any:
    """Return a whole number."""
    return ops.constant(value, INT64)


def within(ops: Handler, index: object, size: int) -> Any:
    """Return whether an index is one of an axis of so many elements."""
    return ops.and_(ops.ge(index, number(ops, 0)), ops.lt(index, number(ops, size)))


def _integral(index: Lowered) -> bool:
    return index.dtype.kind == "i"


class _Picked:
    """The elements of an array of some shape at places that an index names along the axes `dims`.

    `own` is the shape of what the index names. ``element(ops, k, indices)`` is the place along the axis
    ``dims[k]``; where it `wraps`, negative places count from the end.
    """

    def __init__(
        self, shape: Shape, dims: tuple[int, ...], own: Shape, element: Callable[..., Any],
        wraps: bool = False,
    ) -> None:  # fmt: skip
        self.shape, self.dims, self.own, self.element, self.wraps = shape, dims, own, element, wraps
        self.rest = [d for d in range(len(shape)) if d not in dims]
        self.lead = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0
        others = [shape[d] for d in self.rest]
        self.result: Shape = (*others[: self.lead], *own, *others[self.lead :])

    @classmethod
    def along(cls, context: Context, shape: Shape, index: Lowered, dim: int) -> _Picked:
        """Return the slices of an axis that an index names, which must be within it."""
        index = context.cheap(index)
        context.require(index, shape[dim])
        return cls(shape, (dim,), index.shape, lambda ops, k, at: index.at(ops, at))

    @classmethod
    def at(cls, context: Context, shape: Shape, where: Lowered, dims: tuple[int, ...]) -> _Picked:
        """Return the elements at the places `where`, (k, *own), along the axes `dims`."""
        where = context.cheap(where)
        for k, dim in enumerate(dims):
            what = (where.buffer or where.body, k)
            context.require(_row(where, k), shape[dim], wraps=True, what=what)
        own = where.shape[1:]
        return cls(shape, dims, own, lambda ops, k, at: where.at(ops, (constant(k), *at)), wraps=True)

    def places(self, ops: Handler, at: Indices) -> Indices:
        """Return where in the array an element of the result lies."""
        end = self.lead + len(self.own)
        named, others = at[self.lead : end], (*at[: self.lead], *at[end:])
        found: list[Any] = [None] * len(self.shape)
        for k, dim in enumerate(self.dims):
            found[dim] = place(ops, self.element(ops, k, named), self.shape[dim], self.wraps)
        for dim, index in zip(self.rest, others, strict=True):
            found[dim] = index
        return tuple(found)

    def read(self, context: Context, x: Lowered) -> Lowered:
        """Return the elements of an array."""
        x = context.cheap(x)
        return context.map(self.result, x.dtype, lambda ops, at: x.at(ops, self.places(ops, at)))

    def written(self, context: Context, values: Lowered) -> Lowered:
        """Return what goes to the places, each element of which is read once.

        It is computed as it is written where whole rows go there. Elements with a place each are written one
        at a time, and would be computed so. What takes functions is shared by threads, which writing is not.
        """
        in_rows = self.lead + len(self.own) < len(self.result)
        if in_rows and values.shape == self.result and values.cost < Analysis.FUNCTION:
            return values
        return Lowered(self.result, values.dtype, broadcast(context.cheap(values), self.result))


def _row(where: Lowered, k: int) -> Lowered:
    return where.rearranged(where.shape[1:], lambda at: (constant(k), *at))


def embedding(
    context: Context, weight: Lowered, indices: Lowered, padding: int, by_frequency: bool
) -> Lowered | None:
    """Return ``weight[indices]``."""
    if not _integral(indices):
        return None
    return _Picked.along(context, weight.shape, indices, 0).read(context, weight)


def embedding_backward(
    context: Context, g: Lowered, indices: Lowered, rows: int, padding: int, by_frequency: bool
) -> Lowered | None:
    """Return rows of g added at `indices` to a table of zeros; the row `padding` stays zero."""
    if by_frequency or not _integral(indices):
        return None
    rank, wide = len(indices.shape), context.cast(g, computing(g.dtype))
    shape = (rows, *g.shape[rank:])
    indices = context.cheap(indices)
    picked = _Picked.along(context, shape, indices, 0)

    def kept(ops: Handler, at: Indices) -> Any:
        return ops.ne(indices.at(ops, at[:rank]), ops.constant(padding, indices.dtype))

    chosen = kept if padding >= 0 else None
    return context.cast(scattered(context, None, shape, wide, picked.places, kept=chosen), g.dtype)


def _row_of(index: Lowered) -> Lowered:
    """Return an index of one number as one of one axis."""
    return index if index.shape else copied(index, (1,))


def index_select(context: Context, x: Lowered, index: Lowered, dim: int) -> Lowered | None:
    """Return slices of axis `dim`, in the order of a one-dimensional index."""
    if not x.shape or not _integral(index):
        return None
    return _Picked.along(context, x.shape, _row_of(index), dim).read(context, x)


def index_add(
    context: Context, x: Lowered, index: Lowered, source: Lowered, dim: int, alpha: object
) -> Lowered | None:
    """Return X with ``alpha · source``'s slices added to those that `index` names."""
    if not x.shape or not _addable(x, index, source):
        return None
    picked = _Picked.along(context, x.shape, _row_of(index), dim)
    source = picked.written(context, copied(source, picked.result))
    if alpha != 1:
        source = context.each(lambda ops, value: ops.mul(value, ops.constant(alpha, x.dtype)), source)
    return scattered(context, x, x.shape, source, picked.places)


def _addable(x: Lowered, index: Lowered, source: Lowered) -> bool:
    return _integral(index) and x.dtype == source.dtype == computing(x.dtype) and x.dtype.kind == "f"


def gather(context: Context, x: Lowered, index: Lowered, dim: int) -> Lowered | None:
    """Return ``y[i, j] = x[index[i, j], j]`` for dim 0."""
    if not x.shape or not index.shape or not _integral(index):
        return None
    index = context.cheap(index)
    context.require(index, x.shape[dim])
    return pick(context, x, index, dim)


def pick(context: Context, x: Lowered, index: Lowered, dim: int) -> Lowered | None:
    """Return the elements at places along an axis that are known to be within it."""
    if not x.shape:
        return None
    dim %= len(x.shape)
    x = context.cheap(x)
    return context.map(
        index.shape, x.dtype, lambda ops, at: x.at(ops, _along(ops, index, at, dim, x.shape[dim]))
    )


def _along(ops: Handler, index: Lowered, at: Indices, dim: int, extent: int) -> Indices:
    return (*at[:dim], place(ops, index.at(ops, at), extent), *at[dim + 1 :])


def scatter_add(context: Context, x: Lowered, index: Lowered, source: Lowered, dim: int) -> Lowered | None:
    """Return X with ``source[i, j]`` added at ``[index[i, j], j]`` for dim 0."""
    return _written(context, x, index, source, dim, True) if _addable(x, index, source) else None


def index(context: Context, x: Lowered, where: Lowered, dims: tuple[int, ...]) -> Lowered | None:
    """Return ``x[…]`` by integer tensors."""
    return _Picked.at(context, x.shape, where, dims).read(context, x) if _integral(where) else None


def index_backward(
    context: Context, g: Lowered, where: Lowered, shape: Shape, dims: tuple[int, ...]
) -> Lowered | None:
    """Return zeros of `shape` with g added at the places."""
    if not _integral(where) or g.dtype.kind != "f" or computing(g.dtype) != g.dtype:
        return None
    picked = _Picked.at(context, shape, where, dims)
    return scattered(context, None, shape, picked.written(context, g), picked.places)


def index_put(
    context: Context, x: Lowered, where: Lowered, values: Lowered, dims: tuple[int, ...], accumulate: bool
) -> Lowered | None:
    """Return X with the elements at the places replaced by `values`, or with `values` added there."""
    if not _integral(where) or x.dtype != values.dtype or (accumulate and not _addable(x, where, values)):
        return None
    picked = _Picked.at(context, x.shape, where, dims)
    given = picked.written(context, values)
    return scattered(context, x, x.shape, given, picked.places, accumulate=accumulate)


def index_copy(context: Context, x: Lowered, index: Lowered, source: Lowered, dim: int) -> Lowered | None:
    """Return X with the slices that `index` names replaced by those of `source`."""
    if not x.shape or not _writable(x, index, source):
        return None
    picked = _Picked.along(context, x.shape, _row_of(index), dim)
    given = picked.written(context, copied(source, picked.result))
    return scattered(context, x, x.shape, given, picked.places, accumulate=False)


def index_fill(context: Context, x: Lowered, index: Lowered, dim: int, value: object) -> Lowered | None:
    """Return X with a number written to the slices that `index` names; negative ones count from the end."""
    if not x.shape or not _writable(x, index, x):
        return None
    where = context.cheap(copied(_row_of(index), (1, *_row_of(index).shape)))
    picked = _Picked.at(context, x.shape, where, (dim,))
    given = _filled(x, picked.result, value)
    return scattered(context, x, x.shape, given, picked.places, accumulate=False)


def scatter(context: Context, x: Lowered, index: Lowered, source: Lowered, dim: int) -> Lowered | None:
    """Return X with ``source[i, j]`` written at ``[index[i, j], j]`` for dim 0."""
    return _written(context, x, index, source, dim) if _writable(x, index, source) else None


def scatter_value(context: Context, x: Lowered, index: Lowered, dim: int, value: object) -> Lowered | None:
    """Return X with a number written at ``[index[i, j], j]`` for dim 0."""
    given = _filled(x, index.shape, value)
    return _written(context, x, index, given, dim) if _writable(x, index, x) else None


def _filled(x: Lowered, shape: Shape, value: object) -> Lowered:
    """Return a number, as an element of x, everywhere."""
    number = np.asarray(value).astype(x.dtype).item()
    return Lowered(shape, x.dtype, lambda ops, at: ops.constant(number, x.dtype))


def _writable(x: Lowered, index: Lowered, source: Lowered) -> bool:
    return _integral(index) and x.dtype == source.dtype == computing(x.dtype) and x.dtype.kind != "c"


def _written(
    context: Context, x: Lowered, index: Lowered, source: Lowered, dim: int, accumulate: bool = False
) -> Lowered | None:
    if not x.shape or not index.shape or not source.shape:
        return None
    index, source = context.cheap(index), context.cheap(source)
    context.require(index, x.shape[dim])

    def where(ops: Handler, at: Indices) -> Indices:
        return _along(ops, index, at, dim, x.shape[dim])

    # The part of the source that stands under the index.
    under = Lowered(index.shape, source.dtype, source.body, cost=source.cost)
    return scattered(context, x, x.shape, under, where, accumulate=accumulate)


def classes(context: Context, x: Lowered, count: int) -> Lowered | None:
    """Return integers as they are, if they are numbers of `count` classes."""
    if not _integral(x):
        return None
    x = context.cheap(x)
    context.require(x, count)
    return x


def searchsorted(
    context: Context, sequence: Lowered, values: Lowered, right: bool, small: bool
) -> Lowered | None:
    """Lower a search in sorted rows: the place grows by powers of two while what is before it is less."""
    if sequence.dtype != values.dtype or sequence.dtype != computing(sequence.dtype):
        return None
    sequence, values = context.cheap(sequence), context.cheap(values)
    count, lead = sequence.shape[-1], len(sequence.shape) - 1
    dtype = context.results[0][1]

    def body(ops: Handler, at: Indices) -> Any:
        value, found = values.at(ops, at), ops.constant(0, INT64)
        for bit in reversed(range(count.bit_length())):
            next_ = ops.add(found, ops.constant(1 << bit, INT64))
            before = ops.minimum(ops.sub(next_, ops.constant(1, INT64)), ops.constant(count - 1, INT64))
            element = sequence.at(ops, (*at[:lead], ops.place(before, count)))
            reached = ops.le(element, value) if right else ops.lt(element, value)
            if sequence.dtype.kind == "f":  # NaN is above everything
                above = ops.ne(value, value)
                above = above if right else ops.and_(above, ops.eq(element, element))
                reached = ops.or_(reached, above)
            within = ops.le(next_, ops.constant(count, INT64))
            found = ops.select(ops.and_(within, reached), next_, found)
        return ops.cast(found, dtype)

    return context.map(values.shape, dtype, body)


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    lowering.__name__: lowering
    for lowering in (
        classes, embedding, embedding_backward, gather, index, index_add, index_backward, index_copy,
        index_fill, index_put, index_select, pick, scatter, scatter_add, scatter_value, searchsorted,
    )
}  # fmt: skip
