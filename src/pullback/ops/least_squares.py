"""The pseudoinverse and least squares."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.lapack import each, lapack, leading, routine
from ..core.op import Axes, Call, Covectors, Rule, Several, Term, Terms, op
from ..core.value import dtype_of, shape_of
from .arithmetic import mul, sub
from .complex import real
from .contract import column, matmul
from .convert import conj
from .linalg import adjoint, aligned_fronts, real_dtype, real_dtype_of, row_of, total
from .spectral import eigh, svd
from .structure import expand, reshape, sum_dims

INT64 = np.dtype(np.int64)


# --- the pseudoinverse --------------------------------------------------------------------------------------


def _pinv(x: ndarray, atol: ndarray, rtol: ndarray, /, hermitian: bool) -> ndarray:
    if x.size == 0:
        return np.empty((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)
    if hermitian:
        values, vectors = eigh(x, "L")
        left, right, sizes = vectors, vectors.conj().swapaxes(-1, -2), np.abs(values)
    else:
        u, values, vh = svd(x, False)
        left, right, sizes = vh.conj().swapaxes(-1, -2), u.conj().swapaxes(-1, -2), values
    largest = sizes.max(-1, keepdims=True)
    keep = sizes > np.maximum(atol[..., None], rtol[..., None] * largest)
    inverse = np.where(keep, 1 / np.where(keep, values, 1), 0).astype(values.dtype)
    return np.matmul(left, inverse[..., None] * right)


def _pinv_rule(g: Term, x: Term, out: Term) -> Term:
    gh = adjoint(g)
    rows, columns = matmul(gh, out), matmul(out, gh)
    return total(
        -matmul(adjoint(out), matmul(g, adjoint(out))),
        matmul(sub(rows, matmul(x, matmul(out, rows))), adjoint(out)),
        matmul(adjoint(out), sub(columns, matmul(matmul(columns, out), x))),
    )


def _pinv_jvp(primals: Terms, tangents: Covectors, out: Term, hermitian: bool) -> Term:
    x, dx = primals[0], tangents[0]
    if dx is None:
        return np.zeros(shape_of(out), dtype_of(out))
    dxh = adjoint(dx)
    inner = matmul(matmul(out, adjoint(out)), dxh)
    outer = matmul(dxh, matmul(adjoint(out), out))
    return total(
        -matmul(out, matmul(dx, out)), sub(inner, matmul(matmul(inner, x), out)),
        sub(outer, matmul(out, matmul(x, outer))),
    )  # fmt: skip


def _pinv_batched(size: int, values: Terms, dims: Axes, hermitian: bool) -> Any:
    x, atol, rtol = values
    scalars = (reshape(v, (*shape_of(v), 1, 1)) for v in (atol, rtol))
    fronts = aligned_fronts(size, (x, *scalars), dims)
    atol, rtol = (reshape(v, shape_of(v)[:-2]) for v in fronts[1:])
    return pinv(fronts[0], atol, rtol, hermitian)


#: The pseudoinverse, in which singular values up to max(atol, rtol·σ₁) count as 0. Its derivative is that of
#: Golub and Pereyra 1973, "The differentiation of pseudo-inverses and nonlinear least squares problems whose
#: variables separate": dP = −P dA P + P Pᴴ dAᴴ (I − A P) + (I − P A) dAᴴ Pᴴ P.
pinv: Call = op(
    "linalg_pinv", _pinv, (_pinv_rule, None, None), jvp=_pinv_jvp, batch_rule=_pinv_batched,
    shape=lambda x, atol, rtol, hermitian: (((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype),),
)  # fmt: skip


def tolerance(x: Term) -> float:
    """Return what rounding loses in a matrix, relative to its largest singular value."""
    return float(np.finfo(real_dtype(x)).eps * max(shape_of(x)[-2:]))


# --- least squares ------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def _work(
    driver: str, dtype: np.dtype[Any], rows: int, columns: int, count: int, rcond: float
) -> tuple[int, ...]:
    """Return the sizes of the workspaces that a driver asks for; to ask takes 5 µs."""
    *sizes, _ = routine(f"{driver}_lwork", dtype)(rows, columns, count, rcond)
    # LAPACK gives sizes in the precision of the matrix, which may round them down.
    return tuple(int(np.nextafter(size.real, np.inf, dtype=real_dtype_of(dtype))) for size in sizes)


def _solver(driver: str, x: ndarray, y: ndarray, rcond: float) -> Rule:
    """Return a solver of a matrix and padded right-hand sides: it gives solution, rank, singular values."""
    rows, columns = x.shape[-2:]
    solve = lapack(driver, x)
    if driver == "gels":
        return lambda a, b: (solve(a, b)[1], 0, 0)
    work = _work(driver, x.dtype, rows, columns, y.shape[-1], rcond)

    def pivoted(a: ndarray, b: ndarray) -> tuple[Any, ...]:
        _, solution, _, rank, _ = solve(a, b, np.zeros((columns, 1), np.int32), rcond, *work)
        return solution, rank, 0

    def divided(a: ndarray, b: ndarray) -> tuple[Any, ...]:
        solution, values, rank, _ = solve(a, b, *work, rcond)
        return solution, rank, values

    def iterated(a: ndarray, b: ndarray) -> tuple[Any, ...]:
        _, solution, values, rank, _, _ = solve(a, b, rcond, *work)
        return solution, rank, values

    return {"gelsy": pivoted, "gelsd": divided, "gelss": iterated}[driver]


def _lstsq(
    x: ndarray, y: ndarray, /, rcond: float, driver: str, vector: bool
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    if vector:
        solution, *rest = _lstsq(x, y[..., None], rcond, driver, False)
        return solution[..., 0], *rest  # type: ignore[return-value]  # four in all
    rows, columns = x.shape[-2:]
    count = min(rows, columns)
    real_type = real_dtype(x)
    has_values = driver in ("gelsd", "gelss")
    if x.size == 0 or y.size == 0:
        lead = leading((x, y), (2, 2))
        solution = np.zeros((*lead, columns, y.shape[-1]), x.dtype)
        rank, values = np.zeros(lead, INT64), np.zeros((*lead, count), real_type)
    else:
        solve = _solver(driver, x, y, rcond)
        padded = np.zeros((*y.shape[:-2], max(rows, columns), y.shape[-1]), y.dtype)
        padded[..., :rows, :] = y
        values_shape = (count,) if has_values else ()
        solution, rank, values = each(
            solve, (x, padded), ((padded.shape[-2:], y.dtype), ((), INT64), (values_shape, real_type))
        )
        solution = solution[..., :columns, :]
    # A matrix that serves several right-hand sides tells its rank and singular values once.
    own: tuple[Any, ...] = (*map(slice, x.shape[:-2]), ...)
    rank, values = rank[own], values[own]
    nothing = np.empty((0,), real_type)
    residuals = nothing
    if rows > columns and driver != "gelsy" and (driver == "gels" or (rank == columns).all()):
        residuals = (np.abs(np.matmul(x, solution) - y) ** 2).sum(-2)
    return (
        solution, residuals, np.empty((0,), INT64) if driver == "gels" else rank,
        values if has_values else nothing.copy(),
    )  # fmt: skip


def _default_pinv(x: Term) -> Term:
    dtype = real_dtype(x)
    return pinv(x, np.zeros((), dtype), np.asarray(tolerance(x), dtype), False)


def _lstsq_rule(
    g: Covectors, x: Term, y: Term, solution: Term, vector: bool, needs: tuple[bool, bool]
) -> tuple[Any, Any]:
    gsolution, gresiduals = g
    if gresiduals is not None and 0 in shape_of(gresiduals):
        gresiduals = None
    if vector:
        y, solution = column(y), column(solution)
        gsolution = None if gsolution is None else column(gsolution)
    gx = gy = None
    if gsolution is not None:
        inverse = _default_pinv(x)
        if needs[0]:
            gx = _pinv_rule(matmul(gsolution, adjoint(y)), x, inverse)
        gy = matmul(adjoint(inverse), gsolution)
    if gresiduals is not None:
        pulled = mul(sub(matmul(x, solution), y), row_of(gresiduals)) * 2
        gx = total(matmul(pulled, adjoint(solution)), gx)
        gy = total(-pulled, gy)
    if gy is not None and vector:
        gy = reshape(gy, shape_of(gy)[:-1])
    return gx, gy


def _lstsq_jvp(
    primals: Terms, tangents: Covectors, out: Terms, rcond: float, driver: str, vector: bool
) -> Covectors:
    (x, y), (dx, dy) = primals, tangents
    solution, residuals = out[:2]
    if vector:
        y, solution, dy = column(y), column(solution), None if dy is None else column(dy)
    inverse = _default_pinv(x)
    zeros = np.zeros((), dtype_of(solution))
    moved = None if dx is None else matmul(_pinv_jvp((x,), (dx,), inverse, False), y)
    change = total(None if dy is None else matmul(inverse, dy), moved)
    if 0 in shape_of(residuals):
        slope = np.zeros(shape_of(residuals), dtype_of(residuals))
    else:
        moved = total(None if dx is None else matmul(dx, solution), None if dy is None else -dy, zeros)
        gap = sub(matmul(x, solution), y)
        slope = real(sum_dims(mul(conj(gap), moved), (len(shape_of(gap)) - 2,), False)) * 2
    return (reshape(change, shape_of(out[0])) if vector else change), slope, None, None


def _lstsq_batched(size: int, values: Terms, dims: Axes, rcond: float, driver: str, vector: bool) -> Any:
    x, y = values
    x, y = aligned_fronts(size, (x, column(y) if vector else y), dims)
    out = lstsq(x, y, rcond, driver, False)
    solution = reshape(out[0], shape_of(out[0])[:-1]) if vector else out[0]
    rest = [expand(v, (size, *((0,) if shape_of(v) == (0,) else shape_of(v)[1:]))) for v in out[1:]]
    return solution, *rest


#: X that minimises ‖A X − B‖, its squared residuals, the rank and the singular values, the last three where
#: the driver tells them.
lstsq: Several = op(
    "linalg_lstsq", _lstsq, _lstsq_rule, joint=True, partial=True, differentiable=(0, 1),
    outputs=("solution", "residuals", "rank", "values"), jvp=_lstsq_jvp, batch_rule=_lstsq_batched,
)  # fmt: skip
