"""torch.linalg.

Written by tools/make_stubs.py: run ``python -m tools.make_stubs``, and change nothing here by hand.
"""

from collections.abc import Sequence
from typing import Any
from .dtypes import dtype
from .tensor.tensor import Tensor


LinAlgError: Any
def cholesky(A: Any, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """The factor L of ``A = L Lᴴ`` for a Hermitian positive-definite matrix (or its adjoint with `upper`)."""
def cross(input: Tensor, other: Any, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The vector product along `dim`, of length 3 in both; other axes broadcast."""
def det(A: Any, *, out: Tensor | None = None) -> Tensor:
    """The determinant: (…, n, n) -> (…)."""
def diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonal of the last two axes."""
def eigh(A: Any, UPLO: str = 'L', *, out: Tensor | None = None) -> Any:
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices, from the lower or upper triangle."""
def eigvalsh(A: Any, UPLO: str = 'L', *, out: Tensor | None = None) -> Tensor:
    """Eigenvalues, ascending, of Hermitian matrices."""
def inv(A: Any, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a square matrix or of each of a stack: (…, n, n) -> (…, n, n)."""
def matmul(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The matrix product."""
def matrix_norm(
    A: Any, ord: Any = 'fro', dim: Any = ..., keepdim: bool = False, *, dtype: dtype | None = None, out:
    Tensor | None = None,
) -> Tensor:
    """Norm of the matrices in dims `dim`: Frobenius, 1 and −1 (columns), inf and −inf (rows)."""
def matrix_power(A: Any, n: int, *, out: Tensor | None = None) -> Tensor:
    """A multiplied n times by itself; for a negative n the inverse's power."""
def multi_dot(tensors: Sequence[Any], *, out: Tensor | None = None) -> Tensor:
    """The product of a chain of matrices in the order that takes the fewest multiplications."""
def norm(
    A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None, out:
    Tensor | None = None,
) -> Tensor:
    """A vector norm, or a matrix norm where two dims and an order are given."""
def qr(A: Any, mode: str = 'reduced', *, out: Tensor | None = None) -> Any:
    """``A = Q R`` with orthonormal columns of Q and an upper triangle R."""
def slogdet(A: Any, *, out: Tensor | None = None) -> Any:
    """Sign and logarithm of the absolute value of the determinant, a named tuple (sign, logabsdet)."""
def solve(A: Any, B: Any, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """X with ``A X = B`` (or ``X A = B``): (…, n, n) with (…, n) or (…, n, k)."""
def solve_triangular(
    A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | None = None,
) -> Tensor:
    """X with ``A X = B`` (or ``X A = B``) for a triangular A: (…, n, n) with (…, n, k)."""
def svd(A: Any, full_matrices: bool = True, *, driver: str | None = None, out: Tensor | None = None) -> Any:
    """``A = U diag(S) Vh``: (…, m, n) -> (…, m, k), (…, k), (…, k, n)."""
def svdvals(A: Any, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """Singular values, descending: (…, m, n) -> (…, min(m, n))."""
def vander(x: Tensor, *, N: int | None = ...) -> Tensor:
    """Powers ``1, x, …, x**(N - 1)`` along a new last axis, by default as many as there are elements."""
def vecdot(x: Any, y: Any, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Σ conj(x)·y along `dim`."""
def vector_norm(
    x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None, out: Tensor |
    None = None,
) -> Tensor:
    """Vector norm (Σ|x|^ord)^(1/ord) over `dim`; inf and −inf give the largest and smallest |x|, 0 counts."""
