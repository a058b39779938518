"""Sparse tensors of coordinates: what graph programs and `SparseAdam` need of ``torch.sparse_coo``.

A `SparseTensor` holds two tensors: the places of its entries, ``(sparse axes, entries)``, and their values,
``(entries, *dense axes)``. The values are ordinary tensors with their history, so that a product with a dense
matrix is differentiable in both. A function without a form for sparse tensors is refused as torch refuses it;
none makes a dense copy unless the program asks for one.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from ..array import dtypes
from ..core.op import unsupported
from ..core.value import TensorBase, array_of, dtype_of, wrap
from ..ops.embedding_bag import embedding_bag
from ..ops.kernel_words import RARE
from .constants import SPARSE
from .indexing import index_put
from .interception import OVERRIDING
from .interchange import as_tensor
from .join import cat
from .printing import printing_options, with_suffixes
from .signature import Parser
from .sparse_values import NoElements, ValuedTensor, refuse, shown_part, written
from .tensor import Tensor

Function = Callable[..., Any]


class SparseTensor(ValuedTensor):
    """A tensor most of whose elements are zero: the places and values of the others.

    Places that occur more than once stand for the sum of their values; `coalesce` adds them up.
    """

    _overrides_once_made = True
    _where: Any
    _unique: bool

    @classmethod
    def __torch_function__(
        cls, func: Function, types: Iterable[type], args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        if any(t is not cls and hasattr(t, "crow_indices") and t.__name__ == "Tensor" for t in types):
            return NotImplemented  # compressed tensors know those of coordinates
        handler = HANDLERS.get(func.__name__)
        if handler is None:
            refuse(func.__name__)
        return written(handler, args, kwargs)

    # --- its parts ------------------------------------------------------------------------------------------

    is_sparse = property(lambda self: True)
    layout = property(lambda self: SPARSE[0])

    def _with_values(self, values: Any) -> SparseTensor:
        return sparse(self._where, values, self.shape, self._unique)

    def _at_places(self, dense: Any) -> Any:
        return dense[tuple(self._where)]

    def coalesce(self) -> SparseTensor:
        """Entries in order of place, one for each place."""
        if self._unique:
            return self
        sizes = self.shape[: self.sparse_dim()]
        flat = (
            np.ravel_multi_index(tuple(self._where.numpy()), sizes) if sizes else np.zeros(self._nnz(), int)
        )
        places, which = np.unique(flat, return_inverse=True)
        summed = self._what.new_zeros((len(places), *self._what.shape[1:]))
        summed = summed.index_add(0, wrap(which.reshape(-1).astype(np.int64)), self._what)
        where = np.stack(np.unravel_index(places, sizes)).astype(np.int64) if sizes else np.zeros((0, 1), int)
        return sparse(wrap(where), summed, self.shape, unique=True)

    def is_coalesced(self) -> bool:
        """Whether each place is known to occur once, in order."""
        return self._unique

    def _coalesced_(self, coalesced: bool) -> SparseTensor:
        self._unique = coalesced
        return self

    def indices(self) -> Any:
        """The places, of a coalesced tensor."""
        return self._checked("indices")._where

    def values(self) -> Any:
        """The values, of a coalesced tensor."""
        return self._checked("values")._what

    def _checked(self, name: str) -> SparseTensor:
        if not self._unique:
            raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")
        return self

    def _indices(self) -> Any:
        return self._where

    def _values(self) -> Any:
        return self._what

    def _nnz(self) -> int:
        return int(self._where.shape[1])

    def sparse_dim(self) -> int:
        """The number of axes that the places name."""
        return int(self._where.shape[0])

    def dense_dim(self) -> int:
        """The number of axes that the values have."""
        return int(self._what.dim() - 1)

    # --- as a dense tensor has them -------------------------------------------------------------------------

    @property
    def T(self) -> Any:
        """Transposed."""
        return _transpose(self)

    @property
    def mT(self) -> Any:
        """Transposed in its last two axes."""
        return _transpose(self, -2, -1)

    def numpy(self, *_: Any, **__: Any) -> NoReturn:
        """Refused: ask for `to_dense` first."""
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def tolist(self) -> NoReturn:
        """Refused: ask for `to_dense` first."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def item(self) -> Any:
        """The number that a tensor of one element holds."""
        if math.prod(self.shape) != 1:
            raise RuntimeError(
                f"a Tensor with {math.prod(self.shape)} elements cannot be converted to Scalar"
            )
        return dense(self).item()

    def __bool__(self) -> bool:
        if math.prod(self.shape) != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(dense(self))

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        first, *others = self._suffixes()
        lines = [f"tensor({shown_part('indices', self._where)}", shown_part("values", self._what), first]
        return with_suffixes(",\n       ".join(lines), others, len("tensor("), printing_options().linewidth)

    def __deepcopy__(self, memo: dict[int, Any]) -> SparseTensor:
        copied: SparseTensor = _clone(self.detach()).requires_grad_(self.requires_grad)
        return copied

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise NotImplementedError("sparse tensors are not pickled; save their indices and values")

    def __iter__(self) -> Iterator[Any]:
        return (self[n] for n in range(self.shape[0]))

    def __getitem__(self, index: Any) -> Any:
        from .sparse_shape import item

        return item(self, index)

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        refuse("index_put_")


