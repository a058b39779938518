"""Singular values and principal components of low rank, by random projection."""

from typing import Any

from ..core.value import shape_of
from .api import public
from .contract import matmul
from .factorizations import orthonormal, singular
from .random import randn


def _basis(A: Any, q: int, niter: int) -> Any:
    """Return orthonormal columns that nearly span A's (Halko, Martinsson and Tropp 2011, algorithm 4.4)."""
    start = randn(shape_of(A)[-1], q, dtype=A.dtype)
    q_matrix = orthonormal(matmul(A, start))[0]
    for _ in range(niter):
        q_matrix = orthonormal(matmul(A.mH, q_matrix))[0]
        q_matrix = orthonormal(matmul(A, q_matrix))[0]
    return q_matrix


@public(method=False, out=False)
def svd_lowrank(A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None) -> tuple[Any, Any, Any]:
    """Return the singular values and vectors of nearly low-rank matrices, ``A ≈ U diag(S) Vᴴ``, by random
    projection.

    Parameters
    ----------
    A : tensor (…, m, n)
    q : int
        How many singular values; a few more than the rank.
    niter : int
        How many power iterations sharpen the projection.
    M : tensor (…, m, n), optional
        Subtracted from A.

    Returns
    -------
    (U, S, V)
        (…, m, q), (…, q) and (…, n, q).

    References
    ----------
    Halko, Martinsson and Tropp 2011, "Finding structure with randomness: probabilistic algorithms for
    constructing approximate matrix decompositions", algorithm 5.1.
    """
    q = 6 if q is None else q
    rows, columns = shape_of(A)[-2:]
    if M is not None:
        A = A - M.broadcast_to(shape_of(A))
    flipped = rows < columns
    if flipped:
        A = A.mH
    basis = _basis(A, q, 2 if niter is None else niter)
    u, s, vh = singular(matmul(basis.mH, A), False, "linalg.svd")
    u, v = matmul(basis, u), vh.mH
    return (v, s, u) if flipped else (u, s, v)


@public(method=False, out=False)
def pca_lowrank(A: Any, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Any, Any, Any]:
    """Return the principal components of the rows of nearly low-rank matrices (see `svd_lowrank`).

    Parameters
    ----------
    A : tensor (…, m, n)
        m samples of n features.
    q : int, optional
        How many components; min(6, m, n) by default.
    center : bool
        Whether to subtract the mean of every column first.
    niter : int

    Returns
    -------
    (U, S, V)
        (…, m, q), (…, q) and (…, n, q); the columns of V are the components.
    """
    rows, columns = shape_of(A)[-2:]
    if q is None:
        q = min(6, rows, columns)
    elif not 0 <= q <= min(rows, columns):
        raise ValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(rows, columns)}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if not center:
        return svd_lowrank(A, q, niter=niter)
    return svd_lowrank(A - A.mean(dim=-2, keepdim=True), q, niter=niter)
