"""Orthogonal factors: QR, and products of Householder reflectors, by which LAPACK stores them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy import ndarray

from ..array.lapack import by_numpy, column_major, each, empty_columns, lapack, leading
from ..core.op import Axes, Call, Covectors, Rule, Several, Term, Terms, op
from ..core.underivable import not_implemented
from ..core.value import dtype_of, shape_of
from .arithmetic import add, mul, sub
from .comparison import zeros_of
from .complex import real
from .contract import column, matmul
from .convert import conj
from .join import cat
from .linalg import adjoint, aligned_fronts, computes, eye_of, narrow, total
from .rearrange import tril, triu
from .structure import reshape
from .triangular import solve_triangular

# --- QR -----------------------------------------------------------------------------------------------------


def _qr(x: ndarray, /, mode: Literal["reduced", "complete", "r"]) -> tuple[ndarray, ndarray]:
    if mode == "r":
        return np.empty((0,), x.dtype), column_major(np.asarray(by_numpy(np.linalg.qr, x, "r")))
    q, r = by_numpy(np.linalg.qr, x, mode)
    return column_major(q), column_major(r)


def _mirrored(x: Term) -> Term:
    """Return the Hermitian matrix with the lower triangle of x."""
    lower = tril(x, -1)
    return add(add(lower, adjoint(lower)), mul(real(x), eye_of(x)))


def _qr_square(gq: Any, gr: Any, q: Term, r: Term) -> Term:
    """Return the covector where r is square: (gq + q·M) r⁻ᴴ with M mirrored from r grᴴ − gqᴴ q."""
    middle = _mirrored(total(
        None if gr is None else matmul(r, adjoint(gr)), None if gq is None else -matmul(adjoint(gq), q)
    ))
    return solve_triangular(adjoint(r), total(matmul(q, middle), gq), False, False, False)


def _refuse(shape: tuple[int, ...], mode: str) -> None:
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )
    if mode == "complete" and shape[-2] > shape[-1]:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
        )


def _qr_rule(g: Covectors, shape_x: tuple[int, ...], q: Term, r: Term, mode: str) -> Term:
    rows, columns = shape_x[-2:]
    _refuse((rows, columns), mode)
    gq, gr = g
    if rows >= columns:
        return _qr_square(gq, gr, q, r)
    # A = [X | Y], R = [U | V] with X = Q U and V = Qᴴ Y.
    if gr is None:
        first = _qr_square(gq, None, q, narrow(r, -1, 0, rows))
        shape = (*shape_x[:-1], columns - rows)
        return cat((first, np.zeros(shape, dtype_of(q))), len(shape) - 1)
    wide = narrow(gr, -1, rows, columns - rows)
    beyond = matmul(q, narrow(r, -1, rows, columns - rows))
    gq = total(matmul(beyond, adjoint(wide)), gq)
    first = _qr_square(gq, narrow(gr, -1, 0, rows), q, narrow(r, -1, 0, rows))
    return cat((first, matmul(q, wide)), len(shape_x) - 1)


def _qr_jvp(primals: Terms, tangents: Terms, out: Terms, mode: str) -> Covectors:
    (dx,), (q, r) = tangents, out
    rows, columns = shape_of(dx)[-2:]
    _refuse((rows, columns), mode)
    count = min(rows, columns)
    square, change = narrow(r, -1, 0, count), narrow(dx, -1, 0, count)
    moved = solve_triangular(square, change, True, False, False)
    # Qᴴ dX U⁻¹ is the sum of a skew-Hermitian matrix Ω and a triangle with a real diagonal.
    inner = matmul(adjoint(q), moved)
    lower = add(tril(inner, -1), mul(sub(inner, adjoint(inner)), eye_of(inner) * 0.5))
    skew = sub(lower, adjoint(tril(inner, -1)))
    dq = add(matmul(q, sub(skew, inner)), moved)
    dr = matmul(sub(inner, skew), square)
    if columns > rows:
        beyond = matmul(adjoint(q), narrow(dx, -1, rows, columns - rows))
        beyond = sub(beyond, matmul(skew, narrow(r, -1, rows, columns - rows)))
        dr = cat((dr, beyond), len(shape_of(dr)) - 1)
    return dq, triu(dr, 0)


#: A = Q R with orthonormal columns of Q and triangular R; mode is reduced, complete or r.
qr: Several = op(
    "linalg_qr", _qr, (_qr_rule,), outputs=("q", "r"), partial=True, jvp=_qr_jvp, check=computes("geqrf_cpu"),
    columns=(0, 1),
    batch_rule=lambda size, values, dims, mode: _qr_batched(size, values, dims, mode),
)  # fmt: skip


def _qr_batched(size: int, values: Terms, dims: Axes, mode: str) -> Any:
    q, r = qr(*aligned_fronts(size, values, dims), mode)
    return (np.empty((size, 0), dtype_of(q)) if mode == "r" else q), r


# --- Householder reflectors ---------------------------------------------------------------------------------


def _geqrf(x: ndarray, /) -> tuple[ndarray, ndarray]:
    rows, columns = x.shape[-2:]
    count = min(rows, columns)
    if x.size == 0:
        return empty_columns(x.shape, x.dtype), np.zeros((*x.shape[:-2], count), x.dtype)
    geqrf = lapack("geqrf", x)
    a, tau = each(lambda a: geqrf(a)[:2], (x,), (((rows, columns), x.dtype), ((count,), x.dtype)))
    return a, tau


#: QR as LAPACK leaves it: R in the upper triangle, below it the vectors of the reflectors; and their factors.
geqrf: Several = op(
    "geqrf", _geqrf, (not_implemented("geqrf"),), outputs=("a", "tau"),
    batch=lambda size: (), check=computes("geqrf_cpu"),
    shape=lambda x: ((x.shape, x.dtype), ((*x.shape[:-2], min(x.shape[-2:])), x.dtype)),
)  # fmt: skip


def _householder_product(x: ndarray, tau: ndarray, /) -> ndarray:
    if x.size == 0:
        return empty_columns(x.shape, x.dtype)
    if tau.shape[-1] == 0:
        return column_major(np.broadcast_to(np.eye(*x.shape[-2:], dtype=x.dtype), x.shape))
    name = "ungqr" if x.dtype.kind == "c" else "orgqr"
    orgqr = lapack(name, x)
    return each(lambda a, t: (orgqr(a, t)[0],), (x, tau), ((x.shape[-2:], x.dtype),), (2, 1))[0]


def _reflector(x: Term, i: int) -> Term:
    """Return the i-th reflector's vector: 0 above place i, 1 there, the column of x below."""
    rows = shape_of(x)[-2]
    below, one = np.zeros((rows, 1)), np.zeros((rows, 1))
    below[i + 1 :], one[i] = 1, 1
    dtype = dtype_of(x)
    return add(mul(narrow(x, -1, i, 1), below.astype(dtype)), one.astype(dtype))