SparseTensor.__name__ = SparseTensor.__qualname__ = "Tensor"
SparseTensor.__module__ = "torch"


def sparse(where: Any, what: Any, size: Sequence[int], unique: bool = False) -> SparseTensor:
    """A sparse tensor of its two parts, which are not looked at."""
    OVERRIDING.add(SparseTensor)
    made: Any = wrap(NoElements(tuple(size), dtype_of(what)))
    made.__class__ = SparseTensor
    made._where, made._what, made._unique = where, what, unique
    return made


def sparse_coo_tensor(
    indices: Any = None, values: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> SparseTensor:  # fmt: skip
    """A sparse tensor of coordinates.

    Parameters
    ----------
    indices : tensor or sequence
        Places, ``(sparse axes, entries)``; or, alone, the size of a tensor without entries, which may
        also be given as `size`.
    values : tensor or sequence
        ``(entries, *dense axes)``.
    size : sequence of int, optional
        By default the least that holds all places.

    Raises
    ------
    RuntimeError
        If the parts do not fit together. Unlike torch, places are always held against the size.
    """
    if values is None:
        if indices is None and size is None:
            raise TypeError("sparse_coo_tensor() needs indices and values, or a size")
        shape = tuple(size if indices is None else indices)
        dtype = dtypes.get_default_dtype() if dtype is None else dtype
        empty = as_tensor(np.zeros(0), dtype=dtype)
        return sparse(wrap(np.zeros((len(shape), 0), np.int64)), empty, shape, unique=True)
    where = as_tensor(indices).to(dtypes.int64).detach()
    what = as_tensor(values) if dtype is None else as_tensor(values, dtype=dtype)
    if where.dim() == 1:
        where = where.unsqueeze(0)
    what = what.unsqueeze(0) if what.dim() == 0 else what
    if where.shape[1] != what.shape[0]:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {where.shape[1]}, nnz from "
            f"values: {what.shape[0]}"
        )
    most = where.numpy().max(axis=1, initial=-1) + 1
    if size is None:
        size = (*map(int, most), *what.shape[1:])
    if len(size) != len(where) + what.dim() - 1:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = "
            f"{len(where)}, dense_dim = {what.dim() - 1}"
        )
    for axis, (n, needed) in enumerate(zip(size, most, strict=False)):
        if needed > n:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {axis}, size is {n} but found index {needed - 1}"
            )
    if where.shape[1] and int(where.numpy().min()) < 0:
        row = int(where.numpy().min(axis=1).argmin())
        raise RuntimeError(f"found negative index {int(where.numpy().min())} for dim {row}")
    return sparse(where, what, size, bool(is_coalesced)).requires_grad_(requires_grad or what.requires_grad)


