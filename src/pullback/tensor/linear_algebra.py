"""Inverse, solution, determinant and Cholesky factor under torch's names: checks and texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array.deferred_import import import_later
from ..array.dtype_words import unlike
from ..core.op import of
from ..core.promotion import broadcast_shape
from ..core.value import dtype_of, shape_of
from ..ops.arithmetic import add, log
from ..ops.comparison import eq, where
from ..ops.contract import column
from .api import with_signature
from .matrix_checks import (
    check_floating,
    check_right_side,
    check_same_dtype,
    check_square,
    check_system,
    is_vector,
)  # fmt: skip
from .matrix_deprecations import superseded
from .return_types import return_type
from .tensor import checked_axis

ops = import_later("..ops.linalg", __package__)

triangular = import_later("..ops.triangular", __package__)

# --- inverse and solution -----------------------------------------------------------------------------------


def _inverse(A: Any, name: str, caller: str) -> tuple[Any, Any]:
    check_square(A, name)
    check_floating(A, name)
    return ops.inv_ex(A, caller)


@with_signature()
def linalg_inv(A: Any) -> Any:
    """Return the inverse A⁻¹ of square matrices.

    Parameters
    ----------
    A : tensor (…, n, n)

    Returns
    -------
    tensor (…, n, n)
    """
    return _inverse(A, "linalg.inv", "linalg.inv")[0]


@with_signature()
def inverse(input: Any) -> Any:
    """Return the inverse of square matrices: (…, n, n) -> (…, n, n) (see `torch.linalg.inv`)."""
    return _inverse(input, "linalg.inv", "linalg.inv")[0]


@with_signature()
def linalg_inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """Return the inverse, and per matrix the place of its first zero pivot or 0, as (inverse, info).

    Parameters
    ----------
    A : tensor (…, n, n)
    check_errors : bool
        Whether a singular matrix is an error.
    """
    parts = _inverse(A, "linalg.inv", "linalg.inv_ex" if check_errors else "")
    return return_type("linalg_inv_ex", "inverse", "info")(parts)


def _solution(A: Any, B: Any, left: bool, caller: str) -> tuple[Any, Any]:
    check_floating(A, "linalg.solve", halves=True)
    check_same_dtype(A, B, "linalg.solve")
    vector = is_vector(A, B)
    check_system(A, column(B) if vector else B, left, "linalg.solve")
    if vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In "
            "this case linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    if not vector:
        broadcast_shape(shape_of(B)[:-2], shape_of(A)[:-2])
    return ops.solve_ex(A, B, left, vector, caller)


@with_signature()
def linalg_solve(A: Any, B: Any, *, left: bool = True) -> Any:
    """Return X with ``A X = B`` (or ``X A = B``).

    Parameters
    ----------
    A : tensor (…, n, n)
    B : tensor (…, n) or (…, n, k)
        One vector per matrix, or matrices; leading axes of matrices broadcast. (…, k, n) where not `left`.
    left : bool

    Returns
    -------
    tensor
        In the shape of B.
    """
    return _solution(A, B, left, "torch.linalg.solve")[0]


@with_signature()
def linalg_solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """Return X with ``A X = B``, and per matrix the place of its first zero pivot or 0, as (result, info).

    Parameters
    ----------
    A, B, left
        See `torch.linalg.solve`.
    check_errors : bool
        Whether a singular matrix is an error.
    """
    parts = _solution(A, B, left, "torch.linalg.solve_ex" if check_errors else "")
    return return_type("linalg_solve_ex", "result", "info")(parts)


@with_signature()
def linalg_tensorinv(input: Any, ind: int = 2) -> Any:
    """Return the inverse of a tensor as a map from its last axes to its first `ind`.

    Parameters
    ----------
    input : tensor
        Its first `ind` sizes multiply to the same number as the others.
    ind : int

    Returns
    -------
    tensor
        The axes from `ind` on come first.
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    shape = shape_of(input)
    first, last = int(np.prod(shape[:ind])), int(np.prod(shape[ind:]))
    if first != last:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but "
            f"got {last} != {first}"
        )
    return ops.inv_ex(input.reshape(last, last), "inv")[0].reshape((*shape[ind:], *shape[:ind]))


