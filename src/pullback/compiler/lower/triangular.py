"""Solve triangular systems by loops: substitution, whose innermost loop goes over the right-hand sides.

OpenBLAS, which NumPy and SciPy bring, solves 100 systems of 150 float64 in 140 µs, a sixth of the rate of its
products, and the array kernel copies there and back. Large systems stay the array kernel's.
"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..emit.scalars import TYPES, computing
from .buffer import Buffer
from .context import INT64, Context, broadcast
from .contractions import swapped
from .index import Index, Indices, Variable, atom_index, constant, linear, strides_of
from .kernel_writer import combined
from .lowered import Body, Lowered, Shape
from .routines import filled, nest, spread, variables

#: Rows and elements of the solution, and rows times elements of several sides, up to which loops take less
#: time than the array kernel's tiles (`emit.matrices.substitution`): for 200 rows and sides of float64 340 µs
#: in place of 309, for 400 and 50 780 in place of 535, for 120 and 120 80 in place of 85.
_ROWS, _ELEMENTS, _WORK = 512, 1 << 17, 1 << 22
#: With fewer right-hand sides than these, but several, and more rows, a row waits for the one before it in
#: every step. One side is a sum along each row of A, or goes down its columns: 80 rows take 2 µs, as an array
#: kernel 40.
_FEW_SIDES, _MANY_ROWS = 8, 64
#: Known rows that are taken away in one pass over a row.
_TOGETHER = 4


def solved(
    context: Context, a: Lowered, b: Lowered, upper: bool, unit: bool, across: bool = False
) -> Lowered | None:
    """Return X with A·X = B for matrices with a triangle; None where the array kernel is to do it.

    They are ``(…, n, n)`` and ``(…, n, m)``, with leading axes that broadcast to those of the solution.
    `unit` says whether A's diagonal is all ones, `across` whether what is given for A is its transpose.
    """
    rows, sides = b.shape[-2:]
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), rows, sides)
    if a.dtype != b.dtype or b.dtype.kind != "f" or b.dtype != computing(b.dtype) or not _is_worth(shape):
        return None
    a, b = context.stored(a), context.stored(b)
    lies, side_at = broadcast(a, (*shape[:-2], rows, rows)), broadcast(b, shape)
    buffer = context.buffer(shape, b.dtype)

    def factor_at(ops: object, at: Indices) -> Any:
        return lies(ops, (*at[:-2], at[-1], at[-2]) if across else at)

    def write(ops: object) -> None:
        own = variables("o", shape[:-2])
        with nest(ops, own, independent=False):
            substitute = _of_several if sides > 1 else _by_columns if across else _by_rows
            substitute(ops, buffer, spread(own), factor_at, side_at, upper, unit)

    def look(ops: object) -> None:
        lies(ops, spread(variables("o", (*shape[:-2], rows, rows))))
        side_at(ops, spread(variables("o", shape)))

    return filled(context, buffer, write, look)


def _of_several(
    ops: Any, x: Buffer, lead: Indices, factor_at: Body, side_at: Body, upper: bool, unit: bool
) -> None:
    """Take known rows away from each row of the solutions, some of them in one pass."""
    (rows, sides), strides = x.shape[-2:], strides_of(x.shape)
    row, last = Variable("row", rows), constant(rows - 1)
    before, several = Variable("before", rows), Variable("several", rows // _TOGETHER + 1)
    across = variables("side", (sides,))

    def here(at: Index) -> Index:
        return linear((*lead, at, *spread(across)), strides)

    with ops.loop(row, "0", str(rows)):
        now, done = atom_index(row), ops.counters[row.name]
        now = last - now if upper else now

        with nest(ops, across):
            ops.store(x, here(now), side_at(ops, (*lead, now, *spread(across))))

        def take_away(counts: list[Any]) -> None:
            known = [last - count if upper else count for count in counts]
            factors = [factor_at(ops, (*lead, now, row)) for row in known]
            with nest(ops, across):
                left = ops.reread(x, here(now))
                for factor, row in zip(factors, known, strict=True):
                    left = ops.sub(left, ops.mul(factor, ops.reread(x, here(row))))
                ops.store(x, here(now), left)

        whole = ops.instruction(f"udiv i64 {done}, {_TOGETHER}", INT64).name
        with ops.loop(several, "0", whole):
            take_away([atom_index(several) * _TOGETHER + k for k in range(_TOGETHER)])
        with ops.loop(before, ops.instruction(f"mul i64 {whole}, {_TOGETHER}", INT64).name, done):
            take_away([atom_index(before)])
        if not unit:
            pivot = factor_at(ops, (*lead, now, now))
            with nest(ops, across):
                ops.store(x, here(now), ops.div(ops.reread(x, here(now)), pivot))


def _by_rows(
    ops: Any, x: Buffer, lead: Indices, factor_at: Body, side_at: Body, upper: bool, unit: bool
) -> None:
    """Take the product of a row and what is known away from one element after the other."""
    rows, strides = x.shape[-2], strides_of(x.shape)
    row, before = Variable("row", rows), Variable("before", rows)

    def here(at: Index) -> Indices:
        return (*lead, at, constant(0))

    with ops.loop(row, "0", str(rows)):
        now, done = atom_index(row), ops.counters[row.name]
        now = constant(rows - 1) - now if upper else now
        start, stop = "0", done
        if upper:
            start, stop = ops.instruction(f"sub i64 {rows}, {done}", INT64).name, str(rows)
        cell = ops.slot(TYPES[x.dtype], "0.0")
        with ops.loop(before, start, stop, "1"):
            known = atom_index(before)
            part = ops.mul(factor_at(ops, (*lead, now, known)), ops.reread(x, linear(here(known), strides)))
            total = combined(ops, "sum", ops.held(cell, x.dtype), part, x.dtype)
            ops.line(f"store {TYPES[x.dtype]} {total.name}, ptr {cell}")
        left = ops.sub(side_at(ops, here(now)), ops.held(cell, x.dtype))
        if not unit:
            left = ops.div(left, factor_at(ops, (*lead, now, now)))
        ops.store(x, linear(here(now), strides), left)


def _by_columns(
    ops: Any, x: Buffer, lead: Indices, factor_at: Body, side_at: Body, upper: bool, unit: bool
) -> None:
    """Take a multiple of a column away from what is left whenever an element is known."""
    rows, strides = x.shape[-2], strides_of(x.shape)
    row, rest, every = Variable("row", rows), Variable("rest", rows), variables("i", (rows,))

    def here(at: Index) -> Indices:
        return (*lead, at, constant(0))

    with nest(ops, every):
        at = here(*spread(every))
        ops.store(x, linear(at, strides), side_at(ops, at))
    with ops.loop(row, "0", str(rows)):
        count, done = atom_index(row), ops.counters[row.name]
        now = constant(rows - 1) - count if upper else count
        known = ops.reread(x, linear(here(now), strides))
        if not unit:
            known = ops.div(known, factor_at(ops, (*lead, now, now)))
            ops.store(x, linear(here(now), strides), known)
        start, stop = ops.instruction(f"add i64 {done}, 1", INT64).name, str(rows)
        if upper:
            start, stop = "0", ops.instruction(f"sub i64 {rows - 1}, {done}", INT64).name
        with ops.loop(rest, start, stop, "1"):
            ops.group = "0"
            other = atom_index(rest)
            place = linear(here(other), strides)
            away = ops.mul(factor_at(ops, (*lead, other, now)), known)
            ops.store(x, place, ops.sub(ops.reread(x, place), away))
            ops.group = None


def _is_worth(shape: Shape) -> bool:
    """Return whether loops take less time for a solution than blocks."""
    rows, sides = shape[-2:]
    if not prod(shape) or rows > _ROWS or rows * sides > _ELEMENTS or rows == 1:
        return False
    return sides == 1 or ((rows <= _MANY_ROWS or sides >= _FEW_SIDES) and rows * rows * sides <= _WORK)


def solve_triangular(
    context: Context, a: Lowered, b: Lowered, upper: bool, left: bool, unit: bool
) -> Lowered | None:
    """Lower X with A·X = B, or X·A = B."""
    if left:
        return solved(context, a, b, upper, unit)
    found = solved(context, a, swapped(b), not upper, unit, across=True)
    return None if found is None else swapped(found)


def cholesky_solve(context: Context, b: Lowered, factor: Lowered, upper: bool) -> Lowered | None:
    """Lower X with L·Lᵀ·X = B for the factor L, or Uᵀ·U·X = B for U."""
    first = solved(context, factor, b, False, False, across=upper)
    return first and solved(context, factor, first, True, False, across=not upper)


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    "cholesky_solve": cholesky_solve,
    "linalg_solve_triangular": solve_triangular,
}
