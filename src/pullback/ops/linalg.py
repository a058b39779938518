"""Linear algebra: inverse, solution and determinant of matrices or stacks of them, and what the other files
of matrix functions share.

Derivatives are the matrix calculus ones (Giles 2008, "An extended collection of matrix derivative results"),
in torch's convention for complex values: the covector is that of the conjugate. Results lie in memory as
LAPACK leaves them, column by column, as torch's do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.dtype_words import not_implemented
from ..array.lapack import (
    _COMPUTED,
    INT32,
    _no_info,
    by_numpy,
    by_routine,
    calls_lapack,
    column_major,
    each,
    empty_columns,
    factor_stack,
    failure,
    inverse_triangle,
    lapack,
    solve_factored,
    solve_triangle,
)
from ..core.op import Axes, Call, Covectors, Rule, Several, T, Term, Terms, op
from ..core.value import dtype_of, shape_of
from ..core.visible import concrete
from .arithmetic import add, mul, sub
from .complex import imag_view
from .contract import column, matmul, swap
from .convert import conj
from .reduce import prod_dim
from .structure import expand, permute_to_front, reshape, sum_dims
from .view import diagonal, diagonal_backward, slice_dim


class LinAlgError(RuntimeError):
    """A factorisation or solution does not exist."""


LinAlgError.__module__ = "torch._C"
LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


# --- values of any kind -------------------------------------------------------------------------------------


def adjoint(x: T) -> T:
    """Return the conjugate transpose."""
    return swap(conj(x))


def row_of(v: T) -> T:
    """Return vectors as matrices of one row each."""
    shape = shape_of(v)
    return reshape(v, (*shape[:-1], 1, shape[-1]))


def narrow(x: Term, dim: int, start: int, length: int) -> Term:
    """Return `length` places of an axis from `start` on; negative axes count from the end."""
    return slice_dim(x, dim % len(shape_of(x)), start, start + length, 1)


def real_dtype(x: Term) -> np.dtype[Any]:
    """Return the real dtype that multiplies a value without widening it."""
    return real_dtype_of(dtype_of(x))


@functools.cache
def real_dtype_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the real dtype of the parts of a number."""
    return np.zeros((), dtype).real.dtype if dtype.kind == "c" else dtype


def eye_of(x: Term) -> ndarray:
    """Return the identity in the size of a square value and the real dtype that goes with it."""
    return np.eye(shape_of(x)[-1], dtype=real_dtype(x))


def embedded(diagonal: Any) -> Any:
    """Return the diagonal matrices from their diagonals."""
    return mul(column(diagonal), np.eye(shape_of(diagonal)[-1], dtype=real_dtype(diagonal)))


def total(*parts: Any) -> Any:
    """Return the sum of those parts that are not None, or None."""
    result = None
    for part in parts:
        if part is not None:
            result = part if result is None else add(result, part)
    return result


def aligned(call: Rule) -> Rule:
    """Return a batching rule for ops on stacks of matrices whose leading axes broadcast."""

    def rule(size: int, values: Terms, dims: Axes, *attrs: Any) -> Any:
        return call(*aligned_fronts(size, values, dims), *attrs)

    return rule


def aligned_fronts(size: int, values: Sequence[Term], dims: Axes) -> list[Any]:
    """Return values with batch axes first and as many axes as the longest: leading axes broadcast."""
    fronts = [v if d is None else permute_to_front(v, d) for v, d in zip(values, dims, strict=True)]
    ranks = [len(shape_of(v)) - (d is not None) for v, d in zip(fronts, dims, strict=True)]
    most = max(ranks)
    return [
        v if d is None else reshape(v, (size, *(1,) * (most - rank), *shape_of(v)[1:]))
        for v, d, rank in zip(fronts, dims, ranks, strict=True)
    ]


# --- kernels ------------------------------------------------------------------------------------------------


def computes(kernel: str) -> Callable[..., None]:
    """Return a check that refuses, with torch's name of its kernel, what LAPACK has no routine for."""

    def check(x: ndarray, *rest: Any) -> None:
        if x.dtype not in _COMPUTED:
            raise not_implemented(kernel, x.dtype)

    return check


# --- inverse and solution -----------------------------------------------------------------------------------


#: Elements of a stack times right-hand sides from which native kernels solve. NumPy has OpenBLAS factor and
#: solve one after another: 8 systems of 32 rows and sides take 229 µs, so 127; 1,000 of 3 each 1,034 and 422
#: (one thread, busy machine). With one side NumPy takes less.
_WORTH_STACK = 1 << 14


