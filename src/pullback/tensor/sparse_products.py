"""Products of sparse matrices with dense and with sparse ones.

Torch has no kernel for some layouts, and checks its arguments otherwise in each; what it refuses is refused
here in the same words.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any, NoReturn

import numpy as np

from ..array import dtypes
from ..array.dtype_words import unlike
from ..core.value import array_of, wrap
from ..ops.embedding_bag import entries_product
from .api import public
from .compressed import (
    BSC,
    BSR,
    CSR,
    CompressedTensor,
    by_rows,
    compressed,
    entries,
    majors,
    of_entries,
    refuse_blocks,
    with_values,
)
from .join import cat, stack
from .sparse import SparseTensor, in_backend, sparse
from .sparse_graph import renamed, run
from .sparse_refusals import refusal
from .sparse_rules import RULES, SAMPLED, SPARSE_ADDMM, SPARSE_SPARSE, title
from .tensor import Tensor

Function = Callable[..., Any]


def product(x: Any, y: Any) -> Any:
    """Return ``x @ y``, one of them or both being sparse matrices that fit."""
    if not x._sparse:
        return product(y.t(), x.t()).t()
    if y._sparse:
        rows, columns, found, order = _of_sparse(by_rows(x), by_rows(y))
        size = (x.shape[0], y.shape[1])
        if x.is_sparse:
            return sparse(wrap(np.stack([rows, columns])), found, size, unique=True)
        starts = np.searchsorted(rows, np.arange(x.shape[0] + 1))
        return compressed(CSR, wrap(starts), wrap(columns[order]), found.index_select(0, wrap(order)), size)
    if not x._nnz() or not y.shape[1]:
        return y.new_zeros((x.shape[0], y.shape[1]))
    rows, columns, found = entries(x)
    if not x.dtype.is_floating_point or x.dtype is not y.dtype:
        weighted = y[wrap(columns)] * found.unsqueeze(1)
        start = weighted.new_zeros((x.shape[0], y.shape[1]))
        return start.index_add(0, wrap(rows), weighted)
    return entries_product(y, found, wrap(columns), wrap(rows), x.shape[0])


def _of_sparse(x: CompressedTensor, y: CompressedTensor) -> tuple[np.ndarray, np.ndarray, Any, np.ndarray]:
    """Return rows, columns and values of the product of two matrices in CSR, in order of place: of each entry
    of x with each of the row of y that it meets. Last, how they are ordered within rows as MKL has them: as
    they are met.
    """
    starts = array_of(y._pointers)
    met = np.diff(starts)[array_of(x._places)]
    left = np.repeat(np.arange(x._nnz()), met)
    right = np.arange(met.sum()) - np.repeat(np.cumsum(met) - met, met)
    right += np.repeat(starts[array_of(x._places)], met)
    rows, columns = majors(x._pointers)[left], array_of(y._places)[right]
    places, first, which = np.unique(rows * y.shape[1] + columns, return_index=True, return_inverse=True)
    products = x._what[wrap(left)] * y._what[wrap(right)]
    values = products.new_zeros(len(places)).index_add(0, wrap(which.reshape(-1)), products)
    rows, columns = np.divmod(places, max(y.shape[1], 1))
    return rows, columns, values, np.argsort(first)


# --- checks -------------------------------------------------------------------------------------------------


def _not_multiplied(x: Any, y: Any) -> NoReturn:
    raise RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({x.shape[0]}x{x.shape[1]} and {y.shape[0]}x{y.shape[1]})"
    )


def check_matrices(x: Any, y: Any) -> None:
    """Raise torch's error where two matrices have no product, or torch no kernel for it."""
    if any(isinstance(t, CompressedTensor) for t in (x, y)):
        _check_compressed(x, y)
        return
    if not x._sparse or y._sparse:
        if x._sparse and y._sparse and x.shape[1] != y.shape[0]:
            _not_multiplied(x, y)
        if x._sparse and x.dtype is not y.dtype:
            raise RuntimeError(
                f"mat1 dtype {x.dtype.scalar_type} does not match mat2 dtype {y.dtype.scalar_type}"
            )
        return
    if x.sparse_dim() != 2:
        raise RuntimeError(f"addmm: matrices expected, got {x.sparse_dim()}D tensor")
    if x.dense_dim():
        raise RuntimeError(f"addmm: scalar values expected, got {x.dense_dim()}D values")
    if y.dim() != 2:
        raise RuntimeError(f"addmm: matrices expected, got {y.dim()}D tensor")
    if x.shape[1] != y.shape[0]:
        raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {x.shape[1]}, got {y.shape[0]}")
    if x.dtype is dtypes.bool:
        raise NotImplementedError("\"addmm_sparse_dense\" not implemented for 'Bool'")
    if x.dtype is not y.dtype:
        raise unlike(x.dtype.numpy, y.dtype.numpy)


