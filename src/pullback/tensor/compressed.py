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

from ..core.value import array_of, dtype_of, wrap
from ..ops.sort import distinct, lexical
from .constants import SPARSE, layout
from .indexing import index_put
from .interception import OVERRIDING
from .join import cat, stack
from .printing import printing_options, with_suffixes
from .sparse import NoElements, Sparse, SparseTensor, functions, in_backend, shown_dtype, shown_part, sparse
from .sparse_graph import of_values
from .sparse_refusals import refusal

Function = Callable[..., Any]


class Kind(NamedTuple):
    """Tell one compressed layout from another."""

    layout: layout
    #: As torch's errors call it.
    title: str
    by_rows: bool
    in_blocks: bool
    #: Its name in those of functions, such as ``"csr"``.
    short: str

    @property
    def pointers(self) -> str:
        """Return the name of the tensor that says where rows or columns begin."""
        return "crow_indices" if self.by_rows else "ccol_indices"

    @property
    def places(self) -> str:
        """Return the name of the tensor of places within a row or column."""
        return "col_indices" if self.by_rows else "row_indices"


KINDS = {
    item: Kind(item, f"Sparse{short.capitalize()}", short.endswith("sr"), short.startswith("b"), short)
    for item, short in zip(SPARSE[1:], ("csr", "csc", "bsr", "bsc"), strict=True)
}
CSR, CSC, BSR, BSC = KINDS.values()


