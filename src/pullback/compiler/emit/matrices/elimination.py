"""Systems of equations and determinants by elimination with pivots, and Cholesky factors."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ...runtime.shared_kernels import Kernel
from ..lanes import Lanes
from .language import Reals, Rows, columns, function, kernel

_KEPT = 256
#: Estimated nanoseconds to take a row away from another.
_ROW = 2.0


def eliminated(f: Reals, rows: Rows, size: int) -> tuple[str, str]:
    """Make the left of rows an upper triangle, the largest of a column first. Return the address of the sign
    of the exchanges, and of a number that is 0 if a pivot was.
    """
    sign, regular = f.cell(1.0), f.cell(1.0)
    with f.count(0, size) as k:
        best, largest = f.variable(k), f.cell(abs(rows[k, k]))
        with f.count(f.add(k, 1), size) as i:
            here = abs(rows[i, k])
            with f.when(here > f.read(largest)):
                f.write(here, largest)
                f.set(best, i)
        chosen = f.get(best)
        with f.when(f.compare("ne", chosen, k)):
            upper, lower = rows.row(k), rows.row(chosen)
            rows.put(k, lower)
            rows.put(chosen, upper)
            f.write(-f.read(sign), sign)
        pivot = rows[k, k]
        with f.when(pivot.equals(0.0)):
            f.write(0.0, regular)
        line = rows.row(k)
        with f.count(f.add(k, 1), size) as i:
            rows.add(i, -(rows[i, k] / pivot), line)
    return sign, regular


def substituted(f: Reals, rows: Rows, size: int, sides: int, keep: Callable[[str, str, Lanes], None]) -> None:
    """Hand over the solutions of what elimination left, whose sides stand behind the triangle."""
    with f.count_down(size, 0) as k:
        pivot = f.spread(rows[k, k])
        # Of the triangle nothing is read any more but the columns before this one.
        line = [v / pivot for v in rows.row(k, size // f.width)]
        with f.count(0, k) as i:
            rows.add(i, -rows[i, k], line)
        rows.put(k, line)
        with f.count(0, sides) as j:
            keep(k, j, rows[k, f.add(j, size)])


def copied(f: Reals, rows: Rows, source: str, height: int, width: int, to: int = 0) -> None:
    """Copy a matrix to some columns of the rows."""
    with f.count(0, height) as i:
        start = f.value(f"mul i64 {i}, {width}")
        with f.count(0, width) as j:
            rows[i, f.add(j, to)] = f.read(source, start, j)


@lru_cache(maxsize=_KEPT)
def solutions(real: str, size: int, sides: int) -> Kernel:
    """Return the kernel of (A, B, X, regular) with A·X = B; `regular` is 0 where A is singular."""
    f = function(("a", "b", "x", "regular"), real)
    rows = Rows(f, "%scratch", columns(real, size + sides))
    copied(f, rows, "%a", size, size)
    copied(f, rows, "%b", size, sides, size)
    _, regular = eliminated(f, rows, size)
    substituted(f, rows, size, sides, lambda i, j, x: f.write(x, "%x", f.value(f"mul i64 {i}, {sides}"), j))
    f.write(f.read(regular), "%regular")
    arrays = {"a": size * size, "b": size * sides, "x": size * sides, "regular": 1}
    return kernel(f, arrays, size * rows.pitch, size * size * rows.count * _ROW)


@lru_cache(maxsize=_KEPT)
def determinants(real: str, size: int) -> Kernel:
    """Return the kernel of arrays (A, pivots, sign): the pivots of elimination, and the sign of exchanges."""
    f = function(("a", "pivots", "sign"), real)
    rows = Rows(f, "%scratch", columns(real, size))
    copied(f, rows, "%a", size, size)
    sign, _ = eliminated(f, rows, size)
    with f.count(0, size) as k:
        f.write(rows[k, k], "%pivots", k)
    f.write(f.read(sign), "%sign")
    arrays = {"a": size * size, "pivots": size, "sign": 1}
    return kernel(f, arrays, size * rows.pitch, size * size * rows.count * _ROW / 2)


@lru_cache(maxsize=_KEPT)
def factors(real: str, size: int) -> Kernel:
    """Return the kernel of (A, U, positive) with Uᵀ·U = A, read below its diagonal; 0 without such U."""
    f = function(("a", "u", "positive"), real)
    rows = Rows(f, "%scratch", columns(real, size))
    with f.count(0, size) as i:
        start = f.value(f"mul i64 {i}, {size}")
        with f.count(0, f.add(i, 1)) as j:
            rows[j, i] = f.read("%a", start, j)
    positive = f.cell(1.0)
    with f.count(0, size) as k:
        pivot = rows[k, k]
        with f.when(~(pivot > 0.0)):
            f.write(0.0, positive)
        scale = f.spread(f.sqrt(pivot))
        line = [v / scale for v in rows.row(k)]
        rows.put(k, line)
        with f.count(f.add(k, 1), size) as i:
            rows.add(i, -rows[k, i], line)
        start = f.value(f"mul i64 {k}, {size}")
        with f.count(0, k) as j:
            f.write(0.0, "%u", start, j)
        with f.count(k, size) as j:
            f.write(rows[k, j], "%u", start, j)
    f.write(f.read(positive), "%positive")
    arrays = {"a": size * size, "u": size * size, "positive": 1}
    return kernel(f, arrays, size * rows.pitch, size * size * rows.count * _ROW / 2)
