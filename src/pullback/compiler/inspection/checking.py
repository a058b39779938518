"""``compile(check=True)``: every value of a program, native beside eager, and the first line where they part.

A program's equations know the lines of the user that wrote them down. In a check the program runs twice on
the same inputs: by the ops' array kernels, which is eager bit for bit, and as native code that keeps every
value. The first equation whose values differ by more than rounding is reported with both.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.named_tuples import NamedTuple
from ...core.blame import Place, place_at
from ...core.op import TABLE
from ...core.recorder import Reference
from ...core.warn import warn
from ..program.program import Program
from ..runtime.executable import Executable

#: Units in the last place of a tensor's largest element by which an element may differ: the order of a sum
#: is free, and mathematical functions are not the C library's.
UNITS = 64.0


class NumericalDifference(UserWarning):
    """Native code gives another number than eager."""


class Difference(NamedTuple):
    """Say where native code and eager part."""

    equation: str  # as the program prints it
    place: Place | None  # the line of the user's that it comes from
    element: tuple[int, ...]  # the element that differs most
    eager: Any
    native: Any
    units: float  # the difference in units of the last place of the tensor's largest element

    def __str__(self) -> str:
        where = "inside pullback" if self.place is None else f"{self.place.file}:{self.place.line}"
        code = f" ({self.place.code.strip()})" if self.place is not None and self.place.code else ""
        return (
            f"{where}{code}: element {list(self.element)} of {self.equation} is {self.eager!r} in eager and "
            f"{self.native!r} in native code, {self.units:.3g} units in the last place of the largest element"
        )


class Check:
    """A program with native code that keeps every value; `places` are instructions of the user's program, by
    the number of a value.
    """

    def __init__(self, program: Program, places: dict[int, Any]) -> None:
        self.program = program
        self.places = places
        self.numbers = [n for equation in program.equations for n in equation.outputs]
        self.whole = Executable(Program.of(program, outputs=self.numbers))

    def first_difference(self, arrays: Sequence[ndarray]) -> Difference | None:
        """Return the first equation that differs on these inputs."""
        drawn = [(generator, generator.get_state()) for generator in self.whole.generators]
        try:
            with np.errstate(all="ignore"):
                eager = self.whole.program.run(*arrays)
            for generator, state in drawn:
                generator.set_state(state)
            native = self.whole.run(*arrays)
        finally:
            for generator, state in drawn:
                generator.set_state(state)
        for number, a, b in zip(self.numbers, eager, native, strict=True):
            if (found := _apart(np.asarray(a), b)) is not None:
                return self._described(number, *found)
        return None

    def report(self, arrays: Sequence[ndarray]) -> None:
        """Warn of the first difference."""
        if (found := self.first_difference(arrays)) is not None:
            warn(f"compile(check=True): {found}", NumericalDifference)

    def _described(self, number: int, index: tuple[int, ...], a: Any, b: object, units: float) -> Difference:
        equation = next(e for e in self.program.equations if number in e.outputs)
        operands = ", ".join(repr(o) if isinstance(o, Reference) else str(o) for o in equation.operands)
        attrs = "".join(f", {attr}" for attr in equation.attrs)
        assert equation.op in TABLE
        code, at = self.places.get(equation.outputs[0], (None, 0))
        return Difference(f"{equation.op}({operands}{attrs})", place_at(code, at), index, a, b, units)


def _apart(a: ndarray, b: ndarray) -> tuple[tuple[int, ...], Any, Any, float] | None:
    """Return where two arrays differ most, both values, and by how many units; None if nowhere."""
    if not a.size:
        return None
    if a.dtype.kind in "biu":
        if not len(wrong := np.argwhere(a != b)):
            return None
        index = tuple(map(int, wrong[0]))
        return index, a[index].item(), b[index].item(), float("inf")
    wide = np.complex128 if a.dtype.kind in "cW" else np.float64
    x, y = a.astype(wide), b.astype(wide)
    same = (x == y) | ((x != x) & (y != y))
    finite = np.abs(x[np.isfinite(x)])
    limits = _limits(a.dtype)
    largest = float(finite.max()) if finite.size else 0.0
    unit = float(limits.eps) * max(largest, float(limits.smallest_normal))
    with np.errstate(all="ignore"):
        units = np.where(same, 0.0, np.abs(x - y) / unit)
    units[np.isnan(units)] = np.inf
    index = tuple(map(int, np.unravel_index(int(np.argmax(units)), a.shape)))
    worst = float(units[index])
    return None if worst <= UNITS else (index, x[index].item(), y[index].item(), worst)


def _limits(dtype: np.dtype[Any]) -> Any:
    import ml_dtypes

    return ml_dtypes.finfo(dtype)
