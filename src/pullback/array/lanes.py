"""Dot products, sums and scaled sums of short vectors, those of float32 rounded as torch's CPU kernels round
them. Those of float64 are added in the same orders, which are not torch's there.

The orders of addition were read off with probes (Xie et al. 2025, "FPRev: revealing the order of
floating-point summation"): M and −M at two places and 1 at the others give the number of terms that are added
after these two have met. That of `dot` is MKL's `sdot` on processors for which it has no code of Intel's own
(seen on AMD's Zen); elsewhere MKL adds in another order.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)

#: Elements up to which MKL adds on one thread. Longer sums depend on the number of threads in torch.
LONGEST = 8192


def fits(x: ndarray) -> bool:
    """Return whether the functions here are for this vector."""
    return (x.dtype is _FLOAT32 or x.dtype is _FLOAT64) and x.size <= LONGEST


def dot(x: ndarray, y: ndarray) -> np.floating[Any]:
    """Return Σ xᵢ·yᵢ, every product and every sum rounded.

    Sixteen lanes each add every sixteenth product. Of the last fifteen products, eight go to lanes 0 to 7 and
    four to lanes 0 to 3, where there are so many; what is left goes to lane 0, one after another. In the end
    lanes four apart are added in turn, and the four sums a, b, c, d as (a + c) + (b + d).
    """
    products = x * y
    size = products.size
    if at := size & ~15:
        lanes = np.add.reduce(products[:at].reshape(-1, 16), 0)  # NumPy adds rows in their order
    else:
        lanes = np.zeros(16, x.dtype)
    if size & 8:
        lanes[:8] += products[at : at + 8]
        at += 8
    if size & 4:
        lanes[:4] += products[at : at + 4]
        at += 4
    if at < size:
        lanes[0] = _in_order(products[at:], lanes[0])
    a, b, c, d = np.add.reduce(lanes.reshape(4, 4), 0)
    return (a + c) + (b + d)


def total(x: ndarray) -> np.floating[Any]:
    """Return Σ xᵢ as torch's `sum` adds.

    Vectors of eight elements (single ones below eight elements) are added in four rows of lanes. After every
    sixteen additions the lanes are put aside and begin anew; what was put aside is added in turn. Vectors
    that are left go to the first row, elements that are left to its first lane, as their own sum.
    """
    width = 8 if x.size >= 8 else 1
    vectors = x[: x.size - x.size % width].reshape(-1, width)
    rounds = len(vectors) // 4
    lanes = np.zeros((4, width), x.dtype)
    rows = vectors[: rounds * 4].reshape(rounds, 4, width)
    if whole := rounds & ~15:
        lanes += np.add.reduce(np.add.reduce(rows[:whole].reshape(-1, 16, 4, width), 1), 0)
    if whole < rounds:
        lanes += np.add.reduce(rows[whole:], 0)
    for vector in vectors[rounds * 4 :]:
        lanes[0] += vector
    sums = np.add.reduce(lanes, 0)
    if (rest := x[len(vectors) * width :]).size:
        sums[0] += _in_order(rest[1:], rest[0])
    return _in_order(sums[1:], sums[0])


def _in_order(terms: ndarray, first: np.floating[Any]) -> np.floating[Any]:
    for term in terms:
        first = first + term
    return first


def add_scaled(x: ndarray, y: ndarray, alpha: float, out: ndarray) -> None:
    """Write x + alpha·y: of float32 rounded once as a fused multiply-add rounds it, of float64 twice.

    Products of float32 are exact in float64, and the sum is rounded there before it becomes float32. The two
    roundings differ from one where the first ends exactly between two float32: about one sum in 10⁹.
    """
    sums = y.astype(_FLOAT64)
    sums *= x.dtype.type(alpha)
    sums += x
    out[...] = sums


# --- many products and sums of the same vectors ---------------------------------------------------


class Lanes:
    """A vector laid out as `dot` adds its products: rows of sixteen lanes as (rows, 4, 4).

    A dot product is then a product and two sums: 3 µs instead of 6 for 145 elements. But in the vector that
    is changed (`moves`), -0.0 stands where no element is: the product there is -0.0, which leaves every sum
    as it is.
    """

    __slots__ = ("_wide", "address", "size", "values")

    def __init__(self, x: ndarray, moves: bool = False) -> None:
        self.size = x.size
        rows, places = _places(x.size)
        self.values = values = np.full((rows, 4, 4), 0.0 if moves else -0.0, x.dtype)
        if x.size < 16:
            values[0] = 0.0  # to which `dot` adds the others
        values.reshape(-1)[places] = x
        self.address: int = values.ctypes.data
        self._wide: ndarray | None = None

    @property
    def wide(self) -> ndarray:
        """Return the numbers in float64, for sums that are rounded once."""
        if self._wide is None:
            self._wide = self.values.astype(_FLOAT64)
        return self._wide

    def elements(self) -> ndarray:
        """Return the vector."""
        return self.values.reshape(-1)[_places(self.size)[1]]


def recursion(
    moved: Lanes, steps: Sequence[Lanes], changes: Sequence[Lanes], inverses: Sequence[Any], scale: Any
) -> list[Any]:
    """Apply the two loops of L-BFGS to a vector in place, and return the weights of the first, as `dot` and
    `add_scaled` give them where all numbers are finite.
    """
    d, wide = moved.values, moved.wide
    products, sums, factor = np.empty_like(d), np.empty_like(wide), np.empty(())
    multiply, add, total = np.multiply, np.add, np.add.reduce
    weights: list[Any] = [0.0] * len(steps)

    def dot_product(x: Lanes) -> Any:
        multiply(x.values, d, out=products)
        a, b, c, e = total(total(products, 0), 0)
        return (a + c) + (b + e)

    def move(x: Lanes, alpha: Any) -> None:
        factor[()] = alpha
        multiply(x.wide, factor, out=sums)
        add(sums, wide, out=sums)
        d[...] = sums
        wide[...] = d

    for i in reversed(range(len(steps))):
        weights[i] = dot_product(steps[i]) * inverses[i]
        move(changes[i], -weights[i])
    d *= scale
    wide[...] = d
    for i in range(len(steps)):
        move(steps[i], weights[i] - dot_product(changes[i]) * inverses[i])
    return weights


@functools.lru_cache(maxsize=32)
def _places(size: int) -> tuple[int, ndarray]:
    """Return how many rows of lanes a vector takes, and where among them its elements stand."""
    row = max(size >> 4, size < 16)
    places = [*range(size & ~15)]
    for width in (8, 4):
        if size & width:
            places += range(16 * row, 16 * row + width)
            row += 1
    places += range(16 * row, 16 * (row + (size & 3)), 16)
    return row + (size & 3), np.array(places, np.intp)
