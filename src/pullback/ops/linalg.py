"""Linear algebra: inverse, solution and determinant of matrices or stacks of them, and what the other files
of matrix functions share.

Derivatives are the matrix calculus ones (Giles 2008, "An extended collection of matrix derivative results"),
in torch's convention for complex values: the covector is that of the conjugate. Results lie in memory as
LAPACK leaves them, column by column, as torch's do.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import scipy_functions
from ..array.blas import SCIPY, single_threaded
from ..array.strides import contiguous_strides, laid_out_empty
from ..core.batched import Batched
from ..core.bulk import Bulk
from ..core.dual import Dual
from ..core.graph_errors import type_word
from ..core.op import op
from ..core.value import TensorBase, dtype_of, shape_of
from .arithmetic import add, mul, sub
from .complex import imag_view
from .contract import column, matmul, swap
from .convert import conj
from .reduce import prod_dim
from .structure import expand, permute_to_front, reshape, sum_dims
from .view import diagonal, diagonal_backward, slice_dim

Call = Callable[..., Any]
INT32 = np.dtype(np.int32)


class LinAlgError(RuntimeError):
    """A factorisation or solution does not exist."""


LinAlgError.__module__ = "torch._C"
LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


# --- values of any kind -------------------------------------------------------------------------------------


def adjoint(x: Any) -> Any:
    """Return the conjugate transpose."""
    return swap(conj(x))


def row_of(v: Any) -> Any:
    """Return vectors as matrices of one row each."""
    shape = shape_of(v)
    return reshape(v, (*shape[:-1], 1, shape[-1]))


def narrow(x: Any, dim: int, start: int, length: int) -> Any:
    """Return `length` places of an axis from `start` on; negative axes count from the end."""
    return slice_dim(x, dim % len(shape_of(x)), start, start + length, 1)


def real_dtype(x: Any) -> np.dtype[Any]:
    """Return the real dtype that multiplies a value without widening it."""
    dtype = dtype_of(x)
    return np.zeros((), dtype).real.dtype if dtype.kind == "c" else dtype


def eye_of(x: Any) -> ndarray:
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


def concrete(value: Any) -> ndarray | None:
    """Return the array at the bottom of a value, batch axes included; None where there is none (tracing)."""
    while not isinstance(value, ndarray):
        if isinstance(value, TensorBase):
            value = value._value
        elif isinstance(value, (Batched, Bulk)):
            value = value.value
        elif isinstance(value, Dual):
            value = value.primal
        else:
            return None
    return value


def aligned(call: Call) -> Call:
    """Return a batching rule for ops on stacks of matrices whose leading axes broadcast."""

    def rule(size: int, values: Sequence[Any], dims: Sequence[int | None], *attrs: Any) -> Any:
        return call(*aligned_fronts(size, values, dims), *attrs)

    return rule


def aligned_fronts(size: int, values: Sequence[Any], dims: Sequence[int | None]) -> list[Any]:
    """Return the values with batch axes first and as many axes as the longest, so that leading axes
    broadcast.
    """
    fronts = [v if d is None else permute_to_front(v, d) for v, d in zip(values, dims, strict=True)]
    ranks = [len(shape_of(v)) - (d is not None) for v, d in zip(fronts, dims, strict=True)]
    most = max(ranks)
    return [
        v if d is None else reshape(v, (size, *(1,) * (most - rank), *shape_of(v)[1:]))
        for v, d, rank in zip(fronts, dims, ranks, strict=True)
    ]


# --- kernels ------------------------------------------------------------------------------------------------


@functools.cache
def routine(name: str, dtype: np.dtype[Any]) -> Call:
    """Return LAPACK's or BLAS's routine for a dtype; SciPy's own search for one takes 50 µs."""
    probe = (np.empty(0, dtype),)
    try:
        (found,) = scipy_functions.lapack().get_lapack_funcs((name,), probe)
    except ValueError:
        (found,) = importlib.import_module("scipy.linalg.blas").get_blas_funcs((name,), probe)
    return found


#: What `numpy.linalg` calls.
_ROUTINES = getattr(np.linalg, "_umath_linalg", None)

#: Rows of matrices on which LAPACK's threads cost more than they give: beside those of a compiled program a
#: Cholesky factor of 200 rows takes 3.1 ms with two threads, and 0.5 with one; smaller ones have none.
ONE_THREAD = range(32, 512)