class CompressedTensor(Sparse):
    """A sparse matrix, or several, by rows or columns."""

    _kind: Kind
    _pointers: Any
    _places: Any
    layout_name = property(lambda self: self._kind.short)

    @classmethod
    def __torch_function__(
        cls, func: Function, types: Iterable[type], args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        given = (*args, *args[0]) if args and isinstance(args[0], (list, tuple)) else args
        for own in given:
            if isinstance(own, CompressedTensor):
                break
        return functions()(own._kind.short, func.__name__, args, kwargs or {})

    # --- its parts ------------------------------------------------------------------------------------------

    layout = property(lambda self: self._kind.layout)
    is_sparse_csr = property(lambda self: self._kind is CSR)

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
        """Return the column of each value or block."""
        return self._part("col_indices", True, self._places)

    def ccol_indices(self) -> Any:
        """Return where each column begins among the values, and where the last ends."""
        return self._part("ccol_indices", False, self._pointers)

    def row_indices(self) -> Any:
        """Return the row of each value or block."""
        return self._part("row_indices", False, self._places)

    def values(self) -> Any:
        """Return the values."""
        return self._what

    def _of_coordinates(self, name: str) -> NoReturn:
        raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got {self._kind.title}")

    def indices(self) -> NoReturn:
        """Raise torch's error: these are not coordinates."""
        self._of_coordinates("indices")

    def coalesce(self) -> NoReturn:
        """Raise torch's error: each place occurs once."""
        self._of_coordinates("coalesce")

    def is_coalesced(self) -> NoReturn:
        """Raise torch's error."""
        self._of_coordinates("is_coalesced")

    def _nnz(self) -> int:
        return int(self._places.shape[-1])

    def _batch(self) -> int:
        return int(self._pointers.dim() - 1)

    def matrices(self) -> list[CompressedTensor]:
        """Return each matrix of a batch."""
        count = self._batch()
        parts = (part.reshape(-1, *part.shape[count:]) for part in parts_of(self))
        return [
            compressed(self._kind, pointers, places, values, self.shape[count:])
            for pointers, places, values in zip(*parts, strict=True)
        ]

    def sparse_dim(self) -> int:
        """Return 2: rows and columns."""
        return 2

    def dense_dim(self) -> int:
        """Return the number of axes that each value has."""
        return int(self._what.dim() - 1 - self._batch() - 2 * self._kind.in_blocks)

    def _block(self) -> tuple[int, int]:
        at = self._batch() + 1
        return tuple(self._what.shape[at : at + 2]) if self._kind.in_blocks else (1, 1)

    # --- as a dense tensor has them -------------------------------------------------------------------------

    def _spread(self, values: Any) -> Any:
        """Return the covector for one of the values."""
        return with_values(self, values)

    def _gathered(self, g: Any) -> Any:
        """Return the covector of the values for one."""
        alike = isinstance(g, CompressedTensor) and all(
            np.array_equal(array_of(a), array_of(b))
            for a, b in ((g._pointers, self._pointers), (g._places, self._places))
        )
        return (g if alike else g.to_dense().sparse_mask(self.detach())).values()

    def _accumulated(self) -> CompressedTensor:
        """Return what becomes a leaf's gradient; torch asks whether it is contiguous, except in CSR."""
        if self._kind is not CSR:
            self.is_contiguous()
        return self

    def detach(self) -> CompressedTensor:
        """Return the same entries without history."""
        return with_values(self, self._plain.detach())

    def element_size(self) -> int:
        """Return how many bytes a value takes."""
        return int(self._what.element_size())

    def numpy(self, *_: Any, **__: Any) -> NoReturn:
        """Raise torch's error: ask for `to_dense` first."""
        raise TypeError(
            f"can't convert {self._kind.title} layout tensor to numpy. Use Tensor.to_dense() first."
        )

    def stride(self, *_: Any) -> NoReturn:
        """Raise torch's error."""
        raise RuntimeError(f"Sparse {self._kind.title[6:].upper()} tensors do not have strides")

    def is_contiguous(self, *_: Any, **__: Any) -> NoReturn:
        """Raise torch's error."""
        raise RuntimeError(f"Sparse {self._kind.title[6:].upper()} tensors do not have is_contiguous")

    def __len__(self) -> int:
        return int(self.shape[0])

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        values = shown_part("values", self._what)
        parts = [f"size={tuple(self.shape)}", f"nnz={self._nnz()}"]
        parts += [kind] if (kind := shown_dtype(self._what)) else []
        parts.append(f"layout={self.layout}")
        if self.requires_grad:
            parts.append(f"grad_fn=<{type(self.grad_fn).__name__}>" if self.grad_fn else "requires_grad=True")
        lines = [
            f"tensor({shown_part(self._kind.pointers, self._pointers)}",
            shown_part(self._kind.places, self._places), values,
        ]  # fmt: skip
        return with_suffixes(",\n       ".join(lines), parts, len("tensor("), printing_options().linewidth)

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        raise NotImplementedError("Cannot access storage of SparseCsrTensorImpl")

    def _values(self) -> NoReturn:
        """Raise torch's error: these are no coordinates."""
        in_backend("_values", "SparseCsrCPU")

    def _indices(self) -> NoReturn:
        """Raise torch's error."""
        in_backend("_indices", "SparseCsrCPU")

    def _coalesced_(self, coalesced: bool) -> NoReturn:
        """Raise torch's error."""
        in_backend("_coalesced_", "SparseCsrCPU")


CompressedTensor.__name__ = CompressedTensor.__qualname__ = "Tensor"
CompressedTensor.__module__ = "torch"


def parts_of(x: CompressedTensor) -> tuple[Any, Any, Any]:
    """Return pointers, places and values."""
    return x._pointers, x._places, x._what


def refuse(kind: Kind, name: str) -> NoReturn:
    """Raise torch's error for an op without a form for these layouts."""
    raise refusal(name, kind.title[6:].lower(), ())


def refuse_blocks(kind: Kind, name: str = "empty") -> None:
    """Raise torch's error for a layout of blocks where it has a form for elements alone."""
    if kind.in_blocks:
        raise RuntimeError(
            f"{name}_sparse_compressed expected sparse compressed (non-block) tensor layout but got "
            f"{kind.title}"
        )


def compressed(kind: Kind, pointers: Any, places: Any, values: Any, size: Sequence[int]) -> CompressedTensor:
    """Return a tensor of its parts, which are not looked at."""
    OVERRIDING.add(CompressedTensor)
    made: Any = wrap(NoElements(tuple(map(int, size)), dtype_of(values)))
    made.__class__ = CompressedTensor
    made._kind, made._pointers, made._places = kind, pointers, places
    found: CompressedTensor = of_values(made, values, "SparseCompressedTensorBackward0")
    return found


def with_values(x: CompressedTensor, values: Any) -> CompressedTensor:
    """Return a tensor with the same places and other values."""
    return compressed(x._kind, x._pointers, x._places, values, x.shape)


# --- conversions --------------------------------------------------------------------------------------------


def majors(pointers: Any) -> np.ndarray:
    """Return the row, or column, of each entry."""
    starts = array_of(pointers)
    return np.arange(len(starts) - 1).repeat(starts[1:] - starts[:-1])


def of_entries(x: CompressedTensor) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return the rows, the columns and the values of all elements of a tensor without batches."""
    major, minor = majors(x._pointers), array_of(x._places).astype(np.int64, copy=False)
    rows, columns = (major, minor) if x._kind.by_rows else (minor, major)
    if not x._kind.in_blocks:
        return rows, columns, x._what
    height, width = x._block()
    down, across = np.indices((height, width)).reshape(2, 1, -1)
    rows = (rows[:, None] * height + down).reshape(-1)
    columns = (columns[:, None] * width + across).reshape(-1)
    return rows, columns, x._what.reshape(len(rows), *x._what.shape[3:])


def entries(x: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return the rows, the columns and the values of a sparse matrix of any layout."""
    if isinstance(x, CompressedTensor):
        return of_entries(x)
    rows, columns = array_of(x._where)
    return rows, columns, x._what


def coordinates(x: CompressedTensor) -> SparseTensor:
    """Return the same elements as a tensor of coordinates."""
    if count := x._batch():
        batches = np.indices(x.shape[:count]).reshape(count, -1)
        each = [coordinates(part) for part in x.matrices()]
        found = [
            np.concatenate([np.repeat(batches[:, [n]], part._nnz(), 1), array_of(part._where)])
            for n, part in enumerate(each)
        ]
        places = wrap(np.concatenate(found, 1))
        return sparse(places, cat([part._what for part in each]), x.shape, unique=x._kind is CSR)
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
        blocks, which, _ = distinct(major * counts[1] + minor, None, lexical)
        major, minor = np.divmod(blocks, max(counts[1], 1))
        made = values.new_zeros((len(blocks), height, width, *values.shape[1:]))
        inside = map(wrap, (which, rows % height, columns % width))
        values = index_put(made, tuple(inside), values)
    else:
        step = major[1:] - major[:-1]
        if ((step < 0) | ((step == 0) & (minor[1:] < minor[:-1]))).any():
            order = np.lexsort((minor, major))
            major, minor, values = major[order], minor[order], values[wrap(order)]
    starts = np.searchsorted(major, np.arange(counts[0] + 1))
    return compressed(kind, wrap(starts), wrap(minor.astype(np.int64)), values, size)


def dense(x: CompressedTensor, dtype: Any = None, **_: Any) -> Any:
    """Return all elements as a dense tensor."""
    if dtype is not None:
        raise RuntimeError("dtype argument is not supported by sparse_csr_to_dense")
    values = x._what
    if x._batch():
        return stack([dense(part) for part in with_values(x, values).matrices()], 0).reshape(x.shape)
    rows, columns, values = of_entries(with_values(x, values))
    return index_put(values.new_zeros(x.shape), (wrap(rows), wrap(columns)), values, accumulate=True)


# --- products -----------------------------------------------------------------------------------------------


def by_rows(x: Any) -> CompressedTensor:
    """Return a sparse matrix in CSR."""
    if isinstance(x, CompressedTensor) and x._kind is CSR:
        return x
    if isinstance(x, CompressedTensor):
        return from_entries(CSR, *of_entries(x), x.shape)
    x = x.coalesce()
    rows, columns = array_of(x._where)
    return from_entries(CSR, rows, columns, x._what, x.shape)


#: Name of a function -> what it does to compressed tensors; `compressed_functions` fills it.
HANDLERS: dict[str, Function] = {
    "to_dense": dense,
    "numel": lambda x: math.prod(x.shape), "detach": CompressedTensor.detach,
}  # fmt: skip
