"""The two-loop recursion of L-BFGS on short vectors, in one native call (Nocedal and Wright,
"Numerical Optimization", 2006, algorithm 7.4).

Its 400 products and sums of 100 pairs take 3 µs each as calls of NumPy. They are rounded as in `array.lanes`,
to the last bit, on vectors that are laid out as there: sixteen lanes are one vector here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..emit.lanes import Lanes
from ..emit.matrices.language import Reals, module
from ..runtime import engine
from ..runtime.shared_kernels import address

#: By the character of a dtype: its name in LLVM's text and what a call takes it as.
_REALS = {"f": ("float", ctypes.c_float), "d": ("double", ctypes.c_double)}


class Recursion:
    """The functions for both dtypes, each made when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[engine.Library, Any]] = {}

    def _function(self, kind: str) -> Any:
        if kind not in self._made:
            real, number = _REALS[kind]
            library = engine.Library(_text(real), {})
            call = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 5, number, ctypes.c_int64, ctypes.c_int64)
            self._made[kind] = library, call(library.address("recursion"))
        return self._made[kind][1]

    def run(
        self, d: ndarray, steps: Sequence[int], changes: Sequence[int], inverses: Sequence[Any], scale: float
    ) -> ndarray:
        """Apply the recursion to `d` in place, and return the weights of the steps. All vectors are laid out
        in lanes, those of the history told by their addresses.
        """
        places = [np.array(addresses, np.int64) for addresses in (steps, changes)]
        factors = np.array([*map(float, inverses)], d.dtype)
        weights = np.empty(len(steps), d.dtype)
        self._function(d.dtype.char)(
            places[0].ctypes.data, places[1].ctypes.data, address(factors), address(d),
            address(weights), scale, len(steps), d.size,
        )  # fmt: skip
        return weights


def _text(real: str) -> str:
    """Return the functions' text for numbers of one type."""
    return module(_dot(real), _add_scaled(real), _recursion(real))


class _Loops(Reals):
    """Write a function whose loops may be unrolled."""

    again = ""


def _dot(real: str) -> Reals:
    """Return the function that adds up products in sixteen lanes: four rows of four first, then across."""
    f = _Loops("dot", {"x": "ptr noalias", "y": "ptr noalias", "n": "i64"}, real, real, 16)
    sums = f.cell(f.spread(f.constant(-0.0)))
    with f.count(0, "%n", 16) as i:
        (x,), (y,) = f.vectors("%x", 1, i), f.vectors("%y", 1, i)
        f.write(f.read_vector(sums) + x * y, sums)
    a, b, c, d = (
        f.read(sums, k) + f.read(sums, k + 4) + f.read(sums, k + 8) + f.read(sums, k + 12) for k in range(4)
    )
    f.returned((a + c + (b + d)).name)
    return f


def _add_scaled(real: str) -> Reals:
    """Return the function that adds a multiple of a vector to another: each x + α·y is rounded once."""
    f = _Loops("add_scaled", {"x": "ptr noalias", "y": "ptr noalias", "alpha": real, "n": "i64"}, real)

    def exact(x: Lanes) -> Lanes:
        return x if real == "double" else f.instruction(f"fpext float {x.name} to double", "double")

    factor = exact(Lanes(f, "%alpha", real))
    with f.count(0, "%n") as i:
        found = exact(f.read("%y", i)) * factor + exact(f.read("%x", i))
        if real == "float":
            found = f.instruction(f"fptrunc double {found.name} to float", real)
        f.write(found, "%x", i)
    return f


def _recursion(real: str) -> Reals:
    """Return the function that goes back through the history of steps and changes, and forth again."""
    pointers = dict.fromkeys(("steps", "changes", "inverses", "d", "weights"), "ptr")
    f = _Loops("recursion", {**pointers, "scale": real, "count": "i64", "n": "i64"}, real)
    f.linkage = ""

    def vector(array: str, k: str) -> str:
        return f.value(f"load ptr, ptr {f.value(f'getelementptr ptr, ptr {array}, i64 {k}')}")

    def weight(array: str, k: str) -> Lanes:
        product = f.instruction(f"call {real} @dot(ptr {vector(array, k)}, ptr %d, i64 %n)", real)
        return product * f.read("%inverses", k)

    def add(array: str, k: str, factor: Lanes) -> None:
        f.line(f"call void @add_scaled(ptr %d, ptr {vector(array, k)}, {real} {factor.name}, i64 %n)")

    with f.count_down("%count", 0) as k:
        own = weight("%steps", k)
        f.write(own, "%weights", k)
        add("%changes", k, -own)
    with f.count(0, "%n") as i:
        f.write(f.read("%d", i) * Lanes(f, "%scale", real), "%d", i)
    with f.count(0, "%count") as k:
        add("%steps", k, f.read("%weights", k) - weight("%changes", k))
    return f
