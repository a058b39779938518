"""Eigenvalues and vectors of symmetric matrices: three diagonals, then implicit shifts.

The steps are those of LAPACK's `steqr` (Golub and Van Loan, "Matrix Computations", 8.3.5), including the end
at which it begins, so that the signs of vectors are those of eager.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ...runtime.shared_kernels import Kernel
from ..lanes import Lanes
from ..scalars import DTYPES
from .language import Reals, Rows, columns, function, kernel
from .reflections import tridiagonal

_KEPT = 256
#: Rounds for each eigenvalue before it is given up.
_ROUNDS = 30
#: Estimated nanoseconds of a rotation, of which there are some 3·n² to a matrix.
_ROTATION = 15.0


@lru_cache(maxsize=_KEPT)
def symmetric(real: str, size: int) -> Kernel:
    """Return the kernel of arrays (A, values, vectors, found), of whose A the lower triangle is read; vectors
    are rows. A number of `found` is 0 where the array kernel has to look at A.
    """
    f = function(("a", "values", "vectors", "found"), real)
    a = Rows(f, "%scratch", columns(real, size))
    z = Rows(f, f.at(a.start, size * a.pitch), a.count)
    t = Rows(f, f.at(z.start, size * a.pitch), a.count)
    diagonal = f.at(t.start, size * a.pitch)
    beside, room = f.at(diagonal, a.pitch), f.at(diagonal, 2 * a.pitch)
    largest = f.cell(0.0)
    with f.count(0, size) as i:
        a.put(i, [f.zeros()] * a.count)
        start = f.value(f"mul i64 {i}, {size}")
        with f.count(0, f.add(i, 1)) as j:
            a[i, j] = f.read("%a", start, j)
    with f.count(0, size) as i:
        with f.count(0, f.add(i, 1)) as j:
            x = a[i, j]
            a[j, i] = x
            # What is not a number stays.
            larger = ~(abs(x) <= f.read(largest))
            f.write(f.select(larger, abs(x), f.read(largest)), largest)
    f.write(_is_usual(f, f.read(largest)), "%found")
    tridiagonal(f, a, t, diagonal, beside, room, size)
    # Rotations turn columns, which lie in one piece.
    with f.count(0, size) as i:
        z.put(i, [f.zeros()] * z.count)
        with f.count(0, size) as j:
            z[i, j] = t[j, i]
    f.write(0.0, beside, size - 1)
    _Shifts(f, z, diagonal, beside, size).run()
    _in_order(f, z, diagonal, size)
    with f.count(0, size) as i:
        f.write(f.read(diagonal, i), "%values", i)
        with f.count(0, size) as j:
            f.write(z[i, j], "%vectors", f.value(f"mul i64 {i}, {size}"), j)
    arrays = {"a": size * size, "values": size, "vectors": size * size, "found": 1}
    scratch = 3 * size * a.pitch + 5 * a.pitch
    return kernel(f, arrays, scratch, 3 * size * size * _ROTATION)


def _is_usual(f: Reals, largest: Lanes) -> Lanes:
    """Return 1 where LAPACK would not scale a matrix with such numbers, else 0."""
    numbers = np.finfo(DTYPES[f.kind])
    small = float(np.sqrt(numbers.tiny / numbers.eps)) * 4
    within = (largest >= small) & (largest <= 1 / small)
    return f.select(within | largest.equals(0.0), 1.0, 0.0)


def _in_order(f: Reals, z: Rows, diagonal: str, size: int) -> None:
    """Sort eigenvalues, and the vectors with them."""
    with f.count(0, size - 1) as i:
        best, least = f.variable(i), f.cell(f.read(diagonal, i))
        with f.count(f.add(i, 1), size) as j:
            with f.when(f.read(diagonal, j) < f.read(least)):
                f.set(best, j)
                f.write(f.read(diagonal, j), least)
        chosen = f.get(best)
        with f.when(f.compare("ne", chosen, i)):
            f.write(f.read(diagonal, i), diagonal, chosen)
            f.write(f.read(least), diagonal, i)
            upper, lower = z.row(i), z.row(chosen)
            z.put(i, lower)
            z.put(chosen, upper)


class _Shifts:
    """The iteration on three diagonals."""

    def __init__(self, f: Reals, z: Rows, diagonal: str, beside: str, size: int) -> None:
        self.f, self.z, self.diagonal, self.beside, self.size = f, z, diagonal, beside, size
        numbers = np.finfo(DTYPES[f.kind])
        self.eps, self.tiny = float(numbers.eps) / 2, float(numbers.tiny)
        self.rounds = f.variable(0)

    def run(self) -> None:
        """Go from block to block of what is not split yet."""
        f, start = self.f, self.f.variable(0)
        with f.loop() as blocks:
            begin = f.get(start)
            f.leave(blocks, f.compare("sge", begin, self.size))
            end = f.variable(begin)
            with f.loop() as search:
                m = f.get(end)
                f.leave(search, f.compare("sge", m, self.size - 1))
                x, (low, high) = abs(f.read(self.beside, m)), self._neighbours(m)
                split = x <= f.sqrt(low) * f.sqrt(high) * self.eps
                with f.when(split):
                    f.write(0.0, self.beside, m)
                f.leave(search, split)
                f.set(end, f.add(m, 1))
            stop = f.get(end)
            f.set(start, f.add(stop, 1))
            low, high = abs(f.read(self.diagonal, begin)), abs(f.read(self.diagonal, stop))
            upwards = high < low

            def either(x: int | str, y: int | str) -> str:
                return f.value(f"select i1 {upwards.name}, i64 {x}, i64 {y}")

            self._block(either(stop, begin), either(begin, stop), either(-1, 1))

    def _neighbours(self, m: str) -> tuple[Lanes, Lanes]:
        f = self.f
        return abs(f.read(self.diagonal, m)), abs(f.read(self.diagonal, f.add(m, 1)))

    def _block(self, first: str, last: str, way: str) -> None:
        """Find the eigenvalues of a block one by one, from `first` towards `last`, in steps of 1 or -1."""
        f, here = self.f, self.f.variable(first)
        with f.loop() as values:
            at = f.get(here)
            left = f.value(f"mul i64 {way}, {f.value(f'sub i64 {last}, {at}')}")
            f.leave(values, f.compare("slt", left, 0))
            m = self._split(at, last, way)
            p = f.read(self.diagonal, at)
            alone = f.compare("eq", m, at)
            pair = f.compare("eq", m, f.add(at, way))
            with f.when(alone):
                f.set(here, f.add(at, way))
            with f.when(pair):
                self._pair(self._beside(at, way))
                f.set(here, f.add(f.add(at, way), way))
            with f.when(~(alone | pair)):
                given_up = f.compare("sge", f.get(self.rounds), _ROUNDS * self.size)
                f.set(self.rounds, f.add(f.get(self.rounds), 1))
                with f.when(given_up):
                    f.write(0.0, "%found")
                    f.set(here, f.add(last, way))
                with f.when(~given_up):
                    self._round(at, m, p, way)

    def _beside(self, at: str, way: str) -> str:
        """Return the place of the number between a place and the next one."""
        return self.f.add(at, self.f.value(f"ashr i64 {way}, 1"))

    def _split(self, first: str, last: str, way: str) -> str:
        """Return where what begins at a place ends: behind it stands a number that counts as zero."""
        f, at = self.f, self.f.variable(first)
        with f.loop() as search:
            m = f.get(at)
            f.leave(search, f.compare("eq", m, last))
            between = self._beside(m, way)
            x = f.read(self.beside, between)
            low, high = abs(f.read(self.diagonal, m)), abs(f.read(self.diagonal, f.add(m, way)))
            limit = low * (self.eps * self.eps) * high + self.tiny
            found = x * x <= limit
            with f.when(found):
                f.write(0.0, self.beside, between)
            f.leave(search, found)
            f.set(at, f.add(m, way))
        return f.get(at)

    def _round(self, first: str, m: str, p: Lanes, way: str) -> None:
        """Take one step with an implicit shift, from m back to the first."""
        f, d, e = self.f, self.diagonal, self.beside
        between = self._beside(first, way)
        x = f.read(e, between)
        g = (f.read(d, f.add(first, way)) - p) / (x * 2.0)
        r = f.sqrt(g * g + 1.0)
        start = f.read(d, m) - p + x / (g + f.copysign(r, g))
        cells = {name: f.cell(v) for name, v in (("g", start), ("s", 1.0), ("c", 1.0), ("p", 0.0))}
        i_at, downwards = f.variable(m), f.compare("slt", way, 0)
        with f.loop() as turns:
            i = f.get(i_at)
            f.leave(turns, f.compare("eq", i, first))
            before = f.value(f"sub i64 {i}, {way}")
            place = self._beside(before, way)
            g, s, c = (f.read(cells[name]) for name in "gsc")
            y = f.read(e, place)
            b = c * y
            c, s, r = self._rotation(g, s * y)
            with f.when(f.compare("ne", i, m)):
                f.write(r, e, self._beside(i, way))
            g = f.read(d, i) - f.read(cells["p"])
            r = (f.read(d, before) - g) * s + c * b * 2.0
            q = s * r
            f.write(g + q, d, i)
            for name, value in (("g", c * r - b), ("s", s), ("c", c), ("p", q)):
                f.write(value, cells[name])
            self._turn(place, c, f.select(downwards, s, -s))
            f.set(i_at, before)
        f.write(p - f.read(cells["p"]), d, first)
        f.write(f.read(cells["g"]), e, between)

    def _rotation(self, x: Lanes, y: Lanes) -> tuple[Lanes, Lanes, Lanes]:
        """Return (c, s, r) with c·x + s·y = r and c·y = s·x."""
        f = self.f
        large = f.select(abs(x) > abs(y), abs(x), abs(y))
        unit = f.select(large.equals(0.0), 1.0, large)
        a, b = x / unit, y / unit
        length = f.copysign(f.sqrt(a * a + b * b), a)
        flat, upright = y.equals(0.0), x.equals(0.0)

        def either(usual: Lanes, if_flat: Lanes | float, if_upright: Lanes | float) -> Lanes:
            return f.select(flat, if_flat, f.select(upright, if_upright, usual))

        c = either(abs(a) / abs(length), 1.0, 0.0)
        s = either(b / length, 0.0, f.copysign(1.0, y))
        return c, s, either(length * unit, x, abs(y))

    def _pair(self, low: str) -> None:
        """Find the two eigenvalues of what is left of two rows."""
        f, d = self.f, self.diagonal
        high = f.add(low, 1)
        a, b, c = f.read(d, low), f.read(self.beside, low), f.read(d, high)
        first, second, cosine, sine = self._two(a, b, c)
        f.write(first, d, low)
        f.write(second, d, high)
        f.write(0.0, self.beside, low)
        self._turn(low, cosine, sine)

    def _two(self, a: Lanes, b: Lanes, c: Lanes) -> tuple[Lanes, Lanes, Lanes, Lanes]:
        """Return the eigenvalues of [[a, b], [b, c]], the one of larger size first, and its vector."""
        f = self.f
        total, apart, twice = a + c, a - c, b + b
        width, size = abs(apart), abs(twice)
        wider = width > size
        long, short = f.select(wider, width, size), f.select(wider, size, width)
        zero = long.equals(0.0)
        part = short / f.select(zero, 1.0, long)
        root = long * f.sqrt(part * part + 1.0)
        a_larger = abs(a) > abs(c)
        more, less = f.select(a_larger, a, c), f.select(a_larger, c, a)
        negative, none = total < 0.0, total.equals(0.0)
        first = (total + f.select(negative, -root, root)) * 0.5
        divisor = f.select(first.equals(0.0), 1.0, first)
        second = f.select(none, root * -0.5, more / divisor * less - b / divisor * b)
        falls = apart >= 0.0
        side = apart + f.select(falls, root, -root)
        steep, diagonal = abs(side) > size, size.equals(0.0)
        x, y = f.select(steep, side, twice), f.select(steep, twice, side)
        slope = -(y / f.select(x.equals(0.0), 1.0, x))
        unit = 1.0 / f.sqrt(slope * slope + 1.0)
        cosine, sine = f.select(steep, slope * unit, unit), f.select(steep, unit, slope * unit)
        straight = ~steep & diagonal
        cosine, sine = f.select(straight, 1.0, cosine), f.select(straight, 0.0, sine)
        # Both signs are equal where the sum is not negative and the numbers fall, or neither.
        equal = negative ^ falls
        return first, second, f.select(equal, -sine, cosine), f.select(equal, cosine, sine)

    def _turn(self, low: str, cosine: Lanes, sine: Lanes) -> None:
        """Turn a column of the vectors together with the next."""
        f, high = self.f, self.f.add(low, 1)
        c, s = f.spread(cosine), f.spread(sine)
        lower, upper = self.z.row(low), self.z.row(high)
        self.z.put(high, [c * x - s * y for x, y in zip(upper, lower, strict=True)])
        self.z.put(low, [s * x + c * y for x, y in zip(upper, lower, strict=True)])
