"""The reference handler: loop bodies on NumPy's scalars, which is slow, and says what the emitter must do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.array.scipy_functions import special
from pullback.compiler.lower.buffer import Buffer
from pullback.compiler.lower.handlers import BINARY, COMPARISONS, UFUNCS, UNARY
from pullback.compiler.lower.index import Index, Measured, Quotient, atom_index


class Reference:
    """Run a body on NumPy scalars."""

    def __init__(self, arrays: dict[int, np.ndarray], values: dict[str, int]) -> None:
        self.arrays = arrays
        self.values = values

    def position(self, index: Index) -> int:
        """Return the number that an index is for the present values of the loop variables."""
        total = index.constant
        for atom, coefficient in index.terms.values():
            if isinstance(atom, Quotient):
                inner = self.position(atom.inner)
                part = inner % atom.divisor if atom.remainder else inner // atom.divisor
            elif isinstance(atom, Measured):
                part = int(atom.value)
            else:
                part = self.values[atom.name]
            total += coefficient * part
        return total

    def load(self, buffer: Buffer, index: Index) -> Any:
        return self.arrays[buffer.number].reshape(-1)[self.position(index)]

    def index(self, index: Index, dtype: np.dtype[Any]) -> Any:
        return dtype.type(self.position(index))

    def place(self, x: Any, extent: int) -> Index:
        return atom_index(Measured(x, f"place{int(x)}", extent))

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Any:
        return dtype.type(value)

    def cast(self, x: Any, dtype: np.dtype[Any]) -> Any:
        return np.asarray(x).astype(dtype)[()]

    def whole(self, x: Any) -> Any:
        return np.int64(x)

    def select(self, condition: Any, x: Any, y: Any) -> Any:
        return x if condition else y

    def function(self, name: str, *xs: Any) -> Any:
        dtype = xs[0].dtype
        if name == "digamma":
            return dtype.type(special("digamma")(float(xs[0])))
        if name in ("erf", "erfc", "lgamma"):
            return dtype.type(getattr(math, name)(float(xs[0])))
        if name == "tgamma":
            return dtype.type(math.gamma(float(xs[0])))
        return UFUNCS[name](*xs)


def _referred(name: str) -> Any:
    ufunc = UFUNCS[name]

    def method(self: Reference, *xs: Any) -> Any:
        with np.errstate(all="ignore"):
            return ufunc(*xs)

    method.__name__ = name
    return method


for _name in (*BINARY, *UNARY, *COMPARISONS):
    setattr(Reference, _name, _referred(_name))
