"""torch.linalg.

Written by tools/make_stubs.py: run ``python -m tools.make_stubs``, and change nothing here by hand.
"""

from collections.abc import Sequence
from typing import Any
from typing import TypeAlias
from typing import overload
from ..array.dtypes import dtype
from ..tensor.tensor import Tensor
from ..torch_names import return_types as return_types

_Number: TypeAlias = int | float | complex

LinAlgError: Any
def cholesky(input: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """Return the triangular factor L of ``A = L Lᴴ`` for Hermitian positive-definite matrices."""
def cholesky_ex(
    input: Tensor, *, upper: bool = False, check_errors: bool = False, out: Sequence[Tensor] | None = None,
) -> return_types.linalg_cholesky_ex:
    """Return the Cholesky factor, and per matrix the order of its first minor that is not positive or 0."""
@overload
def cond(input: Tensor, p: _Number | None = None, *, out: Tensor | None = None) -> Tensor: ...
@overload
def cond(input: Tensor, p: str, *, out: Tensor | None = None) -> Tensor:
    """Return the condition ``‖A‖ ‖A⁻¹‖`` in the matrix norm of order `p`: (…, n, n) -> (…)."""
def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Return the vector product along `dim`, of length 3 in both; other axes broadcast."""
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the determinant: (…, n, n) -> (…)."""
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return a diagonal of matrices as a view: (…, m, n) -> (…, min(m, n))."""
def eig(input: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.linalg_eig:
    """Return eigenvalues, in no order, and eigenvectors of norm 1: ``A V = V diag(L)``."""
def eigh(input: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None) -> return_types.linalg_eigh:
    """Return eigenvalues, ascending, and eigenvectors of Hermitian matrices: ``A = Q diag(L) Qᴴ``."""
def eigvals(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return eigenvalues, complex, in no order: (…, n, n) -> (…, n)."""
def eigvalsh(input: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """Return eigenvalues, ascending, of Hermitian matrices: (…, n, n) -> (…, n)."""
def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the first n columns of the product of the reflectors ``I − τᵢ vᵢ vᵢᴴ``."""
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse A⁻¹ of square matrices."""
def inv_ex(
    A: Tensor, *, check_errors: bool = False, out: Sequence[Tensor] | None = None,
) -> return_types.linalg_inv_ex:
    """Return the inverse, and per matrix the place of its first zero pivot or 0, as (inverse, info)."""
def ldl_factor(
    input: Tensor, *, hermitian: bool = False, out: Sequence[Tensor] | None = None,
) -> return_types.linalg_ldl_factor:
    """Return ``P L D Lᵀ Pᵀ`` (or with Lᴴ) of symmetric matrices as LAPACK leaves it, for `ldl_solve`."""
def ldl_factor_ex(
    input: Tensor, *, hermitian: bool = False, check_errors: bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_ldl_factor_ex:
    """Return ``P L D Lᵀ Pᵀ`` (or with Lᴴ) of symmetric matrices as LAPACK leaves it, and where D has a
    zero.
    """
def ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Tensor | None = None,
) -> Tensor:
    """Return X with ``A X = B`` from the results of `torch.linalg.ldl_factor`."""
def lstsq(
    input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_lstsq:
    """Return X that minimises ``‖A X − B‖`` (the smallest such X where A has not full rank)."""
def lu(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> return_types.linalg_lu:
    """Return ``A = P L U`` with a permutation P, ones on the diagonal of the lower triangle L, an upper
    triangle U.
    """
def lu_factor(
    A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None,
) -> return_types.linalg_lu_factor:
    """Return ``A = P L U`` as LAPACK leaves it, for `lu_solve` and `lu_unpack`: (LU, pivots)."""
def lu_factor_ex(
    A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Sequence[Tensor] | None = None,
) -> return_types.linalg_lu_factor_ex:
    """Return ``A = P L U`` as LAPACK leaves it, with the place of each matrix's first zero pivot or 0."""
def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return X with ``A X = B`` from the results of `torch.linalg.lu_factor`."""
def matmul(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix product."""
def matrix_exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the exponential Σ Aᵏ / k! of square matrices: (…, n, n) -> (…, n, n)."""
def matrix_norm(
    A: Any, ord: Any = 'fro', dim: Any = ..., keepdim: bool = False, *, dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the norm of matrices."""
def matrix_power(A: Any, n: int, *, out: Tensor | None = None) -> Tensor:
    """Return a multiplied n times by itself; for a negative n the inverse's power."""
@overload
def matrix_rank(
    input: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def matrix_rank(
    input: Tensor, *, atol: float | None = None, rtol: float | None = None, hermitian: bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def matrix_rank(
    input: Tensor, tol: Tensor, hermitian: bool = False, *, out: Tensor | None = None,
) -> Tensor: ...
@overload
def matrix_rank(input: Tensor, tol: float, hermitian: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Count the singular values that exceed max(atol, rtol·σ₁): (…, m, n) -> (…), int64."""
def multi_dot(tensors: Sequence[Any], *, out: Tensor | None = None) -> Tensor:
    """Return the product of a chain of matrices in the order that takes the fewest multiplications."""
def norm(
    A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return a vector norm, or a matrix norm where an order is given and two dims or a matrix are."""
@overload
def pinv(
    input: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def pinv(
    input: Tensor, *, atol: float | None = None, rtol: float | None = None, hermitian: bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def pinv(input: Tensor, rcond: Tensor, hermitian: bool = False, *, out: Tensor | None = None) -> Tensor: ...
@overload
def pinv(input: Tensor, rcond: float, hermitian: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return the pseudoinverse V diag(1/S) Uᴴ, in which singular values up to max(atol, rtol·σ₁) count as
    0.
    """
def qr(A: Tensor, mode: str = "reduced", *, out: Sequence[Tensor] | None = None) -> return_types.linalg_qr:
    """Return ``A = Q R`` with orthonormal columns of Q and an upper triangle R."""
def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.linalg_slogdet:
    """Return the determinant's sign (or phase) and the logarithm of its modulus, as (sign, logabsdet)."""
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """Return X with ``A X = B`` (or ``X A = B``)."""
def solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.linalg_solve_ex:
    """Return X with ``A X = B``, and per matrix the place of its first zero pivot or 0, as (result, info)."""
def solve_triangular(
    input: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return X with ``A X = B`` (or ``X A = B``) for triangular A."""
def svd(
    A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: Sequence[Tensor] | None = None,
) -> return_types.linalg_svd:
    """Return the singular values, descending, and vectors: ``A = U diag(S) Vh``."""
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the singular values, descending: (…, m, n) -> (…, min(m, n))."""
def tensorinv(input: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of a tensor as a map from its last axes to its first `ind`."""
def tensorsolve(
    input: Tensor, other: Tensor, dims: Sequence[int] | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return X with ``tensordot(input, X, X.ndim) = other``."""
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Return powers ``1, x, …, x**(N - 1)`` along a new last axis, N by default the number of elements."""
def vecdot(x: Any, y: Any, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Return Σ conj(x)·y along `dim`."""
def vector_norm(
    x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return (Σ|x|^ord)^(1/ord) over `dim`; inf and −inf give the largest and smallest |x|, 0 counts."""