def _solved_stack(x: ndarray, y: ndarray) -> ndarray | None:
    """Return the solutions of a stack of systems by native kernels, where they pay and all have one."""
    if x.ndim < 3 or x.size * y.shape[-1] < _WORTH_STACK or 2 * y.shape[-1] < x.shape[-1]:
        return None
    factored = factor_stack(x, y)
    return None if factored is None or factored[2].any() else factored[3]


def _solved_each(x: ndarray, y: ndarray) -> tuple[ndarray, ...]:
    """Return the solution of each system and the place of the first zero pivot, or 0, from LAPACK's getrf."""
    getrf = lapack("getrf", x)

    def step(a: ndarray, b: ndarray) -> tuple[Any, ...]:
        lu, pivots, info = getrf(a)
        return solve_factored(lu, pivots, b), max(0, info)

    return each(step, (x, y), ((y.shape[-2:], y.dtype), ((), INT32)))


def _inverted(x: ndarray) -> tuple[ndarray, ndarray]:
    """Return the inverse of a matrix and the place of the first zero pivot, or 0, from LAPACK's getri."""
    lu, pivots, place = lapack("getrf", x)(x)
    if place > 0:
        result, info = _solved_each(x, np.eye(len(x), dtype=x.dtype))
        return result, info
    if (half := inverse_triangle(lu, True)) is not None:
        found = solve_triangle(lu, half, False, True, left=False, over=True)
        order = lapack("laswp", x)(np.arange(len(x), dtype=x.dtype)[:, None], pivots)[:, 0]
        (result := empty_columns(x.shape, x.dtype)).T[order.astype(np.intp)] = found.T
        return result, _no_info(x)
    # There is room for blocks of 64 columns; with SciPy's, for 3, 257 rows take 3.2 ms in place of 0.8.
    inverse, _ = lapack("getri", x)(lu, pivots, lwork=64 * len(x), overwrite_lu=1)
    return inverse, _no_info(x)


def _inv(x: ndarray, /, caller: str) -> tuple[ndarray, ndarray]:
    found = None if x.ndim == 2 else _solved_stack(x, np.eye(x.shape[-1], dtype=x.dtype))
    if found is not None or (found := by_routine("inv", x)) is not None:
        return found, _no_info(x)
    if calls_lapack(x):
        result, info = _inverted(x)
        if not info:
            return result, info
    else:
        try:
            return column_major(by_numpy(np.linalg.inv, x)), _no_info(x)
        except np.linalg.LinAlgError:
            result, info = _solved_each(x, np.eye(x.shape[-1], dtype=x.dtype))
    if caller:
        where, order = failure(info)
        raise LinAlgError(
            f"{caller}: {where}The diagonal element {order} is zero, the inversion could not be completed "
            "because the input matrix is singular."
        )
    return result, info


#: The inverse, and per matrix the place of the first zero pivot or 0; with a caller's name failures raise.
inv_ex: Several = op(
    "linalg_inv_ex", _inv,
    (lambda g, inverse: -matmul(adjoint(inverse), matmul(g, adjoint(inverse))),),
    outputs=("inverse", "info"), differentiable=(0,), columns=(0,),
    jvp=lambda primals, tangents, out, caller: (-matmul(out[0], matmul(tangents[0], out[0])), None),
    batch=lambda size, caller: (caller,),
    shape=lambda x, caller: ((x.shape, x.dtype), (x.shape[:-2], INT32)),
)  # fmt: skip


def inv(x: Term) -> Term:
    """Return the inverse."""
    return inv_ex(x, "linalg.inv")[0]


def _solve(x: ndarray, y: ndarray, /, left: bool, vector: bool, caller: str) -> tuple[ndarray, ndarray]:
    if vector:
        result, info = _solve(x, y[..., None], True, False, caller)
        result = np.ascontiguousarray(result[..., 0])
        # torch lays a stack of vectors out as if it were a matrix
        return column_major(result) if result.ndim > 1 else result, info
    if not left:
        result, info = _solve(x.swapaxes(-1, -2), y.swapaxes(-1, -2), True, False, caller)
        return result.swapaxes(-1, -2), info
    found = _solved_stack(x, y)
    if found is not None or (found := by_routine("solve", x, y)) is not None:
        return found, _no_info(x)
    if calls_lapack(x) and y.ndim == 2:
        result, info = _solved_each(x, y)
        if not info:
            return result, info
    else:
        try:
            return column_major(by_numpy(np.linalg.solve, x, y)), _no_info(x)
        except np.linalg.LinAlgError:
            result, info = _solved_each(x, y)
    if caller:
        where, _ = failure(info)
        raise LinAlgError(f"{caller}: {where}The solver failed because the input matrix is singular.")
    return result, info