def _check_compressed(x: Any, y: Any) -> None:
    for name, t in (("mat1", x), ("mat2", y)):
        if t.dim() != 2:
            raise RuntimeError(f"{name} must be a matrix, got {t.dim()}-D tensor")
    if x.shape[1] != y.shape[0]:
        _not_multiplied(x, y)
    if x.dtype is not y.dtype and not (x._sparse and y._sparse):
        raise unlike(x.dtype.numpy, y.dtype.numpy)
    kinds = tuple(t._kind if isinstance(t, CompressedTensor) else None for t in (x, y))
    if all(kinds) and {BSR, BSC} & set(kinds):
        kind = kinds[0] if kinds[0] in (BSR, BSC) else kinds[1]
        raise RuntimeError(
            "zeros_sparse_compressed expected sparse compressed (non-block) tensor layout but got "
            f"{kind.title if kind else ''}"
        )
    if kinds[0] is BSC or kinds[1] is BSR:
        raise RuntimeError(
            f"addmm: computation on CPU is not implemented for Strided + {title(x)} @ {title(y)}"
        )


def _check_vector(x: Any, y: Any) -> None:
    if x.is_sparse:
        if x.dim() != 2 or y.dim() != 1:
            raise RuntimeError(f"mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {x.dim()}"
                               f"Tensor Dim: {y.dim()}")  # fmt: skip
        if x.shape[1] != y.shape[0]:
            raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
        if x.dtype is not y.dtype:
            raise unlike(x.dtype.numpy, y.dtype.numpy)
        return
    if x.dim() != 2 or y.dim() != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {x.dim()}, {y.dim()}")
    if x.shape[1] != y.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({x.shape[0]}), mat ({x.shape[0]}x{x.shape[1]}), vec ({y.shape[0]})"
        )
    if x._kind is BSC:
        raise RuntimeError("torch.addmv: operation not supported for mat with SparseBsc layout")


# --- the functions ------------------------------------------------------------------------------------------


def mm(x: Any, y: Any) -> Any:
    """Return the product of two matrices."""
    if y.dim() < 2:
        raise IndexError(f"Dimension out of range (expected to be in range of [-1, 0], but got {y.dim()})")
    check_matrices(x, y)
    return product(x, y)


def mv(x: Any, y: Any) -> Any:
    """Return the product of a matrix and a vector."""
    if not x._sparse:
        return mv(y.t(), x)
    _check_vector(x, y)
    return product(x, y.unsqueeze(1)).squeeze(1)


def matmul(x: Any, y: Any) -> Any:
    """Return ``x @ y``, of matrices and vectors."""
    for t in (x, y):
        if not isinstance(t, Tensor):
            raise TypeError(
                f"unsupported operand type(s) for @: '{type(x).__name__}' and '{type(y).__name__}'"
            )
    own = x if x._sparse else y
    if x.dim() > 2 or y.dim() > 2:
        if own.is_sparse:
            raise RuntimeError("reshape is not implemented for sparse tensors")
        own.stride()
    if x.dim() == 1:
        return y.t().mv(x)
    # The call has come through the classes of both already, which takes as long as a small product.
    name, function = ("mv", mv) if y.dim() == 1 else ("mm", mm)
    return run(function, RULES[name], (x, y), {})


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1, inplace: bool = False) -> Any:
    """Return ``beta·input + alpha·(mat1 @ mat2)``."""
    if not input._sparse and not inplace and mat1.dim() == mat2.dim() == 2:
        input = input.expand(mat1.shape[0], mat2.shape[1])
    check_matrices(mat1, mat2)
    result = product(mat1, mat2)
    result = result if alpha == 1 else result * alpha
    if not beta:
        return result
    return (input if beta == 1 else input * beta) + result


