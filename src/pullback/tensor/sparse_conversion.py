"""Conversions between layouts, dense and sparse, in torch's order of checks; covectors that are sparse."""

import math
from typing import Any, NoReturn

import numpy as np

from ..core.bulk import unwrapped
from ..core.value import TensorBase, array_of, wrap
from .compressed import (
    KINDS,
    CompressedTensor,
    Kind,
    compressed,
    coordinates,
    from_entries,
    of_entries,
    parts_of,
)
from .constants import SPARSE, layout_title, strided
from .join import stack
from .sparse import SparseTensor, sparse
from .sparse_rules import title


class Conversion:
    """One conversion: what it is called in errors, from which layout and to which."""

    def __init__(self, x: Any, layout: Any, own: str) -> None:
        self.own = own
        self.x = x
        self.layout = layout
        source = "dense" if not x._sparse else "sparse_compressed" if not x.is_sparse else (
            "sparse_coo" if own == "to_sparse" else "coo"
        )  # fmt: skip
        self.name = own if x.layout is layout else f"{source}_{own}"

    def refuse(self, rest: str) -> NoReturn:
        """Raise torch's error for this conversion."""
        raise RuntimeError(
            f"{self.name}: conversion from {title(self.x)} to {layout_title(self.layout)} {rest} is not "
            "supported"
        )

    def check(self, blocksize: Any, dense_dim: int | None) -> Any:
        """Raise torch's error where the arguments do not fit; return the size of blocks."""
        x = self.x
        if x.is_sparse and self.layout is not SPARSE[0] and x.sparse_dim() != 2:
            self.refuse("for input tensors with sparse_dim()!=2")
        to = KINDS.get(self.layout)
        in_blocks = to is not None and to.in_blocks
        if blocksize is not None:
            blocksize = (blocksize, blocksize) if isinstance(blocksize, int) else tuple(blocksize)
            self._check_blocks(blocksize, in_blocks, dense_dim)
        elif in_blocks:
            self.refuse("without blocksize argument given")
        if dense_dim is not None:
            if x._sparse:
                self.refuse("with dense_dim argument given")
            limit = x.dim() - 2
            if to is not None and not 0 <= dense_dim <= max(limit, 0):
                raise RuntimeError(
                    f"{self.name}: dense_dim argument must be in [0,{limit}] range, but {dense_dim} is given"
                )
        return blocksize

    def _check_blocks(self, blocksize: tuple[int, ...], in_blocks: bool, dense_dim: int | None) -> None:
        x = self.x
        if len(blocksize) != 2:
            raise RuntimeError(
                f"{self.name}: blocksize needs to be a tuple of size 2, but got {len(blocksize)}"
            )
        if min(blocksize) <= 0:
            raise RuntimeError(f"{self.name}: blocksize needs to be positive, but got {list(blocksize)}")
        if not in_blocks:
            self.refuse("with blocksize argument given")
        if isinstance(x, CompressedTensor) and x._kind.in_blocks:
            if x._block() != blocksize:
                self.refuse(f"with blocksize changed from {list(x._block())} to {list(blocksize)}")
            return
        start = _first_axis(x, dense_dim)
        rows, columns = x.shape[start : start + 2] if x.dim() >= 2 else (1, 1)
        if rows % blocksize[0] or columns % blocksize[1]:
            raise RuntimeError(
                f"{self.name}: tensor sparse size ({rows},{columns}) must be divisible by given blocksize "
                f"({blocksize[0]},{blocksize[1]})"
            )


def _first_axis(x: Any, dense_dim: int | None) -> int:
    """Return the axis of rows."""
    if isinstance(x, SparseTensor):
        return 0
    return x._batch() if isinstance(x, CompressedTensor) else int(x.dim()) - 2 - (dense_dim or 0)


