"""Householder's reflections: orthogonal factors, and symmetric matrices brought to three diagonals.

Signs are LAPACK's (Golub and Van Loan, "Matrix Computations", 5.1 and 8.3), so that factors and vectors are
those of eager up to rounding.
"""

from __future__ import annotations

from functools import lru_cache

from ...runtime.shared_kernels import Kernel
from ..lanes import Lanes
from .elimination import copied
from .language import Place, Reals, Rows, columns, function, kernel

_KEPT = 256
#: Estimated nanoseconds to take a row away from another.
_ROW = 2.0


def reflector(f: Reals, line: str, first: Place, size: int) -> tuple[Lanes, Lanes]:
    """Make the numbers of a line from `first` on the vector v, with 1 in front, of the reflection 1 - τ·v·vᵀ
    that leaves only the first of them; those before it are made zeros. Return τ and what the first becomes.
    """
    alpha, square = f.read(line, first), f.cell(0.0)
    with f.count(f.add(first, 1), size) as i:
        x = f.read(line, i)
        f.write(f.read(square) + x * x, square)
    rest = f.read(square)
    none = rest.equals(0.0)
    beta = -f.copysign(f.sqrt(alpha * alpha + rest), alpha)
    tau = f.select(none, 0.0, (beta - alpha) / beta)
    scale = f.select(none, 0.0, 1.0 / (alpha - beta))
    with f.count(0, first) as i:
        f.write(0.0, line, i)
    f.write(1.0, line, first)
    with f.count(f.add(first, 1), size) as i:
        f.write(f.read(line, i) * scale, line, i)
    return tau, f.select(none, alpha, beta)


def _sums(f: Reals, rows: Rows, line: str, first: Place, height: int) -> list[Lanes]:
    """Return the sum of rows from `first` on, each times its number of a vector."""
    sums = [f.cell(f.zeros()) for _ in range(rows.count)]
    with f.count(first, height) as i:
        factor = f.spread(f.read(line, i))
        for cell, vector in zip(sums, rows.row(i), strict=True):
            f.write(f.muladd(vector, factor, f.read_vector(cell)), cell)
    return [f.read_vector(cell) for cell in sums]


def reflect(f: Reals, rows: Rows, line: str, tau: Lanes, first: Place, height: int) -> None:
    """Turn the columns of rows to their mirror image, by a vector whose numbers before `first` are zeros."""
    along = _sums(f, rows, line, first, height)
    with f.count(first, height) as i:
        rows.add(i, -(f.read(line, i) * tau), along)


@lru_cache(maxsize=_KEPT)
def orthogonal(real: str, height: int, width: int, kept: int) -> Kernel:
    """Return the kernel of arrays (A, Q, R) with A = Q·R for so many columns of Q, both column by column."""
    f = function(("a", "q", "r"), real)
    rows = Rows(f, "%scratch", columns(real, width))
    q = Rows(f, f.at("%scratch", height * rows.pitch), columns(real, kept))
    count = min(height, width)
    lines = Rows(f, f.at(q.start, height * q.pitch), columns(real, height))
    taus = f.at(lines.start, count * lines.pitch)
    copied(f, rows, "%a", height, width)
    with f.count(0, count) as k:
        line = lines.place(k)
        with f.count(k, height) as i:
            f.write(rows[i, k], line, i)
        tau, _ = reflector(f, line, k, height)
        f.write(tau, taus, k)
        reflect(f, rows, line, tau, k, height)
    with f.count(0, height) as i:
        q.put(i, [f.zeros()] * q.count)
    with f.count(0, min(height, kept)) as i:
        q[i, i] = 1.0
    with f.count_down(count, 0) as k:
        reflect(f, q, lines.place(k), f.read(taus, k), k, height)
    with f.count(0, kept) as j:
        with f.count(0, height) as i:
            f.write(q[i, j], "%q", f.value(f"mul i64 {j}, {height}"), i)
    with f.count(0, width) as j:
        with f.count(0, kept) as i:
            upper = f.compare("sle", i, j)
            f.write(f.select(upper, rows[i, j], 0.0), "%r", f.value(f"mul i64 {j}, {kept}"), i)
    arrays = {"a": height * width, "q": height * kept, "r": kept * width}
    scratch = height * (rows.pitch + q.pitch) + count * (lines.pitch + 1)
    return kernel(f, arrays, scratch, 2 * height * count * (rows.count + q.count) * _ROW)


def tridiagonal(f: Reals, a: Rows, z: Rows, diagonal: str, beside: str, line: str, size: int) -> None:
    """Bring a symmetric matrix to three diagonals by reflections, whose product z begins and ends with.

    The matrix a is written over; z is the product, transposed. `diagonal` and `beside` are the addresses of
    the numbers on the diagonal and beside it, `line` that of room for two rows.
    """
    taus, other = f.at(line, a.pitch), f.at(line, 2 * a.pitch)
    with f.count(0, size) as i:
        z.put(i, [f.zeros()] * z.count)
        z[i, i] = 1.0
    with f.count(0, size - 1) as i:
        f.write(a[i, i], diagonal, i)
        first = f.add(i, 1)
        # The matrix is symmetric: its column is a row, where the vector stays.
        vector = a.place(i)
        tau, beta = reflector(f, vector, first, size)
        f.write(tau, taus, i)
        f.write(beta, beside, i)
        sums = _sums(f, a, vector, first, size)
        v = f.vectors(vector, a.count)
        scaled = f.spread(tau)
        w = [x * scaled for x in sums]
        shift = f.spread(f.total([x * y for x, y in zip(v, w, strict=True)]) * tau * -0.5)
        w = [f.muladd(x, shift, y) for x, y in zip(v, w, strict=True)]
        f.keep(w, other)
        with f.count(first, size) as j:
            a.add(j, -f.read(vector, j), w)
            a.add(j, -f.read(other, j), v)
    f.write(a[size - 1, size - 1], diagonal, size - 1)
    with f.count_down(size - 1, 0) as i:
        reflect(f, z, a.place(i), f.read(taus, i), f.add(i, 1), size)
