"""Pick, join and rearrange tensors of coordinates; entries move with their history."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..array import dtypes
from ..core.value import array_of, wrap
from ..errors import argument_type, with_name
from .compressed import CompressedTensor
from .constants import SPARSE, layout_title
from .join import cat as joined
from .sparse import SparseTensor, become, in_backend, refuse, sparse
from .sparse_indexing import axis_of, permuted_order
from .tensor import Tensor, checked_dim


def _dense_axis(x: SparseTensor, axis: int) -> int:
    """Return the axis of the values that is a dense axis of the tensor."""
    return axis - x.sparse_dim() + 1


def _kept(
    x: SparseTensor, kept: np.ndarray, where: np.ndarray, size: Sequence[int], unique: bool = False
) -> SparseTensor:
    chosen = np.flatnonzero(kept)
    return sparse(wrap(where[:, chosen]), x._what.index_select(0, wrap(chosen)), size, unique)


def narrow_copy(x: SparseTensor, dim: int, start: Any, length: int) -> SparseTensor:
    """Return a part of an axis."""
    if not 0 <= dim < x.dim():
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {x.dim()}.")
    axis, start = dim, int(start)
    size = list(x.shape)
    if start < 0 or length < 0 or start + length > size[axis]:
        raise RuntimeError(
            f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, {size[axis]})."
        )
    size[axis] = length
    if axis >= x.sparse_dim():
        return sparse(x._where, x._what.narrow(_dense_axis(x, axis), start, length), size, x._unique)
    where = array_of(x._where).copy()
    where[axis] -= start
    return _kept(x, (where[axis] >= 0) & (where[axis] < length), where, size, x._unique)


def index_select(x: SparseTensor, dim: int, index: Any) -> SparseTensor:
    """Return places of an axis, in the order of `index`."""
    axis = axis_of(x, dim)
    if index.dim() != 1 or index.dtype is not dtypes.int64:
        raise IndexError("index_select() argument index must be 1-D strided (non-sparse) long-tensor.")
    chosen = array_of(index)
    size = list(x.shape)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= size[axis]):
        bad = int(chosen[(chosen < 0) | (chosen >= size[axis])][0])
        raise IndexError(f"index_select(): index contains {bad} that is out of range for tensor of size "
                         f"{size} at dimension {axis}")  # fmt: skip
    size[axis] = len(chosen)
    if axis >= x.sparse_dim():
        return sparse(x._where, x._what.index_select(_dense_axis(x, axis), index), size, x._unique)
    where = array_of(x._where)
    order = np.argsort(where[axis], kind="stable")
    along = where[axis][order]
    first, last = (np.searchsorted(along, chosen, side) for side in ("left", "right"))
    counts = last - first
    taken = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)
    entries = order[taken]
    moved = where[:, entries]
    moved[axis] = np.repeat(np.arange(len(chosen)), counts)
    return sparse(wrap(moved), x._what.index_select(0, wrap(entries)), size)


def concatenated(tensors: Any, dim: int = 0, *, axis: int | None = None) -> SparseTensor:
    """Return tensors one after another along an axis."""
    xs = list(tensors)
    if not isinstance(xs[0], SparseTensor):
        in_backend("_values", "CPU")
    dense_at = next((n for n, x in enumerate(xs) if not isinstance(x, SparseTensor)), None)
    if dense_at is not None:
        raise RuntimeError(
            f"Concatenating sparse tensors, but a dense tensor was found at position {dense_at}."
        )
    at = axis_of(xs[0], dim if axis is None else axis)
    if at >= xs[0].sparse_dim():
        refuse("cat")
    for place, x in enumerate(xs):
        if any(a != b for axis, (a, b) in enumerate(zip(x.shape, xs[0].shape)) if axis != at):
            raise RuntimeError(
                f"All tensors must have the same shape: {list(xs[0].shape)} (except in the concatenating "
                f"dimension), but found shape: {list(x.shape)} at position {place}."
            )
    moved, begin = [], 0
    for x in xs:
        where = array_of(x._where).copy()
        where[at] += begin
        begin += x.shape[at]
        moved.append(where)
    size = [begin if a == at else s for a, s in enumerate(xs[0].shape)]
    return sparse(wrap(np.concatenate(moved, 1)), joined([x._what for x in xs]), size)


def permute(x: SparseTensor, *dims: Any) -> SparseTensor:
    """Return the axes in another order; sparse ones stay before dense ones."""
    order = permuted_order(x, dims)
    count = x.sparse_dim()
    if sorted(order[:count]) != list(range(count)):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed.Only "
            "transpositions within sparse and dense dimensions are supported."
        )
    values = x._what.permute(0, *(_dense_axis(x, axis) for axis in order[count:]))
    same = order[:count] == list(range(count))
    return sparse(x._where[order[:count]], values, [x.shape[a] for a in order], same and x._unique)


def unsqueeze(x: SparseTensor, dim: int) -> SparseTensor:
    """Return a new axis of size 1."""
    axis = checked_dim(dim, x.dim() + 1)
    size = [*x.shape[:axis], 1, *x.shape[axis:]]
    if axis > x.sparse_dim():
        return sparse(x._where, x._what.unsqueeze(_dense_axis(x, axis)), size, x._unique)
    return sparse(wrap(np.insert(array_of(x._where), axis, 0, axis=0)), x._what, size)


def _groups(x: SparseTensor, axis: int) -> np.ndarray:
    """Return for each entry the number of the line along an axis that it lies on."""
    others = [a for a in range(x.sparse_dim()) if a != axis]
    where = array_of(x._where)
    if not others:
        return np.zeros(where.shape[1], np.int64)
    flat = np.ravel_multi_index(tuple(where[others]), [x.shape[a] for a in others])
    return np.unique(flat, return_inverse=True)[1].reshape(-1)


def normalized(name: str) -> Callable[..., Any]:
    """Return `softmax` or `log_softmax` over entries: what is no entry counts as −∞."""

    def call(input: Any, dim: int, *, dtype: Any = None) -> Any:
        if not isinstance(input, Tensor):
            raise argument_type(f"_sparse_{name}", "input", 1, "Tensor", input)
        if not isinstance(input, SparseTensor):
            in_backend(f"_sparse_{name}", "SparseCsrCPU" if isinstance(input, CompressedTensor) else "CPU")
        x = input.coalesce()
        axis = axis_of(x, dim)
        values = x._what if dtype is None else x._what.to(dtype)
        if not values.is_floating_point():
            raise NotImplementedError(f'"{name}" not implemented for \'{values.dtype.scalar_type}\'')
        if axis >= x.sparse_dim():
            return sparse(x._where, getattr(values, name)(_dense_axis(x, axis)), x.shape, unique=True)
        line = _groups(x, axis).astype(np.int64)
        shape = (int(line.max(initial=-1)) + 1, *values.shape[1:])
        lines = wrap(line)
        highest = values.detach().new_zeros(shape).index_reduce(
            0, lines, values.detach(), "amax", include_self=False
        )  # fmt: skip
        # Else the logarithm of a sum that is hardly more than 1 has few digits.
        shifted = (values - highest.index_select(0, lines)).double()
        sums = shifted.new_zeros(shape).index_add(0, lines, shifted.exp()).index_select(0, lines)
        found = shifted.exp() / sums if name == "softmax" else shifted - sums.log()
        found = found.to(values.dtype)
        return sparse(x._where, found, x.shape, unique=True)

    text = f"Return `{name}` of a sparse tensor along an axis: what is no entry counts as −∞."
    return with_name(call, name, text)


def spdiags(diagonals: Any, offsets: Any, shape: Sequence[int], layout: Any = None) -> Any:
    """Return a sparse matrix with given diagonals.

    Parameters
    ----------
    diagonals : tensor
        ``(diagonals, columns)``: column j of a row is what its diagonal has in column j.
    offsets : tensor
        Which diagonal each row is; 0 is the main one, those above are positive.
    shape : sequence of int
    layout : layout, optional
        Coordinates by default.
    """
    if not isinstance(offsets, Tensor):
        raise argument_type("_spdiags", "offsets", 2, "Tensor", offsets)
    if not 1 <= diagonals.dim() <= 2:
        raise RuntimeError("Diagonals must be vector or matrix")
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    if offsets.dim() > 1:
        raise RuntimeError("Offsets must be scalar or vector")
    count = diagonals.shape[0] if diagonals.dim() == 2 else 1
    if count != offsets.numel():
        raise RuntimeError(
            f"Number of diagonals ({count}) does not match the number of offsets ({offsets.numel()})"
        )
    if offsets.dtype is not dtypes.int64:
        raise RuntimeError(f"Offset Tensor must have dtype Long but got {offsets.dtype.scalar_type}")
    if layout is not None and layout not in SPARSE[:3]:
        found = layout_title(layout)
        raise RuntimeError(f"Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {found}")
    width = min(diagonals.shape[-1], shape[1])
    lengths = [min(width, shape[0] + n) - max(n, 0) for n in array_of(offsets).reshape(-1).tolist()]
    if lengths and sum(max(n, 0) for n in lengths) != sum(lengths):
        total = sum(lengths)
        raise RuntimeError(f"Trying to create tensor with negative dimension {total}: [2, {total}]")
    rows_of = diagonals if diagonals.dim() == 2 else diagonals.unsqueeze(0)
    shifts = array_of(offsets).reshape(-1)
    if len(set(shifts.tolist())) != len(shifts):
        raise RuntimeError("Offset tensor contains duplicate values")
    which, columns, rows = [], [], []
    for n, shift in enumerate(shifts.tolist()):
        along = np.arange(max(shift, 0), min(shape[1], shape[0] + shift, rows_of.shape[1]))
        which.append(np.full(len(along), n))
        columns.append(along)
        rows.append(along - shift)
    where = np.stack([np.concatenate(rows), np.concatenate(columns)]).astype(np.int64)
    picked = rows_of[wrap(np.concatenate(which)), wrap(np.concatenate(columns))]
    made = sparse(wrap(where), picked, shape)
    return made if layout is None else made.to_sparse(layout=layout)


def transpose(x: SparseTensor, dim0: int, dim1: int) -> SparseTensor:
    """Return two axes exchanged, both sparse or both dense."""
    a, b = axis_of(x, dim0), axis_of(x, dim1)
    if a == b:
        return x
    order = list(range(x.dim()))
    order[a], order[b] = b, a
    if (a < x.sparse_dim()) is not (b < x.sparse_dim()):
        raise RuntimeError(
            f"transpose(): can only transpose two sparse dimensions or two dense dimensions, but got {a} and "
            f"{b}"
        )
    return permute(x, order)


def t(x: SparseTensor) -> SparseTensor:
    """Return the transposed matrix."""
    if x.dim() > 2 or x.sparse_dim() > 2 or x.dense_dim():
        raise RuntimeError(
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {x.sparse_dim()} sparse "
            f"and {x.dense_dim()} dense dimensions"
        )
    return transpose(x, 0, 1) if x.dim() == 2 else x


def _stacked(tensors: Any, dim: int = 0) -> SparseTensor:
    return concatenated([x.unsqueeze(dim) for x in tensors], dim)


def _moved(x: SparseTensor, source: int, destination: int) -> SparseTensor:
    order = list(range(x.dim()))
    order.insert(axis_of(x, destination), order.pop(axis_of(x, source)))
    return permute(x, order)


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *args: become(x, function(x, *args))


def _resize(x: SparseTensor, size: Any, sparse_dim: int, dense_dim: int) -> SparseTensor:
    if len(size) != sparse_dim + dense_dim:
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = "
            f"{len(size)}, sparse_dim = {sparse_dim}, dense_dim = {dense_dim}"
        )
    return become(x, sparse(x._where, x._plain, size, x._unique))


def _resize_and_clear(x: SparseTensor, size: Any, sparse_dim: int, dense_dim: int) -> SparseTensor:
    rest = tuple(size)[sparse_dim:]
    return become(x, sparse(
        wrap(np.zeros((sparse_dim, 0), np.int64)), x._plain.new_zeros((0, *rest)), size, unique=True
    ))  # fmt: skip


#: What tensors of coordinates have of them.
SHAPES: dict[str, Callable[..., Any]] = {
    "narrow_copy": narrow_copy, "index_select": index_select, "cat": concatenated,
    "permute": permute, "unsqueeze": unsqueeze, "transpose": transpose, "t": t, "stack": _stacked,
    "vstack": concatenated, "hstack": lambda tensors: concatenated(tensors, 1), "movedim": _moved,
    "t_": _in_place(t), "transpose_": _in_place(transpose), "T": t, "mT": lambda x: transpose(x, -2, -1),
    "H": t, "mH": lambda x: transpose(x, -2, -1), "adjoint": lambda x: transpose(x, -2, -1),
    "sparse_resize_": _resize, "sparse_resize_and_clear_": _resize_and_clear,
    "resize_as_sparse_": lambda x, like: _resize(x, like.shape, like.sparse_dim(), like.dense_dim()),
}  # fmt: skip
