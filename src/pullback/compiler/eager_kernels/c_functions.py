"""The C library's functions of float64 numbers on whole arrays: `array.random_rounding` says why."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from numpy import ndarray

from ..emit import python_functions
from ..emit.restricted_python import Bytes, Program, Words, load_real, native, python, store
from ..runtime import engine
from ..runtime.shared_kernels import address

#: Places in the table of words that a function is told by: numbers, what they become, how many there are.
NUMBERS, OUT, COUNT = range(3)
_Table = ctypes.c_int64 * 3
_CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class CFunctions:
    """The functions, made when they are first asked for."""

    def __init__(self) -> None:
        self._library: engine.Library | None = None
        self._made: dict[str, Callable[[ndarray], ndarray]] = {}

    def function(self, kind: str) -> Callable[[ndarray], ndarray] | None:
        """Return ``logarithms``, or ``logarithms_of_rest`` (of 1 + x); none where Python does not export
        the C library's functions.
        """
        if kind in self._made:
            return self._made[kind]
        if not python_functions.mathematics():
            return None
        if self._library is None:
            self._library = engine.library(Program((logarithms, logarithms_of_rest), {}, {}))
        call = _CALL(self._library.address(kind))

        def each(x: ndarray) -> ndarray:
            given = np.ascontiguousarray(x, np.float64)
            out = np.empty(given.shape)
            call(_Table(address(given), address(out), given.size))
            return out

        self._made[kind] = each
        return each


@native
def logarithms(table: Words) -> None:
    """Find log(x) of each number."""
    numbers: Bytes = table[NUMBERS]
    out: Bytes = table[OUT]
    for n in range(table[COUNT]):
        store(out + 8 * n, 64, python.log(load_real(numbers + 8 * n, 64)))


@native
def logarithms_of_rest(table: Words) -> None:
    """Find log(1 + x) of each number."""
    numbers: Bytes = table[NUMBERS]
    out: Bytes = table[OUT]
    for n in range(table[COUNT]):
        store(out + 8 * n, 64, python.log1p(load_real(numbers + 8 * n, 64)))
