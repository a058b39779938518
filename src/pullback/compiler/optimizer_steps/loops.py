"""Native loops of optimizers: what a step does to a parameter, done to many parameters in one call.

The loop is made from what the optimizer's own `update` does to stand-ins (`recorded_update`), and written
(`loops_text`) only where its machine code is not on disk.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.op import TABLE
from ..runtime import cache, engine
from ..runtime.native_call import count as counter
from ..runtime.native_call import function
from ..runtime.native_gradients import GOOD, SHARED
from ..runtime.native_specification import ALIGNED, ROW_MAJOR
from ..runtime.thread_pool import pool
from . import passes

#: Elements of a part, and from how many on a call's parts are shared out to threads.
PART, WORTH_THREADS = 1 << 15, 1 << 17

_Run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_Serial = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


class Update:
    """A loop, for any number of arrays of one dtype."""

    def __init__(self, written: Any, dtype: np.dtype[Any]) -> None:
        def text() -> str:
            from .loops_text import text_of  # 14 ms of imports

            return text_of(written, dtype)

        name = cache.key("optimizer step", repr((written, dtype.name)))
        self._library = engine.Library(engine.named(name, text, engine.DEFAULT), {})
        self._part = self._library.address("part")
        self._dtype = dtype
        # An operand has the arrays' dtype, as the factor of a sum has; another attribute, and what a product
        # takes unrounded, are as exact as the computation.
        self._operands = [
            ~at
            for name, *of in written.steps
            for place, at in enumerate(of[: _rounded(name)])
            if at < 0 and not (place == 1 and name in TABLE and TABLE[name].exact_scalars)
        ]
        self._all = _Serial(self._library.address("all"))

    def run(self, rows: Rows, numbers: Sequence[float]) -> None:
        """Do the step, with its numbers, for all rows."""
        rows.take(numbers)
        copies, rows.copies = rows.copies, []
        if self._dtype.itemsize < 4:
            with np.errstate(all="ignore"):
                for at in self._operands:
                    rows.numbers[at] = np.asarray(rows.numbers[at], self._dtype)
        if rows.elements < WORTH_THREADS:
            self._all(rows.context, rows.count)
        else:
            threads = pool()
            threads.prepare()
            _Run(threads.address)(self._part, rows.context, rows.count)
        copies.clear()


def _rounded(name: str) -> int:
    """Return how many operands of a step have the arrays' dtype, its numbers too."""
    if name not in TABLE:
        return 2
    op = TABLE[name]
    return len(op.inputs) + len(op.attrs) * op.rounded_attrs


class Rows:
    """Say where the arrays of some parameters lie, each itself and its state: a row of addresses for each.

    `taken` is memory, begin and end in order, in which no gradient may lie.
    """

    def __init__(self, arrays: Sequence[Sequence[ndarray]], taken: Sequence[tuple[int, int]]) -> None:
        sizes = [of[0].size for of in arrays]
        self.elements = sum(sizes)
        addresses = [[of[0], of[0], *of[1:]] for of in arrays]
        self._rows = np.array([[a.ctypes.data for a in of] for of in addresses], np.int64)
        stretches = [
            (row, start, min(start + PART, size))
            for row, size in enumerate(sizes)
            for start in range(0, size, PART)
        ]
        self.count = len(stretches)
        self._parts = np.array(stretches, np.int64).reshape(-1, 3)
        #: Of the step.
        self.numbers = np.zeros(0)
        self._context = np.array([self._rows.ctypes.data, self._parts.ctypes.data, 0], np.int64)
        #: What a part's function is called with, with how many parts there are.
        self.context = int(self._context.ctypes.data)
        self._expected = [of[0] for of in arrays]
        # The second place of a row is the gradient's.
        self._find = finder(int(self._rows.ctypes.data) + 8, self._rows.strides[0], self._expected, taken)
        #: Of gradients in another order, until the step is done.
        self.copies: list[ndarray] = []

    def gradients(self, gradients: Sequence[Any]) -> bool:
        """Take the gradients of a step; whether they are such that it can be done."""
        found = self._find(tuple(gradients))
        if found == GOOD:
            return True
        given = list(gradients)
        while GOOD < found < SHARED:
            array, expected = given[found], self._expected[found]
            if type(array) is not ndarray or array.shape != expected.shape or array.dtype != expected.dtype:
                return False
            # In another order: a copy does.
            given[found] = np.array(array, expected.dtype, order="C")
            self.copies.append(given[found])
            found = self._find(tuple(given))
        return found == GOOD

    def take(self, numbers: Sequence[float]) -> None:
        """Take the numbers of a step."""
        if len(numbers) != len(self.numbers):
            self.numbers = np.zeros(len(numbers))
            self._context[2] = self.numbers.ctypes.data
        self.numbers[:] = numbers


class Updating(passes.Updating):
    """Steps by native loops."""

    rows, _update = Rows, Update

    @staticmethod
    def count(counters: tuple[list[Any], ...], code: Any, at: int, number: int) -> int:
        """See `native_results.counted_text`."""
        return counter()(counters, code, at, number)


#: The loops of all optimizers.
NATIVE = Updating()


def finder(
    slots: int, row: int, expected: Sequence[ndarray], written: Sequence[tuple[int, int]]
) -> Callable[[tuple[Any, ...]], int]:
    """Return a function of a tuple of arrays that writes their addresses to slots, the first at `slots` and
    each `row` bytes further: in Python looking where gradients lie takes 1 µs each, and a native step's other
    costs do not grow with their number.

    They must have the shapes and dtypes of those `expected`, and none may lie in the memory that `written`
    tells by begin and end, in order. The function gives `native_gradients.GOOD`, or the number of the first
    array that is not as it must be (contiguous, too); or `native_gradients.SHARED` and the number of one that
    lies where none may.
    """
    shapes = [np.array(a.shape, np.int64) for a in expected]
    records = [
        (a.nbytes, 0, 0, 0, id(a.dtype), a.ndim, s.ctypes.data, ROW_MAJOR | ALIGNED)
        for a, s in zip(expected, shapes, strict=True)
    ]
    tables = [np.array(records, np.int64), *(np.array([r[k] for r in written], np.int64) for k in (0, 1))]
    at = [int(t.ctypes.data) for t in tables]
    spec = _Specification([len(expected), slots, row, id(np.ndarray), at[0], len(written), at[1], at[2]])
    spec.kept = [*shapes, *tables, *(a.dtype for a in expected)]
    return function("pullback_find", spec)


class _Specification(ndarray):
    """Words, and what they point to."""

    kept: list[Any]

    def __new__(cls, words: Sequence[int]) -> Any:
        """Return an array of the words."""
        return np.array(words, np.int64).view(cls)
