"""Solve systems, factor matrices and find eigenvalues of stacks of small matrices by kernels of their own.

What has up to four equations is written out where it is read (see `small_systems`); large matrices stay
LAPACK's. Where a matrix is singular, or not positive, the program refuses its results, and eager says so.
"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...array.deferred_import import import_later
from ..emit.scalars import TYPES, computing
from . import small_systems
from .context import BOOL, Context, broadcast
from .contractions import swapped
from .convolutions import precompiled
from .handlers import Handler
from .lowered import Lowered
from .views import copied

eigenvalues = import_later("..emit.matrices.eigenvalues", __package__)
elimination = import_later("..emit.matrices.elimination", __package__)
matrix_exponential = import_later("..emit.matrices.exponential", __package__)
reflections = import_later("..emit.matrices.reflections", __package__)

FLOAT64 = np.dtype(np.float64)
#: Bytes of the largest matrix that is eliminated with the sides beside it, and most sides. With one side 64
#: rows of float32 take 15 µs (as an array kernel 57), 96 rows 38 (76); with 64 sides 64 of float64 81 (110),
#: 80 with 80 more than that; the Cholesky factor of 64 rows of float32 14 (62), of 96 of float64 85 (77).
_BYTES, _BESIDE = 64 << 10, 96
#: Rows and columns of the largest matrix that is reflected, and that whose eigenvalues are found: LAPACK goes
#: another way to those of more rows, which gives vectors other signs.
MOST_REFLECTED, MOST_TURNED = 64, 25


def _is_small(a: Lowered, most: int) -> bool:
    """Return whether a stack of matrices has a kernel here."""
    real = a.dtype.kind == "f" and a.dtype == computing(a.dtype)
    return real and prod(a.shape) > 0 and max(a.shape[-2:]) <= most


def _is_eliminated(a: Lowered, sides: int = 0) -> bool:
    """Return whether rows of square matrices, with sides beside them, are taken from each other here."""
    size = a.shape[-1]
    return sides <= _BESIDE and size * (size + sides) * a.dtype.itemsize <= _BYTES and _is_small(a, size)


def _refused(context: Context, held: Lowered) -> None:
    """Refuse the results unless all numbers of a stack differ from zero."""
    wrong = context.each(lambda ops, value: ops.eq(value, ops.constant(0, held.dtype)), held, dtype=BOOL)
    context.refuse(context.reduction(wrong, range(len(held.shape)), "any", BOOL))


def _with_info(context: Context, found: Lowered | None) -> list[Lowered] | None:
    """Return a result and the places of failures, of which there are none."""
    return None if found is None else [found, context.full(*context.results[1], 0)]


def _solved(context: Context, a: Lowered, b: Lowered) -> Lowered | None:
    """Return X with A·X = B for stacks whose leading axes broadcast."""
    size, sides = b.shape[-2:]
    if a.dtype != b.dtype or not prod(b.shape) or not _is_eliminated(a, sides):
        return None
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    # Who repeats a matrix eliminates it once.
    if prod(lead) != prod(a.shape[:-2]):
        return None
    a = Lowered((*lead, size, size), a.dtype, broadcast(a, (*lead, size, size)), cost=a.cost + 1)
    b = Lowered((*lead, size, sides), b.dtype, broadcast(b, (*lead, size, sides)), cost=b.cost + 1)
    found, regular = context.buffer(b.shape, b.dtype), context.buffer(lead, b.dtype)
    kernel = elimination.solutions(TYPES[a.dtype], size, sides)
    result = precompiled(context, kernel, prod(lead), (a, b), found, regular)
    _refused(context, context.held(regular))
    return result


def solve(
    context: Context, a: Lowered, b: Lowered, left: bool, vector: bool, caller: str
) -> list[Lowered] | None:
    """Lower X with A·X = B, or X·A = B, and the places of failures, of which there are none."""
    found = small_systems.solve(context, a, b, left, vector)
    if found is not None or (vector and not left):
        return _with_info(context, found)
    if vector:
        found = _solved(context, a, copied(b, (*b.shape, 1)))
        return _with_info(context, found and copied(found, context.results[0][0]))
    if left:
        return _with_info(context, _solved(context, a, b))
    found = _solved(context, swapped(a), swapped(b))
    return _with_info(context, found and swapped(found))


def inverse(context: Context, a: Lowered, caller: str) -> list[Lowered] | None:
    """Lower the inverse and the places of failures, of which there are none."""
    found = small_systems.inverse(context, a)
    if found is not None or not _is_eliminated(a, a.shape[-1]):
        return _with_info(context, found)
    size = a.shape[-1]
    eye = context.held(context.constant(np.eye(size, dtype=a.dtype)))
    sides = Lowered(a.shape, a.dtype, broadcast(eye, a.shape), cost=2)
    return _with_info(context, _solved(context, a, sides))


def slogdet(context: Context, a: Lowered) -> list[Lowered] | None:
    """Lower the sign of determinants and the logarithms of their absolute values."""
    if (small := small_systems.slogdet(context, a)) is not None or not _is_eliminated(a):
        return small
    pivots, signs = _pivots(context, a)

    def sign(ops: Handler, at: Any) -> Any:
        value, (below, zero, one) = pivots.at(ops, at), (ops.constant(n, a.dtype) for n in (-1, 0, 1))
        return ops.select(ops.eq(value, zero), zero, ops.select(ops.lt(value, zero), below, one))

    axis = len(a.shape) - 2
    turns = context.reduction(pivots, (axis,), "prod", a.dtype, sign)
    logs = context.reduction(
        pivots, (axis,), "sum", a.dtype,
        lambda ops, at: ops.function("log", ops.abs(pivots.at(ops, at))),
    )  # fmt: skip
    signed = context.map(a.shape[:-2], a.dtype, lambda ops, at: ops.mul(turns.at(ops, at), signs.at(ops, at)))
    return [signed, logs]


def det(context: Context, a: Lowered) -> Lowered | None:
    """Lower determinants."""
    if not _is_eliminated(a):
        return None
    pivots, signs = _pivots(context, a)
    product = context.reduction(pivots, (len(a.shape) - 2,), "prod", a.dtype)
    return context.map(a.shape[:-2], a.dtype, lambda ops, at: ops.mul(product.at(ops, at), signs.at(ops, at)))


def _pivots(context: Context, a: Lowered) -> tuple[Lowered, Lowered]:
    """Return the pivots of elimination, and the sign of the rows' exchanges."""
    pivots = context.buffer(a.shape[:-1], a.dtype)
    signs = context.buffer(a.shape[:-2], a.dtype)
    kernel = elimination.determinants(TYPES[a.dtype], a.shape[-1])
    found = precompiled(context, kernel, prod(a.shape[:-2]), (a,), pivots, signs)
    return found, context.held(signs)


