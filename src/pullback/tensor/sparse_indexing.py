"""Pick parts of sparse tensors: rows and columns of any layout, elements where another one has entries."""

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..core.value import array_of, wrap
from .compressed import BSC, BSR, CSC, CSR, CompressedTensor, compressed, of_entries, with_values
from .compressed import refuse as refuse_compressed
from .parts import selected
from .sparse import SparseTensor, dense, in_backend, refuse, sparse
from .sparse_refusals import refusal
from .tensor import checked_dim


def axis_of(x: Any, dim: int) -> int:
    """Return which axis a number names."""
    return checked_dim(dim, x.dim())


def select(x: Any, dim: int, index: int) -> Any:
    """Return the tensor at one place of an axis, without the axis."""
    axis, index = selected(x.shape, dim, index)
    size = [s for a, s in enumerate(x.shape) if a != axis]
    if isinstance(x, CompressedTensor):
        return _select_compressed(x, axis, int(index), size)
    if axis >= x.sparse_dim():
        values = x._what.select(axis - x.sparse_dim() + 1, index)
        return sparse(x._where, values, size, x._unique)
    where = array_of(x._where)
    chosen = np.flatnonzero(where[axis] == index)
    values = x._what.index_select(0, wrap(chosen))
    if x.sparse_dim() == 1:
        return values.sum(0)
    return sparse(wrap(np.delete(where, axis, 0)[:, chosen]), values, size)


def _select_compressed(x: CompressedTensor, axis: int, index: int, size: list[int]) -> Any:
    if axis < (count := x._batch()):
        pointers, places, values = (part.select(axis, index) for part in (x._pointers, x._places, x._what))
        return compressed(x._kind, pointers, places, values, size)
    if axis >= count + 2:
        return compressed(x._kind, x._pointers, x._places, x._what.select(axis - x.dim(), index), size)
    if count:
        raise RuntimeError(
            "select(): selecting sparse dimensions is not supported for batched sparse compressed tensors."
        )
    rows, columns, values = of_entries(x)
    _check_view(x, axis, index)
    along, other = (rows, columns) if axis == 0 else (columns, rows)
    chosen = np.flatnonzero(along == index)
    chosen = chosen[np.argsort(other[chosen], kind="stable")]
    where = wrap(other[chosen][None].astype(np.int64))
    return sparse(where, values.index_select(0, wrap(chosen)), size, unique=True)


def _check_view(x: CompressedTensor, axis: int, index: int) -> None:
    """Raise torch's error where the values of a row or column do not lie evenly in memory."""
    high, wide = x._block()
    block = index // (high if axis == 0 else wide)
    if (axis == 0) is x._kind.by_rows:
        first, last = array_of(x._pointers)[block : block + 2]
        found = np.arange(first, last)
    else:
        found = np.flatnonzero(array_of(x._places) == block)
    steps = np.diff(found)
    even = not len(steps) or bool((steps == steps[0]).all())
    if even and len(found) > 1 and x._kind.in_blocks:
        even = high == 1 if axis == 0 else steps[0] == 1
    if not even:
        raise RuntimeError("select(): no view exists for the given input, consider using torch.select_copy.")


def item(x: Any, index: Any) -> Any:
    """Return what an index in brackets picks."""
    parts = index if isinstance(index, tuple) else (index,)
    axis = 0
    for part in parts:
        if isinstance(part, (int, np.integer)) and not isinstance(part, bool):
            n = x.shape[axis]
            if not -n <= part < n:
                raise IndexError(f"index {part} is out of bounds for dimension {axis} with size {n}")
            x = x.select(axis, int(part))
        elif not _is_all(part):
            _picked_otherwise(x, part)
            x = x.unsqueeze(axis)  # None
        else:
            axis += 1
    if parts and all(map(_is_all, parts)):
        _picked_otherwise(x, ...)
    return x


def _is_all(part: Any) -> bool:
    return part is Ellipsis or (isinstance(part, slice) and part == slice(None))


def _picked_otherwise(x: Any, part: Any) -> None:
    """Raise torch's error for what is no number; a new axis is for `unsqueeze` to refuse."""
    if not x._sparse or (part is None and x.is_sparse):
        return
    if isinstance(x, CompressedTensor):
        x.stride()
    if part is Ellipsis:
        raise refusal("storage", "coo", (x,))
    if isinstance(part, bool):
        raise refusal("ones_like", "coo", (x,))
    if isinstance(part, slice):
        refuse("as_strided")
    in_backend("index.Tensor", "SparseCPU")


