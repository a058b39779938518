"""Rows of a table by integer: the lookup behind token embeddings."""

from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.layout import in_order
from ..array.scatter import is_within, sum_rows, take_slices
from ..core.op import Axes, Term, Terms, elementwise, like_first, op
from ..core.underivable import no_tangent, not_implemented
from ..core.value import shape_of
from .arithmetic import add
from .batching import fronts
from .gather import index_fill
from .kernels import into
from .structure import permute_to_front, reshape

Ints = tuple[int, ...]


def _embedding(weight: ndarray, indices: ndarray, /, padding: int, by_frequency: bool) -> ndarray:
    if indices.size == 1:
        # A token: its row is a slice. 3 µs less.
        place = int(indices.reshape(()))
        if not 0 <= place < len(weight):
            raise IndexError("index out of range in self")
        return weight[place].reshape(*indices.shape, *weight.shape[1:]).copy()
    if indices.size and not (
        is_within(indices, len(weight)) or (int(indices.min()) >= 0 and int(indices.max()) < len(weight))
    ):
        raise IndexError("index out of range in self")
    rows = take_slices(weight, indices.reshape(-1), 0)
    return rows.reshape(*indices.shape, *weight.shape[1:])


#: ``weight[indices]``; the row `padding` (−1: none) gets no covector, and `by_frequency` divides it by the
#: row's count.
embedding: Any = op(
    "embedding",
    _embedding,
    (
        lambda g, shape_weight, indices, padding, by_frequency: embedding_backward(
            g, indices, shape_weight[0], padding, by_frequency
        ),
        None,
    ),
    kind="gather", batch_rule=lambda *args: _batched(*args), sizes_kept=True,
)


#: The same, with a covector of rows: ``covector(g, indices, shape_weight, padding, by_frequency)`` makes it.
embedding_sparse: Any = op(
    "embedding_sparse",
    lambda weight, indices, /, padding, by_frequency, covector: _embedding(
        weight, indices, padding, by_frequency
    ),
    (
        lambda g, indices, shape_weight, padding, by_frequency, covector: covector(
            g, indices, shape_weight, padding, by_frequency
        ),
        None,
    ),
    kind="gather", node_name="EmbeddingBackward0",
    jvp=lambda primals, tangents, out, padding, by_frequency, covector: embedding(
        tangents[0], primals[1], padding, by_frequency
    ),
    batch_rule=lambda size, values, dims, padding, by_frequency, covector: _batched(
        size, values, dims, padding, by_frequency
    ),
)


def _classes(x: ndarray, /, count: int, out: object = ...) -> ndarray:
    if x.size and x.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if x.size and x.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return into(out, x.copy())


#: Integers as they are, refused where they are no numbers of `count` classes.
classes: Any = elementwise(
    "classes", _classes, None, attrs=("count",), promote=None, place=in_order, shape=like_first
)


def _below(indices: Term, rows: int) -> Term:
    """Return indices of rows of a batch, into tables that lie below each other."""
    shape = shape_of(indices)
    return add(indices, (np.arange(shape[0]) * rows).reshape(shape[0], *(1,) * (len(shape) - 1)))


def _batched(size: int, values: Terms, dims: Axes, padding: int, by_frequency: bool) -> Term:
    if by_frequency or (padding >= 0 and dims[0] is not None):
        return NotImplemented
    if dims[0] is None:
        return embedding(values[0], permute_to_front(values[1], dims[1] or 0), padding, False)
    tables, indices = fronts(size, values, dims)
    _, rows, *rest = shape_of(tables)
    return embedding(reshape(tables, (size * rows, *rest)), _below(indices, rows), -1, False)


def _backward_batched(
    size: int, values: Terms, dims: Axes, rows: int, padding: int,
    by_frequency: bool,
) -> Term:  # fmt: skip
    if by_frequency:
        return NotImplemented
    g, indices = fronts(size, values, dims)
    rest = shape_of(g)[len(shape_of(indices)) :]
    table = reshape(embedding_backward(g, _below(indices, rows), size * rows, -1, False), (size, rows, *rest))
    return table if padding < 0 else index_fill(table, np.asarray([padding]), 1, 0)


def _embedding_backward(
    g: ndarray, indices: ndarray, /, rows: int, padding: int, by_frequency: bool
) -> ndarray:
    flat = indices.reshape(-1)
    values = g.reshape(flat.size, prod(g.shape[indices.ndim :]))
    if by_frequency and flat.size:
        values = values / np.bincount(flat, minlength=rows)[flat][:, None].astype(g.dtype)
    table = sum_rows(values, flat, rows).reshape(rows, *g.shape[indices.ndim :])
    if padding >= 0:
        table[padding] = 0
    return table


#: Rows of g added at `indices` into a table of zeros: the transpose of `embedding`.
embedding_backward: Any = op(
    "embedding_backward", _embedding_backward,
    (lambda g, indices, padding, by_frequency: _picked(g, indices, padding, by_frequency), None),
    kind="gather", node_name="EmbeddingDenseBackwardBackward0",
    batch_rule=_backward_batched,
    shape=lambda g, indices, rows, *attrs: (((rows, *g.shape[indices.ndim :]), g.dtype),),
)


def _picked(g: Term, indices: Term, padding: int, by_frequency: bool) -> Term:
    """Return `embedding_backward`'s transpose: rows of g divided by their count, none for the padding."""
    picked = embedding(g, indices, padding, by_frequency)
    if padding < 0 and not by_frequency:
        return picked
    factor = _row_factor(indices, shape_of(g)[0], padding, by_frequency)
    return picked * reshape(factor, (*shape_of(indices), 1))


def _factor(indices: ndarray, /, rows: int, padding: int, by_frequency: bool) -> ndarray:
    factor = np.ones(indices.shape)
    if by_frequency and indices.size:
        factor /= np.bincount(indices.reshape(-1), minlength=rows)[indices]
    if padding >= 0:
        factor[indices == padding] = 0
    return factor


_row_factor: Any = op("embedding_row_factor", _factor)


def bring_down(table: ndarray, indices: ndarray, longest: float, order: float) -> None:
    """Scale rows at `indices` with a norm above `longest` to it in place, by ``longest/(norm + 10⁻⁷)``."""
    rows = np.unique(indices)
    outside = rows[(rows < -len(table)) | (rows >= len(table))]
    if outside.size:
        raise IndexError(
            f"select(): index {outside[0]} out of range for tensor of size {list(table.shape)} at dimension 0"
        )
    norms = np.linalg.norm(table[rows], order, axis=1)
    long = norms > longest
    table[rows[long]] *= (longest / (norms[long] + 1e-7)).astype(table.dtype)[:, None]


def _embedding_renorm(x: ndarray, indices: ndarray, /, longest: float, order: float) -> ndarray:
    table = x.copy()
    bring_down(table, indices, longest, order)
    return table


#: The table with its rows at `indices` brought down to the norm `longest`.
embedding_renorm: Any = op(
    "embedding_renorm", _embedding_renorm, (not_implemented("embedding_renorm"), None),
    jvp=no_tangent("embedding_renorm"),
)
