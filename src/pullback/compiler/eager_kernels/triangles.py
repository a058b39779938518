"""Triangular systems, and the factors of stacks of small matrices, by native code."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy import ndarray

from ...array.named_tuples import NamedTuple
from ..emit.matrices.pivoting import factors
from ..emit.matrices.substitution import ROWS, numbers, panels, solutions
from ..runtime.shared_kernels import Kernel, address
from .jobs import FLOATS


class _Plan(NamedTuple):
    """Say how systems of some strides are solved: the kernel, how many panels there are, what it is told,
    where that lies, and how many bytes behind the triangle's begin its first equation has its pivot.
    """

    kernel: Kernel
    panels: int
    numbers: ndarray
    told: int
    skipped: int


class Triangles:
    """The systems."""

    def solve(self, a: ndarray, b: ndarray, x: ndarray, upper: bool, unit: bool, zeros: bool) -> bool:
        """Write X with A·X = B, of whose A a triangle is read; return whether it was done.

        They are matrices or stacks of as many matrices; X may be B. Those of B and X have a stride of one
        element each. With `zeros` B is a triangle as A is.
        """
        if a.dtype not in FLOATS or b.shape[-2] > ROWS or a.ndim > 3 or not a.flags.aligned:
            return False
        plan = _plan(b.shape, a.strides, b.strides, x.strides, a.itemsize, upper, unit, zeros)
        plan.kernel(plan.panels, address(a) + plan.skipped, address(b), address(x), plan.told)
        return True

    def factor(self, a: ndarray, b: ndarray | None, pivots: ndarray, info: ndarray) -> bool:
        """Write the factors of a stack of matrices over them, both with contiguous columns, and exchange the
        rows of right-hand sides as theirs are; return whether it was done.
        """
        (height, width), count, sides = a.shape[-2:], pivots.shape[-1], 0 if b is None else b.shape[-1]
        numbers = np.array((height, width, count, sides), np.int64)
        kernel = factors("float" if a.itemsize == 4 else "double", count, width)
        kernel(info.size, *map(address, (a, b, pivots, info, numbers)))
        return True


@lru_cache(maxsize=256)
def _plan(
    shape: tuple[int, ...], a: tuple[int, ...], b: tuple[int, ...], x: tuple[int, ...], size: int,
    upper: bool, unit: bool, zeros: bool,
) -> _Plan:  # fmt: skip
    """Return the plan for a shape of B, and steps in bytes."""
    real = "float" if size == 4 else "double"
    apart, rows, columns = zip(*[[0, *(step // size for step in own)][-3:] for own in (a, b, x)], strict=True)
    found = numbers(real, shape[-2:], rows, columns, apart, upper, unit, zeros)
    skipped = (shape[-2] - 1) * (a[-2] + a[-1]) if upper else 0
    count = shape[0] if len(shape) > 2 else 1
    told = np.array(found, np.int64)
    return _Plan(solutions(real, shape[-2]), count * panels(real, shape[-1]), told, address(told), skipped)