def lapack(name: str, x: ndarray) -> Call:
    """Return LAPACK's routine for the dtype of an array; on matrices of middling size it runs on one
    thread.
    """
    found = routine(name, x.dtype)
    return functools.partial(_on_one_thread, found) if max(x.shape[-2:]) in ONE_THREAD else found


def by_numpy(function: Call, x: ndarray, /, *args: Any, **kwargs: Any) -> Any:
    """Return what a function of `numpy.linalg` gives, on one thread where `lapack` has one."""
    if max(x.shape[-2:]) not in ONE_THREAD:
        return function(x, *args, **kwargs)
    with single_threaded():
        return function(x, *args, **kwargs)


def by_routine(name: str, *arrays: ndarray) -> ndarray | None:
    """Return what NumPy's routine of a name makes of stacks of small matrices of one dtype, with contiguous
    columns; None where it is not there, or one of the matrices has to be looked at by itself.

    The functions of `numpy.linalg` take 8 µs around the routine, which gives NaN where it fails.
    """
    x = arrays[0]
    routine = getattr(_ROUTINES, name, None)
    if routine is None or x.size == 0 or max(x.shape[-2:]) >= ONE_THREAD.start:
        return None
    if x.dtype not in _COMPUTED or arrays[-1].dtype != x.dtype:
        return None
    lead = x.shape[:-2]
    if len(arrays) > 1 and arrays[1].shape[:-2] != lead:
        lead = leading(arrays, (2,) * len(arrays))
    result = empty_columns((*lead, *arrays[-1].shape[-2:]), x.dtype)
    routine(*arrays, out=result)
    return result if np.isfinite(np.add.reduce(result, axis=None)) else None


#: Rows of a single matrix from which LAPACK's routines are called by themselves: NumPy copies there and back,
#: and inverts by solving. Of 150 rows of float64 a factor takes 81 µs in place of 115, an inverse 380 of 630.
_LAPACK_ROWS = 64


def calls_lapack(x: ndarray) -> bool:
    """Return whether a matrix goes to LAPACK's routines, which SciPy has, and not to NumPy's functions."""
    return x.ndim == 2 and len(x) >= _LAPACK_ROWS and scipy_functions.is_installed()


def _on_one_thread(routine: Call, *args: Any, **kwargs: Any) -> Any:
    with SCIPY.single_threaded():
        return routine(*args, **kwargs)


def empty_columns(shape: tuple[int, ...], dtype: np.dtype[Any]) -> ndarray:
    """Return uninitialised matrices with contiguous columns."""
    turned = (*shape[:-2], shape[-1], shape[-2])
    if 0 in shape:
        # NumPy gives new empty arrays no strides of their own
        return laid_out_empty(turned, contiguous_strides(turned), dtype).swapaxes(-1, -2)
    return np.empty(turned, dtype).swapaxes(-1, -2)


def column_major(x: ndarray) -> ndarray:
    """Return a copy of matrices with contiguous columns, as LAPACK leaves its results."""
    result = empty_columns(x.shape, x.dtype)
    result[...] = x
    return result


def leading(arrays: Sequence[ndarray], ranks: Sequence[int]) -> tuple[int, ...]:
    """Return the common leading shape of stacks whose items have `ranks` axes."""
    return np.broadcast_shapes(*(a.shape[: a.ndim - r] for a, r in zip(arrays, ranks, strict=True)))


def _laid_out(part: Any, dtype: np.dtype[Any]) -> ndarray:
    """Return the result of a step as an array, a matrix with contiguous columns."""
    array = np.asarray(part, dtype)
    return array if array.ndim < 2 or array.flags.f_contiguous else column_major(array)