def sparse_mask(self: Any, mask: Any) -> Any:
    """Return the elements at the places that `mask`, which is sparse, has entries."""
    if not mask._sparse:
        if self.is_sparse:
            in_backend("_nnz", "CPU")
        if self._sparse:
            raise RuntimeError(
                "sparse_mask_sparse_compressed expects mask to have sparse compressed layout, got Strided"
            )
        in_backend("sparse_mask", "CPU")
    if self.shape != mask.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has "
            f"size {list(mask.shape)}"
        )
    if self is mask:
        return self
    if isinstance(mask, SparseTensor):
        found = dense(self) if self.is_sparse else self
        return sparse(mask._where, found[tuple(mask._where)], mask.shape, mask._unique)
    if self._sparse:
        return self.mul(with_values(mask, mask._plain.new_ones(tuple(mask._plain.shape))))
    if mask._batch():
        each = [sparse_mask(part, one)._what for part, one in zip(
            self.reshape(-1, *mask.shape[mask._batch() :]), mask.matrices(), strict=True
        )]  # fmt: skip
        from .join import stack

        return with_values(mask, stack(each, 0).reshape(*mask._plain.shape))
    rows, columns, _ = of_entries(with_values(mask, mask._plain.detach()))
    found = self[wrap(rows), wrap(columns)]
    return with_values(mask, found.reshape(*mask._plain.shape))


# --- what compressed tensors have of shapes -----------------------------------------------------------------


def transpose(x: CompressedTensor, dim0: int, dim1: int) -> Any:
    """Return the transposed matrix: by columns what was by rows, of the same parts."""
    a, b = axis_of(x, dim0), axis_of(x, dim1)
    if a == b:
        return x
    first = x._batch()
    if {a, b} != {first, first + 1}:
        raise RuntimeError(
            f"transpose(): can only transpose two sparse dimensions or two dense dimensions, but got {a} and "
            f"{b}"
        )
    other = {CSR: CSC, CSC: CSR, BSR: BSC, BSC: BSR}[x._kind]
    values = x._what.transpose(first + 1, first + 2) if x._kind.in_blocks else x._what
    size = list(x.shape)
    size[a], size[b] = size[b], size[a]
    return compressed(other, x._pointers, x._places, values, size)


def t(x: CompressedTensor) -> Any:
    """Return the transposed matrix."""
    if x.dim() > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {x.dim()}D")
    return transpose(x, 0, 1)


def _transpose_in_place(x: CompressedTensor, *_: Any) -> NoReturn:
    raise RuntimeError(
        f"torch.transpose_: in-place transposition is not supported for {x._kind.title} layout"
    )


def _narrow_copy(x: CompressedTensor, dim: int, start: int, length: int) -> NoReturn:
    n = x.shape[axis_of(x, dim)]
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    refuse_compressed(x._kind, "narrow_copy")


def _unsqueeze(x: CompressedTensor, dim: int) -> NoReturn:
    checked_dim(dim, x.dim() + 1)
    x.stride()
    raise AssertionError


def _permute(x: CompressedTensor, *dims: Any) -> NoReturn:
    permuted_order(x, dims)
    refuse_compressed(x._kind, "as_strided")


def permuted_order(x: Any, dims: tuple[Any, ...]) -> list[int]:
    """Return the order that the arguments of `permute` name."""
    given = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    if len(given) != x.dim():
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            f"desired ordering of dimensions i.e. input.dim() = {x.dim()} is not equal to len(dims) = "
            f"{len(given)}"
        )
    order = [axis_of(x, d) for d in given]
    if len(set(order)) < len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return order


def _joined(tensors: Any, dim: int = 0) -> NoReturn:
    first = next(x for x in tensors if isinstance(x, CompressedTensor))
    axis_of(tensors[0], dim)
    first.is_contiguous()
    raise AssertionError


def _unflattened(x: Any, dim: int, sizes: Any) -> NoReturn:
    n = x.shape[axis_of(x, dim)]
    if math.prod(sizes) != n:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({n}) in "
            "the input tensor"
        )
    raise refusal("view", "coo" if x.is_sparse else x._kind.short, (x,))


def _stacked(tensors: Any, dim: int = 0) -> NoReturn:
    first = next(x for x in tensors if isinstance(x, CompressedTensor))
    if dim in (-1, first.dim()):
        first.stride()
    _joined(tensors, dim)


def _gather(x: CompressedTensor, dim: int, index: Any, **_: Any) -> NoReturn:
    if index.dim() < 2:
        raise RuntimeError(
            "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got size "
            f"{list(index.shape)}"
        )
    refuse_compressed(x._kind, "gather")


def _unbind(x: Any, dim: int = 0) -> Any:
    return tuple([x.select(dim, n) for n in range(x.shape[axis_of(x, dim)])])


#: What both kinds of sparse tensors have.
INDEXING: dict[str, Callable[..., Any]] = {
    "select": select, "sparse_mask": sparse_mask, "unbind": _unbind, "unflatten": _unflattened,
}  # fmt: skip
#: What compressed ones have.
OF_COMPRESSED: dict[str, Callable[..., Any]] = {
    "transpose": transpose, "t": t, "t_": _transpose_in_place, "transpose_": _transpose_in_place,
    "mT": lambda x: transpose(x, -2, -1), "mH": lambda x: transpose(x, -2, -1),
    "H": lambda x: transpose(x, -2, -1), "adjoint": lambda x: transpose(x, -2, -1),
    "T": lambda x: refuse_compressed(x._kind, "as_strided"), "narrow_copy": _narrow_copy,
    "unsqueeze": _unsqueeze, "cat": _joined, "vstack": _joined, "hstack": _joined, "stack": _stacked,
    "gather": _gather, "permute": _permute,
}  # fmt: skip
