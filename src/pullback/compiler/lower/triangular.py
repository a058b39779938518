"""Solve triangular systems by loops: substitution, whose innermost loop goes over the right-hand sides.

OpenBLAS, which NumPy and SciPy bring, solves 100 systems of 150 float64 in 140 µs, a sixth of the rate of its
products, and the array kernel copies there and back. Large systems, where blocks pay, stay its own.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..emit.scalars import computing
from .context import Context, broadcast
from .contractions import swapped
from .index import Variable, atom_index, constant, linear, strides_of
from .lowered import Lowered, Shape
from .routines import filled, nest, spread, variables

INT64 = np.dtype(np.int64)
#: Rows and elements of the solution up to which loops take less time than blocks.
_ROWS, _ELEMENTS = 512, 1 << 17
#: With fewer right-hand sides, and more rows, a row waits for the one before it in every step.
_FEW_SIDES, _MANY_ROWS = 8, 64
#: Known rows that are taken away in one pass over a row.
_TOGETHER = 4


def solved(context: Context, a: Lowered, b: Lowered, upper: bool, unit: bool) -> Lowered | None:
    """Return X with A·X = B for matrices with a triangle; None where the array kernel is to do it.

    Parameters
    ----------
    a, b : Lowered
        Matrices ``(…, n, n)`` and ``(…, n, m)``, whose leading axes broadcast to those of the solution.
    upper, unit : bool
        Which triangle of A counts, and whether its diagonal is all ones.
    """
    rows, sides = b.shape[-2:]
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), rows, sides)
    if a.dtype != b.dtype or b.dtype.kind != "f" or b.dtype != computing(b.dtype) or not _is_worth(shape):
        return None
    a, b = context.stored(a), context.stored(b)
    factor_at, side_at = broadcast(a, (*shape[:-2], rows, rows)), broadcast(b, shape)
    buffer, strides = context.buffer(shape, b.dtype), strides_of(shape)

    def write(ops: Any) -> None:
        own, row, last = variables("o", shape[:-2]), Variable("row", rows), constant(rows - 1)
        before, several = Variable("before", rows), Variable("several", rows // _TOGETHER + 1)
        across = variables("side", (sides,))

        with nest(ops, own, independent=False):
            lead = spread(own)
            with ops.loop(row, "0", str(rows)):
                now, done = atom_index(row), ops.counters[row.name]
                now = last - now if upper else now

                def here(at: Any) -> Any:
                    return linear((*lead, at, *spread(across)), strides)

                with nest(ops, across):
                    ops.store(buffer, here(now), side_at(ops, (*lead, now, *spread(across))))
                def take_away(counts: list[Any]) -> None:
                    known = [last - count if upper else count for count in counts]
                    factors = [factor_at(ops, (*lead, now, row)) for row in known]
                    with nest(ops, across):
                        left = ops.reread(buffer, here(now))
                        for factor, row in zip(factors, known, strict=True):
                            left = ops.sub(left, ops.mul(factor, ops.reread(buffer, here(row))))
                        ops.store(buffer, here(now), left)

                whole = ops.instruction(f"udiv i64 {done}, {_TOGETHER}", INT64).name
                with ops.loop(several, "0", whole):
                    take_away([atom_index(several) * _TOGETHER + k for k in range(_TOGETHER)])
                with ops.loop(before, ops.instruction(f"mul i64 {whole}, {_TOGETHER}", INT64).name, done):
                    take_away([atom_index(before)])
                if not unit:
                    pivot = factor_at(ops, (*lead, now, now))
                    with nest(ops, across):
                        ops.store(buffer, here(now), ops.div(ops.reread(buffer, here(now)), pivot))

    def look(ops: Any) -> None:
        factor_at(ops, spread(variables("o", (*shape[:-2], rows, rows))))
        side_at(ops, spread(variables("o", shape)))

    return filled(context, buffer, write, look)


def _is_worth(shape: Shape) -> bool:
    """Return whether loops take less time for a solution than blocks."""
    rows, sides = shape[-2:]
    if not prod(shape) or rows > _ROWS or rows * sides > _ELEMENTS or rows == 1:
        return False
    return sides >= _FEW_SIDES or rows <= (_MANY_ROWS if sides > 1 else _MANY_ROWS // 2)


def solve_triangular(
    context: Context, a: Lowered, b: Lowered, upper: bool, left: bool, unit: bool
) -> Lowered | None:
    """Lower X with A·X = B, or X·A = B."""
    if left:
        return solved(context, a, b, upper, unit)
    found = solved(context, swapped(a), swapped(b), not upper, unit)
    return None if found is None else swapped(found)


def cholesky_solve(context: Context, b: Lowered, factor: Lowered, upper: bool) -> Lowered | None:
    """Lower X with L·Lᵀ·X = B for the factor L, or Uᵀ·U·X = B for U."""
    first = solved(context, swapped(factor) if upper else factor, b, False, False)
    if first is None:
        return None
    return solved(context, factor if upper else swapped(factor), first, True, False)


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    "cholesky_solve": cholesky_solve,
    "linalg_solve_triangular": solve_triangular,
}