def each(
    step: Callable[..., tuple[Any, ...]],
    arrays: Sequence[ndarray],
    outputs: Sequence[tuple[tuple[int, ...], np.dtype[Any]]],
    ranks: Sequence[int] | None = None,
) -> tuple[ndarray, ...]:
    """Run ``step`` on the items of stacks whose leading axes broadcast.

    Parameters
    ----------
    outputs : sequence of (shape, dtype)
        What the step returns for one item; matrices are stored column by column.
    ranks : sequence of int, optional
        How many axes an item of each array has (2 by default).
    """
    ranks = (2,) * len(arrays) if ranks is None else ranks
    if all(a.ndim == r for a, r in zip(arrays, ranks, strict=True)):
        return tuple(
            _laid_out(part, dtype) for part, (_, dtype) in zip(step(*arrays), outputs, strict=True)
        )
    lead = leading(arrays, ranks)
    stacks = [
        np.broadcast_to(a, (*lead, *a.shape[a.ndim - r :])) for a, r in zip(arrays, ranks, strict=True)
    ]
    results = tuple(
        empty_columns((*lead, *shape), dtype) if len(shape) == 2 else np.empty((*lead, *shape), dtype)
        for shape, dtype in outputs
    )
    for index in np.ndindex(*lead):
        for result, part in zip(results, step(*(s[index] for s in stacks)), strict=True):
            result[index] = part
    return results


def failure(info: ndarray) -> tuple[str, int]:
    """Return the first failure's place ('(Batch element 1): ', or '' for a single matrix) and number."""
    position = int(np.flatnonzero(info)[0])
    return (f"(Batch element {position}): " if info.ndim else ""), int(info.reshape(-1)[position])


_COMPUTED = frozenset(map(np.dtype, "fdFD"))


def computes(kernel: str) -> Callable[..., None]:
    """Return a check that refuses, with torch's name of its kernel, what LAPACK has no routine for."""

    def check(x: ndarray, *rest: Any) -> None:
        if x.dtype not in _COMPUTED:
            raise NotImplementedError(f"\"{kernel}\" not implemented for '{type_word(x.dtype)}'")

    return check


def _no_info(x: ndarray) -> ndarray:
    return np.zeros(x.shape[:-2], INT32)


# --- inverse and solution -----------------------------------------------------------------------------------


def _solved_each(x: ndarray, y: ndarray) -> tuple[ndarray, ...]:
    """Return the solution of each system and the place of the first zero pivot, or 0, from LAPACK's getrf."""
    getrf, getrs = lapack("getrf", x), lapack("getrs", x)

    def step(a: ndarray, b: ndarray) -> tuple[Any, ...]:
        lu, pivots, info = getrf(a)
        return getrs(lu, pivots, b)[0], max(0, info)

    return each(step, (x, y), ((y.shape[-2:], y.dtype), ((), INT32)))


def _inverted(x: ndarray) -> tuple[ndarray, ndarray]:
    """Return the inverse of a matrix and the place of the first zero pivot, or 0, from LAPACK's getri."""
    lu, pivots, place = lapack("getrf", x)(x)
    if place > 0:
        result, info = _solved_each(x, np.eye(len(x), dtype=x.dtype))
        return result, info
    return lapack("getri", x)(lu, pivots, overwrite_lu=1)[0], _no_info(x)


def _inv(x: ndarray, /, caller: str) -> tuple[ndarray, ndarray]:
    found = by_routine("inv", x)
    if found is not None:
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


#: The inverse, and per matrix the place of the first zero pivot or 0; with the name of a caller a failure is
#: an error.
inv_ex: Call = op(
    "linalg_inv_ex", _inv,
    (lambda g, inverse: -matmul(adjoint(inverse), matmul(g, adjoint(inverse))),),
    outputs=("inverse", "info"), differentiable=(0,),
    jvp=lambda primals, tangents, out, caller: (-matmul(out[0], matmul(tangents[0], out[0])), None),
    batch=lambda size, caller: (caller,),
    shape=lambda x, caller: ((x.shape, x.dtype), (x.shape[:-2], INT32)),
)  # fmt: skip


def inv(x: Any) -> Any:
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
    found = by_routine("solve", x, y)
    if found is not None:
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
    g: Any, x: Any, result: Any, left: bool, vector: bool, needs: tuple[bool, ...]
) -> tuple[Any, Any]:
    # One solution serves both.
    pulled = solve(adjoint(x), g, left, vector)
    if not needs[0]:
        return None, pulled
    gy, y = (column(pulled), column(result)) if vector else (pulled, result)
    return -(matmul(gy, adjoint(y)) if left else matmul(adjoint(y), gy)), pulled