def _addmm_(input: Any, mat1: Any, mat2: Any, **options: Any) -> Any:
    return input.copy_(addmm(input, mat1, mat2, inplace=True, **options))


def _addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    if mat.is_sparse:
        in_backend("addmv", "SparseCPU")
    _check_vector(mat, vec)
    result = product(mat, vec.unsqueeze(1)).squeeze(1) * alpha
    return input * beta + result if beta else result


def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    if bias is not None and weight.is_sparse:
        raise RuntimeError(
            "addmm_sparse_dense: expected either 'mat1' to have sparse layout and 'mat2' to have strided "
            f"layout, got 'mat1' with layout {title(input)} and 'mat2' with layout {title(weight)}"
        )
    result = input.matmul(weight.t())
    return result if bias is None else result + bias


@public(method=False)
def hspmm(mat1: Any, mat2: Any) -> SparseTensor:
    """Return the product of a sparse and a dense matrix: its entries are the rows that are not empty."""
    if isinstance(mat1, CompressedTensor):
        in_backend("hspmm", "SparseCsrCPU")
    if mat1.dim() != 2:
        raise RuntimeError(f"hspmm: Argument #2: matrices expected, got {mat1.dim()}D tensor")
    if mat1.dense_dim():
        raise RuntimeError(f"hspmm: Argument #2: scalar values expected, got {mat1.dense_dim()}D values")
    rows = np.unique(array_of(mat1.coalesce()._where)[0])
    return sparse(wrap(rows[None]), mm(mat1, mat2)[wrap(rows)], (mat1.shape[0], mat2.shape[1]))


@public(method=False)
def hsmm(mat1: Any, mat2: Any) -> SparseTensor:
    """Return `hspmm`, whose older name this is."""
    return hspmm(mat1, mat2)


@public(method=False)
def smm(mat1: Any, mat2: Any) -> SparseTensor:
    """Return the product of a sparse and a dense matrix as a sparse one, with an entry for each element of
    the rows that are not empty.
    """
    _refuse_compressed(mat1)
    if mat1.dtype is dtypes.bool:
        raise NotImplementedError("\"sspmm\" not implemented for 'Bool'")
    return sspaddmm(sparse_zeros(mat1, mat2), mat1, mat2, beta=0)


def sparse_zeros(mat1: Any, mat2: Any) -> SparseTensor:
    """Return an empty tensor of coordinates of the shape of a product."""
    places = wrap(np.zeros((2, 0), np.int64))
    return sparse(places, mat1._plain[:0].detach(), (mat1.shape[0], mat2.shape[1]), unique=True)


@public(method=False)
def sspaddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> SparseTensor:
    """Return ``beta·input + alpha·(mat1 @ mat2)`` as a tensor of coordinates, `mat1` being one."""
    _refuse_compressed(input, mat1)
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(f"sspaddmm: Argument #3: Expected dim 0 size {mat1.shape[1]}, got {mat2.shape[0]}")
    for axis, n in enumerate((mat1.shape[0], mat2.shape[1])):
        if input.shape[axis] != n:
            raise RuntimeError(
                f"sspaddmm: Argument #1: Expected dim {axis} size {n}, got {input.shape[axis]}"
            )
    rows = np.unique(array_of(mat1.coalesce()._where)[0])
    where = np.stack([np.repeat(rows, mat2.shape[1]), np.tile(np.arange(mat2.shape[1]), len(rows))])
    found = product(mat1, mat2)[wrap(rows)].reshape(-1) * alpha
    if not input._nnz():
        return sparse(wrap(where.astype(np.int64)), found, input.shape)
    return sparse(
        cat([input._where, wrap(where.astype(np.int64))], 1), cat([input._what * beta, found]), input.shape
    )


