"""Reading, writing and adding along an axis: gather and scatter, whole slices by index, masks.

``gather`` and ``scatter_add`` are transposes of each other, as are ``index_select`` and ``index_add``,
``masked_select`` and ``masked_place``.
"""

from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.deferred_import import import_later
from ..array.layout import as_first, in_order
from ..core.batched import dim_first
from ..core.data_shaped import no_shape
from ..core.op import Covectors, Term, op
from ..core.value import dtype_of, shape_of
from .comparison import eq, where
from .convert import cast, conj
from .mixture import masked_fill
from .structure import expand, reshape, sum_dims
from .view import slice_backward, slice_dim

kernels = import_later("..array.scatter", __package__)

Ints = tuple[int, ...]
_INT64 = np.dtype(np.int64)


def zeros_for(g: Term, shape: Ints) -> ndarray:
    """Return an array of zeros of a shape in the dtype of a covector."""
    return np.zeros(shape, dtype_of(g))


# --- elements along an axis ---------------------------------------------------------------------------------


def _gather(x: ndarray, index: ndarray, /, dim: int) -> ndarray:
    return kernels.gather(x, dim, index)


#: y[i, j] = x[index[i, j], j] for dim 0.
gather: Any = op(
    "gather", _gather,
    (lambda g, x, index, dim: scatter_add(zeros_for(g, shape_of(x)), index, g, dim), None),
    kind="gather", batch=dim_first,
)  # fmt: skip


#: The same, with a covector of places: ``covector(g, index, shape_x, dim)`` makes it.
gather_sparse: Any = op(
    "gather_sparse",
    lambda x, index, /, dim, covector: _gather(x, index, dim),
    (lambda g, index, shape_x, dim, covector: covector(g, index, shape_x, dim), None),
    node_name="GatherBackward0",
    jvp=lambda primals, tangents, out, dim, covector: gather(tangents[0], primals[1], dim),
)  # fmt: skip


def _source_rule(g: Term, index: Term, shape_source: Ints, dim: int) -> Term:
    return _padded(gather(g, index, dim), shape_source)


def _padded(g: Any, shape: Ints) -> Term:
    """Return zeros beyond the last place of each axis, up to `shape`: only a part of a source was used."""
    for dim, size in enumerate(shape):
        have = shape_of(g)
        if have[dim] != size:
            g = slice_backward(g, (*have[:dim], size, *have[dim + 1 :]), dim, 0, have[dim], 1)
    return g


def _under(source: Term, index: Term) -> Term:
    """Return the part of a source that stands under the index."""
    for dim, size in enumerate(shape_of(index)):
        if shape_of(source)[dim] != size:
            source = slice_dim(source, dim, 0, size, 1)
    return source


#: x with ``source[i, j]`` added at ``[index[i, j], j]`` for dim 0.
scatter_add: Any = op(
    "scatter_add",
    lambda x, index, source, /, dim: kernels.scatter_add(x, dim, index, source),
    (lambda g: g, None, _source_rule), kind="gather", batch=dim_first,
)


def _places(x: ndarray, index: ndarray, dim: int) -> ndarray:
    if not x.ndim or not index.ndim:
        return kernels.positions(index.reshape(-1), 0, (x.size,)).reshape(index.shape)
    return kernels.positions(index, dim, x.shape)


def _scatter(x: ndarray, index: ndarray, source: ndarray, /, dim: int) -> ndarray:
    new = np.array(x, order="C")
    new.reshape(-1)[_places(x, index, dim)] = (
        source[tuple(slice(0, n) for n in index.shape)] if source.ndim else source
    )
    return new


#: x with ``source[i, j]`` written at ``[index[i, j], j]`` for dim 0.
scatter: Any = op(
    "scatter", _scatter, (lambda g, index, dim: scatter_value(g, index, dim, 0), None, _source_rule),
    kind="gather", batch=dim_first,
)


def _scatter_value(x: ndarray, index: ndarray, /, dim: int, value: object) -> ndarray:
    new = np.array(x, order="C")
    new.reshape(-1)[_places(x, index, dim)] = value
    return new


#: x with a number written at the places that `index` names along `dim`.
scatter_value: Any = op(
    "scatter_value", _scatter_value, (lambda g, index, dim: scatter_value(g, index, dim, 0), None),
    kind="gather", node_name="ScatterBackward1", batch=dim_first,
    jvp=lambda primals, tangents, out, dim, value: scatter_value(tangents[0], primals[1], dim, 0),
)


