"""Factorisations of matrices or stacks of them (QR, eigenvalues of Hermitian matrices, singular values) and
triangular systems.

Derivatives of factorisations divide by differences of eigenvalues or singular values, which must be distinct.
For a complex matrix they hold for functions that do not depend on the phases of the vectors, as torch's do.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy import ndarray

from ..core.op import op
from ..core.value import dtype_of, shape_of
from .arithmetic import add, div, mul, sub
from .complex import real
from .contract import column, matmul
from .join import cat
from .linalg import LinAlgError, adjoint, real_dtype
from .rearrange import tril, triu
from .structure import permute_to_front, reshape
from .view import slice_dim

Call = Callable[..., Any]


def row_of(v: Any) -> Any:
    """Vectors as matrices of one row each."""
    shape = shape_of(v)
    return reshape(v, (*shape[:-1], 1, shape[-1]))


def narrow(x: Any, dim: int, start: int, length: int) -> Any:
    """`length` places of an axis from `start` on."""
    return slice_dim(x, dim, start, start + length, 1)


def _eye(x: Any) -> ndarray:
    """The identity in the size of a square value and the real dtype that goes with it."""
    return np.eye(shape_of(x)[-1], dtype=real_dtype(x))


def _embedded(diagonal: Any) -> Any:
    """Diagonal matrices from their diagonals."""
    return mul(column(diagonal), np.eye(shape_of(diagonal)[-1], dtype=real_dtype(diagonal)))


def _gaps(values: Any) -> Any:
    """vⱼ − vᵢ at place (i, j), and 1 on the diagonal, where nothing is divided."""
    n = shape_of(values)[-1]
    return add(sub(row_of(values), column(values)), np.eye(n, dtype=real_dtype(values)))


def _off_diagonal(x: Any) -> Any:
    return mul(x, 1 - _eye(x))


# --- triangular systems -------------------------------------------------------------------------------------


def _each(x: ndarray, y: ndarray, step: Callable[[ndarray, ndarray], ndarray]) -> ndarray:
    """``step`` on the pairs of matrices of two stacks whose leading axes broadcast."""
    lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    if not lead:
        return np.ascontiguousarray(step(x, y))
    xs = np.broadcast_to(x, (*lead, *x.shape[-2:])).reshape(-1, *x.shape[-2:])
    ys = np.broadcast_to(y, (*lead, *y.shape[-2:])).reshape(-1, *y.shape[-2:])
    out = np.empty(ys.shape, y.dtype)
    for i in range(len(ys)):
        out[i] = step(xs[i], ys[i])
    return out.reshape(*lead, *y.shape[-2:])


def _solve_triangular(x: ndarray, y: ndarray, /, upper: bool, left: bool, unit: bool) -> ndarray:
    (trsm,) = importlib.import_module("scipy.linalg.blas").get_blas_funcs(("trsm",), (x, y))

    def step(a: ndarray, b: ndarray) -> ndarray:
        if b.size == 0:
            return b
        return trsm(1.0, a, b, side=0 if left else 1, lower=0 if upper else 1, diag=1 if unit else 0)

    return _each(x, y, step)


def _triangle(x: Any, upper: bool, unit: bool) -> Any:
    return triu(x, int(unit)) if upper else tril(x, -int(unit))


def _triangular_matrix(g: Any, x: Any, out: Any, upper: bool, left: bool, unit: bool) -> Any:
    pulled = solve_triangular(adjoint(x), g, not upper, left, unit)
    product = matmul(pulled, adjoint(out)) if left else matmul(adjoint(out), pulled)
    return -_triangle(product, upper, unit)


def _triangular_jvp(
    primals: tuple[Any, ...], tangents: tuple[Any, ...], out: Any, upper: bool, left: bool, unit: bool
) -> Any:
    dx, dy = tangents
    change = dy
    if dx is not None:
        dx = _triangle(dx, upper, unit)
        moved = matmul(dx, out) if left else matmul(out, dx)
        change = -moved if dy is None else sub(dy, moved)
    return solve_triangular(primals[0], change, upper, left, unit)


def aligned(call: Call) -> Call:
    """A batching rule for ops on stacks of matrices whose leading axes broadcast."""

    def rule(size: int, values: Sequence[Any], dims: Sequence[int | None], *attrs: Any) -> Any:
        fronts = [v if d is None else permute_to_front(v, d) for v, d in zip(values, dims, strict=True)]
        ranks = [len(shape_of(v)) - (d is not None) for v, d in zip(fronts, dims, strict=True)]
        most = max(ranks)
        parts = [
            v if d is None else reshape(v, (size, *(1,) * (most - rank), *shape_of(v)[1:]))
            for v, d, rank in zip(fronts, dims, ranks, strict=True)
        ]
        return call(*parts, *attrs)

    return rule


#: X with A X = B (or X A = B) for a triangular A, of which only that triangle is read.
solve_triangular: Call = op(
    "linalg_solve_triangular", _solve_triangular,
    (
        _triangular_matrix,
        lambda g, x, upper, left, unit: solve_triangular(adjoint(x), g, not upper, left, unit),
    ),
    jvp=_triangular_jvp, batch_rule=aligned(lambda *a: solve_triangular(*a)),
    shape=lambda x, y, *attrs: (
        ((*np.broadcast_shapes(x.shape[:-2], y.shape[:-2]), *y.shape[-2:]), y.dtype),
    ),
)  # fmt: skip


def _cholesky_solve(y: ndarray, x: ndarray, /, upper: bool) -> ndarray:
    factor = x.conj().swapaxes(-1, -2) if upper else x
    half = _solve_triangular(factor, y, False, True, False)
    return _solve_triangular(np.ascontiguousarray(factor.conj().swapaxes(-1, -2)), half, True, True, False)


def _cholesky_solve_factor(g: Any, x: Any, out: Any, upper: bool) -> Any:
    product = matmul(cholesky_solve(g, x, upper), adjoint(out))
    common = product + adjoint(product)
    return -(matmul(x, common) if upper else matmul(common, x))


#: X with L Lᴴ X = B (or Uᴴ U X = B) for a Cholesky factor.
cholesky_solve: Call = op(
    "cholesky_solve", _cholesky_solve,
    (lambda g, x, upper: cholesky_solve(g, x, upper), _cholesky_solve_factor),
    batch_rule=aligned(lambda *a: cholesky_solve(*a)),
)  # fmt: skip


# --- eigenvalues --------------------------------------------------------------------------------------------


def _eigh(x: ndarray, /, triangle: Literal["L", "U"]) -> tuple[ndarray, ndarray]:
    try:
        values, vectors = np.linalg.eigh(x, triangle)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "linalg.eigh: The algorithm failed to converge because the input matrix is ill-conditioned or "
            "has too many repeated eigenvalues (error code: 1)."
        ) from None
    return values, vectors


def _eigh_rule(g: Any, values: Any, vectors: Any) -> Any:
    inner = div(_off_diagonal(matmul(adjoint(vectors), g[1])), _gaps(values))
    return matmul(vectors, matmul(add(inner, _embedded(g[0])), adjoint(vectors)))


def _eigh_jvp(primals: tuple[Any, ...], tangents: tuple[Any, ...], out: Any, triangle: str) -> Any:
    values, vectors = out
    moved = matmul(adjoint(vectors), matmul(tangents[0], vectors))
    size = shape_of(values)[-1]
    slopes = matmul(mul(moved, np.eye(size, dtype=real_dtype(moved))), np.ones((size, 1), dtype_of(moved)))
    change = matmul(vectors, div(_off_diagonal(moved), _gaps(values)))
    return real(reshape(slopes, shape_of(values))), change


#: Eigenvalues in ascending order and eigenvectors of a Hermitian matrix, from one of its triangles.
eigh: Call = op(
    "linalg_eigh", _eigh, (_eigh_rule,), outputs=("values", "vectors"), jvp=_eigh_jvp,
    batch=lambda size, triangle: (triangle,),
)  # fmt: skip


# --- QR -----------------------------------------------------------------------------------------------------


def _qr(x: ndarray, /, mode: Literal["reduced", "complete", "r"]) -> tuple[ndarray, ndarray]:
    if mode == "r":
        return np.empty((0,), x.dtype), np.ascontiguousarray(np.linalg.qr(x, "r"))
    q, r = np.linalg.qr(x, mode)
    return np.ascontiguousarray(q), np.ascontiguousarray(r)


def _mirrored(x: Any) -> Any:
    """The Hermitian matrix with the lower triangle of x."""
    lower = tril(x, -1)
    return add(add(lower, adjoint(lower)), mul(real(x), _eye(x)))


def _qr_square(gq: Any, gr: Any, q: Any, r: Any) -> Any:
    """The covector where r is square: (gq + q·M) r⁻ᴴ with M mirrored from r grᴴ − gqᴴ q."""
    middle = _mirrored(sub(matmul(r, adjoint(gr)), matmul(adjoint(gq), q)))
    right = add(gq, matmul(q, middle))
    return adjoint(solve_triangular(r, adjoint(right), True, True, False))


def _qr_rule(g: Any, x: Any, q: Any, r: Any, mode: str) -> Any:
    rows, columns = shape_of(x)[-2:]
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )
    if mode == "complete" and rows > columns:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
        )
    gq, gr = g
    if rows >= columns:
        return _qr_square(gq, gr, q, r)
    # A = [X | Y], R = [U | V] with X = Q U and V = Qᴴ Y.
    axis = len(shape_of(x)) - 1
    wide = narrow(gr, axis, rows, columns - rows)
    gq = add(gq, matmul(narrow(x, axis, rows, columns - rows), adjoint(wide)))
    first = _qr_square(gq, narrow(gr, axis, 0, rows), q, narrow(r, axis, 0, rows))
    return cat((first, matmul(q, wide)), axis)


#: A = Q R with orthonormal columns of Q and triangular R; mode is reduced, complete or r.
qr: Call = op(
    "linalg_qr", _qr, (_qr_rule,), outputs=("q", "r"), batch=lambda size, mode: (mode,),
)  # fmt: skip


# --- singular values ----------------------------------------------------------------------------------------


def _svd(x: ndarray, /, full: bool) -> tuple[ndarray, ndarray, ndarray]:
    try:
        u, s, vh = np.linalg.svd(x, full)
    except np.linalg.LinAlgError:
        if not np.isfinite(x).all():
            raise LinAlgError(
                "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite "
                "values."
            ) from None
        raise LinAlgError(
            "linalg.svd: The algorithm failed to converge because the input matrix is ill-conditioned or has "
            "too many repeated singular values (error code: 1)."
        ) from None
    return u, s, vh


def _skew(x: Any) -> Any:
    return sub(x, adjoint(x))


def _svd_rule(g: Any, x: Any, u: Any, s: Any, vh: Any) -> Any:
    gu, gs, gvh = g
    rows, columns = shape_of(x)[-2:]
    count, axis = min(rows, columns), len(shape_of(x)) - 1
    if shape_of(u)[-1] > count:
        u, gu = narrow(u, axis, 0, count), narrow(gu, axis, 0, count)
    if shape_of(vh)[-2] > count:
        vh, gvh = narrow(vh, axis - 1, 0, count), narrow(gvh, axis - 1, 0, count)
    gaps = _gaps(s * s)
    left = _skew(matmul(adjoint(u), gu))
    right = _skew(matmul(gvh, adjoint(vh)))
    core = add(
        mul(div(_off_diagonal(left), gaps), row_of(s)),
        mul(column(s), div(_off_diagonal(-right), gaps)),
    )
    core = add(core, _embedded(gs))
    if dtype_of(x).kind == "c":
        core = add(core, div(mul(left, _eye(left)), column(s) * 2))
    result = matmul(u, matmul(core, vh))
    if rows > count:
        beyond = sub(gu, matmul(u, matmul(adjoint(u), gu)))
        result = add(result, matmul(div(beyond, row_of(s)), vh))
    if columns > count:
        beyond = sub(gvh, matmul(matmul(gvh, adjoint(vh)), vh))
        result = add(result, matmul(u, div(beyond, column(s))))
    return result


#: A = U diag(S) Vᴴ with descending S.
svd: Call = op(
    "linalg_svd", _svd, (_svd_rule,), outputs=("u", "s", "vh"), batch=lambda size, full: (full,),
)  # fmt: skip
