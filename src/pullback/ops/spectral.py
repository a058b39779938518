"""Eigenvalues and singular values with their vectors.

Derivatives divide by differences of eigenvalues, or of squared singular values, which must be distinct where
the vectors have a covector. Vectors of a complex matrix are known up to a phase each: a loss that depends on
the phases has no derivative, and the rules say so as torch does.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy import ndarray

from ..array import scipy_functions
from ..array.lapack import by_numpy, column_major, lapack
from ..core.op import Call, Covectors, Several, Term, Terms, op
from ..core.value import dtype_of, shape_of
from ..core.visible import concrete
from .arithmetic import add, div, mul, sub
from .complex import as_complex, real
from .contract import column, matmul
from .convert import conj
from .join import cat
from .linalg import LinAlgError, adjoint, computes, embedded, eye_of, narrow, real_dtype, row_of, solve, total
from .structure import sum_dims
from .view import diagonal

_COMPLEX = {"f": np.complex64, "d": np.complex128, "F": np.complex64, "D": np.complex128}


def _gaps(values: Any) -> Any:
    """Return vⱼ − vᵢ at place (i, j), and 1 on the diagonal, where nothing is divided."""
    n = shape_of(values)[-1]
    return add(sub(row_of(values), column(values)), np.eye(n, dtype=real_dtype(values)))


def _off_diagonal(x: Term) -> Term:
    return mul(x, 1 - eye_of(x))


def _skew(x: Term) -> Term:
    return sub(x, adjoint(x))


def _diagonal_of(x: Term) -> Term:
    rank = len(shape_of(x))
    return diagonal(x, 0, rank - 2, rank - 1)


def _phases(*products: Any) -> ndarray | float:
    """Return how much a loss changes as the phase of each vector turns: the imaginary part of a diagonal."""
    found: Any = 0.0
    for product in products:
        array = None if product is None else concrete(product)
        if array is not None:
            found = found + np.diagonal(array, axis1=-2, axis2=-1).imag
    return found


def _check_phases(name: str, quantity: str, *products: Any) -> None:
    if not np.allclose(_phases(*products), 0, rtol=1e-2, atol=1e-2):
        raise RuntimeError(
            f"{name}_backward: The {quantity} vectors in the complex case are specified up to multiplication "
            "by e^{i phi}. The specified loss function depends on this phase term, making it ill-defined."
            if quantity == "singular"
            else f"{name}_backward: The eigenvectors in the complex case are specified up to multiplication "
            "by e^{i phi}. The specified loss function depends on this quantity, so it is ill-defined."
        )


#: Rows from which LAPACK divides a symmetric matrix; what is compiled for those of fewer computes in float64.
_DIVIDED = 25
#: Columns of workspace for values alone; SciPy leaves little more than two, which allow no blocks.
_BLOCKS = 66


def _is_single(x: ndarray) -> bool:
    """Return whether a value is one real matrix. NumPy's functions copy there and back, and compute those of
    float32 in float64: singular values of 300×20 take 111 µs in place of 142, eigenvectors of 64×64 226 of
    311.
    """
    single = x.ndim == 2 and x.dtype.char in "fd" and scipy_functions.is_installed()
    # LAPACK writes to the terminal about what is not finite.
    return single and bool(np.isfinite(np.add.reduce(x, axis=None)))


def _alone(function: Callable[..., Any], x: ndarray, *args: Any, otherwise: Callable[[], ndarray]) -> ndarray:
    """Return values from NumPy; where it fails, or x is not finite, what is found or raised with vectors."""
    if not np.isfinite(x).all():
        return otherwise()
    try:
        found: ndarray = by_numpy(function, x, *args)
    except np.linalg.LinAlgError:
        return otherwise()
    return found


# --- Hermitian matrices -------------------------------------------------------------------------------------


def _eigh(x: ndarray, /, triangle: Literal["L", "U"]) -> tuple[ndarray, ndarray]:
    try:
        if _is_single(x) and len(x) > _DIVIDED:
            values, vectors, info = lapack("syevd", x)(x, lower=triangle == "L")
            if info:
                raise np.linalg.LinAlgError
            return values, vectors
        values, vectors = by_numpy(np.linalg.eigh, x, triangle)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "linalg.eigh: The algorithm failed to converge because the input matrix is ill-conditioned or "
            "has too many repeated eigenvalues (error code: 1)."
        ) from None
    return values, column_major(vectors)


def _eigh_rule(g: tuple[Any, Any], values: Term, vectors: Term) -> Term:
    gvalues, gvectors = g
    if gvectors is None:
        return matmul(mul(vectors, row_of(gvalues)), adjoint(vectors))
    turned = matmul(adjoint(vectors), gvectors)
    if dtype_of(vectors).kind in "cW":
        _check_phases("linalg_eigh", "eigen", turned)
    inner = div(_off_diagonal(_skew(turned)), _gaps(values)) * 0.5
    if gvalues is not None:
        inner = add(inner, embedded(gvalues))
    return matmul(vectors, matmul(inner, adjoint(vectors)))


def _eigh_jvp(primals: Terms, tangents: Terms, out: Terms, triangle: str) -> Covectors:
    values, vectors = out
    moved = matmul(adjoint(vectors), matmul(tangents[0], vectors))
    change = matmul(vectors, div(_off_diagonal(moved), _gaps(values)))
    return real(_diagonal_of(moved)), change


def _eigvalsh(x: ndarray, /, triangle: Literal["L", "U"]) -> ndarray:
    if _is_single(x) and len(x) > _DIVIDED:
        values, _, info = lapack("syevd", x)(x, 0, lower=triangle == "L", lwork=_BLOCKS * len(x))
        if not info:
            return values
    return _alone(np.linalg.eigvalsh, x, triangle, otherwise=lambda: _eigh(x, triangle)[0])


#: Eigenvalues in ascending order and eigenvectors of a Hermitian matrix, from one of its triangles.
eigh: Several = op(
    "linalg_eigh", _eigh, (_eigh_rule,), outputs=("values", "vectors"), partial=True, jvp=_eigh_jvp,
    columns=(1,), batch=lambda size, triangle: (triangle,), check=computes("linalg_eigh_cpu"),
)  # fmt: skip

#: Eigenvalues alone, which take a third to half of the time: for what has no history.
eigvalsh: Call = op(
    "linalg_eigvalsh", _eigvalsh, (lambda g, x, triangle: _eigh_rule((g, None), *eigh(x, triangle)),),
    batch=lambda size, triangle: (triangle,), check=computes("linalg_eigh_cpu"),
)  # fmt: skip


# --- general square matrices --------------------------------------------------------------------------------


def _eig(x: ndarray, /) -> tuple[ndarray, ndarray]:
    dtype = _COMPLEX[x.dtype.char]
    if not np.isfinite(x).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    try:
        values, vectors = by_numpy(np.linalg.eig, x)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "linalg.eig: The algorithm failed to converge because the input matrix is ill-conditioned or has "
            "too many repeated eigenvalues (error code: 1)."
        ) from None
    return values.astype(dtype), column_major(vectors.astype(dtype, copy=False))


def _eig_rule(g: tuple[Any, Any], x: Term, values: Term, vectors: Term) -> Term:
    gvalues, gvectors = g
    if gvectors is None:
        inner = mul(column(gvalues), adjoint(vectors))
    else:
        turned = matmul(adjoint(vectors), gvectors)
        _check_phases("linalg_eig", "eigen", turned)
        # The vectors have norm 1, which takes away what stretches them.
        stretch = mul(matmul(adjoint(vectors), vectors), row_of(real(_diagonal_of(turned))))
        inner = div(_off_diagonal(sub(turned, stretch)), conj(_gaps(values)))
        if gvalues is not None:
            inner = add(inner, embedded(gvalues))
        inner = matmul(inner, adjoint(vectors))
    result = solve(adjoint(vectors), inner)
    return result if dtype_of(x).kind in "cW" else real(result)


def _eig_jvp(primals: Terms, tangents: Terms, out: Terms) -> Covectors:
    values, vectors = out
    change = tangents[0]
    if dtype_of(change).kind not in "cW":
        change = as_complex(change)
    inner = solve(vectors, matmul(change, vectors))
    moved = matmul(vectors, div(_off_diagonal(inner), _gaps(values)))
    stretch = real(sum_dims(mul(conj(vectors), moved), (len(shape_of(moved)) - 2,), True))
    return _diagonal_of(inner), sub(moved, mul(vectors, stretch))


#: Eigenvalues, in no order, and eigenvectors of norm 1 of a square matrix; complex.
eig: Several = op(
    "linalg_eig", _eig, (_eig_rule,), outputs=("values", "vectors"), partial=True, jvp=_eig_jvp,
    columns=(1,), batch=lambda size: (), check=computes("linalg_eig_out_cpu"),
)  # fmt: skip


def _eigvals(x: ndarray, /) -> ndarray:
    dtype = _COMPLEX[x.dtype.char]
    if _is_single(x) and len(x):
        reals, imaginary, _, _, info = lapack("geev", x)(x, 0, 0, lwork=_BLOCKS * len(x))
        if not info:
            return reals + imaginary * dtype(1j)
    return _alone(np.linalg.eigvals, x, otherwise=lambda: _eig(x)[0]).astype(dtype, copy=False)


#: Eigenvalues alone.
eigvals: Call = op(
    "linalg_eigvals", _eigvals, (lambda g, x: _eig_rule((g, None), x, *eig(x)),), batch=lambda size: (),
    check=computes("linalg_eig_out_cpu"),
)  # fmt: skip


# --- singular values ----------------------------------------------------------------------------------------


def _svd(x: ndarray, /, full: bool) -> tuple[ndarray, ndarray, ndarray]:
    if np.isinf(x).any():
        return _svd_of_infinite(x, full)
    try:
        if _is_single(x) and min(x.shape):
            u, s, vh, info = lapack("gesdd", x)(x, full_matrices=full)
            if info:
                raise np.linalg.LinAlgError
            return u, s, vh
        u, s, vh = by_numpy(np.linalg.svd, x, full)
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
    return column_major(u), s, column_major(vh)


def _svd_of_infinite(x: ndarray, full: bool) -> tuple[ndarray, ndarray, ndarray]:
    """Return NaN for matrices with an infinity. LAPACK does, too, but complains on the terminal."""
    infinite = np.isinf(x)
    found = _svd(np.where(infinite, x.dtype.type(0), x), full)
    for part in found:
        part[infinite.any((-2, -1))] = np.nan
    return found


def _svd_rule(g: tuple[Any, Any, Any], shape_x: tuple[int, ...], u: Term, s: Term, vh: Term) -> Term:
    gu, gs, gvh = g
    rows, columns = shape_x[-2:]
    count = min(rows, columns)
    if shape_of(u)[-1] > count:
        u, gu = narrow(u, -1, 0, count), None if gu is None else narrow(gu, -1, 0, count)
    if shape_of(vh)[-2] > count:
        vh, gvh = narrow(vh, -2, 0, count), None if gvh is None else narrow(gvh, -2, 0, count)
    if gu is None and gvh is None:
        return matmul(mul(u, row_of(gs)), vh)
    left = None if gu is None else _skew(matmul(adjoint(u), gu))
    right = None if gvh is None else _skew(matmul(vh, adjoint(gvh)))
    is_complex = dtype_of(u).kind in "cW"
    if is_complex:
        _check_phases("svd", "singular", left, right)
    gaps = _gaps(s * s)
    core = total(
        None if left is None else mul(div(_off_diagonal(left), gaps), row_of(s)),
        None if right is None else mul(column(s), div(_off_diagonal(right), gaps)),
        None if gs is None else embedded(gs),
    )
    if is_complex and left is not None and right is not None:
        core = add(core, div(mul(left, eye_of(left)), column(s) * 2))
    result = matmul(u, matmul(core, vh))
    if rows > count and gu is not None:
        beyond = sub(gu, matmul(u, matmul(adjoint(u), gu)))
        result = add(result, matmul(div(beyond, row_of(s)), vh))
    if columns > count and gvh is not None:
        beyond = sub(gvh, matmul(matmul(gvh, adjoint(vh)), vh))
        result = add(result, matmul(u, div(beyond, column(s))))
    return result


def _filled(x: Term, dim: int, more: int) -> Term:
    """Return the value with zeros after it along an axis."""
    shape = list(shape_of(x))
    shape[dim] = more
    return cat((x, np.zeros(shape, dtype_of(x))), dim % len(shape)) if more else x


def _svd_jvp(primals: Terms, tangents: Terms, out: Terms, full: bool) -> Covectors:
    u, s, vh = out
    (dx,) = tangents
    rows, columns = shape_of(dx)[-2:]
    count = min(rows, columns)
    if full and rows != columns:
        u, vh = narrow(u, -1, 0, count), narrow(vh, -2, 0, count)
    moved = matmul(adjoint(u), matmul(dx, adjoint(vh)))
    gaps = _gaps(s * s)
    # Ωᵤ = (M S + S Mᴴ) / E and Ωᵥ = (S M + Mᴴ S) / E off the diagonal, for M = Uᴴ dA V
    left = div(_off_diagonal(add(mul(moved, row_of(s)), mul(column(s), adjoint(moved)))), gaps)
    right = div(_off_diagonal(add(mul(column(s), moved), mul(adjoint(moved), row_of(s)))), gaps)
    if dtype_of(dx).kind in "cW":
        # The phase, which the matrix does not tell, turns U alone.
        left = add(left, div(mul(_skew(moved), eye_of(moved)), column(s) * 2))
    du, dvh = matmul(u, left), matmul(-right, vh)
    if rows > count:
        along = matmul(dx, adjoint(vh))
        du = add(du, div(sub(along, matmul(u, matmul(adjoint(u), along))), row_of(s)))
    if columns > count:
        along = matmul(adjoint(u), dx)
        dvh = add(dvh, div(sub(along, matmul(matmul(along, adjoint(vh)), vh)), column(s)))
    if full and rows != columns:
        # The vectors beyond are any that complete the basis: no change of theirs is told.
        du, dvh = _filled(du, -1, rows - count), _filled(dvh, -2, columns - count)
    return du, real(_diagonal_of(moved)), dvh


#: A = U diag(S) Vᴴ with descending S.
svd: Several = op(
    "linalg_svd", _svd, (_svd_rule,), outputs=("u", "s", "vh"), partial=True, jvp=_svd_jvp,
    columns=(0, 2), batch=lambda size, full: (full,), check=computes("linalg_svd_cpu"),
)  # fmt: skip


def _svdvals(x: ndarray, /) -> ndarray:
    if _is_single(x) and min(x.shape):
        _, s, _, info = lapack("gesdd", x)(x, 0, lwork=_BLOCKS * sum(x.shape))
        if not info:
            return s
    return _alone(np.linalg.svd, x, False, False, otherwise=lambda: _svd(x, False)[1])


def _svdvals_rule(g: Term, x: Term) -> Term:
    u, _, vh = svd(x, False)
    return matmul(mul(u, row_of(g)), vh)


#: Descending singular values alone.
svdvals: Call = op(
    "linalg_svdvals", _svdvals, (_svdvals_rule,), batch=lambda size: (), check=computes("linalg_svd_cpu"),
)  # fmt: skip