def _scatter_combined(x: ndarray, index: ndarray, source: ndarray, /, dim: int, reduce: str) -> ndarray:
    if not source.ndim:
        source = np.broadcast_to(source, index.shape)
    return kernels.scatter_reduce(x, dim, index, source, reduce)


#: The old ``scatter(reduce=…)``, which torch does not differentiate.
scatter_combined: Any = op(
    "scatter_combined", _scatter_combined, kind="gather", underivable="scatter", batch=dim_first,
)


# --- reductions into places ---------------------------------------------------------------------------------


def _scatter_reduce_rule(
    g: Term, x: Term, index: Term, source: Term, out: Term, dim: int, reduce: str, include_self: bool
) -> Covectors:
    shape_source = shape_of(source)
    g_x, g_source = _reduced_rule(g, x, index, _under(source, index), out, dim, reduce, include_self)
    if not include_self:
        g_x = scatter_value(g_x, index, dim, 0)
    return g_x, None, _padded(g_source, shape_source)


def _reduced_rule(
    g: Term, x: Term, index: Term, source: Term, out: Term, dim: int, reduce: str, include_self: bool
) -> Covectors:
    if reduce == "sum":
        return g, gather(g, index, dim)
    if reduce == "mean":
        ones = np.ones(shape_of(x), dtype_of(g)) if include_self else zeros_for(g, shape_of(x))
        counts = scatter_add(ones, index, np.ones(shape_of(index), dtype_of(g)), dim)
        counts = masked_fill(counts, eq(counts, 0), 1)
        return g / counts, gather(g, index, dim) / gather(counts, index, dim)
    if reduce == "prod":
        return _product_rule(g, x, index, source, out, dim, include_self)
    chosen_x = cast(eq(x, out), dtype_of(g))
    chosen = cast(eq(source, gather(out, index, dim)), dtype_of(g))
    # As in torch, x counts among the equals whether or not it is included.
    share = g / scatter_add(chosen_x, index, chosen, dim)
    return chosen_x * share, chosen * gather(share, index, dim)


def _product_rule(
    g: Term, x: Term, index: Term, source: Term, out: Term, dim: int, include_self: bool
) -> Covectors:
    one_x = masked_fill(x, eq(x, 0), 1)
    without_x = scatter_reduce(one_x, index, source, dim, "prod", include_self)
    zero = eq(source, 0)
    zeros = scatter_add(zeros_for(g, shape_of(x)), index, cast(zero, dtype_of(g)), dim)
    single = zero & eq(gather(zeros, index, dim), 1)
    without_zero = scatter_reduce(x, index, masked_fill(source, single, 1), dim, "prod", include_self)
    g_source = where(
        single, gather(g * conj(without_zero), index, dim),
        gather(g * conj(out), index, dim) / conj(masked_fill(source, zero, 1)),
    )
    return g * conj(without_x / one_x), g_source


#: x with the elements of `source` reduced into the places that `index` names along `dim`.
scatter_reduce: Any = op(
    "scatter_reduce",
    lambda x, index, source, /, dim, reduce, include_self: kernels.scatter_reduce(
        x, dim, index, source, reduce, include_self
    ),
    _scatter_reduce_rule, joint=True, batch=dim_first,
    differentiable_inputs=(0, 2),
)  # fmt: skip


# --- whole slices -------------------------------------------------------------------------------------------


def _index_select(x: ndarray, index: ndarray, /, dim: int) -> ndarray:
    if not x.ndim:
        _check_rows(index, 1)
        return x.copy()
    size = x.shape[dim]
    if x.ndim > 1 and not size and index.size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    # Where torch has a kernel of its own.
    if x.ndim > 1 and dim == 1 and index.size and not kernels.is_within(index, size):
        wrong = index[(index < 0) | (index >= size)]
        if wrong.size:
            raise RuntimeError(f"INDICES element is out of DATA bounds, id={wrong.flat[0]} axis_dim={size}")
    _check_rows(index, size)
    return kernels.take_slices(x, index.reshape(-1), dim)


def _check_rows(index: ndarray, size: int) -> None:
    if index.size and not (int(index.min()) >= 0 and int(index.max()) < size):
        raise IndexError("index out of range in self")