class Invariants(threading.local):
    """Whether the parts of every sparse tensor are held against each other when it is made."""

    enabled = False


invariants = Invariants()


_BY_DIMS = Parser(
    "to_sparse",
    "(*, torch.layout? layout = None, tuple of ints[2]? blocksize = None, int? dense_dim = None)",
    "(int sparse_dim)",
)


def to_sparse(
    input: Any, sparse_dim: int | None = None, *, layout: Any = None, blocksize: Any = None,
    dense_dim: int | None = None,
) -> Any:  # fmt: skip
    """The elements of a dense tensor that are not zero, as a sparse one."""
    if layout is not None and layout is not SPARSE[0]:
        from .compressed import to_layout

        return to_layout(input, layout, blocksize, dense_dim)
    if isinstance(input, SparseTensor):
        return input
    if blocksize is not None:
        raise RuntimeError(
            "dense_to_sparse: conversion from Strided to Sparse with blocksize argument given is not "
            "supported"
        )
    if sparse_dim is not None:
        sparse_dim = _BY_DIMS.bind((sparse_dim,), {})["sparse_dim"]
    array, rank = array_of(input), input.dim()
    count = rank if sparse_dim is None else sparse_dim
    if not 0 <= count <= rank:
        raise RuntimeError(
            f"dense_to_sparse: sparse_dim argument must be in [0,{rank}] range, but {count} is given"
        )
    if rank and not count:
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    if array.dtype in RARE:
        raise unsupported("nonzero_count_cpu", (), array.dtype)
    filled = array.reshape(*array.shape[:count], math.prod(array.shape[count:])).any(axis=-1)
    where = np.argwhere(filled).T.astype(np.int64)
    values = input[tuple(map(wrap, where))] if rank else input.reshape(1)[: where.shape[1]]
    return sparse(wrap(where), values, input.shape, unique=True)


def of_rows(
    g: Any, indices: Any, shape: tuple[int, ...], padding: int, by_frequency: bool
) -> SparseTensor:
    """The covector of a table of which rows were picked: rows of `g`, at `indices` but for `padding`."""
    if by_frequency:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    rows = array_of(indices).reshape(-1).astype(np.int64)
    values: Any = g if isinstance(g, TensorBase) else wrap(g, None, getattr(g, "_level", 0))
    values = values.reshape(rows.size, *shape[1:])
    if padding >= 0:
        kept = np.flatnonzero(rows != padding)
        rows, values = rows[kept], values.index_select(0, wrap(kept))
    elif not values.requires_grad:
        values = values.clone()  # `g` is the caller's
    return sparse(wrap(rows.reshape(1, -1)), values, shape)


def of_places(g: Any, index: Any, shape: tuple[int, ...], dim: int) -> SparseTensor:
    """The covector of an array of which elements were gathered: those of `g` at their places."""
    along = array_of(index)
    places = np.indices(along.shape).reshape(along.ndim, along.size)
    if along.ndim:
        places[dim] = along.reshape(-1)
    values: Any = g if isinstance(g, TensorBase) else wrap(g, None, getattr(g, "_level", 0))
    values = values.reshape(-1)
    if not values.requires_grad:
        values = values.clone()  # `g` is the caller's
    return sparse(wrap(places), values, shape)


# --- what functions do to sparse tensors --------------------------------------------------------------------


def _clone(x: SparseTensor, **_: Any) -> SparseTensor:
    return sparse(x._where.clone(), x._what.clone(), x.shape, x._unique)


def dense(x: Any, dtype: Any = None, **_: Any) -> Any:
    """All elements as a dense tensor; one that is dense as it is."""
    if not isinstance(x, SparseTensor):
        return x
    values = x._what if dtype is None else x._what.to(dtype)
    if not x.sparse_dim():
        return values.sum(0)
    return index_put(values.new_zeros(x.shape), tuple(x._where), values, accumulate=True)


