"""Norms of vectors and matrices under torch's names."""

import math
from typing import Any

from ..array import dtypes
from ..array.dtype_words import type_word
from ..core.promotion import check_broadcast
from ..core.value import dtype_of, shape_of
from ..errors import argument_type
from ..ops import reduce as r
from ..ops.convert import cast
from ..ops.elementwise import abs
from ..ops.extreme import amax, amin
from ..ops.structure import permute, sum_dims
from ..ops.view import unsqueeze
from .api import public
from .factorizations import singular_values
from .math import refuse_bools
from .matrix_checks import check_floating, check_matrix
from .properties import common_dtype
from .reductions import in_dtype, reduced_dims, reduction
from .sizes import tensor
from .tensor import checked_dim


def _check_order(p: Any) -> None:
    if isinstance(p, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")


@reduction(namespace="linalg")
def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return (Σ|x|^ord)^(1/ord) over `dim`; inf and −inf give the largest and smallest |x|, 0 counts."""
    tensor("linalg_vector_norm", "input", x)
    if ord is None or isinstance(ord, str):
        raise argument_type("linalg_vector_norm", "ord", 2, "Number", ord)
    _check_order(ord)
    check_floating(x, "linalg.vector_norm", halves=True)
    if dtype is not None:
        if dtype.numpy.kind in "biu":
            raise RuntimeError(
                f"linalg.vector_norm: dtype should be floating point or complex, but got "
                f"{type_word(dtype.numpy)}"
            )
        if dtype.numpy.kind == "c" and dtype_of(x).kind not in "cW":
            raise RuntimeError(
                f"linalg.vector_norm: dtype should be real for real inputs, but got {type_word(dtype.numpy)}"
            )
        _check_widening(x, dtype, "linalg.vector_norm")
        x = in_dtype(x, dtype)
    ord = float(ord)
    shape = shape_of(x)
    dims = reduced_dims(dim, len(shape))
    if (ord < 0 or ord == math.inf) and r.count(shape, dims) == 0:
        shown = () if dim is None else dim if isinstance(dim, list | tuple) else (dim,)
        where = "an empty tensor "
        if shown:
            # Without a space, as torch has it.
            where = f"the dimension {next(d for d in map(int, shown) if shape[d] == 0)}"
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {_order_text(ord)} norm on {where}because "
            f"{'this dimension is empty and ' if shown else ''}the operation does not have an identity"
        )
    return r.vector_norm(x, ord, dims, keepdim)


def _check_widening(x: Any, dtype: Any, name: str) -> None:
    have = dtype_of(x)
    kind = dtypes.BY_NUMPY[have]
    if dtypes.promote_types(kind, dtype) is not dtype:
        raise RuntimeError(
            f"{name}: the dtype of the input ({type_word(have)}) should be convertible without narrowing to "
            f"the specified dtype ({type_word(dtype.numpy)})"
        )


def _order_text(ord: float) -> str:
    return f"{ord:g}"


@reduction(namespace="linalg")
def matrix_norm(
    A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """Return the norm of matrices.

    Parameters
    ----------
    A : tensor
    ord : {"fro", "nuc", 2, -2, 1, -1, inf, -inf}
        √Σ|aᵢⱼ|²; the sum of the singular values; the largest and the smallest of them; the largest and the
        smallest column sum of |aᵢⱼ|; the largest and the smallest row sum.
    dim : (int, int)
        The axes of rows and columns.
    keepdim : bool
    dtype : dtype, optional
        A is converted to it first.

    Returns
    -------
    tensor
        Real, without the axes `dim`, or with size 1 there.
    """
    tensor("linalg_matrix_norm", "input", A)
    known = ord in ("fro", "nuc") if isinstance(ord, str) else math.fabs(ord) in (1, 2, math.inf)
    if not known:
        word = ord if isinstance(ord, str) else _order_text(float(ord))
        raise RuntimeError(f"linalg.matrix_norm: Order {word} not supported.")
    shape = shape_of(A)
    rank = len(shape)
    check_matrix(A, "linalg.matrix_norm")
    check_floating(A, "linalg.matrix_norm", halves=True)
    if type(dim) is bool or (isinstance(dim, (tuple, list)) and dim and type(dim[0]) is bool):
        raise TypeError("argument 'dim' must be tuple of ints, not bool")
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    rows, columns = (checked_dim(d, rank) for d in dims)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({rows}, {columns})")
    if ord in ("nuc", 2, -2) and (dtype or dtypes.BY_NUMPY[dtype_of(A)]).numpy.itemsize < 4:
        raise RuntimeError(
            f"linalg.matrix_norm: Low precision dtypes not supported. Got {type_word(dtype_of(A))}"
        )
    A = in_dtype(A, dtype)
    if ord == "fro":
        return vector_norm(A, 2, (rows, columns), keepdim)
    if ord in ("nuc", 2, -2):
        check_floating(A, "linalg.matrix_norm")
        return _singular_norm(A, ord, rows, columns, keepdim)
    within, across = (rows, columns) if math.fabs(ord) == 1 else (columns, rows)
    sums = sum_dims(abs(A), (within,), keepdim)
    return _extreme(sums, across - (not keepdim and across > within), keepdim, ord > 0)


def _extreme(x: Any, axis: int, keepdim: bool, largest: bool, dim: int | None = None) -> Any:
    """Return the largest element along an axis, 0 where there is none; or the smallest, which must exist."""
    shape = shape_of(x)
    if shape[axis]:
        return (amax if largest else amin)(x, (axis,), keepdim)
    if not largest:
        dim = axis if dim is None else dim
        raise IndexError(f"amin(): Expected reduction dim {dim} to have non-zero size.")
    return sum_dims(x, (axis,), keepdim)


def _singular_norm(A: Any, ord: Any, rows: int, columns: int, keepdim: bool) -> Any:
    rank = len(shape_of(A))
    others = [d for d in range(rank) if d not in (rows, columns)]
    sizes = singular_values(permute(A, (*others, rows, columns)))
    if ord == "nuc":
        result = sum_dims(sizes, (rank - 2,), keepdim)
    else:
        result = _extreme(sizes, rank - 2, keepdim, ord > 0, -1)
    if not keepdim:
        return result
    return permute(unsqueeze(result, rank - 1), tuple(map([*others, rows, columns].index, range(rank))))


@reduction(namespace="linalg", name="norm")
def linalg_norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return a vector norm, or a matrix norm where an order is given and two dims or a matrix are.

    Parameters
    ----------
    A : tensor
    ord : number or str, optional
        See `vector_norm` and `matrix_norm`; by default √Σ|a|².
    dim : int or (int, int), optional
    keepdim : bool
    dtype : dtype, optional
    """
    tensor("linalg_norm", "input", A)
    rank = len(shape_of(A))
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is specified, it must be of length 1 or 2. Got "
            f"[{', '.join(map(str, dims))}]"
        )
    if dims is None and ord is not None and rank not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {rank}D."
        )
    if ord is not None and (isinstance(ord, str) or (rank if dims is None else len(dims)) == 2):
        return matrix_norm(A, ord, (0, 1) if dims is None else dims, keepdim, dtype=dtype)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