def to_sparse(
    x: Any, *dims: Any, sparse_dim: int | None = None, layout: Any = None, blocksize: Any = None,
    dense_dim: int | None = None,
) -> Any:  # fmt: skip
    """Return a tensor in a sparse layout, coordinates by default."""
    if dims and (layout is not None or blocksize is not None or dense_dim is not None):
        raise TypeError(f"to_sparse() takes 0 positional arguments but {len(dims)} was given")
    sparse_dim = dims[0] if dims else sparse_dim
    to = SPARSE[0] if layout is None else layout
    conversion = Conversion(x, to, "to_sparse")
    if sparse_dim is not None:
        return _to_coordinates(x, _checked_dim(conversion, sparse_dim))
    if to is strided:
        return x.to_dense()
    blocksize = conversion.check(blocksize, dense_dim)
    if to is SPARSE[0]:
        return _to_coordinates(x, None if dense_dim is None else x.dim() - dense_dim)
    return to_compressed(x, KINDS[to], blocksize, dense_dim)


def _checked_dim(conversion: Conversion, sparse_dim: int) -> int:
    x = conversion.x
    if x._sparse:
        if sparse_dim != x.sparse_dim():
            own = "self.sparse_dim()" if x.is_sparse else "2"
            conversion.refuse(f"with sparse_dim argument !={own}")
    elif not (0 < sparse_dim <= x.dim() or (not x.dim() and not sparse_dim)):
        if sparse_dim or not x.dim():
            raise RuntimeError(
                f"dense_to_sparse: sparse_dim argument must be in [0,{x.dim()}] range, but {sparse_dim} is "
                "given"
            )
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    return sparse_dim


def _to_coordinates(x: Any, count: int | None) -> Any:
    if isinstance(x, SparseTensor):
        return x
    if isinstance(x, CompressedTensor):
        return coordinates(x)
    count = x.dim() if count is None else count
    array = array_of(x)
    if not count:
        found = np.zeros((0, int(bool(array.any()))), np.int64)
        return sparse(wrap(found), x.reshape(1, *x.shape)[: found.shape[1]], x.shape, unique=True)
    if count < array.ndim or array.dtype.kind not in "biufc":
        array = np.asarray(array.reshape(*array.shape[:count], math.prod(array.shape[count:])).any(axis=-1))
    where = np.concatenate(array.nonzero()).reshape(count, -1)
    return sparse(wrap(where), x[tuple(map(wrap, where))], x.shape, unique=True)


def to_compressed(
    x: Any, kind: Kind, blocksize: Any = None, dense_dim: int | None = None
) -> CompressedTensor:
    """Return a tensor in a compressed layout, after torch's checks of that conversion."""
    name = f"to_sparse_{kind.short}"
    blocksize = Conversion(x, kind.layout, name).check(blocksize, dense_dim)
    block = blocksize or (1, 1)
    if isinstance(x, CompressedTensor):
        if x._kind is kind:
            return x
        if x._kind.in_blocks and not kind.in_blocks:
            raise RuntimeError(
                f"sparse_compressed_{name}: expected SparseCsr or SparseCsc layout but got {x._kind.title}"
            )
        return _each_matrix(x, kind, block) if x._batch() else from_entries(
            kind, *of_entries(x), x.shape, block
        )  # fmt: skip
    if isinstance(x, SparseTensor):
        x = x.coalesce()
        rows, columns = array_of(x._where)
        return from_entries(kind, rows, columns, x._what, x.shape, block)
    if (rank := x.dim() - (dense_dim or 0)) < 2:
        raise RuntimeError(
            f"dense_{name}: can only convert tensors with two or more dimensions that are not dense, but got "
            f"{rank}"
        )
    if rank > 2:
        return _each_matrix(x, kind, block, dense_dim)
    return _of_dense(x, kind, block)