def _solve_rule(
    g: Term, x: Term, result: Term, left: bool, vector: bool, needs: tuple[bool, ...]
) -> tuple[Any, Any]:
    # One solution serves both.
    pulled = solve(adjoint(x), g, left, vector)
    if not needs[0]:
        return None, pulled
    gy, y = (column(pulled), column(result)) if vector else (pulled, result)
    return -(matmul(gy, adjoint(y)) if left else matmul(adjoint(y), gy)), pulled


def _solve_jvp(
    primals: Terms, tangents: tuple[Any, Any], out: Terms, left: bool, vector: bool, caller: str
) -> Covectors:
    (x, _), (dx, dy) = primals, tangents
    change = dy
    if dx is not None:
        result = column(out[0]) if vector else out[0]
        moved = matmul(dx, result) if left else matmul(result, dx)
        change = total(dy, -(reshape(moved, shape_of(out[0])) if vector else moved))
    return solve(x, change, left, vector), None


def _solve_batched(size: int, values: Terms, dims: Axes, left: bool, vector: bool, caller: str) -> Any:
    if not vector:
        return solve_ex(*aligned_fronts(size, values, dims), left, False, caller)
    result, info = solve_ex(*aligned_fronts(size, (values[0], column(values[1])), dims), left, False, caller)
    return reshape(result, shape_of(result)[:-1]), info


def _solve_shape(x: ndarray, y: ndarray, left: bool, vector: bool, caller: str) -> Any:
    item = y.shape[-1:] if vector else y.shape[-2:]
    lead = np.broadcast_shapes(x.shape[:-2], y.shape[: y.ndim - len(item)])
    return ((*lead, *item), y.dtype), (x.shape[:-2], INT32)


#: X with A X = B (or X A = B), and per matrix the place of the first zero pivot or 0; leading axes broadcast.
#: B is a matrix or (`vector`) a vector; with the name of a caller a failure is an error.
solve_ex: Several = op(
    "linalg_solve_ex", _solve,
    _solve_rule, joint=True,
    outputs=("result", "info"), differentiable=(0,), jvp=_solve_jvp, batch_rule=_solve_batched,
    check=computes("lu_cpu"),
    shape=_solve_shape, saves=("result",),
)  # fmt: skip


def solve(x: Term, y: Term, left: bool = True, vector: bool = False) -> Term:
    """Return X with A X = B (or X A = B)."""
    return solve_ex(x, y, left, vector, "torch.linalg.solve")[0]


# --- determinants -------------------------------------------------------------------------------------------


def _products_without(s: Term, count: int) -> Term:
    """Return per `count` places the product of the elements elsewhere: (…, n) -> (…, n) or (…, n, n)."""
    n = shape_of(s)[-1]
    eye = np.eye(n, dtype=bool)
    left_out = eye if count == 1 else eye[:, None] | eye[None]
    kept = (~left_out).astype(dtype_of(s))
    rows = reshape(s, (*shape_of(s)[:-1], *(1,) * count, n))
    return prod_dim(add(mul(rows, kept), 1 - kept), len(shape_of(rows)) - 1, False)


def _cofactors_of(x: ndarray, /) -> ndarray:
    u, s, vh = by_numpy(np.linalg.svd, x)
    phase = by_numpy(np.linalg.det, u) * by_numpy(np.linalg.det, vh)
    return np.matmul(u.conj() * _products_without(s, 1)[..., None, :], vh.conj()) * phase[..., None, None]


def _cofactors_rule(g: Term, x: Term) -> Term:
    # With A = U S Vᴴ the cofactors are those of S between factors that do not change; around a diagonal S
    # they change by ∂Cᵢᵢ/∂Sₖₖ = Π of the others and ∂Cᵢⱼ/∂Sⱼᵢ = −Π of the others.
    from .spectral import svd

    u, s, vh = svd(x, False)
    phase = conj(mul(det(u), det(vh)))
    inner = mul(matmul(matmul(swap(u), g), swap(vh)), column(column(phase)))
    eye, others = eye_of(s), _products_without(s, 2)
    apart = mul(others, 1 - eye)
    on_diagonal = matmul(apart, column(sum_dims(mul(inner, eye), (len(shape_of(inner)) - 1,), False)))
    return matmul(u, matmul(sub(mul(on_diagonal, eye), swap(mul(inner, apart))), vh))


#: The cofactors of a square matrix, of whatever rank: what the determinant changes by with each element.
cofactors: Call = op("cofactors", _cofactors_of, (_cofactors_rule,), batch=lambda size: ())