def _reflect(v: Term, factor: Term, c: Term) -> Term:
    """Return (I − τ v vᴴ) C."""
    return sub(c, mul(v, mul(factor, matmul(adjoint(v), c))))


def _pull_reflections(g: Term, x: Term, tau: Term, c: Term, transposed: bool) -> tuple[Any, Any, Any]:
    """Return covectors of x, τ and C for the product of reflectors with C.

    The product is H₁ … H_k C, or (`transposed`) its adjoint H_kᴴ … H₁ᴴ C. The outermost factor H is taken off
    first: with P what it acts on and G the covector of its result, that of v is
    −(τ̄ G Pᴴ + τ P Gᴴ) v, that of τ is −vᴴ G Pᴴ v, and P has the covector Hᴴ G.
    """
    count = shape_of(tau)[-1]
    order = list(range(count))
    if transposed:
        order.reverse()
    vectors = [_reflector(x, i) for i in range(count)]
    factors = [column(narrow(tau, -1, i, 1)) for i in range(count)]
    if transposed:
        factors = [conj(t) for t in factors]
    acted = [c]
    for i in reversed(order):
        acted.append(_reflect(vectors[i], factors[i], acted[-1]))
    gvectors, gfactors = vectors[:], factors[:]  # of each its covector, in its place
    for place, i in enumerate(order):
        v, factor, p = vectors[i], factors[i], acted[count - 1 - place]
        pv, gv = matmul(adjoint(p), v), matmul(adjoint(g), v)
        gp = matmul(g, pv)
        gvectors[i] = -add(mul(conj(factor), gp), mul(factor, matmul(p, gv)))
        gfactor = -matmul(adjoint(v), gp)
        gfactors[i] = conj(gfactor) if transposed else gfactor
        g = _reflect(v, conj(factor), g)
    lead = shape_of(g)[:-2]
    if count == 0:
        return zeros_of(x), zeros_of(tau), g
    rank = len(lead) + 2
    gx = tril(cat(tuple(gvectors), rank - 1), -1)
    if beyond := shape_of(x)[-1] - count:
        gx = cat((gx, np.zeros((*lead, shape_of(x)[-2], beyond), dtype_of(x))), rank - 1)
    gtau = reshape(cat(tuple(gfactors), rank - 2), (*lead, count))
    return gx, gtau, g