def _refuse_compressed(*tensors: Any) -> None:
    if any(isinstance(t, CompressedTensor) for t in tensors):
        raise RuntimeError(
            "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got size [0]"
        )


# --- those of torch.sparse ----------------------------------------------------------------------------------


def sparse_mm(mat1: Any, mat2: Any) -> Any:
    """Return `torch.sparse.mm`: its gradient has the layout of what is sparse."""
    if not (mat1._sparse or mat2._sparse):
        return mat1.mm(mat2)
    if not mat1._sparse:
        return sparse_mm(mat2.t(), mat1.t()).t()
    if mat1.is_sparse and mat2.is_sparse:
        return run(mm, SPARSE_SPARSE, (mat1, mat2), {})
    start = mat2.new_zeros(()) if not mat2._sparse else mat2.to_dense().sum() * 0
    return run(lambda _, x, y: mm(x, y), SPARSE_ADDMM, (start.detach(), mat1, mat2), {})


def sparse_addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0) -> Any:
    """Return `torch.sparse.addmm`."""
    return run(addmm, SPARSE_ADDMM, (mat, mat1, mat2), {"beta": beta, "alpha": alpha})


def sampled_addmm(
    input: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0, out: Any = None
) -> Any:
    """Return ``beta·input + alpha·(mat1 @ mat2)`` at the places that `input`, in CSR, has entries."""
    return run(_sampled, SAMPLED, (input, mat1, mat2), {"beta": beta, "alpha": alpha})


def _sampled(input: Any, mat1: Any, mat2: Any, *, beta: Any, alpha: Any) -> Any:
    if not isinstance(input, CompressedTensor):
        in_backend("sparse_sampled_addmm", "SparseCPU" if input._sparse else "CPU")
    kind = input._kind
    refuse_blocks(kind)
    if kind is not CSR:
        raise RuntimeError(f"sampled_addmm: Expected result to have sparse csr layout, but got {kind.title}")
    for name, t in (("mat2", mat2), ("self", input)):
        if mat1.dtype is not t.dtype:
            raise RuntimeError(
                f"sampled_addmm: Expected mat1 and {name} to have the same dtype, but got "
                f"{mat1.dtype.scalar_type} and {t.dtype.scalar_type}"
            )
    if mat1.shape[-1] != mat2.shape[-2]:
        raise RuntimeError(
            f"sampled_addmm: mat1 and mat2 shapes cannot be multiplied ({mat1.shape[-2]}x{mat1.shape[-1]} "
            f"and {mat2.shape[-2]}x{mat2.shape[-1]})"
        )
    for name, given, axis in (("mat1", mat1, -2), ("mat2", mat2, -1)):
        if input.shape[axis] != given.shape[axis]:
            raise RuntimeError(f"sampled_addmm: self.shape[{axis}] must match {name}.shape[{axis}]")
    rows, columns, found = of_entries(input)
    products = (mat1[wrap(rows)] * mat2.t()[wrap(columns)]).sum(1) * alpha
    return with_values(input, found * beta + products if beta else products)


