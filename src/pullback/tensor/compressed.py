"""Compressed sparse tensors: rows or columns, of elements or of blocks, in order (CSR, CSC, BSR, BSC).

A `CompressedTensor` holds where each row (or column) begins, the places within it, and the values: ordinary
tensors, the values with their history. Axes before the two that are compressed are batches, those behind them
are dense. Every conversion goes by way of the coordinates of the elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ..core.op import TABLE
from ..core.value import array_of, dtype_of, wrap
from ..ops.embedding_bag import embedding_bag
from .constants import SPARSE, layout, strided
from .indexing import index_put
from .interception import OVERRIDING
from .join import stack
from .printing import printing_options, with_suffixes
from .sparse import SparseTensor, sparse
from .sparse_values import NoElements, ValuedTensor, in_backend, shown_part, written

Function = Callable[..., Any]


class Kind(NamedTuple):
    """Tell one compressed layout from another."""

    layout: layout
    #: As torch's errors call it.
    title: str
    by_rows: bool
    in_blocks: bool

    @property
    def pointers(self) -> str:
        """The name of the tensor that says where rows or columns begin."""
        return "crow_indices" if self.by_rows else "ccol_indices"

    @property
    def places(self) -> str:
        """The name of the tensor of places within a row or column."""
        return "col_indices" if self.by_rows else "row_indices"


KINDS = {
    item: Kind(item, f"Sparse{short.capitalize()}", short.endswith("sr"), short.startswith("b"))
    for item, short in zip(SPARSE[1:], ("csr", "csc", "bsr", "bsc"), strict=True)
}
CSR, CSC, BSR, BSC = KINDS.values()


class CompressedTensor(ValuedTensor):
    """A sparse matrix, or several, by rows or columns."""

    _overrides_once_made = True
    _kind: Kind
    _pointers: Any
    _places: Any

    @classmethod
    def __torch_function__(
        cls, func: Function, types: Iterable[type], args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        given = (*args, *(args[0] if args and isinstance(args[0], (list, tuple)) else ()))
        kind = next(a._kind for a in given if isinstance(a, CompressedTensor))
        handler = HANDLERS.get(func.__name__)
        if handler is None:
            refuse(kind, func.__name__)
        return written(handler, args, kwargs)

    # --- its parts ------------------------------------------------------------------------------------------

    layout = property(lambda self: self._kind.layout)
    is_sparse_csr = property(lambda self: self._kind is CSR)

    def _with_values(self, values: Any) -> CompressedTensor:
        return with_values(self, values)

    def _at_places(self, dense: Any) -> Any:
        rows, columns, _ = of_entries(self)
        return dense[wrap(rows), wrap(columns)].reshape(self._what.shape)

    def _part(self, name: str, row: bool, value: Any) -> Any:
        if self._kind.by_rows is not row:
            word = "row" if row else "column"
            raise RuntimeError(
                f"{name} expected sparse {word} compressed tensor layout but got {self._kind.title}"
            )
        return value

    def crow_indices(self) -> Any:
        """Return where each row begins among the values, and where the last ends."""
        return self._part("crow_indices", True, self._pointers)

    def col_indices(self) -> Any:
        """The column of each value or block."""
        return self._part("col_indices", True, self._places)

    def ccol_indices(self) -> Any:
        """Return where each column begins among the values, and where the last ends."""
        return self._part("ccol_indices", False, self._pointers)

    def row_indices(self) -> Any:
        """The row of each value or block."""
        return self._part("row_indices", False, self._places)

    def values(self) -> Any:
        """The values."""
        return self._what

    def _of_coordinates(self, name: str) -> NoReturn:
        raise RuntimeError(
            f"{name} expected sparse coordinate tensor layout but got {self._kind.title}"
        )

    def indices(self) -> NoReturn:
        """Refused: these are not coordinates."""
        self._of_coordinates("indices")

    def coalesce(self) -> NoReturn:
        """Refused: each place occurs once."""
        self._of_coordinates("coalesce")

    def is_coalesced(self) -> NoReturn:
        """Refused."""
        self._of_coordinates("is_coalesced")

    def _nnz(self) -> int:
        return int(self._places.shape[-1])

    def _batch(self) -> int:
        return int(self._pointers.dim() - 1)

    def sparse_dim(self) -> int:
        """2: rows and columns."""
        return 2

    def dense_dim(self) -> int:
        """The number of axes that each value has."""
        return int(self._what.dim() - 1 - self._batch() - 2 * self._kind.in_blocks)

    def _block(self) -> tuple[int, int]:
        at = self._batch() + 1
        return tuple(self._what.shape[at : at + 2]) if self._kind.in_blocks else (1, 1)

    # --- as a dense tensor has them -------------------------------------------------------------------------

    mT = property(lambda self: transposed(self))
    T = property(lambda self: in_backend("as_strided", "SparseCsrCPU"))

    def element_size(self) -> int:
        """Return the number of bytes of a value."""
        return int(self._what.element_size())

    def numpy(self, *_: Any, **__: Any) -> NoReturn:
        """Refused: ask for `to_dense` first."""
        raise TypeError(
            f"can't convert {self._kind.title} layout tensor to numpy. Use Tensor.to_dense() first."
        )

    def tolist(self) -> NoReturn:
        """Refused: ask for `to_dense` first."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def stride(self, *_: Any) -> NoReturn:
        """Refused."""
        raise RuntimeError(f"Sparse {self._kind.title[6:].upper()} tensors do not have strides")

    def is_contiguous(self, *_: Any, **__: Any) -> NoReturn:
        """Refused."""
        raise RuntimeError(f"Sparse {self._kind.title[6:].upper()} tensors do not have is_contiguous")

    def __len__(self) -> int:
        return int(self.shape[0])

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        lines = [
            f"tensor({shown_part(self._kind.pointers, self._pointers)}",
            shown_part(self._kind.places, self._places), shown_part("values", self._what),
        ]  # fmt: skip
        return with_suffixes(
            ",\n       ".join(lines), self._suffixes(), len("tensor("), printing_options().linewidth
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> CompressedTensor:
        pointers, places, values = (part.clone() for part in _parts(self.detach()))
        made = compressed(self._kind, pointers, places, values, self.shape)
        made.requires_grad_(self.requires_grad)
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored, (self.layout, *_parts(self.detach()), tuple(self.shape))

    def __iter__(self) -> Any:
        return (self[n] for n in range(self.shape[0]))

    def __getitem__(self, index: Any) -> Any:
        return coordinates(self)[index]

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        refuse(self._kind, "index_put_")


CompressedTensor.__name__ = CompressedTensor.__qualname__ = "Tensor"
CompressedTensor.__module__ = "torch"


def _restored(layout: Any, pointers: Any, places: Any, values: Any, size: Any) -> CompressedTensor:
    return compressed(KINDS[layout], pointers, places, values, size)


def _parts(x: CompressedTensor) -> tuple[Any, Any, Any]:
    return x._pointers, x._places, x._what


#: What functions ask for first that these layouts do not have.
_UNKNOWN = {
    **dict.fromkeys(("unsqueeze", "narrow", "narrow_copy", "squeeze"), "strides"),
    **dict.fromkeys(("cat", "stack", "reshape", "view"), "is_contiguous"),
}


def refuse(kind: Kind, name: str) -> NoReturn:
    """Raise torch's error for an op without a form for these layouts."""
    if name in _UNKNOWN:
        raise RuntimeError(f"Sparse {kind.title[6:].upper()} tensors do not have {_UNKNOWN[name]}")
    op = TABLE.get(name.strip("_"))
    if op is not None and op.kind == "elementwise":
        raise RuntimeError(f"unsupported tensor layout: {kind.title}")
    in_backend(name, "SparseCsrCPU")


def compressed(kind: Kind, pointers: Any, places: Any, values: Any, size: Sequence[int]) -> CompressedTensor:
    """Return a tensor of its parts, which are not looked at."""
    OVERRIDING.add(CompressedTensor)
    made: Any = wrap(NoElements(tuple(map(int, size)), dtype_of(values)))
    made.__class__ = CompressedTensor
    made._kind, made._pointers, made._places, made._what = kind, pointers, places, values
    return made


def with_values(x: CompressedTensor, values: Any) -> CompressedTensor:
    """Return a tensor with the same places and other values."""
    return compressed(x._kind, x._pointers, x._places, values, x.shape)


# --- conversions --------------------------------------------------------------------------------------------


def _majors(pointers: Any) -> np.ndarray:
    """The row, or column, of each entry."""
    starts = array_of(pointers)
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def of_entries(x: CompressedTensor) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return the rows, the columns and the values of all elements of a tensor without batches."""
    if x._batch():
        raise NotImplementedError("a batch of compressed matrices is converted to dense tensors only")
    major, minor = _majors(x._pointers), array_of(x._places).astype(np.int64)
    rows, columns = (major, minor) if x._kind.by_rows else (minor, major)
    if not x._kind.in_blocks:
        return rows, columns, x._what
    height, width = x._block()
    down, across = np.indices((height, width)).reshape(2, 1, -1)
    rows = (rows[:, None] * height + down).reshape(-1)
    columns = (columns[:, None] * width + across).reshape(-1)
    return rows, columns, x._what.reshape(len(rows), *x._what.shape[3:])


def coordinates(x: CompressedTensor) -> SparseTensor:
    """Return the same elements as a tensor of coordinates."""
    rows, columns, values = of_entries(x)
    where = np.stack([rows, columns]).astype(np.int64)
    return sparse(wrap(where), values, x.shape, unique=x._kind is CSR)


def from_entries(
    kind: Kind, rows: np.ndarray, columns: np.ndarray, values: Any, size: Sequence[int],
    block: tuple[int, int] = (1, 1),
) -> CompressedTensor:  # fmt: skip
    """Return a tensor of elements at different places, in any order."""
    height, width = block
    high, wide = size[0] // height, size[1] // width
    major, minor = (rows // height, columns // width)[:: 1 if kind.by_rows else -1]
    counts = (high, wide)[:: 1 if kind.by_rows else -1]
    if kind.in_blocks:
        blocks, which = np.unique(major * counts[1] + minor, return_inverse=True)
        major, minor = np.divmod(blocks, max(counts[1], 1))
        made = values.new_zeros((len(blocks), height, width, *values.shape[1:]))
        inside = map(wrap, (which.reshape(-1), rows % height, columns % width))
        values = index_put(made, tuple(inside), values)
    else:
        order = np.lexsort((minor, major))
        major, minor = major[order], minor[order]
        if not np.array_equal(order, np.arange(len(order))):
            values = values[wrap(order)]
    starts = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=counts[0]))])
    return compressed(kind, wrap(starts.astype(np.int64)), wrap(minor.astype(np.int64)), values, size)


def dense(x: CompressedTensor, dtype: Any = None, **_: Any) -> Any:
    """Return all elements as a dense tensor."""
    values = x._what if dtype is None else x._what.to(dtype)
    count = x._batch()
    if count:
        size = x.shape[count:]
        each = [
            dense(compressed(x._kind, pointers, places, v, size))
            for pointers, places, v in zip(
                *(part.reshape(-1, *part.shape[count:]) for part in (x._pointers, x._places, values)),
                strict=True,
            )
        ]
        return stack(each, 0).reshape(x.shape)
    rows, columns, values = of_entries(with_values(x, values))
    return index_put(values.new_zeros(x.shape), (wrap(rows), wrap(columns)), values, accumulate=True)


def to_layout(
    x: Any, layout: Any, blocksize: Any = None, dense_dim: int | None = None, name: str = "to_sparse"
) -> Any:
    """Return a tensor of any layout in another one."""
    if layout is strided:
        return x.to_dense()
    if layout is SPARSE[0]:
        return coordinates(x) if isinstance(x, CompressedTensor) else x.to_sparse()
    kind = KINDS[layout]
    block = (1, 1)
    if kind.in_blocks:
        block = _checked_block(x, kind, blocksize)
    if isinstance(x, CompressedTensor):
        if x._kind is kind and x._block() == block:
            return x
        return from_entries(kind, *of_entries(x), x.shape, block)
    if not isinstance(x, SparseTensor):
        rank = x.dim() - (dense_dim or 0)
        if rank < 2:
            raise RuntimeError(f"{name}(): the tensor has to have two axes that are not dense")
        if rank > 2:
            return _batched(x, layout, blocksize, dense_dim)
        x = x.to_sparse(2)
    x = x.coalesce()
    if x.sparse_dim() != 2:
        raise RuntimeError(
            f"sparse_coo_to_sparse: conversion from Sparse to {kind.title} for input tensors with "
            f"sparse_dim()!=2 is not supported"
        )
    rows, columns = array_of(x._where)
    return from_entries(kind, rows, columns, x._what, x.shape, block)


def _checked_block(x: Any, kind: Kind, blocksize: Any) -> tuple[int, int]:
    if blocksize is None:
        if isinstance(x, CompressedTensor) and x._kind.in_blocks:
            return x._block()
        raise RuntimeError(f"to_sparse: {kind.title} layout needs a blocksize")
    height, width = (blocksize, blocksize) if isinstance(blocksize, int) else blocksize
    rows, columns = x.shape[:2] if isinstance(x, (CompressedTensor, SparseTensor)) else x.shape[-2:]
    if rows % height or columns % width:
        source = "dense" if not isinstance(x, (CompressedTensor, SparseTensor)) else "sparse_compressed"
        of = f"tensor sparse size ({rows},{columns})"
        raise RuntimeError(
            f"{source}_to_sparse_{kind.title[6:].lower()}: {of} must be divisible by given blocksize "
            f"({height},{width})"
        )
    return height, width


def _batched(x: Any, layout: Any, blocksize: Any, dense_dim: int | None) -> CompressedTensor:
    count = x.dim() - (dense_dim or 0) - 2
    batch = x.shape[:count]
    each = [to_layout(part, layout, blocksize, dense_dim) for part in x.reshape(-1, *x.shape[count:])]
    if len({one._nnz() for one in each}) > 1:
        raise RuntimeError("Expect the same number of specified elements per batch.")
    stacked = (stack(part, 0) for part in zip(*map(_parts, each), strict=True))
    pointers, places, values = (part.reshape(*batch, *part.shape[1:]) for part in stacked)
    return compressed(each[0]._kind, pointers, places, values, x.shape)


def transposed(x: CompressedTensor, dim0: int = -2, dim1: int = -1) -> CompressedTensor:
    """Return the transposed matrix: by columns what was by rows, of the same parts."""
    rank = x.dim()
    if {dim0 % rank, dim1 % rank} != {rank - 2 - x.dense_dim(), rank - 1 - x.dense_dim()}:
        if dim0 % rank == dim1 % rank:
            return x
        raise RuntimeError("transpose(): can only transpose the two sparse axes")
    other = {CSR: CSC, CSC: CSR, BSR: BSC, BSC: BSR}[x._kind]
    at = x._batch() + 1
    values = x._what.transpose(at, at + 1) if x._kind.in_blocks else x._what
    size = list(x.shape)
    size[dim0], size[dim1] = size[dim1], size[dim0]
    return compressed(other, x._pointers, x._places, values, size)


# --- products -----------------------------------------------------------------------------------------------


def by_rows(x: Any) -> CompressedTensor:
    """Return a sparse matrix in CSR."""
    found: CompressedTensor = to_layout(x, CSR.layout)
    return found


def product(x: Any, y: Any, **_: Any) -> Any:
    """Return ``x @ y``, one of them or both being sparse, differentiable in both."""
    if not isinstance(x, (CompressedTensor, SparseTensor)):
        check_matrices(x, y)
        return product(y.t(), x.t()).t()
    if y.dim() == 1:
        check_vector(x, y)
        return product(x, y.unsqueeze(1)).squeeze(1)
    check_matrices(x, y)
    if isinstance(y, (CompressedTensor, SparseTensor)):
        return _of_sparse(by_rows(x), by_rows(y))
    x = by_rows(x)
    if not x._nnz() or not y.shape[1]:
        return y.new_zeros((x.shape[0], y.shape[1]))
    return embedding_bag(y, x._places, x._pointers[:-1], x._what, "sum", -1, False)


def check_matrices(x: Any, y: Any) -> None:
    """Raise torch's error where two matrices have no product."""
    if x.dim() == 2 and y.dim() == 2 and x.shape[1] != y.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({x.shape[0]}x{x.shape[1]} and "
            f"{y.shape[0]}x{y.shape[1]})"
        )


def check_vector(x: Any, y: Any) -> None:
    """Raise torch's error where a matrix and a vector have no product."""
    if x.shape[1] != y.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({x.shape[0]}), mat ({x.shape[0]}x{x.shape[1]}), vec ({y.shape[0]})"
        )