def _of_dense(x: Any, kind: Kind, block: tuple[int, int]) -> CompressedTensor:
    """Return a matrix in a compressed layout, its entries in order as they are found."""
    (rows, columns), (height, width), rest = x.shape[:2], block, x.shape[2:]
    sizes = rows // height, height, columns // width, width
    found = np.asarray(array_of(x).reshape(*sizes, math.prod(rest)).any(axis=(1, 3, 4)))
    major, minor = [part.copy() for part in (found if kind.by_rows else found.T).nonzero()]
    places = tuple(map(wrap, (major, minor) if kind.by_rows else (minor, major)))
    if kind.in_blocks:
        values = x.reshape(*sizes, *rest).transpose(1, 2)[places]
    else:
        values = x[places]
    starts = np.searchsorted(major, np.arange(found.shape[0 if kind.by_rows else 1] + 1))
    return compressed(kind, wrap(starts), wrap(minor), values, x.shape)


def _each_matrix(
    x: Any, kind: Kind, block: tuple[int, int], dense_dim: int | None = None
) -> CompressedTensor:
    """Convert each matrix of a batch; all have to have as many entries."""
    count = _first_axis(x, dense_dim)
    batch = x.shape[:count]
    matrices = x.matrices() if isinstance(x, CompressedTensor) else list(x.reshape(-1, *x.shape[count:]))
    given = block if kind.in_blocks else None
    each = [to_compressed(part, kind, given, None if part._sparse else dense_dim) for part in matrices]
    if len({one._nnz() for one in each}) > 1:
        raise RuntimeError("Expect the same number of specified elements per batch.")
    stacked = (stack(part, 0) for part in zip(*map(parts_of, each), strict=True))
    pointers, places, values = (part.reshape(*batch, *part.shape[1:]) for part in stacked)
    return compressed(kind, pointers, places, values, x.shape)


def by_elements(kind: Kind) -> Any:
    """Return the function that converts to CSR or CSC."""
    return lambda x, dense_dim=None: to_compressed(x, kind, None, dense_dim)


def by_blocks(kind: Kind) -> Any:
    """Return the function that converts to BSR or BSC."""
    return lambda x, blocksize, dense_dim=None: to_compressed(x, kind, blocksize, dense_dim)


#: The functions that convert, by name.
CONVERTERS: dict[str, Any] = {
    "to_sparse": to_sparse, "to_sparse_coo": lambda x: to_sparse(x),
    **{
        f"to_sparse_{kind.short}": by_blocks(kind) if kind.in_blocks else by_elements(kind)
        for kind in KINDS.values()
    },
}  # fmt: skip


def of_rows(g: Any, indices: Any, shape: tuple[int, ...], padding: int, by_frequency: bool) -> SparseTensor:
    """Return the covector of a table whose rows were picked: rows of `g`, at `indices` but for `padding`."""
    if by_frequency:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    rows = array_of(indices).reshape(-1).astype(np.int64)
    g = unwrapped(g)
    values: Any = g if isinstance(g, TensorBase) else wrap(g, None, getattr(g, "_level", 0))
    values = values.reshape(rows.size, *shape[1:])
    if padding >= 0:
        kept = np.flatnonzero(rows != padding)
        rows, values = rows[kept], values.index_select(0, wrap(kept))
    elif not values.requires_grad:
        values = values.clone()  # `g` is the caller's
    return sparse(wrap(rows.reshape(1, -1)), values, shape)


def of_places(g: Any, index: Any, shape: tuple[int, ...], dim: int) -> SparseTensor:
    """Return the covector of an array of which elements were gathered: those of `g` at their places."""
    along = array_of(index)
    places = np.indices(along.shape).reshape(along.ndim, along.size)
    if along.ndim:
        places[dim] = along.reshape(-1)
    g = unwrapped(g)
    values: Any = g if isinstance(g, TensorBase) else wrap(g, None, getattr(g, "_level", 0))
    values = values.reshape(-1)
    if not values.requires_grad:
        values = values.clone()  # `g` is the caller's
    return sparse(wrap(places), values, shape)
