"""Triangular systems and the Cholesky factor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.blas import product
from ..array.dtype_words import type_word
from ..array.lapack import (
    INT32,
    ONE_THREAD,
    by_numpy,
    by_routine,
    calls_lapack,
    column_major,
    each,
    empty_columns,
    failure,
    inverse_triangle,
    lapack,
    leading,
    solve_triangle,
    solve_triangles,
)
from ..array.scipy_functions import is_installed
from ..core.op import Call, Covectors, Several, Term, Terms, op
from ..core.value import shape_of
from .arithmetic import add, mul
from .contract import matmul, swap
from .convert import conj
from .linalg import LinAlgError, adjoint, aligned, computes, eye_of, real_dtype, total
from .rearrange import not_below, tril, triu

# --- triangular systems -------------------------------------------------------------------------------------


def _solve_triangular(x: ndarray, y: ndarray, /, upper: bool, left: bool, unit: bool) -> ndarray:
    if y.size == 0:
        return empty_columns((*leading((x, y), (2, 2)), *y.shape[-2:]), y.dtype)
    if x.ndim + y.ndim > 4 and (found := solve_triangles(x, y, upper, unit, left)) is not None:
        return found
    if x.shape[-1] <= _FEW_ROWS and max(x[..., 0, 0].size, y[..., 0, 0].size) > x.shape[-1]:
        result = empty_columns((*leading((x, y), (2, 2)), *y.shape[-2:]), y.dtype)
        if left:
            _substitute(x, y, result, upper, unit)
        else:
            a, b, c = (v.swapaxes(-1, -2) for v in (x, y, result))
            _substitute(a, b, c, not upper, unit)
        return result
    kind = y.shape[-2:], y.dtype
    return each(lambda a, b: (solve_triangle(a, b, upper, unit, left),), (x, y), (kind,))[0]


#: Rows up to which systems of a stack are solved side by side: 16 of 4×4 take 25 µs instead of 70.
_FEW_ROWS = 32


def _substitute(x: ndarray, y: ndarray, result: ndarray, upper: bool, unit: bool) -> None:
    """Write the solutions of a stack of systems, row after row of all of them."""
    size = x.shape[-1]
    for i in reversed(range(size)) if upper else range(size):
        known = slice(i + 1, size) if upper else slice(0, i)
        rest = y[..., i : i + 1, :]
        if known.start != known.stop:
            rest = rest - np.matmul(x[..., i : i + 1, known], result[..., known, :])
        result[..., i : i + 1, :] = rest if unit else rest / x[..., i : i + 1, i : i + 1]


def triangle(x: Term, upper: bool, unit: bool = False) -> Term:
    """Return the upper or lower triangle, without its diagonal where that is all ones."""
    return triu(x, int(unit)) if upper else tril(x, -int(unit))


def _triangular_rule(
    g: Term, x: Term, out: Term, upper: bool, left: bool, unit: bool, needs: tuple[bool, ...]
) -> tuple[Any, Any]:
    # One solution serves both.
    pulled = solve_triangular(adjoint(x), g, not upper, left, unit)
    if not needs[0]:
        return None, pulled
    product = matmul(pulled, adjoint(out)) if left else matmul(adjoint(out), pulled)
    return -triangle(product, upper, unit), pulled


def _triangular_jvp(
    primals: Terms, tangents: Covectors, out: Term, upper: bool, left: bool, unit: bool
) -> Term:
    dx, change = tangents
    if dx is not None:
        dx = triangle(dx, upper, unit)
        moved = matmul(dx, out) if left else matmul(out, dx)
        change = total(change, -moved)
    return solve_triangular(primals[0], change, upper, left, unit)


def _check_triangular(x: ndarray, y: ndarray, *attrs: Any) -> None:
    computes("triangular_solve_cpu")(x)
    if x.dtype != y.dtype:
        raise RuntimeError(
            "linalg.solve_triangular: Expected A and B to have the same dtype, but found A of type "
            f"{type_word(x.dtype)} and B of type {type_word(y.dtype)} instead"
        )


#: X with A X = B (or X A = B) for a triangular A, of which only that triangle is read.
solve_triangular: Call = op(
    "linalg_solve_triangular", _solve_triangular,
    _triangular_rule, joint=True,
    jvp=_triangular_jvp, check=_check_triangular, batch_rule=aligned(lambda *a: solve_triangular(*a)),
    saves=("x", "out"),
    shape=lambda x, y, *attrs: (((*leading((x, y), (2, 2)), *y.shape[-2:]), y.dtype),),
)  # fmt: skip


def _solve_with_copy(
    y: ndarray, x: ndarray, /, upper: bool, transposed: bool, unit: bool
) -> tuple[ndarray, ndarray]:
    whole = (*leading((x, y), (2, 2)), *x.shape[-2:])
    a = x.swapaxes(-1, -2) if transposed else x
    copy = column_major(x if x.shape == whole else np.broadcast_to(x, whole))
    return _solve_triangular(a, y, upper != transposed, True, unit), copy


def _solve_with_copy_rule(
    g: Covectors, x: Term, solution: Term, upper: bool, transposed: bool, unit: bool
) -> tuple[Any, Any]:
    gx, gcopy = g
    if gx is None:
        return None, gcopy
    gy = triangular_solve(gx, conj(x), upper, not transposed, unit)[0]
    product = matmul(conj(solution), swap(gy)) if transposed else matmul(gy, adjoint(solution))
    return gy, total(-triangle(product, upper, unit), gcopy)


#: X with A X = B, or Aᵀ X = B, for a triangular A; and a copy of A.
triangular_solve: Several = op(
    "triangular_solve", _solve_with_copy, _solve_with_copy_rule, joint=True, partial=True,
    outputs=("solution", "copy"), check=computes("triangular_solve_cpu"), saves=("y",),
    batch_rule=aligned(lambda *a: triangular_solve(*a)),
)  # fmt: skip


# --- the Cholesky factor ------------------------------------------------------------------------------------


def _ended_at_nan(factor: ndarray, a: ndarray, upper: bool) -> int:
    """Return the order of the first minor whose pivot is NaN, or 0, and put back what follows.

    OpenBLAS goes on with NaN. torch ends there, and says so.
    """
    spoilt = np.isnan(factor.diagonal())
    if not spoilt.any():
        return 0
    first = int(spoilt.argmax())
    factor[first:, first:] = (np.triu if upper else np.tril)(a[first:, first:])
    factor[first, first] = np.nan
    return first + 1


def _factored_each(x: ndarray, upper: bool) -> tuple[ndarray, ...]:
    """Return the factor of each matrix and the order of its first minor that is not positive, or 0."""
    potrf = lapack("potrf", x)

    def step(a: ndarray) -> tuple[Any, ...]:
        factor, info = potrf(a, lower=not upper)
        return factor, info if info > 0 else _ended_at_nan(factor, a, upper) or info

    return each(step, (x,), ((x.shape[-2:], x.dtype), ((), INT32)))


def _cholesky_ex(x: ndarray, /, upper: bool, caller: str) -> tuple[ndarray, ndarray]:
    found = by_routine("cholesky_up" if upper else "cholesky_lo", x)
    if found is not None:
        return found, np.zeros(x.shape[:-2], INT32)
    # Of a small matrix without a factor NumPy's function says so in 15 µs, and no more.
    if calls_lapack(x) or (x.size and x.shape[-1] < ONE_THREAD.start and is_installed()):
        factor, info = _factored_each(x, upper)
        if not info.any():
            return factor, info
    else:
        try:
            factor = by_numpy(np.linalg.cholesky, x, upper=upper)
            failed = np.isnan(np.trace(factor, axis1=-2, axis2=-1)).any()
        except np.linalg.LinAlgError:
            failed = True
        if not failed:
            return column_major(factor), np.zeros(x.shape[:-2], INT32)
        factor, info = _factored_each(x, upper)
    if caller:
        where, order = failure(info)
        raise LinAlgError(
            f"{caller}: {where}The factorization could not be completed because the input is not "
            f"positive-definite (the leading minor of order {order} is not positive-definite)."
        )
    return factor, info


def _halved(x: Term) -> Term:
    """Return the lower triangle of a square value, its diagonal halved."""
    size = shape_of(x)[-1]
    return mul(x, (np.tril(np.ones((size, size)), -1) + 0.5 * np.eye(size)).astype(real_dtype(x)))


#: Rows of a block.
_BLOCK = 64


def _pulled_in_blocks(g: ndarray, factor: ndarray) -> ndarray:
    """Return what `_cholesky_rule` computes for a lower factor, of the symmetric matrix in the middle only
    the lower triangle: 200 rows of float64 take 0.54 of torch's time in place of 0.84 (one thread, busy), 31
    rows a factor and its pullback 47 µs in place of 113.
    """
    rows = len(factor)
    common = empty_columns((rows, rows), factor.dtype)
    for low in range(0, rows, _BLOCK):
        high = min(rows, low + _BLOCK)
        block, own = common[low:high, :high], slice(low, high)
        block[...] = product(factor[low:, own].T, g[low:, :high])
        common[:low, own] = block[:, :low].T
        corner = np.tril(block[:, low:])
        block[:, low:] = corner + np.tril(corner, -1).T
    common *= 0.5
    inner = solve_triangle(factor.T, common, True, over=True)
    return solve_triangle(factor, inner, False, left=False, over=True)


def _cholesky_rule(g: Any, factor: Any, upper: bool) -> Any:
    if upper:
        g, factor = adjoint(g), adjoint(factor)
    if type(g) is type(factor) is ndarray and g.ndim == 2 and g.size and g.dtype in (np.float32, np.float64):
        return _pulled_in_blocks(g, factor)
    moved = matmul(adjoint(factor), g)  # of which the upper triangle of g changes only the upper one
    lower = tril(moved, -1)
    common = add(add(lower, adjoint(lower)), mul(moved, eye_of(moved)))
    inner = solve_triangular(adjoint(factor), common, True, True, False)
    return solve_triangular(factor, inner, False, False, False) * 0.5


def _cholesky_jvp(primals: Terms, tangents: Terms, out: Terms, *attrs: Any) -> Covectors:
    factor, upper = out[0], attrs[0]
    if upper:
        factor = adjoint(factor)
    change = adjoint(tangents[0]) if upper else tangents[0]
    inner = solve_triangular(factor, change, False, True, False)
    inner = solve_triangular(adjoint(factor), inner, True, False, False)
    moved = matmul(factor, _halved(inner))
    return (adjoint(moved) if upper else moved), None


#: The factor L of A = L Lᴴ (or U of A = Uᴴ U), and per matrix the order of the first minor that is not
#: positive or 0; with the name of a caller a failure is an error.
cholesky_ex: Several = op(
    "linalg_cholesky_ex", _cholesky_ex, (lambda g, L, upper: _cholesky_rule(g, L, upper),),
    outputs=("L", "info"), differentiable=(0,), jvp=_cholesky_jvp, batch=lambda size, *attrs: attrs,
    check=computes("cholesky_cpu"),
    shape=lambda x, *attrs: ((x.shape, x.dtype), (x.shape[:-2], INT32)),
)  # fmt: skip

#: The factor alone, under the name of torch's older function.
cholesky: Call = op(
    "cholesky", lambda x, /, upper: _cholesky_ex(x, upper, "cholesky")[0],
    (lambda g, out, upper: _cholesky_rule(g, out, upper),),
    jvp=lambda primals, tangents, out, upper: _cholesky_jvp(primals, tangents, (out,), upper)[0],
    batch=lambda size, upper: (upper,), shape=lambda x, upper: ((x.shape, x.dtype),),
    check=computes("cholesky_cpu"),
)  # fmt: skip


def _turned(x: ndarray, upper: bool) -> tuple[ndarray, ndarray]:
    """Return the lower factors and their adjoints, given either."""
    adjoint = (x.conj() if x.dtype.kind == "c" else x).swapaxes(-1, -2)
    return (adjoint, x) if upper else (x, adjoint)


def _cholesky_solve(y: ndarray, x: ndarray, /, upper: bool) -> ndarray:
    lower, higher = _turned(x, upper)
    return _solve_triangular(higher, _solve_triangular(lower, y, False, True, False), True, True, False)


def _cholesky_solve_factor(g: Term, x: Term, out: Term, upper: bool) -> Term:
    product = matmul(cholesky_solve(g, x, upper), adjoint(out))
    common = product + adjoint(product)
    return -(matmul(x, common) if upper else matmul(common, x))


def _cholesky_solve_jvp(primals: Terms, tangents: tuple[Any, Any], out: Term, upper: bool) -> Term:
    (_, x), (change, dx) = primals, tangents
    if dx is not None:
        product = matmul(adjoint(dx), x) if upper else matmul(dx, adjoint(x))
        change = total(change, -matmul(product + adjoint(product), out))
    return cholesky_solve(change, x, upper)


#: X with L Lᴴ X = B (or Uᴴ U X = B) for a Cholesky factor.
cholesky_solve: Call = op(
    "cholesky_solve", _cholesky_solve,
    (lambda g, x, upper: cholesky_solve(g, x, upper), _cholesky_solve_factor), jvp=_cholesky_solve_jvp,
    check=computes("cholesky_solve_cpu"), saves=("y", "x", "out"),
    batch_rule=aligned(lambda *a: cholesky_solve(*a)),
    shape=lambda y, x, upper: (((*leading((x, y), (2, 2)), *y.shape[-2:]), y.dtype),),
)  # fmt: skip


def _cholesky_inverse(x: ndarray, /, upper: bool) -> ndarray:
    size = x.shape[-1]
    if x.size == 0:
        return empty_columns(x.shape, x.dtype)
    above = not_below(size, size, 1)
    if size <= _BLOCK and x.dtype.kind == "f" and x.size > (size * size if large.is_there() else size**3):
        # LAPACK takes 11 µs for each.
        lower, higher = _turned(x, upper)
        half = _solve_triangular(lower, np.eye(size, dtype=x.dtype), False, True, False)
        result = _solve_triangular(higher, half, True, True, False)
        if np.isfinite(np.add.reduce(result, axis=None)):
            np.copyto(result, result.swapaxes(-1, -2), where=above)
            return result

    def step(factor: ndarray) -> tuple[Any, ...]:
        turned = factor.T if upper else factor
        half = inverse_triangle(turned, False) if turned.diagonal().all() else None
        # To solve for zeros, too, would spread what is not finite.
        if half is None or not np.isfinite(np.add.reduce(half, axis=None)):
            inverse, info = lapack("potri", x)(factor, lower=not upper)
            np.copyto(inverse, inverse.conj().T, where=above.T if upper else above)
        else:
            # It multiplies triangles: of 400 rows of float64 in 597 µs, which to solve takes 1,418.
            inverse, info = lapack("lauum", x)(half, lower=1, overwrite_c=1)
            np.copyto(inverse, inverse.T, where=above)
        return inverse, info

    result, info = each(step, (x,), ((x.shape[-2:], x.dtype), ((), INT32)))
    if info.any():
        where, order = failure(info)
        raise LinAlgError(
            f"cholesky_inverse: {where}The diagonal element {order} is zero, the inversion could not be "
            "completed because the input matrix is singular."
        )
    return result


def _cholesky_inverse_rule(g: Term, x: Term, out: Term, upper: bool) -> Term:
    common = matmul(out, matmul(g + adjoint(g), out))
    return -(matmul(x, common) if upper else matmul(common, x))


def _cholesky_inverse_jvp(primals: Terms, tangents: Terms, out: Term, upper: bool) -> Term:
    (x,), (dx,) = primals, tangents
    product = matmul(adjoint(dx), x) if upper else matmul(dx, adjoint(x))
    return -matmul(out, matmul(product + adjoint(product), out))


#: (L Lᴴ)⁻¹ (or (Uᴴ U)⁻¹) from a Cholesky factor.
cholesky_inverse: Call = op(
    "cholesky_inverse", _cholesky_inverse, (_cholesky_inverse_rule,), jvp=_cholesky_inverse_jvp,
    check=computes("cholesky_inverse_out_cpu"),
    batch=lambda size, upper: (upper,), shape=lambda x, upper: ((x.shape, x.dtype),),
)  # fmt: skip
