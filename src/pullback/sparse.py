"""torch.sparse: tensors of coordinates, their products and sums; other layouts are not part of pullback."""

from __future__ import annotations

from typing import Any

from . import dtypes
from .exclusions import answer_for
from .tensor import sparse as of
from .tensor.builtin import publish
from .tensor.sparse import sparse_coo_tensor

Tensor = of.SparseTensor


def mm(mat1: Any, mat2: Any) -> Any:
    """The product of a sparse matrix and a dense one, differentiable in both.

    Parameters
    ----------
    mat1 : tensor
        Sparse, ``(n, m)``.
    mat2 : tensor
        Dense ``(m, k)``, which gives a dense ``(n, k)``; or sparse, which gives a sparse one.
    """
    return mat1.mm(mat2)


def addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0) -> Any:
    """``beta·mat + alpha·(mat1 @ mat2)``, `mat1` being sparse."""
    return mat * beta + mm(mat1, mat2) * alpha


def sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """The sum of a sparse tensor: of all elements, or over axes.

    Parameters
    ----------
    input : tensor
        Sparse.
    dim : int or tuple of int, optional
        The result is sparse where a sparse axis is left.
    dtype : dtype, optional
        In which the sum is computed.
    """
    return input.sum(dtype=dtype) if dim is None else input.sum(dim, dtype=dtype)


def spmm(input: Any, mat2: Any) -> Any:
    """An older name of `mm`."""
    return input.mm(mat2)


dsmm = spmm


def _of_dtype(name: str) -> Any:
    def make(indices: Any = (), values: Any = None, size: Any = None) -> Any:
        return sparse_coo_tensor(indices, values, size, dtype=getattr(dtypes, name))

    make.__doc__ = f"A sparse tensor of dtype {name}; the older form of `torch.sparse_coo_tensor`."
    return make


FloatTensor, DoubleTensor, HalfTensor = _of_dtype("float32"), _of_dtype("float64"), _of_dtype("float16")
LongTensor, IntTensor = _of_dtype("int64"), _of_dtype("int32")

publish(globals(), "sparse")

__all__ = ["addmm", "mm", "sum"]

answer_for(globals())
