"""Pick, join and rearrange tensors of coordinates; entries move with their history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.value import array_of, wrap
from .api import public
from .compressed import HANDLERS as COMPRESSED
from .compressed import CompressedTensor, of_entries, with_values
from .compressed_functions import CONVERTERS, REFUSED
from .join import cat as joined
from .sparse import EACH, HANDLERS, SparseTensor, become, dense, sparse
from .sparse_values import in_backend, refuse


def _axis(x: Any, dim: int) -> int:
    rank = x.dim()
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})"
        )
    return int(dim % rank)


def _dense_axis(x: SparseTensor, axis: int) -> int:
    """The axis of the values that is a dense axis of the tensor."""
    return axis - x.sparse_dim() + 1


def _kept(
    x: SparseTensor, kept: np.ndarray, where: np.ndarray, size: Sequence[int], unique: bool = False
) -> SparseTensor:
    chosen = np.flatnonzero(kept)
    return sparse(wrap(where[:, chosen]), x._what.index_select(0, wrap(chosen)), size, unique)


def select(x: SparseTensor, dim: int, index: int) -> Any:
    """The tensor at one place of an axis, without the axis."""
    axis = _axis(x, dim)
    n = x.shape[axis]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(x.shape)} at dimension {axis}"
        )
    size = [s for a, s in enumerate(x.shape) if a != axis]
    if axis >= x.sparse_dim():
        values = x._what.select(_dense_axis(x, axis), index)
        return sparse(x._where, values, size, x._unique)
    where = array_of(x._where)
    found = _kept(x, where[axis] == index % n, np.delete(where, axis, 0), size)
    return found if found.sparse_dim() else found._what.sum(0)


def narrow_copy(x: SparseTensor, dim: int, start: Any, length: int) -> SparseTensor:
    """A part of an axis."""
    axis, start = _axis(x, dim), int(start)
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
    """Places of an axis, in the order of `index`."""
    axis = _axis(x, dim)
    chosen = array_of(index).reshape(-1)
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
    again = np.lexsort(moved[::-1])
    return sparse(wrap(moved[:, again]), x._what.index_select(0, wrap(entries[again])), size)


def concatenated(tensors: Any, dim: int = 0, *, axis: int | None = None) -> SparseTensor:
    """Tensors one after another along an axis."""
    xs = list(tensors)
    dense_at = next((n for n, x in enumerate(xs) if not isinstance(x, SparseTensor)), None)
    if dense_at is not None:
        raise RuntimeError(
            f"Concatenating sparse tensors, but a dense tensor was found at position {dense_at}."
        )
    at = _axis(xs[0], dim if axis is None else axis)
    if at >= xs[0].sparse_dim():
        refuse("cat")
    moved, begin = [], 0
    for x in xs:
        where = array_of(x._where).copy()
        where[at] += begin
        begin += x.shape[at]
        moved.append(where)
    size = [begin if a == at else s for a, s in enumerate(xs[0].shape)]
    return sparse(wrap(np.concatenate(moved, 1)), joined([x._what for x in xs]), size)


def permute(x: SparseTensor, *dims: Any) -> SparseTensor:
    """The axes in another order; sparse ones stay before dense ones."""
    order = [_axis(x, d) for d in (dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims)]
    count = x.sparse_dim()
    if len(order) != x.dim() or sorted(order) != list(range(x.dim())):
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            f"desired ordering of dimensions i.e. input.dim() = {x.dim()} is not equal to len(dims) = "
            f"{len(order)}"
        )
    if sorted(order[:count]) != list(range(count)):
        raise RuntimeError(
            "permute(sparse_coo): sparse dimensions may only be permuted among themselves"
        )
    values = x._what.permute(0, *(_dense_axis(x, axis) for axis in order[count:]))
    same = order[:count] == list(range(count))
    return sparse(x._where[order[:count]], values, [x.shape[a] for a in order], same and x._unique)


def unsqueeze(x: SparseTensor, dim: int) -> SparseTensor:
    """A new axis of size 1."""
    rank = x.dim() + 1
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})"
        )
    axis = dim % rank
    size = [*x.shape[:axis], 1, *x.shape[axis:]]
    if axis > x.sparse_dim():
        return sparse(x._where, x._what.unsqueeze(_dense_axis(x, axis)), size, x._unique)
    return sparse(wrap(np.insert(array_of(x._where), axis, 0, axis=0)), x._what, size)


def item(x: Any, index: Any) -> Any:
    """Return what numbers in brackets pick."""
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, bool) or not isinstance(part, int):
            refuse("select")
        x = x.select(0, part)
    return x


def sparse_mask(self: Any, mask: Any) -> Any:
    """Return the elements at the places that `mask`, which is sparse, has entries."""
    if isinstance(mask, CompressedTensor):
        rows, columns, _ = of_entries(mask)
        source = self.to_dense()
        if mask._kind.in_blocks:
            refuse("sparse_mask")
        return with_values(mask, source[wrap(rows), wrap(columns)])
    if not isinstance(mask, SparseTensor):
        in_backend("sparse_mask", "CPU" if not isinstance(self, SparseTensor) else "SparseCPU")
    if self.shape != mask.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has "
            f"size {list(mask.shape)}"
        )
    mask = mask.coalesce()
    return sparse(mask._where, dense(self)[tuple(mask._where)], mask.shape, unique=True)


def _groups(x: SparseTensor, axis: int) -> np.ndarray:
    """For each entry the number of the line along an axis that it lies on."""
    others = [a for a in range(x.sparse_dim()) if a != axis]
    where = array_of(x._where)[others]
    return np.unique(where, axis=1, return_inverse=True)[1].reshape(-1) if others else np.zeros(
        where.shape[1], np.int64
    )  # fmt: skip


def normalized(name: str) -> Callable[..., Any]:
    """Return `softmax` or `log_softmax` over entries: what is no entry counts as −∞."""

    def call(input: Any, dim: int, *, dtype: Any = None) -> Any:
        if not isinstance(input, SparseTensor):
            in_backend(f"_sparse_{name}", "SparseCsrCPU" if isinstance(input, CompressedTensor) else "CPU")
        x = input.coalesce()
        axis = _axis(x, dim)
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

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Return `{name}` of a sparse tensor along an axis: what is no entry counts as −∞."
    return call


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


def hspmm(mat1: Any, mat2: Any) -> SparseTensor:
    """Return the product of a sparse and a dense matrix: its entries are the rows that are not empty."""
    rows = np.unique(array_of(mat1.coalesce()._where)[0])
    return sparse(wrap(rows[None]), (mat1 @ mat2)[wrap(rows)], (mat1.shape[0], mat2.shape[1]), unique=True)


public(hspmm, method=False)
public(sparse_mask, is_function=False, out=False)
COMPRESSED["sparse_mask"] = sparse_mask
def _in_place(name: str) -> Callable[..., Any]:
    return lambda x, *args, **kwargs: become(x, HANDLERS[name](x, *args, **kwargs))


HANDLERS.update({f"{name}_": _in_place(name) for name in EACH})
HANDLERS.update({
    "select": select, "narrow_copy": narrow_copy, "index_select": index_select, "cat": concatenated,
    "permute": permute, "unsqueeze": unsqueeze, "sparse_mask": sparse_mask, "to_sparse_coo": lambda x: x,
    "hspmm": hspmm, **CONVERTERS, **REFUSED,
})  # fmt: skip