def _solve_jvp(
    primals: tuple[Any, ...], tangents: tuple[Any, ...], out: Any, left: bool, vector: bool, caller: str
) -> Any:
    (x, _), (dx, dy) = primals, tangents
    change = dy
    if dx is not None:
        result = column(out[0]) if vector else out[0]
        moved = matmul(dx, result) if left else matmul(result, dx)
        change = total(dy, -(reshape(moved, shape_of(out[0])) if vector else moved))
    return solve(x, change, left, vector), None


def _solve_batched(
    size: int, values: Sequence[Any], dims: Sequence[int | None], left: bool, vector: bool, caller: str
) -> Any:
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
solve_ex: Call = op(
    "linalg_solve_ex", _solve,
    _solve_rule, joint=True,
    outputs=("result", "info"), differentiable=(0,), jvp=_solve_jvp, batch_rule=_solve_batched,
    check=computes("lu_cpu"),
    shape=_solve_shape, saves=("result",),
)  # fmt: skip


def solve(x: Any, y: Any, left: bool = True, vector: bool = False) -> Any:
    """Return X with A X = B (or X A = B)."""
    return solve_ex(x, y, left, vector, "torch.linalg.solve")[0]


# --- determinants -------------------------------------------------------------------------------------------


def _det(x: ndarray, /) -> ndarray:
    return np.asarray(by_numpy(np.linalg.det, x))


def _products_without(s: Any, count: int) -> Any:
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


def _cofactors_rule(g: Any, x: Any) -> Any:
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


def _det_rule(g: Any, x: Any, out: Any) -> Any:
    if shape_of(x)[-1] == 1:
        return column(column(g))
    values = concrete(out)
    if values is None or (np.abs(values) >= 100 * np.finfo(values.dtype).eps).all():
        return solve(adjoint(x), mul(column(column(mul(g, conj(out)))), eye_of(x)))
    return mul(column(column(g)), conj(cofactors(x)))


#: The determinant.
det: Call = op("linalg_det", _det, (_det_rule,), batch=lambda size: (), check=computes("lu_cpu"))


def _slogdet(x: ndarray, /) -> tuple[ndarray, ndarray]:
    sign, size = by_numpy(np.linalg.slogdet, x)
    return np.asarray(sign), np.asarray(size)


def _slogdet_rule(g: Any, x: Any, sign: Any) -> Any:
    gsign, glog = g
    slope = glog
    if dtype_of(x).kind in "cW" and gsign is not None:
        # d sign = i·sign·Im(tr(A⁻¹ dA))
        turn = mul(imag_view(mul(conj(gsign), sign)), np.asarray(1j, dtype_of(x)))
        slope = -turn if glog is None else sub(glog, turn)
    if slope is None:
        return None
    return solve_ex(adjoint(x), mul(column(column(slope)), eye_of(x)), True, False, "")[0]


#: Sign (or phase) of the determinant and the logarithm of its absolute value.
slogdet: Call = op(
    "linalg_slogdet", _slogdet, (_slogdet_rule,), outputs=("sign", "logabsdet"), partial=True,
    batch=lambda size: (),
)  # fmt: skip


# --- products -----------------------------------------------------------------------------------------------


def _cross(x: ndarray, y: ndarray, /, dim: int) -> ndarray:
    return np.ascontiguousarray(np.cross(x, y, axis=dim))


#: The vector product along an axis of length 3.
cross: Call = op(
    "linalg_cross", _cross,
    (lambda g, y, dim: cross(conj(y), g, dim), lambda g, x, dim: cross(g, conj(x), dim)), kind="bilinear",
    batch=lambda size, dim: (dim + 1,),
)  # fmt: skip


# --- the diagonal's sum -------------------------------------------------------------------------------------


def _trace(x: ndarray, /) -> ndarray:
    return np.add.reduce(x.diagonal(), dtype=np.int64 if x.dtype.kind in "iu" else x.dtype, out=...)


def _trace_batched(size: int, values: tuple[Any, ...], dims: tuple[int, ...]) -> Any:
    return sum_dims(diagonal(permute_to_front(values[0], dims[0]), 0, 1, 2), (1,), False)


#: The sum of a matrix's diagonal; of integers in int64.
trace: Call = op(
    "trace", _trace,
    (lambda g, shape_x: diagonal_backward(expand(g, (min(shape_x),)), shape_x, 0, 0, 1),),
    kind="reduce", halves=True, jvp=lambda primals, tangents, out: trace(tangents[0]),
    batch_rule=_trace_batched,
)  # fmt: skip
