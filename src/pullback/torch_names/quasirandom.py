"""torch.quasirandom: points of Sobol' sequences, bit for bit those of torch.

The direction numbers are those of Joe & Kuo (2008), which SciPy ships too. A point is the last one, exclusive
or the direction number that belongs to the lowest zero bit of its index (Antonov & Saleev 1979). Scrambling
multiplies the direction numbers by a random lower triangular matrix of bits and shifts the points by random
bits (Matoušek 1998).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ..array.dtypes import get_default_dtype
from ..core.value import wrap
from ..tensor.interchange import as_tensor
from ..tensor.random import Generator, randint

#: Bits of a coordinate.
_BITS = 30


def _parity(bits: ndarray) -> ndarray:
    """Return whether a number below 2³² has an odd number of ones, for each."""
    for shift in (16, 8, 4, 2, 1):
        bits = bits ^ (bits >> shift)
    return bits & 1


class SobolEngine:
    """Points of a Sobol' sequence, which fill the unit cube evenly.

    Parameters
    ----------
    dimension : int
        Coordinates of a point, 1 to 21201.
    scramble : bool, optional
        Whether the sequence is scrambled at random.
    seed : int, optional
        Of the scrambling; without one torch's default stream is drawn from.

    Attributes
    ----------
    num_generated : int
        How many points were drawn or passed over.
    """

    MAXBIT = _BITS
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        from scipy.stats import qmc

        self.seed = seed
        self.scramble = scramble
        self.dimension = dimension
        directions = qmc.Sobol(dimension, scramble=False, bits=_BITS)._sv.astype(np.int64)
        shift = np.zeros(dimension, np.int64)
        if scramble:
            directions, shift = self._scrambled(directions)
        self.sobolstate: Any = wrap(directions)
        self.shift: Any = wrap(shift)
        self.quasi: Any = wrap(shift.copy())
        self.num_generated = 0

    def _scrambled(self, directions: ndarray) -> tuple[ndarray, ndarray]:
        generator = None if self.seed is None else Generator().manual_seed(self.seed)
        high_first = 2 ** np.arange(_BITS - 1, -1, -1)
        bits = randint(2, (self.dimension, _BITS), generator=generator).numpy()
        matrix = np.tril(randint(2, (self.dimension, _BITS, _BITS), generator=generator).numpy())
        matrix[:, np.arange(_BITS), np.arange(_BITS)] = 1
        rows = (matrix * high_first).sum(-1)
        mixed = np.zeros_like(directions)
        for place in range(_BITS):
            mixed += _parity(rows[:, place, None] & directions) << (_BITS - 1 - place)
        return mixed, bits @ (2 ** np.arange(_BITS))

    def draw(self, n: int = 1, out: Any = None, dtype: Any = None) -> Any:
        """Return the next `n` points, a tensor ``(n, dimension)`` of the default dtype or of `dtype`."""
        points = np.empty((n, self.dimension), np.int64)
        for row in range(n):
            if self.num_generated:
                self._advance(self.num_generated - 1)
            self.num_generated += 1
            points[row] = self.quasi.numpy()
        drawn = as_tensor(points / 2**_BITS, dtype=get_default_dtype() if dtype is None else dtype)
        return drawn if out is None else out.resize_as_(drawn).copy_(drawn)

    def draw_base2(self, m: int, out: Any = None, dtype: Any = None) -> Any:
        """Return the next 2ᵐ points.

        Raises
        ------
        ValueError
            If the number of all points would be no power of two, and the points not balanced.
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2. {self.num_generated} "
                f"points have been previously generated, then: n={self.num_generated}+2**{m}={total}. If you "
                "still want to do this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n, out, dtype)

    def reset(self) -> SobolEngine:
        """Begin at the first point again."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Pass over `n` points."""
        begin = self.num_generated - 1 if self.num_generated else 0
        for index in range(begin, self.num_generated + n - 1):
            self._advance(index)
        self.num_generated += n
        return self

    def _advance(self, index: int) -> None:
        """Go from the point of an index to the one after it."""
        lowest_zero = (~index & (index + 1)).bit_length() - 1
        values = self.quasi.numpy()
        values ^= self.sobolstate.numpy()[:, lowest_zero]

    def __repr__(self) -> str:
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts.append("scramble=True")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(parts)})"


SobolEngine.__module__ = "torch.quasirandom"

__all__ = ["SobolEngine"]