def _pivots(x: ndarray) -> tuple[ndarray, int]:
    """Return the pivots of a matrix, and the sign of the exchange of its rows.

    Of 257 rows of float32 NumPy's function takes 1.4 ms to find the determinant, SciPy's factors 0.35.
    """
    lu, exchanged, _ = lapack("getrf", x)(x)
    turned = np.count_nonzero(exchanged != np.arange(len(x)))
    return lu.diagonal(), -1 if turned % 2 else 1


def _det(x: ndarray, /) -> ndarray:
    if not calls_lapack(x):
        return np.asarray(by_numpy(np.linalg.det, x))
    pivots, sign = _pivots(x)
    return np.asarray(np.multiply.reduce(pivots) * sign, x.dtype)


def _det_rule(g: Term, x: Term, out: Term) -> Term:
    if shape_of(x)[-1] == 1:
        return column(column(g))
    values = concrete(out)
    if values is None or (np.abs(values) >= 100 * np.finfo(values.dtype).eps).all():
        return solve(adjoint(x), mul(column(column(mul(g, conj(out)))), eye_of(x)))
    return mul(column(column(g)), conj(cofactors(x)))


#: The determinant.
det: Call = op("linalg_det", _det, (_det_rule,), batch=lambda size: (), check=computes("lu_cpu"))


def _slogdet(x: ndarray, /) -> tuple[ndarray, ndarray]:
    if calls_lapack(x):
        pivots, turned = _pivots(x)
        with np.errstate(divide="ignore", invalid="ignore"):
            size = np.log(np.abs(pivots)).sum()
            sign = (np.multiply.reduce(np.sign(pivots)) * turned).astype(x.dtype)
    else:
        sign, size = by_numpy(np.linalg.slogdet, x)
    # torch's sign is that of the pivots' product: 0 of nan, where they are real.
    if x.dtype.kind != "c":
        sign = np.where(np.isnan(size), np.zeros((), sign.dtype), sign)
    return np.asarray(sign), np.asarray(size)


def _slogdet_rule(g: Covectors, x: Term, sign: object) -> Term | None:
    gsign, glog = g
    slope = glog
    if dtype_of(x).kind in "cW" and gsign is not None:
        # d sign = i·sign·Im(tr(A⁻¹ dA))
        turn = mul(imag_view(mul(conj(gsign), sign)), np.asarray(1j, dtype_of(x)))
        slope = -turn if glog is None else sub(glog, turn)
    if slope is None:
        return None
    return mul(column(column(slope)), inv_ex(adjoint(x), "")[0])


#: Sign (or phase) of the determinant and the logarithm of its absolute value.
slogdet: Several = op(
    "linalg_slogdet", _slogdet, (_slogdet_rule,), outputs=("sign", "logabsdet"), partial=True,
    batch=lambda size: (),
)  # fmt: skip


# --- products -----------------------------------------------------------------------------------------------


#: Of each coordinate the next, and the one after that; elements up to which copies of them are faster than
#: NumPy's function, which takes 20 µs to begin.
_NEXT, _AFTER, _FEW_COORDINATES = np.array([1, 2, 0]), np.array([2, 0, 1]), 1 << 12


def _cross(x: ndarray, y: ndarray, /, dim: int) -> ndarray:
    if x.size <= _FEW_COORDINATES and x.shape == y.shape:
        found = np.multiply(x.take(_NEXT, dim), y.take(_AFTER, dim), out=...)
        return np.subtract(found, x.take(_AFTER, dim) * y.take(_NEXT, dim), out=found)
    return np.ascontiguousarray(np.cross(x, y, axis=dim))


#: The vector product along an axis of length 3.
cross: Call = op(
    "linalg_cross", _cross,
    (lambda g, y, dim: cross(conj(y), g, dim), lambda g, x, dim: cross(g, conj(x), dim)), kind="bilinear",
    batch=lambda size, dim: (dim + 1,),
)  # fmt: skip


# --- the diagonal's sum -------------------------------------------------------------------------------------


#: The sum of a matrix's diagonal; of integers in int64.
trace: Call = op(
    "trace",
    lambda x, /: np.add.reduce(x.diagonal(), dtype=np.int64 if x.dtype.kind in "iu" else x.dtype, out=...),
    (lambda g, shape_x: diagonal_backward(expand(g, (min(shape_x),)), shape_x, 0, 0, 1),),
    kind="reduce", halves=True, linear=True,
    batch_rule=lambda size, values, dims: sum_dims(
        diagonal(permute_to_front(values[0], dims[0]), 0, 1, 2), (1,), False
    ),
)  # fmt: skip