def _of_sparse(x: CompressedTensor, y: CompressedTensor) -> CompressedTensor:
    """The product of two matrices in CSR: each entry of x with each of the row of y that it meets."""
    starts = array_of(y._pointers)
    met = np.diff(starts)[array_of(x._places)]
    left = np.repeat(np.arange(x._nnz()), met)
    right = np.arange(met.sum()) - np.repeat(np.cumsum(met) - met, met)
    right += np.repeat(starts[array_of(x._places)], met)
    rows, columns = _majors(x._pointers)[left], array_of(y._places)[right]
    places, which = np.unique(rows * y.shape[1] + columns, return_inverse=True)
    products = x._what[wrap(left)] * y._what[wrap(right)]
    values = products.new_zeros(len(places)).index_add(0, wrap(which.reshape(-1).astype(np.int64)), products)
    return from_entries(CSR, *np.divmod(places, max(y.shape[1], 1)), values, (x.shape[0], y.shape[1]))


#: Name of a function -> what it does to compressed tensors; `compressed_functions` fills it.
HANDLERS: dict[str, Function] = {
    "matmul": product, "mm": product, "mv": product, "spmm": product, "__matmul__": product,
    "__rmatmul__": lambda x, y: product(y, x), "to_dense": dense, "t": transposed, "transpose": transposed,
    "numel": lambda x: math.prod(x.shape), "detach": CompressedTensor.detach,
}  # fmt: skip