def reduced(x: Any, y: Any, how: str) -> Any:
    """Return the sum, mean, maximum or minimum of the rows of y, each times its weight, by row of x."""
    if not isinstance(x, CompressedTensor):
        in_backend("_sparse_mm_reduce_impl", "SparseCPU" if x._sparse else "CPU")
    if x._kind is not CSR:
        raise RuntimeError(f"sparse_mm_reduce: expect self to be SparseCsr, got {x._kind.title}")
    if y._sparse:
        raise RuntimeError(
            f"Expected tensor to have Strided Layout, but got tensor with {title(y)} Layout (while checking "
            "arguments for sparse_mm_reduce)"
        )
    if how == "prod":
        raise RuntimeError("sparse_mm_reduce: reduce type of prod has not been enabled.")
    how = {"max": "amax", "min": "amin"}.get(how, how)
    if how not in ("sum", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {how}")
    rows, columns, found = of_entries(x)
    weighted = y[wrap(columns)] * found.unsqueeze(1)
    start = weighted.new_zeros((x.shape[0], y.shape[1]))
    if how == "sum":
        result = start.index_add(0, wrap(rows), weighted)
    else:
        if how in ("amax", "amin") and start.is_floating_point():
            # A start that equals the result would be given its share of the covector.
            start.index_fill_(0, wrap(np.unique(rows)), float("nan"))
        result = start.index_reduce(0, wrap(rows), weighted, how, include_self=False)
    return renamed(result, "SparseMmReduceImplBackward0")


def _outer(x: Any, y: Any) -> NoReturn:
    raise RuntimeError(f"outer: Expected 1-D argument self, but got {x.dim()}-D")


def _tensordot(x: Any, *others: Any, **_: Any) -> NoReturn:
    if isinstance(x, CompressedTensor):
        in_backend("as_strided", "SparseCsrCPU")
    _reshaped((x, *others[:1]))


def _bmm(x: Any, y: Any) -> Any:
    """Return the products of the matrices of two batches."""
    if isinstance(x, CompressedTensor) or isinstance(y, CompressedTensor):
        for name, t in (("batch1", x), ("batch2", y)):
            if t.dim() != 3:
                raise RuntimeError(f"{name} must be a 3D tensor")
        raise refusal("bmm", (x if x._sparse else y)._kind.short, (x,))
    if y._sparse:
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    if x.dense_dim():
        raise RuntimeError(f"bmm_sparse: Tensor 'self' must have 0 dense dims, but has {x.dense_dim()}")
    if x.sparse_dim() != 3:
        raise RuntimeError(f"bmm_sparse: Tensor 'self' must have 3 sparse dims, but has {x.sparse_dim()}")
    if y.dim() != 3:
        raise RuntimeError(f"bmm_sparse: Tensor 'mat2' must have 3 dims, but has {y.dim()}")
    if x.shape[0] != y.shape[0]:
        raise RuntimeError("bmm_sparse: 'self.size(0)' and 'mat2.size(0)' must match")
    if x.shape[2] != y.shape[1]:
        raise RuntimeError("bmm_sparse: 'self.size(2)' and 'mat2.size(1)' must match")
    return stack([product(one, other) for one, other in zip(x.unbind(), y.unbind(), strict=True)], 0)


def _baddbmm(input: Any, x: Any, y: Any, **_: Any) -> Any:
    own = next(t for t in (input, x, y) if t._sparse)
    if own.is_sparse:
        raise refusal("baddbmm", "coo", (own, x))
    for t in (x, y):
        if t.dim() < 3:
            raise IndexError("Dimension out of range (expected to be in range of [-2, 1], but got 2)")
    raise refusal("baddbmm", own._kind.short, (own, x))


def _times(x: Any, y: Any) -> Any:
    return x.mm(y)


def _reshaped(tensors: Any) -> NoReturn:
    """Refuse what rearranges its arguments."""
    for x in tensors:
        if isinstance(x, CompressedTensor):
            x.stride()
    raise RuntimeError("reshape is not implemented for sparse tensors")


#: The functions, by name.
PRODUCTS: dict[str, Function] = {
    "matmul": matmul, "mm": mm, "spmm": mm, "mv": mv, "addmm": addmm, "addmm_": _addmm_, "addmv": _addmv,
    "linear": _linear,
    "hspmm": hspmm.__wrapped__, "hsmm": hspmm.__wrapped__, "smm": smm.__wrapped__,
    "sspaddmm": sspaddmm.__wrapped__, "outer": _outer,
    "chain_matmul": lambda *factors: reduce(_times, factors),
    "linalg_multi_dot": lambda factors: reduce(_times, factors), "einsum": lambda _, *x: _reshaped(x),
    "tensordot": _tensordot, "bmm": _bmm, "baddbmm": _baddbmm,
}  # fmt: skip