@with_signature()
def linalg_tensorsolve(input: Any, other: Any, dims: Any = None) -> Any:
    """Return X with ``tensordot(input, X, X.ndim) = other``.

    Parameters
    ----------
    input : tensor
        The sizes of its first axes are those of `other`, the sizes of the rest multiply to as many elements.
    other : tensor
    dims : tuple of int, optional
        Axes of `input` to move to its end first.

    Returns
    -------
    tensor
        In the shape of the last axes of `input`.
    """
    rank = len(shape_of(input))
    if dims is not None:
        input = input.movedim(dims, tuple(range(rank - len(dims), rank)))
    start = len(shape_of(other))
    shape = shape_of(input)[start:]
    last, first = int(np.prod(shape)), int(np.prod(shape_of(input)[:start]))
    if last != first:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {last} != {first}"
        )
    return _solution(input.reshape(last, last), other.flatten(), True, "torch.linalg.solve")[0].reshape(shape)


# --- the Cholesky factor ------------------------------------------------------------------------------------


def _factor(A: Any, upper: bool, caller: str) -> tuple[Any, Any]:
    check_square(A, "linalg.cholesky")
    check_floating(A, "linalg.cholesky", halves=True)
    return triangular.cholesky_ex(A, upper, caller)


@with_signature()
def linalg_cholesky(input: Any, *, upper: bool = False) -> Any:
    """Return the triangular factor L of ``A = L Lᴴ`` for Hermitian positive-definite matrices.

    Parameters
    ----------
    input : tensor (…, n, n)
        Only one triangle is read.
    upper : bool
        Whether to give U with ``A = Uᴴ U``.

    Returns
    -------
    tensor (…, n, n)
    """
    return _factor(input, upper, "linalg.cholesky")[0]


