"""Exponentials of matrices, by the method of `ops.matrix_exp`: scaling, a Padé approximant, and squaring."""

from __future__ import annotations

import math
from functools import lru_cache

from ....ops.matrix_exp import METHODS
from ...runtime.shared_kernels import Kernel
from ..lanes import Lanes
from ..scalars import DTYPES
from .elimination import copied, eliminated, substituted
from .language import Reals, Rows, columns, function, kernel

_KEPT = 256
#: Estimated nanoseconds to add a multiple of a vector, and products of a matrix.
_VECTOR, _PRODUCTS = 0.5, 12


def product(real: str, size: int) -> Reals:
    """Return the function ``product(result, a, b)`` of square matrices, each in rows of whole vectors."""
    f = Reals("product", dict.fromkeys(("result", "a", "b"), "ptr"), real)
    result, a, b = (Rows(f, f"%{name}", columns(real, size)) for name in ("result", "a", "b"))
    with f.count(0, size) as i:
        sums = [f.cell(f.zeros()) for _ in range(b.count)]
        for cell in sums:
            f.write(f.zeros(), cell)
        with f.count(0, size) as k:
            factor = f.spread(a[i, k])
            for cell, vector in zip(sums, b.row(k), strict=True):
                f.write(f.muladd(vector, factor, f.read_vector(cell)), cell)
        result.put(i, [f.read_vector(cell) for cell in sums])
    return f


def _multiply(f: Reals, result: Rows, a: Rows, b: Rows) -> None:
    f.line(f"call void @product(ptr {result.start}, ptr {a.start}, ptr {b.start}) noinline")


def _halvings(f: Reals, a: Rows, size: int, radius: float) -> tuple[str, Lanes]:
    """Return the address of how often a matrix is halved for a norm within the radius, and its factor."""
    norm, times, factor = f.cell(0.0), f.variable(0), f.cell(1.0)
    with f.count(0, size) as j:
        column = f.cell(0.0)
        f.write(0.0, column)
        with f.count(0, size) as i:
            f.write(f.read(column) + abs(a[i, j]), column)
        larger = f.read(column) > f.read(norm)
        f.write(f.select(larger, f.read(column), f.read(norm)), norm)
    with f.when(f.read(norm) < math.inf):
        with f.loop() as loop:
            f.leave(loop, ~(f.read(norm) > radius))
            f.write(f.read(norm) * 0.5, norm)
            f.write(f.read(factor) * 0.5, factor)
            f.set(times, f.add(f.get(times), 1))
    return times, f.read(factor)


@lru_cache(maxsize=_KEPT)
def exponentials(real: str, size: int) -> Kernel:
    """Return the kernel of arrays (A, exp A)."""
    numerator, radius = METHODS[DTYPES[real].char]
    f = function(("a", "x"), real)
    count = columns(real, size)
    a, square, power, odd, even, other = (
        Rows(f, f.at("%scratch", n * size * count * f.width), count) for n in range(6)
    )
    system = Rows(f, f.at("%scratch", 6 * size * count * f.width), columns(real, 2 * size))
    with f.count(0, size) as i:
        a.put(i, [f.zeros()] * count)
    copied(f, a, "%a", size, size)
    times, factor = _halvings(f, a, size, radius)
    scale = f.spread(factor)
    with f.count(0, size) as i:
        a.put(i, [v * scale for v in a.row(i)])
        for rows in (power, odd, even):
            rows.put(i, [f.zeros()] * count)
        power[i, i] = 1.0
    _multiply(f, square, a, a)
    for place in range(0, len(numerator), 2):
        if place:
            _multiply(f, other, square, power)
            power, other = other, power
        with f.count(0, size) as i:
            for rows, n in ((even, place), (odd, place + 1)):
                rows.add(i, f.constant(numerator[n]), power.row(i))
    _multiply(f, other, a, odd)
    with f.count(0, size) as i:
        with f.count(0, size) as j:
            system[i, j] = even[i, j] - other[i, j]
            system[i, f.add(j, size)] = even[i, j] + other[i, j]
    eliminated(f, system, size)
    def keep(i: str, j: str, x: Lanes) -> None:
        power[i, j] = x

    substituted(f, system, size, size, keep)
    with f.count(0, f.get(times)):
        _multiply(f, other, power, power)
        with f.count(0, size) as i:
            power.put(i, other.row(i))
    with f.count(0, size) as i:
        with f.count(0, size) as j:
            f.write(power[i, j], "%x", f.value(f"mul i64 {i}, {size}"), j)
    scratch = size * (6 * count * f.width + system.pitch)
    work = _PRODUCTS * size * size * count * _VECTOR
    return kernel(f, {"a": size * size, "x": size * size}, scratch, work, product(real, size))
