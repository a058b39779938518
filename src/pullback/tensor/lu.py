"""LU and LDL factorisations under torch's names."""

from typing import Any

import numpy as np

from ..array.deferred_import import import_later
from ..array.dtype_words import type_word
from ..core.promotion import broadcast_shape, unsupported
from ..core.value import dtype_of, shape_of
from ..errors import argument_type
from ..ops.kernel_words import RARE
from ..ops.structure import expand
from .api import public, with_signature
from .matrix_checks import (
    check_floating,
    check_right_side,
    check_same_dtype,
    check_square,
    check_system,
    int32_of,
    last_size,
)  # fmt: skip
from .matrix_deprecations import superseded
from .return_types import return_type
from .sizes import tensor

ops = import_later("..ops.lu", __package__)

# --- LU -----------------------------------------------------------------------------------------------------


def _check_lu(A: Any, pivot: bool, name: str) -> None:
    if len(shape_of(A)) < 2:
        raise RuntimeError(
            f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(shape_of(A))} instead"
        )
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


@with_signature()
def linalg_lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Return ``A = P L U`` as LAPACK leaves it, with the place of each matrix's first zero pivot or 0.

    Parameters
    ----------
    A : tensor (…, m, n)
    pivot : True
    check_errors : bool
        Whether a zero pivot is an error.

    Returns
    -------
    (LU, pivots, info)
        Both triangles in one matrix (…, m, n); row exchanges (…, min(m, n)), int32, counted from 1; (…).
    """
    _check_lu(A, pivot, "torch.lu_factor")
    parts = ops.lu_factor_ex(A, "torch.linalg.lu_factor_ex" if check_errors else "")
    return return_type("linalg_lu_factor_ex", "LU", "pivots", "info")(parts)


@with_signature()
def linalg_lu_factor(A: Any, *, pivot: bool = True) -> Any:
    """Return ``A = P L U`` as LAPACK leaves it, for `lu_solve` and `lu_unpack`: (LU, pivots).

    Parameters
    ----------
    A : tensor (…, m, n)
    pivot : True

    Returns
    -------
    (LU, pivots)
        Both triangles in one matrix (…, m, n); row exchanges (…, min(m, n)), int32, counted from 1.
    """
    _check_lu(A, pivot, "torch.lu_factor")
    parts = ops.lu_factor_ex(A, "torch.linalg.lu_factor")[:2]
    return return_type("linalg_lu_factor", "LU", "pivots")(parts)


def _lu(A: Any, pivot: Any, get_infos: Any, out: Any) -> Any:
    tensor("_lu_with_info", "input", A)
    if not isinstance(pivot, bool):
        raise argument_type("_lu_with_info", "pivot", None, "bool", pivot)
    _check_lu(A, pivot, "torch.lu_factor")
    parts = return_type("_lu_with_info", "LU", "pivots", "info")(ops.lu_factor_ex(A, ""))
    result = parts if get_infos else parts[:2]
    if out is None:
        return result
    if len(out) != len(result):
        raise TypeError(f"expected tuple of {len(result)} elements but got {len(out)}")
    if not isinstance(out, tuple | list):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    for target, part in zip(out, result, strict=True):
        target.resize_as_(part).copy_(part)
    return out


def _lu_with_infos(A: Any, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    return _lu(A, pivot, True, out)


def _lu_no_infos(A: Any, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    return _lu(A, pivot, False, out)


@public(out=False, method=False)
def lu(*args: Any, **kwargs: Any) -> Any:
    """Return LU and pivots (see `torch.linalg.lu_factor`), with `get_infos` also places of zero pivots."""
    superseded("lu")
    asked = kwargs.get("get_infos", args[2] if len(args) > 2 else False)
    return (_lu_with_infos if asked else _lu_no_infos)(*args, **kwargs)


def _method(self: Any, pivot: bool = True, get_infos: bool = False) -> Any:
    superseded("lu")
    return _lu(self, pivot, get_infos, None)


_method.__doc__ = lu.__doc__
lu.__wrapped__.__wrapped__ = _lu_with_infos  # what `inspect.signature` follows
public(_method, name="lu", is_function=False, out=False)


@with_signature()
def linalg_lu(A: Any, *, pivot: bool = True) -> Any:
    """Return ``A = P L U`` with a permutation P, ones on the diagonal of the lower triangle L, an upper
    triangle U.

    Parameters
    ----------
    A : tensor (…, m, n)
    pivot : True

    Returns
    -------
    (P, L, U)
        (…, m, m), (…, m, k) and (…, k, n) with k = min(m, n).
    """
    _check_lu(A, pivot, "linalg.lu")
    return return_type("linalg_lu", "P", "L", "U")(ops.lu(A))


@with_signature(method=False)
def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """Return P, L and U from the results of `torch.linalg.lu_factor`; what is not asked for is empty.

    Parameters
    ----------
    LU_data : tensor (…, m, n)
    LU_pivots : int32 tensor (…, min(m, n))
    unpack_data, unpack_pivots : bool

    Returns
    -------
    (P, L, U)
    """
    _check_lu(LU_data, True, "torch.lu_unpack")
    if unpack_pivots and not int32_of(LU_pivots):
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: "
            "this function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    rows = shape_of(LU_data)[-2]
    lead = shape_of(LU_data)[:-2]
    if unpack_pivots and len(shape_of(LU_pivots)) == 1 and lead:
        LU_pivots = expand(LU_pivots, (*lead, *shape_of(LU_pivots)))
    if dtype_of(LU_data) in RARE and (unpack_data or unpack_pivots):
        raise unsupported("tril" if unpack_data else "scatter_gather_scalar_cpu", (), dtype_of(LU_data))
    if unpack_pivots and type(LU_pivots._value) is np.ndarray:
        used = LU_pivots._value[..., :rows] if shape_of(LU_pivots) else LU_pivots._value
        short = shape_of(LU_pivots)[-1:] < (min(shape_of(LU_data)[-2:]),)
        if short or ((used < 1) | (used > rows)).any():
            raise RuntimeError(
                "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                "Did you properly pass the result of lu_factor?"
            )
    parts = ops.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)
    return return_type("lu_unpack", "P", "L", "U")(parts)


def _solved(LU: Any, pivots: Any, B: Any, left: bool, adjoint: bool) -> Any:
    check_floating(LU, "torch.linalg.lu_solve", halves=True)
    check_same_dtype(LU, B, "linalg.lu_solve", "LU", "B")
    if not int32_of(pivots):
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    check_square(LU, "torch.linalg.lu_solve")
    check_system(LU, B, left, "linalg.lu_solve")
    if shape_of(LU)[-1] != last_size(pivots):
        raise RuntimeError(
            "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix"
        )
    if shape_of(LU)[:-2] != shape_of(pivots)[:-1]:
        raise RuntimeError(
            "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with "
            f"shape {list(shape_of(pivots))} instead"
        )
    broadcast_shape(shape_of(B)[:-2], shape_of(LU)[:-2])
    return ops.lu_solve(LU, pivots, B, left, adjoint)


@with_signature()
def linalg_lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """Return X with ``A X = B`` from the results of `torch.linalg.lu_factor`.

    Parameters
    ----------
    LU : tensor (…, n, n)
    pivots : int32 tensor (…, n)
    B : tensor (…, n, k), or (…, k, n) where not `left`
    left : bool
        ``X A = B`` where not.
    adjoint : bool
        Whether Aᴴ stands for A.

    Returns
    -------
    tensor
        In the shape of B.
    """
    return _solved(LU, pivots, B, left, adjoint)


@with_signature()
def lu_solve(input: Any, LU_data: Any, LU_pivots: Any) -> Any:
    """Return X with ``A X = input`` (see `torch.linalg.lu_solve`): (…, n, k) -> (…, n, k)."""
    superseded("lu_solve")
    return _solved(LU_data, LU_pivots, input, True, False)


# --- LDL ----------------------------------------------------------------------------------------------------


def _ldl(input: Any, hermitian: bool, caller: str) -> tuple[Any, Any, Any]:
    check_square(input, "torch.linalg.ldl_factor_ex")
    check_floating(input, "torch.linalg.ldl_factor_ex", halves=True)
    return ops.ldl_factor_ex(input, hermitian, caller)


@with_signature()
def linalg_ldl_factor_ex(input: Any, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """Return ``P L D Lᵀ Pᵀ`` (or with Lᴴ) of symmetric matrices as LAPACK leaves it, and where D has a zero.

    Parameters
    ----------
    input : tensor (…, n, n)
        Only the lower triangle is read.
    hermitian, check_errors : bool

    Returns
    -------
    (LD, pivots, info)
        (…, n, n); (…, n), int32; (…). Without derivatives.
    """
    caller = "torch.linalg.ldl_factor_ex" if check_errors else ""
    parts = _ldl(input, hermitian, caller)
    return return_type("linalg_ldl_factor_ex", "LD", "pivots", "info")(parts)


@with_signature()
def linalg_ldl_factor(input: Any, *, hermitian: bool = False) -> Any:
    """Return ``P L D Lᵀ Pᵀ`` (or with Lᴴ) of symmetric matrices as LAPACK leaves it, for `ldl_solve`.

    Parameters
    ----------
    input : tensor (…, n, n)
        Only the lower triangle is read.
    hermitian : bool

    Returns
    -------
    (LD, pivots)
        (…, n, n); (…, n), int32. Without derivatives.
    """
    parts = _ldl(input, hermitian, "torch.linalg.ldl_factor")[:2]
    return return_type("linalg_ldl_factor", "LD", "pivots")(parts)


@with_signature()
def linalg_ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False) -> Any:
    """Return X with ``A X = B`` from the results of `torch.linalg.ldl_factor`.

    Parameters
    ----------
    LD : tensor (…, n, n)
    pivots : int32 tensor (…, n)
    B : tensor (…, n, k)
    hermitian : bool

    Returns
    -------
    tensor (…, n, k)
    """
    name = "torch.linalg.ldl_solve"
    check_square(LD, name)
    check_floating(LD, name, halves=True)
    check_right_side(B, LD, name)
    if shape_of(LD)[:-1] != shape_of(pivots):
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(shape_of(pivots))} instead"
        )
    if dtype_of(pivots).kind not in "iu":
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {type_word(dtype_of(pivots))}")
    broadcast_shape(shape_of(B)[:-2], shape_of(LD)[:-2])
    return ops.ldl_solve(LD, pivots, B, hermitian)