@with_signature()
def linalg_cholesky_ex(input: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Return the Cholesky factor, and per matrix the order of its first minor that is not positive or 0.

    Parameters
    ----------
    input : tensor (…, n, n)
    upper : bool
    check_errors : bool
        Whether a matrix that is not positive-definite is an error.

    Returns
    -------
    (L, info)
    """
    parts = _factor(input, upper, "linalg.cholesky_ex" if check_errors else "")
    return return_type("linalg_cholesky_ex", "L", "info")(parts)


@with_signature()
def cholesky(input: Any, upper: bool = False) -> Any:
    """Return the Cholesky factor: (…, n, n) -> (…, n, n) (see `torch.linalg.cholesky`)."""
    superseded("cholesky")
    check_square(input, "cholesky")
    return triangular.cholesky(input, upper)


@with_signature()
def cholesky_inverse(input: Any, upper: bool = False) -> Any:
    """Return ``(L Lᴴ)⁻¹`` from a Cholesky factor L (``(Uᴴ U)⁻¹`` with `upper`): (…, n, n) -> (…, n, n)."""
    check_square(input, "cholesky_inverse")
    return triangular.cholesky_inverse(input, upper)


@with_signature()
def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Any:
    """Return X with ``L Lᴴ X = input`` (``Uᴴ U X`` with `upper`) for a Cholesky factor.

    Parameters
    ----------
    input : tensor (…, n, k)
    input2 : tensor (…, n, n)
        The factor.
    upper : bool

    Returns
    -------
    tensor (…, n, k)
    """
    b, a = shape_of(input), shape_of(input2)
    for word, shape in (("b", b), ("u", a)):
        if len(shape) < 2:
            raise RuntimeError(
                f"{word} should have at least 2 dimensions, but has {len(shape)} dimensions instead"
            )
    check_right_side(input, input2, "cholesky_solve")
    broadcast_shape(b[:-2], a[:-2])
    return triangular.cholesky_solve(input, input2, upper)


# --- triangular systems -------------------------------------------------------------------------------------


@with_signature()
def linalg_solve_triangular(
    input: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    """Return X with ``A X = B`` (or ``X A = B``) for triangular A.

    Parameters
    ----------
    input : tensor (…, n, n)
        A; only the triangle that `upper` names is read.
    B : tensor (…, n, k), or (…, k, n) where not `left`
    upper, left : bool
    unitriangular : bool
        Whether the diagonal is taken as ones, unread.

    Returns
    -------
    tensor
        In the shape of B.
    """
    check_system(input, B, left, "linalg.solve_triangular")
    broadcast_shape(shape_of(B)[:-2], shape_of(input)[:-2])
    return triangular.solve_triangular(input, B, upper, left, unitriangular)


@with_signature()
def triangular_solve(
    input: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """Return X with ``A X = input``, or ``Aᵀ X = input``, for triangular A, and a copy of A.

    Parameters
    ----------
    input : tensor (…, n, k)
    A : tensor (…, n, n)
    upper, transpose, unitriangular : bool

    Returns
    -------
    (solution, cloned_coefficient)
    """
    for shape, word in ((shape_of(input), "b"), (shape_of(A), "A")):
        if len(shape) < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {word} to have at least 2 dimensions, but it has "
                f"{len(shape)} dimensions instead"
            )
    check_right_side(input, A, "triangular_solve")
    broadcast_shape(shape_of(input)[:-2], shape_of(A)[:-2])
    superseded("triangular_solve")
    parts = triangular.triangular_solve(input, A, upper, transpose, unitriangular)
    return return_type("triangular_solve", "solution", "cloned_coefficient")(parts)


# --- determinants -------------------------------------------------------------------------------------------


@with_signature()
def linalg_det(A: Any) -> Any:
    """Return the determinant: (…, n, n) -> (…)."""
    check_square(A, "linalg.det")
    check_floating(A, "linalg.det", halves=True)
    return ops.det(A)


@with_signature()
def det(input: Any) -> Any:
    """Return the determinant: (…, n, n) -> (…)."""
    return linalg_det(input)


@with_signature(out=False)
def logdet(input: Any) -> Any:
    """Return the logarithm of the determinant, nan where that is negative: (…, n, n) -> (…)."""
    check_square(input, "logdet")
    check_floating(input, "logdet")
    sign, size = ops.slogdet(input)
    return add(log(sign), size) if dtype_of(input).kind in "cW" else where(eq(sign, -1.0), np.nan, size)


def _sign_and_size(A: Any) -> tuple[Any, Any]:
    check_square(A, "linalg.slogdet")
    check_floating(A, "linalg.slogdet")
    return ops.slogdet(A)


@with_signature()
def linalg_slogdet(A: Any) -> Any:
    """Return the determinant's sign (or phase) and the logarithm of its modulus, as (sign, logabsdet)."""
    return return_type("linalg_slogdet", "sign", "logabsdet")(_sign_and_size(A))


@with_signature()
def slogdet(input: Any) -> Any:
    """Return the sign and logarithm of the absolute value of the determinant (see `torch.linalg.slogdet`)."""
    return return_type("slogdet", "sign", "logabsdet")(_sign_and_size(input))


@with_signature(out=False)
def trace(input: Any) -> Any:
    """Return the sum of a matrix's diagonal: (m, n) -> ()."""
    if (rank := len(shape_of(input))) != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {rank}")
    if dtype_of(input).kind == "b":
        raise NotImplementedError("\"trace\" not implemented for 'Bool'")
    return ops.trace(input)


# --- products -----------------------------------------------------------------------------------------------


@with_signature()
def linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """Return the vector product along `dim`, of length 3 in both; other axes broadcast."""
    a, b = shape_of(input), shape_of(other)
    if len(a) != len(b):
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = checked_axis(dim, len(a))
    if a[axis] != 3 or b[axis] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {a[axis]} and {b[axis]}"
        )
    broadcast_shape(a, b)
    of(ops.cross).refuse(dtype_of(input))
    if dtype_of(input) != dtype_of(other):
        raise unlike(dtype_of(input), dtype_of(other))
    return ops.cross(input, other, axis)


@with_signature()
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """Return the vector product along `dim`, or along the first axis of length 3."""
    if dim is None:
        superseded("cross")
        dim = next((d for d, n in enumerate(shape_of(input)) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross(input, other, dim=dim)


@with_signature(out=False)
def linalg_diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return a diagonal of matrices as a view: (…, m, n) -> (…, min(m, n))."""
    return A.diagonal(offset, dim1, dim2)