def _aligned_items(call: Rule, ranks: Sequence[int]) -> Rule:
    """Return a batching rule for stacks whose items have `ranks` axes."""

    def rule(size: int, values: Terms, dims: Axes, *attrs: Any) -> Any:
        grown = [v if r == 2 else column(v) for v, r in zip(values, ranks, strict=True)]
        fronts = aligned_fronts(size, grown, dims)
        lead = np.broadcast_shapes(*(shape_of(v)[:-2] for v in fronts))
        items = [
            add(v, np.zeros((*lead, 1, 1), dtype_of(v))) if shape_of(v)[:-2] != lead else v for v in fronts
        ]
        return call(
            *(v if r == 2 else reshape(v, shape_of(v)[:-1]) for v, r in zip(items, ranks, strict=True)),
            *attrs
        )

    return rule


#: The first columns of the product of reflectors.
householder_product: Call = op(
    "linalg_householder_product", _householder_product,
    lambda g, x, tau: _pull_reflections(
        g, x, tau, np.eye(*shape_of(x)[-2:], dtype=dtype_of(x)), False
    )[:2],
    joint=True,
    batch_rule=_aligned_items(lambda *a: householder_product(*a), (2, 1)), saves=("out",),
    shape=lambda x, tau: ((x.shape, x.dtype),),
)  # fmt: skip


def _ormqr(x: ndarray, tau: ndarray, c: ndarray, /, left: bool, transposed: bool) -> ndarray:
    if c.size == 0 or tau.shape[-1] == 0:
        return column_major(c)
    is_complex = x.dtype.kind == "c"
    ormqr = lapack("unmqr" if is_complex else "ormqr", x)
    trans = ("C" if is_complex else "T") if transposed else "N"
    count = tau.shape[-1]

    def step(a: ndarray, t: ndarray, b: ndarray) -> tuple[ndarray]:
        work = max(1, b.shape[1] if left else b.shape[0]) * 64
        return (ormqr("L" if left else "R", trans, np.asfortranarray(a[:, :count]), t, b, work)[0],)

    return each(step, (x, tau, c), ((c.shape[-2:], c.dtype),), (2, 1, 2))[0]


def _ormqr_rule(g: Term, x: Term, tau: Term, c: Term, left: bool, transposed: bool) -> tuple[Any, Any, Any]:
    if left:
        return _pull_reflections(g, x, tau, c, transposed)
    gx, gtau, gc = _pull_reflections(adjoint(g), x, tau, adjoint(c), not transposed)
    return gx, gtau, adjoint(gc)


#: The product of the matrix of reflectors Q, or Qᴴ, with a matrix C: Q C, or C Q.
ormqr: Call = op(
    "ormqr", _ormqr, _ormqr_rule, joint=True, check=computes("ormqr_cpu"), saves=("out",),
    batch_rule=_aligned_items(lambda *a: ormqr(*a), (2, 1, 2)),
    shape=lambda x, tau, c, *attrs: (((*leading((x, tau, c), (2, 1, 2)), *c.shape[-2:]), c.dtype),),
)  # fmt: skip