def _transpose(x: SparseTensor, dim0: int = 0, dim1: int = 1) -> SparseTensor:
    rank = x.dim()
    if x.dense_dim() or rank != x.sparse_dim():
        refuse("transpose")
    order = list(range(rank))
    a, b = dim0 % rank, dim1 % rank
    order[a], order[b] = order[b], order[a]
    return sparse(x._where[order], x._what, [x.shape[axis] for axis in order])


def _product(x: Any, y: Any, **_: Any) -> Any:
    """``x @ y`` of a sparse matrix and a dense matrix or vector: rows of y, weighted, added up by
    row of x.
    """
    if not isinstance(x, SparseTensor):
        if isinstance(y, SparseTensor) and y.dim() == 2 and x.dim() == 2:
            return _product(_transpose(y), x.t()).t()
        refuse("mm")
    if x.sparse_dim() != 2 or x.dense_dim():
        refuse("mm")
    if isinstance(y, SparseTensor):
        return to_sparse(_product(x, dense(y)))
    if x.shape[1] != y.shape[0]:
        raise RuntimeError(f"mm: Argument #3 (mat2): Expected dim 0 size {x.shape[1]}, got {y.shape[0]}")
    if y.dim() == 1:
        return _product(x, y.unsqueeze(1)).squeeze(1)
    if not x._nnz() or not y.shape[1]:
        return y.new_zeros((x.shape[0], y.shape[1]))
    rows, columns = array_of(x._where)
    values = x._what
    if (np.diff(rows) < 0).any():
        order = np.argsort(rows, kind="stable")
        rows, columns, values = rows[order], columns[order], values.index_select(0, wrap(order))
    starts = np.searchsorted(rows, np.arange(x.shape[0]))
    return embedding_bag(y, wrap(columns), wrap(starts), values, "sum", -1, False)


def _addmm(
    input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None
) -> Any:
    return input * beta + _product(mat1, mat2) * alpha


def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    result = _product(input, weight.t())
    return result if bias is None else result + bias