#: Slices of axis `dim`, in the order of `index`.
index_select: Any = op(
    "index_select", _index_select,
    (lambda g, shape_x, index, dim: index_add(zeros_for(g, shape_x), index, g, dim, 1), None), kind="gather",
)


def check_slices(index: ndarray, dim: int, size: int, least: int, prefix: str = "") -> None:
    """Raise torch's error for an index below `least`, or out of the range of its axis."""
    outside = (index < least) | (index >= size)
    if outside.any():
        first = index[outside].reshape(-1)[0]
        raise IndexError(f"{prefix}index {first} is out of bounds for dimension {dim} with size {size}")


def is_scattered(rank: int, dim: int, alpha: object) -> bool:
    """Return whether torch adds slices element by element, which has errors of its own."""
    return rank > 1 and dim in (0, rank - 1) and alpha == 1


def _index_add(x: ndarray, index: ndarray, source: ndarray, /, dim: int, alpha: object) -> ndarray:
    size = x.shape[dim] if x.ndim else 1
    if (flat := index.reshape(-1)).size and not kernels.is_within(flat, size):
        if not is_scattered(x.ndim, dim, alpha):
            _check_rows(index, size)
        kernels.check_range(flat, dim, size)
    if not x.ndim:
        total = source.sum(dtype=x.dtype)[...] if index.size else np.zeros((), x.dtype)
        return np.add(x, total * np.asarray(alpha, x.dtype), out=...)
    source = source.reshape(*x.shape[:dim], flat.size, *x.shape[dim + 1 :])
    if alpha != 1:
        source = source * np.asarray(alpha, x.dtype)
    return kernels.index_add(x, dim, flat, source)


def _as_slices(g: Term, shape: Ints) -> Term:
    return g if shape_of(g) == shape else reshape(g, shape)


#: x with ``alpha · source``'s slices added to those that `index` names.
index_add: Any = op(
    "index_add",
    _index_add,
    (
        lambda g: g,
        None,
        lambda g, index, source, dim, alpha: (
            _as_slices(index_select(g, index, dim), shape_of(source)) * conj(alpha)
        ),
    ),
    kind="gather",
    halves=True, place=in_order, sizes_kept=True,
)


def _index_copy(x: ndarray, index: ndarray, source: ndarray, /, dim: int) -> ndarray:
    new = np.array(x, order="C")
    check_slices(index, dim, x.shape[dim] if x.ndim else 1, 0, "index_copy_(): ")
    if not x.ndim:
        new[...] = source.reshape(-1)[-1] if index.size else x
        return new
    slices = source.reshape(*x.shape[:dim], index.size, *x.shape[dim + 1 :])
    np.moveaxis(new, dim, 0)[index.reshape(-1)] = np.moveaxis(slices, dim, 0)
    return new


#: x with the slices that `index` names replaced by those of `source`.
index_copy: Any = op(
    "index_copy", _index_copy,
    (
        lambda g, index, dim: index_fill(g, index, dim, 0),
        None,
        lambda g, index, source, dim: _as_slices(index_select(g, index, dim), shape_of(source)),
    ),
    kind="gather",
)


def _index_fill(x: ndarray, index: ndarray, /, dim: int, value: object) -> ndarray:
    new = np.array(x, order="C")
    size = x.shape[dim] if x.ndim else 1
    check_slices(index, dim, size, -size)
    if x.ndim:
        np.moveaxis(new, dim, 0)[index.reshape(-1)] = value
    elif index.size:
        new[...] = value
    return new


#: x with a number in the slices that `index` names.
index_fill: Any = op(
    "index_fill", _index_fill, (lambda g, index, dim: index_fill(g, index, dim, 0), None), kind="gather",
    jvp=lambda primals, tangents, out, dim, value: index_fill(tangents[0], primals[1], dim, 0),
    place=as_first,
)


#: x with a tensor's one value in the slices that `index` names.
index_fill_tensor: Any = op(
    "index_fill_tensor", lambda x, index, value, /, dim: _index_fill(x, index, dim, value.astype(x.dtype)),
    (
        lambda g, index, dim: index_fill(g, index, dim, 0),
        None,
        lambda g, index, dim: sum_dims(
            g - index_fill(g, index, dim, 0), tuple(range(len(shape_of(g)))), False
        ),
    ),
    kind="gather", node_name="IndexFillBackward1",
    place=as_first,
)


