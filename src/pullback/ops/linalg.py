"""Linear algebra: inverse, solve, Cholesky factor, determinant, of matrices or stacks of them.

Derivatives are the matrix calculus ones (Giles 2008, "An extended collection of matrix derivative results"),
in torch's convention for complex values: the covector is that of the conjugate.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import op
from ..core.value import dtype_of, shape_of
from .arithmetic import mul
from .contract import column, matmul, swap
from .convert import conj
from .structure import permute_to_front, reshape

Call = Callable[..., Any]


class LinAlgError(RuntimeError):
    """A factorisation or solution does not exist."""


LinAlgError.__module__ = "torch._C"
LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


def adjoint(x: Any) -> Any:
    """The conjugate transpose."""
    return swap(conj(x))


def _failure(x: ndarray, step: Callable[[ndarray], int]) -> tuple[str, int]:
    """Which matrix of a stack fails ('(Batch element 1): ' or nothing) and at which order."""
    stack = x.reshape(-1, *x.shape[-2:])
    for position, matrix in enumerate(stack):
        order = step(matrix)
        if order:
            return (f"(Batch element {position}): " if x.ndim > 2 else ""), order
    raise ValueError("no matrix of the stack fails")


def _zero_pivot(matrix: ndarray) -> int:
    """The order of the first zero on the diagonal of the LU factor, from LAPACK's getrf; 0 where
    there is none.
    """
    lapack = importlib.import_module("scipy.linalg.lapack")
    (getrf,) = lapack.get_lapack_funcs(("getrf",), (matrix,))
    return max(0, getrf(matrix)[2])


def _bad_minor(matrix: ndarray) -> int:
    """The order of the first minor that is not positive, from LAPACK's potrf; 0 where there is none."""
    lapack = importlib.import_module("scipy.linalg.lapack")
    (potrf,) = lapack.get_lapack_funcs(("potrf",), (matrix,))
    return max(0, potrf(matrix, lower=True)[1])


def _inv(x: ndarray, /) -> ndarray:
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        where, order = _failure(x, _zero_pivot)
        raise LinAlgError(
            f"linalg.inv: {where}The diagonal element {order} is zero, the inversion could not be completed "
            "because the input matrix is singular."
        ) from None


#: The inverse.
inv: Call = op(
    "linalg_inv_ex", _inv, (lambda g, out: -matmul(adjoint(out), matmul(g, adjoint(out))),),
    jvp=lambda primals, tangents, out: -matmul(out, matmul(tangents[0], out)), batch=lambda size: (),
    shape=lambda x: ((np.shape(x), x.dtype),),
)  # fmt: skip


def _solve(x: ndarray, y: ndarray, /) -> ndarray:
    try:
        return np.linalg.solve(x, y)
    except np.linalg.LinAlgError:
        where, _ = _failure(x, _zero_pivot)
        raise LinAlgError(
            f"torch.linalg.solve: {where}The solver failed because the input matrix is singular."
        ) from None


def _solve_jvp(primals: tuple[Any, ...], tangents: tuple[Any, ...], out: Any) -> Any:
    x, _ = primals
    dx, dy = tangents
    if dx is None:
        return solve(x, dy)
    change = -matmul(dx, out)
    return solve(x, change if dy is None else dy + change)


def _batch_solve(size: int, values: tuple[Any, ...], dims: tuple[int | None, ...]) -> Any:
    fronts = [v if d is None else permute_to_front(v, d) for v, d in zip(values, dims, strict=True)]
    ranks = [len(shape_of(v)) - (d is not None) for v, d in zip(fronts, dims, strict=True)]
    aligned = []
    for v, d, rank in zip(fronts, dims, ranks, strict=True):
        shape = shape_of(v)
        aligned.append(v if d is None else reshape(v, (size, *(1,) * (max(ranks) - rank), *shape[1:])))
    return solve(*aligned)


#: X with A X = B; both have at least two axes, and leading axes broadcast.
solve: Call = op(
    "linalg_solve_ex", _solve,
    (
        lambda g, x, out: -matmul(solve(adjoint(x), g), adjoint(out)),
        lambda g, x: solve(adjoint(x), g),
    ),
    jvp=_solve_jvp, batch_rule=_batch_solve,
    shape=lambda x, y: (((*np.broadcast_shapes(x.shape[:-2], y.shape[:-2]), *y.shape[-2:]), y.dtype),),
)  # fmt: skip


def _cholesky(x: ndarray, /) -> ndarray:
    try:
        return np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        where, order = _failure(x, _bad_minor)
        raise LinAlgError(
            f"linalg.cholesky: {where}The factorization could not be completed because the input is not "
            f"positive-definite (the leading minor of order {order} is not positive-definite)."
        ) from None


def _triangle(x: Any, diagonal: float) -> Any:
    """The lower triangle of a square value, its diagonal times a number."""
    size = shape_of(x)[-1]
    return mul(x, (np.tril(np.ones((size, size)), -1) + diagonal * np.eye(size)).astype(real_dtype(x)))


def real_dtype(x: Any) -> np.dtype[Any]:
    """The real dtype that multiplies a value without widening it."""
    dtype = dtype_of(x)
    return np.zeros((), dtype).real.dtype if dtype.kind == "c" else dtype


def _cholesky_rule(g: Any, out: Any) -> Any:
    half = _triangle(matmul(adjoint(out), _triangle(g, 1.0)), 0.5)
    half = half + adjoint(half)
    inner = solve(adjoint(out), half)
    return adjoint(solve(adjoint(out), adjoint(inner))) * 0.5


def _cholesky_jvp(primals: tuple[Any, ...], tangents: tuple[Any, ...], out: Any) -> Any:
    t = (tangents[0] + adjoint(tangents[0])) * 0.5
    inner = adjoint(solve(out, adjoint(solve(out, t))))
    return matmul(out, _triangle(inner, 0.5))


#: The lower factor L of A = L Lᴴ.
cholesky: Call = op(
    "linalg_cholesky_ex", _cholesky, (_cholesky_rule,), jvp=_cholesky_jvp, batch=lambda size: (),
    shape=lambda x: ((np.shape(x), x.dtype),),
)


def _det(x: ndarray, /) -> ndarray:
    return np.asarray(np.linalg.det(x))


def _det_rule(g: Any, x: Any, out: Any) -> Any:
    return column(column(g * conj(out))) * adjoint(inv(x))


#: The determinant.
det: Call = op("linalg_det", _det, (_det_rule,), batch=lambda size: ())


def _slogdet(x: ndarray, /) -> tuple[ndarray, ndarray]:
    sign, size = np.linalg.slogdet(x)
    return np.asarray(sign), np.asarray(size)


#: Sign (or phase) of the determinant and the logarithm of its absolute value; only the latter carries a
#: gradient.
slogdet: Call = op(
    "linalg_slogdet", _slogdet, (lambda g, x: column(column(g)) * adjoint(inv(x)),),
    outputs=("sign", "logabsdet"), differentiable=(1,), batch=lambda size: (),
)  # fmt: skip


def _cross(x: ndarray, y: ndarray, /, dim: int) -> ndarray:
    return np.cross(x, y, axis=dim)


#: The vector product along an axis of length 3.
cross: Call = op(
    "linalg_cross", _cross,
    (lambda g, y, dim: cross(conj(y), g, dim), lambda g, x, dim: cross(g, conj(x), dim)), kind="bilinear",
    batch=lambda size, dim: (dim + 1,),
)  # fmt: skip