def cholesky(context: Context, a: Lowered, upper: bool) -> Lowered | None:
    """Lower the factor of A."""
    if not _is_eliminated(a):
        return None
    found, positive = context.buffer(a.shape, a.dtype), context.buffer(a.shape[:-2], a.dtype)
    kernel = elimination.factors(TYPES[a.dtype], a.shape[-1])
    given = swapped(a) if upper else a
    result = precompiled(context, kernel, prod(a.shape[:-2]), (given,), found, positive)
    _refused(context, context.held(positive))
    return result if upper else swapped(result)


def cholesky_ex(context: Context, a: Lowered, upper: bool, caller: str) -> list[Lowered] | None:
    """Lower the factor of A and the places of failures, of which there are none."""
    return _with_info(context, cholesky(context, a, upper))


def qr(context: Context, a: Lowered, mode: str) -> list[Lowered] | None:
    """Lower the orthogonal factor and the triangle."""
    if mode == "r" or not _is_small(a, MOST_REFLECTED):
        return None
    lead, (height, width), kept = a.shape[:-2], a.shape[-2:], context.results[0][0][-1]
    q, r = (context.buffer((*lead, n, m), a.dtype) for n, m in ((kept, height), (width, kept)))
    kernel = reflections.orthogonal(TYPES[a.dtype], height, width, kept)
    found = precompiled(context, kernel, prod(lead), (a,), q, r)
    return [swapped(found), swapped(context.held(r))]


def eigh(context: Context, a: Lowered, triangle: str) -> list[Lowered] | None:
    """Lower the eigenvalues of symmetric matrices and their vectors."""
    if not _is_small(a, MOST_TURNED) or triangle != "L":
        return None
    lead, size, dtype = a.shape[:-2], a.shape[-1], a.dtype
    # NumPy computes those of float32 in float64, which decides the signs of vectors, too.
    wide = context.cast(a, FLOAT64)
    values, vectors, held = (context.buffer((*lead, *own), FLOAT64) for own in ((size,), (size, size), ()))
    precompiled(
        context, eigenvalues.symmetric(TYPES[FLOAT64], size), prod(lead), (wide,), values, vectors, held
    )
    _refused(context, context.held(held))
    found = context.held(values), swapped(context.held(vectors))
    return [context.cast(x, dtype) for x in found]


def eigvalsh(context: Context, a: Lowered, triangle: str) -> Lowered | None:
    """Lower the eigenvalues of symmetric matrices."""
    found = eigh(context, a, triangle)
    return None if found is None else found[0]


def exponential(context: Context, a: Lowered) -> Lowered | None:
    """Lower exponentials."""
    if not _is_small(a, MOST_REFLECTED):
        return None
    kernel = matrix_exponential.exponentials(TYPES[a.dtype], a.shape[-1])
    return precompiled(context, kernel, prod(a.shape[:-2]), (a,), context.buffer(a.shape, a.dtype))


LOWERINGS: dict[str, Callable[..., Any]] = {
    "cholesky": cholesky,
    "linalg_cholesky_ex": cholesky_ex,
    "linalg_det": det,
    "linalg_eigh": eigh,
    "linalg_eigvalsh": eigvalsh,
    "linalg_inv_ex": inverse,
    "linalg_matrix_exp": exponential,
    "linalg_qr": qr,
    "linalg_slogdet": slogdet,
    "linalg_solve_ex": solve,
}