def _add(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    if not isinstance(y, SparseTensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not isinstance(x, SparseTensor):
        if _goes_into(y, x):
            return index_put(x, tuple(y._where), y._what * alpha, accumulate=True)
        return x + dense(y) * alpha
    if x.shape != y.shape:
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {tuple(x.shape)} != {tuple(y.shape)}"
        )
    if np.array_equal(x._where.numpy(), y._where.numpy()):
        return sparse(x._where, x._what + y._what * alpha, x.shape, x._unique and y._unique)
    where, what = cat([x._where, y._where], 1), cat([x._what, y._what * alpha])
    summed = sparse(where, what, x.shape)
    return summed.coalesce() if x._unique and y._unique else summed


def _goes_into(y: SparseTensor, x: Any) -> bool:
    """Whether the entries of `y` can be added to `x` one by one, without a dense copy."""
    return x.shape == y.shape and x.dtype is y.dtype and y.sparse_dim() > 0


def _add_(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    if not isinstance(x, SparseTensor) and isinstance(y, SparseTensor) and _goes_into(y, x):
        return x.index_put_(tuple(y._where), y._what * alpha, accumulate=True)
    result = _add(x, y, alpha=alpha)
    return become(x, result) if isinstance(x, SparseTensor) else x.copy_(result)


def become(x: SparseTensor, result: SparseTensor) -> SparseTensor:
    """Give a tensor the entries of another one."""
    x._where, x._what, x._unique = result._where, result._what, result._unique
    return x


def _scaled(x: Any, y: Any) -> Any:
    if not isinstance(x, SparseTensor):
        x, y = y, x
    if isinstance(y, Tensor) and y.dim():
        y = dense(y)
        if y.shape != x.shape:
            refuse("mul")
        return x._with_values(x._what * y[tuple(x._where)])
    return x._with_values(x._what * y)


def _divided(x: Any, y: Any, **options: Any) -> Any:
    if not isinstance(x, SparseTensor) or (isinstance(y, Tensor) and y.dim()):
        refuse("div")
    return x._with_values(x._what.div(y, **options))


def _norm(x: SparseTensor, p: Any = "fro", *args: Any, **kwargs: Any) -> Any:
    """The norm of all elements."""
    if args or kwargs or p not in ("fro", 2, 2.0):
        refuse("norm")
    return x.coalesce()._what.norm()


def _sum(x: SparseTensor, dim: Any = None, dtype: Any = None) -> Any:
    """The sum of all elements, or over axes, as torch.sparse.sum gives it."""
    values = x._what if dtype is None else x._what.to(dtype)
    if dim is None:
        return values.sum()
    dims = {d % x.dim() for d in ((dim,) if isinstance(dim, int) else dim)}
    kept = [axis for axis in range(x.sparse_dim()) if axis not in dims]
    dense = [axis - x.sparse_dim() + 1 for axis in dims if axis >= x.sparse_dim()]
    values = values.sum(dense) if dense else values
    if not kept:
        return values.sum(0)
    size = [n for axis, n in enumerate(x.shape) if axis not in dims]
    return sparse(x._where[kept], values, size).coalesce()


def _converted(x: SparseTensor, *args: Any, **kwargs: Any) -> SparseTensor:
    values = x._what.to(*args, **kwargs)
    return x if values is x._what else x._with_values(values)


def _zero_(x: SparseTensor) -> SparseTensor:
    return become(x, sparse(x._where[:, :0], x._what[:0].detach(), x.shape, unique=True))


def _each(name: str) -> Function:
    """A function that leaves zeros zero, of the sums of entries."""

    def apply(x: SparseTensor, *args: Any, **kwargs: Any) -> SparseTensor:
        if not isinstance(x, SparseTensor):
            refuse(name)
        x = x.coalesce()
        return x._with_values(getattr(x._what, name)(*args, **kwargs))

    return apply


def _negative(x: SparseTensor) -> SparseTensor:
    return x._with_values(-x._what)


def _difference(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    return _add(x, y, alpha=-alpha)


def _type(name: str) -> Function:
    return lambda x: _converted(x, getattr(dtypes, name))


#: Functions of each entry.
EACH = (
    "abs", "sqrt", "sin", "tan", "tanh", "sinh", "asin", "asinh", "atan", "atanh", "relu", "sign",
    "floor", "ceil", "round", "trunc", "frac", "expm1", "log1p", "erf", "deg2rad", "rad2deg", "pow",
)  # fmt: skip

HANDLERS: dict[str, Function] = {
    "matmul": _product, "mm": _product, "mv": _product, "spmm": _product, "__matmul__": _product,
    "__rmatmul__": lambda x, y: _product(y, x), "addmm": _addmm, "add": _add, "__add__": _add, "add_": _add_,
    "mul_": lambda x, y: become(x, _scaled(x, y)), "linear": _linear,
    "__radd__": lambda x, y: _add(y, x), "sub": _difference, "mul": _scaled, "div": _divided,
    "true_divide": _divided, "neg": _negative, "to_dense": dense, "to_sparse": to_sparse, "t": _transpose,
    "transpose": _transpose, "sum": _sum, "clone": _clone, "detach": SparseTensor.detach, "to": _converted,
    "type": _converted, "cpu": lambda x, *_, **__: x, "contiguous": lambda x, *_, **__: x, "zero_": _zero_,
    "is_tensor": lambda x: True, "is_floating_point": lambda x: x._what.is_floating_point(),
    "is_complex": lambda x: x._what.is_complex(),
    "zeros_like": lambda x, **_: sparse(x._where[:, :0], x._what[:0].detach(), x.shape, True),
    "numel": lambda x: math.prod(x.shape), "coalesce": SparseTensor.coalesce, "norm": _norm,
    **{name: _type(name) for name in ("float", "double", "half", "bfloat16", "long", "int")},
    **{name: _each(name) for name in EACH},
}  # fmt: skip