def _index_reduce(
    x: ndarray, index: ndarray, source: ndarray, /, dim: int, reduce: str, include_self: bool
) -> ndarray:
    _check_rows(index, x.shape[dim] if x.ndim else 1)
    _check_rows(index, x.shape[dim] if x.ndim else 1)
    return kernels.scatter_reduce(x, dim, _spread(index, dim, shape_of(source)), source, reduce, include_self)


def _spread(index: Term, dim: int, shape: Ints) -> Term:
    """Return a vector of slices' places as the place of every element of a source of `shape`."""
    row = tuple(n if d == dim else 1 for d, n in enumerate(shape))
    return expand(reshape(index, row), shape)


def _index_reduce_rule(
    g: Term, x: Term, index: Term, source: Term, out: Term, dim: int, reduce: str, include_self: bool
) -> Covectors:
    whole = _spread(index, dim, shape_of(source))
    g_x, g_source = _reduced_rule(g, x, whole, source, out, dim, reduce, include_self)
    return (g_x if include_self else scatter_value(g_x, whole, dim, 0)), None, g_source


#: x with slices of `source` reduced into those that `index` names.
index_reduce: Any = op(
    "index_reduce", _index_reduce, _index_reduce_rule, joint=True, differentiable_inputs=(0, 2)
)


# --- masks --------------------------------------------------------------------------------------------------


def _masked_select(x: ndarray, mask: ndarray, /) -> ndarray:
    if x.shape == mask.shape:
        return x[mask]
    shape = np.broadcast_shapes(x.shape, mask.shape)
    return np.broadcast_to(x, shape)[np.broadcast_to(mask, shape)].reshape(-1)


def _first_places(x: ndarray, /, count: int) -> ndarray:
    found = np.stack(np.atleast_1d(x).nonzero())[:, :count]
    return np.pad(found, ((0, 0), (0, count - found.shape[1])))


#: The first `count` places, (rank, count), of what is not 0; where there are fewer, zeros follow. A trace
#: that knows the number of places writes a selection down so.
places: Any = op(
    "places", _first_places, kind="gather", shape=lambda x, count: (((max(len(x.shape), 1), count), _INT64),)
)


#: The elements where the mask holds, as a vector.
masked_select: Any = op(
    "masked_select", _masked_select,
    (
        lambda g, shape_x, mask: masked_place(g, mask, np.broadcast_shapes(shape_x, shape_of(mask))),
        None,
    ),
    kind="gather",
    shape=no_shape("masked_select"), saves=("x",),
)


def _masked_place(g: ndarray, mask: ndarray, /, shape: Ints) -> ndarray:
    whole = np.zeros(shape, g.dtype)
    mask = np.broadcast_to(mask, shape)
    whole[mask] = g.reshape(-1)[: np.count_nonzero(mask)]
    return whole


def _cut_select(g: Term, mask: Term, length: int) -> Term:
    picked = masked_select(g, mask)
    missing = length - shape_of(picked)[0]
    return slice_backward(picked, (length,), 0, 0, length - missing, 1) if missing else picked


#: Zeros of `shape` with the elements of the vector g where the mask holds: the transpose of `masked_select`.
masked_place: Any = op(
    "masked_place", _masked_place,
    (lambda g, shape_g, mask, shape: reshape(_cut_select(g, mask, prod(shape_g)), shape_g), None),
    kind="gather", inputs=("g", "mask"), node_name="MaskedScatterBackward0",
    shape=lambda g, mask, shape: ((shape, g.dtype),),
)


def _masked_scatter(x: ndarray, mask: ndarray, source: ndarray, /) -> ndarray:
    shape = np.broadcast_shapes(x.shape, mask.shape)
    new = np.array(np.broadcast_to(x, shape), order="C")
    mask = np.broadcast_to(mask, shape)
    new[mask] = source.reshape(-1)[: np.count_nonzero(mask)]
    return new


#: x with the elements where the mask holds replaced by those of `source`, in order.
masked_scatter: Any = op(
    "masked_scatter", _masked_scatter,
    (
        lambda g, mask: masked_fill(g, mask, 0),
        None,
        lambda g, mask, shape_source: reshape(_cut_select(g, mask, prod(shape_source)), shape_source),
    ),
    kind="gather",
    shape=lambda x, mask, source: ((np.broadcast_shapes(x.shape, mask.shape), x.dtype),),
)