@public(out=False)
def norm(
    input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None
) -> Any:
    """Return the vector norm of order `p` over `dim`; ``"fro"`` is Euclidean, ``"nuc"`` the nuclear norm."""
    options = {"dtype": dtype} if out is None else {"dtype": dtype, "out": out}
    rank = input.layout and len(shape_of(input))
    dims = [dim] if isinstance(dim, int) else dim
    if not isinstance(p, str):
        return vector_norm(input, 2.0 if p is None else p, dims, keepdim, **options)
    if p == "fro" and (dim is None or isinstance(dim, int) or len(dim) <= 2):
        return vector_norm(input, 2, dims, keepdim, **options)
    return matrix_norm(input, p, list(range(rank)) if dims is None else dims, keepdim, **options)


@public
def dist(input: Any, other: Any, p: Any = 2) -> Any:
    """Return the norm of order `p` of ``input − other``."""
    tensor("dist", "input", input)
    tensor("dist", "other", other, 2)
    refuse_bools(input, other)
    check_broadcast((input, other))
    r.dist.op.refuse(kind := common_dtype(input, other))
    _check_order(p)
    dtypes.check_number(p)
    if kind.kind in "biu":
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {type_word(kind)} instead."
        )
    first, second = (v if dtype_of(v) == kind else cast(v, kind) for v in (input, other))
    return r.dist(first, second, float(p))
