"""Rearrangements that copy: reversed, rolled, rotated and repeated axes, triangles, diagonals, parts
replaced.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.deferred_import import import_later
from ..array.dtypes import COMPLEX32
from ..array.elementwise import copy_into
from ..array.layout import as_first, copy
from ..array.strides import laid_out, strides_of
from ..core.op import Call, Term, Terms, of, op
from ..core.overlap import overlaps_itself
from ..core.promotion import unsupported
from ..core.value import shape_of
from .join import cat_sizes
from .kernel_words import RARE
from .structure import Shape, permute_to_front, reshape, sum_dims
from .view import diagonal, select, slice_dim

scatter = import_later("..array.scatter", __package__)

# --- axes ---------------------------------------------------------------------------------------------------


def _flip(x: ndarray, /, dims: tuple[int, ...]) -> ndarray:
    if (x.dtype in RARE or (x.dtype == COMPLEX32 and x.size)) and x.ndim and x.ndim - 1 in dims:
        # Of outer axes torch copies whole rows.
        raise unsupported("flip_cpu", (x,))
    return np.flip(x, dims if x.ndim else ()).copy(order="K")


#: The axes `dims` in reverse.
flip: Call = op(
    "flip", _flip,
    (lambda g, dims: flip(g, dims),),
    kind="linear",
    batch=lambda size, dims: (tuple(d + 1 for d in dims),),
    place=as_first,
)


_join = of(cat_sizes).kernel


def _roll(x: ndarray, /, shifts: tuple[int, ...], dims: tuple[int, ...]) -> ndarray:
    if not dims:
        return _roll(x.reshape(-1), shifts, (0,)).reshape(x.shape)
    if not x.size:
        return copy(x)
    new = x
    for shift, dim in zip(shifts, dims, strict=True):
        start = -shift % x.shape[dim]
        lead = (slice(None),) * dim
        parts = new[(*lead, slice(start, None))], new[(*lead, slice(start))]
        new = _join(parts, (x.shape[dim],), dim) if start else np.array(new, order="C")
    return new


def _roll_batched(
    size: int, values: Terms, at: tuple[Any, ...], shifts: tuple[int, ...], dims: tuple[int, ...]
) -> Term:
    x = permute_to_front(values[0], at[0])
    if dims:
        return roll(x, shifts, tuple(d + 1 for d in dims))
    return reshape(roll(reshape(x, (size, -1)), shifts, (1,)), shape_of(x))


#: Axes shifted in a circle; without `dims` the elements as one row.
roll: Call = op(
    "roll", _roll,
    (lambda g, shifts, dims: roll(g, tuple(-s for s in shifts), dims),),
    kind="linear", batch_rule=_roll_batched,
)


def _rot90(x: ndarray, /, k: int, dims: tuple[int, int]) -> ndarray:
    if k == 0:
        return x.copy(order="C")
    flipped = dims if k == 2 else dims[1:] if k == 1 else dims[:1]
    new = as_first(_flip(x, flipped).copy(), (x,))
    return new if k == 2 else new.swapaxes(*dims)


#: The plane of two axes turned by k·90°, 0 ≤ k < 4.
rot90: Call = op(
    "rot90", _rot90,
    (lambda g, k, dims: rot90(g, -k % 4, dims),),
    kind="linear",
    batch=lambda size, k, dims: (k, (dims[0] + 1, dims[1] + 1)),
)


def _repeat(x: ndarray, /, repeats: tuple[int, ...]) -> ndarray:
    own = (1,) * (len(repeats) - x.ndim) + x.shape
    whole = np.empty(tuple([n for pair in zip(repeats, own, strict=True) for n in pair]), x.dtype)
    copy_into(whole, x.reshape([n for size in own for n in (1, size)]))
    return whole.reshape([n * size for n, size in zip(repeats, own, strict=True)])


def _repeat_rule(g: Term, shape_x: Shape, repeats: tuple[int, ...]) -> Term:
    lead = len(repeats) - len(shape_x)
    pairs = tuple(n for pair in zip(repeats, (1,) * lead + shape_x, strict=True) for n in pair)
    return reshape(sum_dims(reshape(g, pairs), tuple(range(0, len(pairs), 2)), False), shape_x)


def _repeat_batched(size: int, values: Terms, dims: tuple[Any, ...], repeats: tuple[int, ...]) -> Term:
    x = permute_to_front(values[0], dims[0])
    own = shape_of(x)[1:]
    return repeat(reshape(x, (size, *(1,) * (len(repeats) - len(own)), *own)), (1, *repeats))


#: The whole repeated along each axis; more counts than axes add leading axes.
repeat = op("repeat", _repeat, (_repeat_rule,), kind="linear", batch_rule=_repeat_batched)


@functools.lru_cache(maxsize=16)
def _as_array(places: tuple[int, ...]) -> ndarray:
    """Return places as NumPy takes them, for reading only: of 2,016 pairs 70 µs, and 8 to find them again."""
    return np.asarray(places, np.intp)


#: Places of axis `dim` by number, any of them several times.
take_places = op(
    "take_places", lambda x, /, dim, places: np.take(x, _as_array(places), axis=dim),
    (lambda g, shape_x, dim, places: take_places_backward(g, shape_x, dim, places),),
    kind="linear", node_name="IndexSelectBackward0",
    batch=lambda size, dim, places: (dim + 1, places),
)


def _take_places_backward(g: ndarray, /, shape: Shape, dim: int, places: tuple[int, ...]) -> ndarray:
    # Whole rows: 451 µs by `add.at` on them for the pairs of 64 rows of 16, 26 so.
    return scatter.add_put(np.zeros(shape, g.dtype), (*(slice(None),) * dim, _as_array(places)), g)


#: The transpose of `take_places`.
take_places_backward: Call = op(
    "take_places_backward", _take_places_backward,
    (lambda g, dim, places: take_places(g, dim, places),),
    kind="linear", halves=True,
    batch=lambda size, shape, dim, places: ((size, *shape), dim + 1, places),
)


# --- triangles and diagonals --------------------------------------------------------------------------------


def not_below(rows: int, columns: int, diagonal: int) -> ndarray:
    """Return a mask of what lies on a diagonal or above it; small ones are kept."""
    if rows * columns > _KEPT:
        return ~np.tri(rows, columns, diagonal - 1, bool)
    return _small_mask(rows, columns, diagonal)


#: Elements up to which masks of triangles are kept: of 40,000 one takes 25 µs to make.
_KEPT = 1 << 16


@functools.lru_cache(maxsize=32)
def _small_mask(rows: int, columns: int, diagonal: int) -> ndarray:
    return ~np.tri(rows, columns, diagonal - 1, bool)


def _without(x: ndarray, mask: ndarray) -> ndarray:
    """Return a copy in C order with zeros where a mask of its last two axes holds."""
    new = x.copy("C")
    np.copyto(new, np.zeros((), x.dtype), where=mask)
    return new


#: Zeros above a diagonal.
tril: Call = op(
    "tril", lambda x, /, diagonal: _without(x, not_below(x.shape[-2], x.shape[-1], diagonal + 1)),
    (lambda g, diagonal: tril(g, diagonal),),
    kind="linear",
    batch=lambda size, diagonal: (diagonal,),
)


#: Zeros below a diagonal.
triu: Call = op(
    "triu", lambda x, /, diagonal: _without(x, ~not_below(x.shape[-2], x.shape[-1], diagonal)),
    (lambda g, diagonal: triu(g, diagonal),),
    kind="linear",
    batch=lambda size, diagonal: (diagonal,),
)


def _diag_embed(x: ndarray, /, offset: int, dim1: int, dim2: int) -> ndarray:
    side = x.shape[-1] + abs(offset)
    shape = list(x.shape[:-1])
    for dim in sorted((dim1, dim2)):
        shape.insert(dim, side)
    whole = np.zeros(shape, x.dtype)
    part = whole.diagonal(offset, dim1, dim2)
    part.flags.writeable = True
    part[...] = x
    return whole


#: The last axis on a diagonal of two new axes, zeros elsewhere.
diag_embed = op(
    "diag_embed", _diag_embed,
    (lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2),),
    kind="linear",
    batch=lambda size, offset, dim1, dim2: (offset, dim1 + 1, dim2 + 1),
)


def _block_diag(xs: tuple[ndarray, ...], /, shapes: tuple[Shape, ...]) -> ndarray:
    lead = xs[0].shape[:-2]
    whole = np.zeros((*lead, sum(s[0] for s in shapes), sum(s[1] for s in shapes)), xs[0].dtype)
    for x, block in zip(xs, _blocks(shapes), strict=True):
        whole[(..., *block)] = x
    return whole


def _blocks(shapes: tuple[Shape, ...]) -> list[tuple[slice, slice]]:
    blocks = []
    row = column = 0
    for n, m in shapes:
        blocks.append((slice(row, row + n), slice(column, column + m)))
        row, column = row + n, column + m
    return blocks


def _block_diag_rule(g: Term, shapes: tuple[Shape, ...]) -> Terms:
    rank = len(shape_of(g))
    return tuple(
        slice_dim(slice_dim(g, rank - 2, rows.start, rows.stop, 1), rank - 1, columns.start, columns.stop, 1)
        for rows, columns in _blocks(shapes)
    )


#: Matrices (of the given shapes) along the diagonal of one, zeros elsewhere.
block_diag = op(
    "block_diag", _block_diag, _block_diag_rule, kind="linear", variadic=True, promote="same",
    batch=lambda size, shapes: (shapes,),
)


# --- parts replaced -----------------------------------------------------------------------------------------


def _replaced(part: Call) -> Callable[..., ndarray]:
    select_part = of(part).kernel

    def kernel(x: ndarray, src: object, /, *attrs: Any) -> ndarray:
        plain = x.flags.c_contiguous or overlaps_itself(x)
        new = copy(x) if plain else laid_out(x, strides_of(x))
        select_part(new, *attrs)[...] = src
        return new

    return kernel


#: `x` with the part ``select(x, dim, index)`` replaced by `src`.
select_scatter: Call = op(
    "select_scatter", _replaced(select),
    (lambda g, dim, index: select_scatter(g, 0.0, dim, index), lambda g, dim, index: select(g, dim, index)),
    inputs=("x", "src"), attrs=("dim", "index"), kind="linear",
    batch=lambda size, dim, index: (dim + 1, index),
)

#: `x` with a slice of an axis replaced by `src`.
slice_scatter: Call = op(
    "slice_scatter",
    _replaced(slice_dim),
    (
        lambda g, dim, start, stop, step: slice_scatter(g, 0.0, dim, start, stop, step),
        lambda g, dim, start, stop, step: slice_dim(g, dim, start, stop, step),
    ),
    inputs=("x", "src"),
    attrs=("dim", "start", "stop", "step"),
    kind="linear",
    batch=lambda size, dim, start, stop, step: (dim + 1, start, stop, step),
)

#: `x` with a diagonal replaced by `src`.
diagonal_scatter: Call = op(
    "diagonal_scatter",
    _replaced(diagonal),
    (
        lambda g, offset, dim1, dim2: diagonal_scatter(g, 0.0, offset, dim1, dim2),
        lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2),
    ),
    inputs=("x", "src"),
    attrs=("offset", "dim1", "dim2"),
    kind="linear",
    batch=lambda size, offset, dim1, dim2: (offset, dim1 + 1, dim2 + 1),
)
