"""LU factorisation with row exchanges, and its symmetric kin LDL."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ..array.lapack import (
    INT32,
    column_major,
    each,
    empty_columns,
    factor_stack,
    failure,
    lapack,
    leading,
    solve_factored,
)
from ..core.op import Axes, Call, Covectors, Several, Term, Terms, op
from ..core.value import dtype_of, shape_of
from .arithmetic import add, sub
from .contract import matmul, swap
from .join import cat
from .linalg import adjoint, aligned_fronts, computes, narrow, total
from .rearrange import tril, triu
from .structure import permute_to_front, reshape
from .triangular import _solve_triangular, solve_triangular

# --- LU -----------------------------------------------------------------------------------------------------


def _lu_factor_ex(x: ndarray, /, caller: str) -> tuple[ndarray, ndarray, ndarray]:
    shape, count = x.shape[-2:], min(x.shape[-2:])
    if x.size == 0:
        lead = x.shape[:-2]
        return empty_columns(x.shape, x.dtype), np.empty((*lead, count), INT32), np.zeros(lead, INT32)
    if (found := factor_stack(x)) is not None:
        lu, pivots, info, _ = found
    else:
        getrf = lapack("getrf", x)

        def step(a: ndarray) -> tuple[Any, ...]:
            lu, pivots, info = getrf(a)
            return lu, pivots + 1, info

        lu, pivots, info = each(step, (x,), ((shape, x.dtype), ((count,), INT32), ((), INT32)))
    if caller and info.any():
        where, order = failure(info)
        raise RuntimeError(
            f"{caller}: {where}U[{order},{order}] is zero and using it on lu_solve would result in a "
            "division by zero. If you still want to perform the factorization, consider calling linalg.lu(A, "
            "pivot) or linalg.lu_factor_ex(A, pivot)"
        )
    return lu, pivots, info


def _pull_factors(gl: Any, gu: Any, lower: Any, upper: Any) -> Any:
    """Return the covector of L U, given those of its factors.

    Where both are square it is L⁻ᴴ (tril(Lᴴ gL, −1) + triu(gU Uᴴ)) U⁻ᴴ; columns beyond, which are L U₂, and
    rows beyond, L₂ U, are pulled back through what they are products of.
    """
    rows, columns, count = shape_of(lower)[-2], shape_of(upper)[-1], shape_of(lower)[-1]
    square_l, square_u = narrow(lower, -2, 0, count), narrow(upper, -1, 0, count)
    inner_l = inner_u = beyond = None
    if gl is not None:
        inner_l = matmul(adjoint(square_l), narrow(gl, -2, 0, count))
    if gu is not None:
        inner_u = matmul(narrow(gu, -1, 0, count), adjoint(square_u))
    if columns > count and gu is not None:
        more = narrow(gu, -1, count, columns - count)
        inner_l = total(-matmul(more, adjoint(narrow(upper, -1, count, columns - count))), inner_l)
        beyond = solve_triangular(adjoint(square_l), more, True, True, True)
    if rows > count and gl is not None:
        more = narrow(gl, -2, count, rows - count)
        inner_u = total(-matmul(adjoint(narrow(lower, -2, count, rows - count)), more), inner_u)
        beyond = solve_triangular(adjoint(square_u), more, False, False, False)
    inner = total(
        None if inner_l is None else tril(inner_l, -1), None if inner_u is None else triu(inner_u, 0)
    )
    inner = solve_triangular(adjoint(square_l), inner, True, True, True)
    inner = solve_triangular(adjoint(square_u), inner, False, False, False)
    if rows == columns:
        return inner
    rank = len(shape_of(inner))
    if beyond is None:
        shape = (rows - count, count) if rows > count else (count, columns - count)
        beyond = np.zeros((*shape_of(inner)[:-2], *shape), dtype_of(inner))
    return cat((inner, beyond), rank - 2 if rows > count else rank - 1)


def _push_factors(moved: Term, lower: Any, upper: Any) -> tuple[Any, Any]:
    """Return the tangents of the factors L and U, given that of their product."""
    rows, columns, count = shape_of(lower)[-2], shape_of(upper)[-1], shape_of(lower)[-1]
    square_l, square_u = narrow(lower, -2, 0, count), narrow(upper, -1, 0, count)
    part = narrow(narrow(moved, -2, 0, count), -1, 0, count)
    inner = solve_triangular(square_l, part, False, True, True)
    inner = solve_triangular(square_u, inner, True, False, False)
    dl, du = matmul(square_l, tril(inner, -1)), matmul(triu(inner, 0), square_u)
    axis = len(shape_of(moved)) - 1
    if columns > count:
        more = narrow(moved, -1, count, columns - count)
        more = sub(more, matmul(dl, narrow(upper, -1, count, columns - count)))
        du = cat((du, solve_triangular(square_l, more, False, True, True)), axis)
    if rows > count:
        more = narrow(moved, -2, count, rows - count)
        more = sub(more, matmul(narrow(lower, -2, count, rows - count), du))
        dl = cat((dl, solve_triangular(square_u, more, True, False, False)), axis - 1)
    return dl, du


def _packed(lower: Any, upper: Any) -> Any:
    """Return both triangles in one matrix, without the diagonal of ones."""
    rows, columns, count = shape_of(lower)[-2], shape_of(upper)[-1], shape_of(lower)[-1]
    axis = len(shape_of(lower)) - 1
    lower, upper = tril(lower, -1), triu(upper, 0)
    if columns > count:
        zeros = np.zeros((*shape_of(lower)[:-1], columns - count), dtype_of(lower))
        lower = cat((lower, zeros), axis)
    if rows > count:
        zeros = np.zeros((*shape_of(upper)[:-2], rows - count, columns), dtype_of(upper))
        upper = cat((upper, zeros), axis - 1)
    return add(lower, upper)


def _lu_factor_rule(g: Term, lu: Term, pivots: Term) -> Term:
    p, lower, upper = lu_unpack(lu, pivots, True, True)
    count = shape_of(pivots)[-1]
    return matmul(p, _pull_factors(narrow(g, -1, 0, count), narrow(g, -2, 0, count), lower, upper))


def _lu_factor_jvp(primals: Terms, tangents: Covectors, out: Terms, caller: str) -> Covectors:
    p, lower, upper = lu_unpack(out[0], out[1], True, True)
    return _packed(*_push_factors(matmul(swap(p), tangents[0]), lower, upper)), None, None


#: P L U = A as LAPACK leaves it: both factors in one matrix, the row exchanges (from 1), and per matrix the
#: place of the first zero pivot or 0.
lu_factor_ex: Several = op(
    "linalg_lu_factor_ex", _lu_factor_ex, (_lu_factor_rule,), outputs=("lu", "pivots", "info"),
    differentiable=(0,), columns=(0,), jvp=_lu_factor_jvp, batch=lambda size, caller: (caller,),
    check=computes("lu_cpu"),
    shape=lambda x, caller: (
        (x.shape, x.dtype), ((*x.shape[:-2], min(x.shape[-2:])), INT32), (x.shape[:-2], INT32)
    ),
)  # fmt: skip


def _are_many(pivots: ndarray) -> bool:
    """Return whether the rows of all matrices of a stack are exchanged side by side: 1,000 of 3×3 are solved
    in 0.5 ms so, and one after another, with two calls of LAPACK for each, in 9.8.
    """
    return pivots.size > 2 * pivots.shape[-1] ** 2


def _order(pivots: ndarray, rows: int) -> ndarray:
    """Return which row each matrix of a stack has at each place after the exchanges."""
    flat = pivots.reshape(-1, pivots.shape[-1]) - 1
    order, matrices = np.tile(np.arange(rows), (len(flat), 1)), np.arange(len(flat))
    for k in range(min(rows, flat.shape[1])):
        chosen = flat[:, k]
        order[matrices, chosen], order[:, k] = order[:, k].copy(), order[matrices, chosen]
    return order.reshape(*pivots.shape[:-1], rows)


def _permutation(pivots: ndarray, rows: int, dtype: np.dtype[Any]) -> ndarray:
    """Return the matrices P of row exchanges: row i with row pivots[i] − 1, in turn."""
    result = np.zeros((*pivots.shape[:-1], rows, rows), dtype)
    count = min(rows, pivots.shape[-1])
    if not pivots[..., :count].size:
        result[..., np.arange(rows), np.arange(rows)] = 1
        return result
    if (pivots[..., :count] < 1).any() or (pivots[..., :count] > rows).any():
        raise IndexError("LAPACK would exchange rows that are not there")
    if _are_many(pivots):
        np.equal(np.arange(rows)[:, None], _order(pivots, rows)[..., None, :], out=result, casting="unsafe")
        return result
    # Numbers in one column, for OpenBLAS takes threads for two: on a busy machine milliseconds for 2×2.
    laswp, places = lapack("laswp", result), np.arange(rows, dtype=dtype)
    for index in np.ndindex(*pivots.shape[:-1]):
        exchanged = laswp(places[:, None], pivots[index][:count] - 1)
        result[index] = np.equal(places[:, None], exchanged[:, 0])
    return result


def _lu_unpack(
    x: ndarray, pivots: ndarray, /, data: bool, exchanges: bool
) -> tuple[ndarray, ndarray, ndarray]:
    rows, columns = x.shape[-2:]
    count = min(rows, columns)
    nothing = np.empty((0,), x.dtype)
    p = _permutation(pivots, rows, x.dtype) if exchanges else nothing
    if not data:
        return p, nothing, nothing.copy()
    lower = np.tril(x[..., :count], -1)
    np.copyto(lower, 1, where=np.eye(rows, count, dtype=bool))
    return p, np.ascontiguousarray(lower), np.ascontiguousarray(np.triu(x[..., :count, :]))


def _unpacked(x: ndarray, pivots: ndarray, data: bool, exchanges: bool) -> Any:
    (*lead, rows, columns), count = x.shape, min(x.shape[-2:])
    shapes = (*pivots.shape[:-1], rows, rows), (*lead, rows, count), (*lead, count, columns)
    asked = exchanges, data, data
    return tuple([(shape if a else (0,), x.dtype) for shape, a in zip(shapes, asked, strict=True)])


def _lu_unpack_rule(g: Covectors, shape_x: tuple[int, ...]) -> Term:
    some = g[1] if g[0] is None else g[0]
    count = min(shape_x[-2:])
    gl, gu = g
    if gl is None:
        gl = np.zeros((*shape_x[:-1], count), dtype_of(some))
    if gu is None:
        gu = np.zeros((*shape_x[:-2], count, shape_x[-1]), dtype_of(some))
    return _packed(gl, gu)


def _lu_unpack_jvp(primals: Terms, tangents: Terms, out: Term, data: bool, exchanges: bool) -> Covectors:
    if not data:
        return None, None, None
    count = min(shape_of(primals[0])[-2:])
    dx = tangents[0]
    return None, tril(narrow(dx, -1, 0, count), -1), triu(narrow(dx, -2, 0, count), 0)


def _lu_unpack_batched(size: int, values: Terms, dims: Axes, data: bool, exchanges: bool) -> Any:
    fronts = [
        add(v, np.zeros((size, *(1,) * len(shape_of(v))), dtype_of(v)))
        if d is None
        else permute_to_front(v, d)
        for v, d in zip(values, dims, strict=True)
    ]
    p, lower, upper = lu_unpack(*fronts, data, exchanges)
    nothing = np.empty((size, 0), dtype_of(fronts[0]))
    return p if exchanges else nothing, lower if data else nothing, upper if data else nothing


#: P, L and U from what `lu_factor_ex` gives; those not asked for are empty.
lu_unpack: Several = op(
    "lu_unpack", _lu_unpack, (_lu_unpack_rule, None), outputs=("p", "lower", "upper"), differentiable=(1, 2),
    partial=True, jvp=_lu_unpack_jvp, batch_rule=_lu_unpack_batched, shape=_unpacked,
)  # fmt: skip


def _lu(x: ndarray, /) -> tuple[ndarray, ndarray, ndarray]:
    lu, pivots, _ = _lu_factor_ex(x, "")
    return _lu_unpack(lu, pivots, True, True)


def _lu_jvp(primals: Terms, tangents: Covectors, out: Terms) -> Covectors:
    p, lower, upper = out
    return None, *_push_factors(matmul(swap(p), tangents[0]), lower, upper)


#: P, L and U with A = P L U.
lu: Several = op(
    "linalg_lu", _lu,
    (lambda g, p, lower, upper: matmul(p, _pull_factors(g[0], g[1], lower, upper)),),
    outputs=("p", "lower", "upper"), differentiable=(1, 2), partial=True, jvp=_lu_jvp, batch=lambda size: (),
    check=computes("lu_cpu"),
)  # fmt: skip


def _lu_solve(x: ndarray, pivots: ndarray, y: ndarray, /, left: bool, adjointed: bool) -> ndarray:
    # LAPACK would exchange rows that are not there.
    said = "Did you properly pass the result of lu_factor?"
    if pivots.size and pivots.min() < 1:
        raise RuntimeError(f"Pivots given to lu_solve must all be greater or equal to 1. {said}")
    if pivots.size and pivots.max() > x.shape[-2]:
        raise RuntimeError(f"Pivots given to lu_solve must all be smaller or equal to LU.size(-2). {said}")
    if not left:
        flipped = y.conj().swapaxes(-1, -2)
        return _lu_solve(x, pivots, flipped, True, not adjointed).conj().swapaxes(-1, -2)
    if y.size == 0:
        return empty_columns((*leading((x, pivots, y), (2, 1, 2)), *y.shape[-2:]), y.dtype)
    if _are_many(pivots):
        lead = leading((x, pivots, y), (2, 1, 2))
        order = np.broadcast_to(_order(pivots, x.shape[-1])[..., None], (*lead, x.shape[-1], 1))
        y = np.broadcast_to(y, (*lead, *y.shape[-2:]))
        if not adjointed:
            half = _solve_triangular(x, np.take_along_axis(y, order, -2), False, True, True)
            return _solve_triangular(x, half, True, True, False)
        a = x.conj().swapaxes(-1, -2)
        y = _solve_triangular(a, _solve_triangular(a, y, False, True, False), True, True, True)
        return column_major(np.take_along_axis(y, order.argsort(-2), -2))
    return each(
        lambda a, p, b: (solve_factored(a, p - 1, b, adjointed),),
        (x, pivots, y), ((y.shape[-2:], y.dtype),), (2, 1, 2),
    )[0]  # fmt: skip


def _lu_solve_rule(g: Term, x: Term, pivots: Term, out: Term, left: bool, adjointed: bool) -> Term:
    if not left:
        g, out, adjointed = adjoint(g), adjoint(out), not adjointed
    # To solve by a triangle of x is to read no other: neither is taken apart.
    if adjointed:
        p = lu_unpack(x, pivots, False, True)[0]
        y = matmul(swap(p), out)
        z = solve_triangular(x, matmul(swap(p), g), False, True, True)
        w = solve_triangular(x, z, True, True, False)
        return -_packed(matmul(y, adjoint(z)), matmul(add(y, matmul(adjoint(tril(x, -1)), y)), adjoint(w)))
    w = solve_triangular(adjoint(x), g, False, True, False)
    z = solve_triangular(adjoint(x), w, True, True, True)
    return -_packed(matmul(z, adjoint(matmul(triu(x, 0), out))), matmul(w, adjoint(out)))


def _lu_solve_batched(size: int, values: Terms, dims: Axes, left: bool, adjointed: bool) -> Any:
    x, pivots, y = values
    shape = shape_of(pivots)
    fronts = aligned_fronts(size, (x, reshape(pivots, (*shape, 1)), y), dims)
    pivots = reshape(fronts[1], shape_of(fronts[1])[:-1])
    return lu_solve(fronts[0], pivots, fronts[2], left, adjointed)


#: X with A X = B, X A = B or the like with Aᴴ, from the factors that `lu_factor_ex` gives.
lu_solve: Call = op(
    "linalg_lu_solve", _lu_solve,
    (_lu_solve_rule, None, lambda g, x, pivots, left, adjointed: lu_solve(x, pivots, g, left, not adjointed)),
    batch_rule=_lu_solve_batched,
    shape=lambda x, pivots, y, *attrs: (((*leading((x, pivots, y), (2, 1, 2)), *y.shape[-2:]), y.dtype),),
    saves=("out",),
)  # fmt: skip


# --- LDL ----------------------------------------------------------------------------------------------------


def _ldl_factor_ex(x: ndarray, /, hermitian: bool, caller: str) -> tuple[ndarray, ndarray, ndarray]:
    size = x.shape[-1]
    if x.size == 0:
        lead = x.shape[:-2]
        return empty_columns(x.shape, x.dtype), np.empty((*lead, size), INT32), np.zeros(lead, INT32)
    trf = lapack("hetrf" if hermitian and x.dtype.kind == "c" else "sytrf", x)

    def step(a: ndarray) -> tuple[Any, ...]:
        factor, pivots, info = trf(np.tril(a), lower=1, lwork=64 * size)
        return factor, pivots, info

    ld, pivots, info = each(step, (x,), ((x.shape[-2:], x.dtype), ((size,), INT32), ((), INT32)))
    if caller and info.any():
        where, order = failure(info)
        raise RuntimeError(f"{caller}: {where}Unknown error code: {order}.")
    return ld, pivots, info


#: P L D Lᵀ Pᵀ = A (or with Lᴴ) as LAPACK leaves it, from the lower triangle: both factors in one matrix, the
#: exchanges (negative where D has a block of two rows), and per matrix the place of the first zero or 0.
ldl_factor_ex: Several = op(
    "linalg_ldl_factor_ex", _ldl_factor_ex, underivable="linalg_ldl_factor_ex",
    outputs=("ld", "pivots", "info"), differentiable=(0,), batch=lambda size, *attrs: attrs,
    check=computes("ldl_factor_kernel_cpu"),
    shape=lambda x, *attrs: ((x.shape, x.dtype), (x.shape[:-1], INT32), (x.shape[:-2], INT32)),
)  # fmt: skip


def _are_paired(marked: ndarray) -> bool:
    """Return whether marks come in pairs along the last axis: each stands for a block of two rows."""
    is_first = np.zeros(marked.shape[:-1], bool)
    for column in np.moveaxis(marked, -1, 0):
        if np.any(is_first & ~column):
            return False
        is_first = column & ~is_first
    return not np.any(is_first)


def _ldl_solve(x: ndarray, pivots: ndarray, y: ndarray, /, hermitian: bool) -> ndarray:
    # torch does not look, and LAPACK writes outside of its arrays.
    rows = np.abs(pivots)
    if rows.size and (rows.min() < 1 or rows.max() > x.shape[-2] or not _are_paired(pivots < 0)):
        raise RuntimeError(
            "Pivots given to ldl_solve must be rows of LD. Did you properly pass the result of ldl_factor?"
        )
    if y.size == 0:
        return empty_columns((*leading((x, pivots, y), (2, 1, 2)), *y.shape[-2:]), y.dtype)
    trs = lapack("hetrs" if hermitian and x.dtype.kind == "c" else "sytrs", x)
    return each(
        lambda a, p, b: (trs(a, p, b, lower=1)[0],), (x, pivots, y), ((y.shape[-2:], y.dtype),), (2, 1, 2)
    )[0]


#: X with A X = B from what `ldl_factor_ex` gives.
ldl_solve: Call = op(
    "linalg_ldl_solve", _ldl_solve, underivable="linalg_ldl_solve",
    batch=lambda size, hermitian: (hermitian,),
    shape=lambda x, pivots, y, hermitian: (
        ((*leading((x, pivots, y), (2, 1, 2)), *y.shape[-2:]), y.dtype),
    ),
)  # fmt: skip
