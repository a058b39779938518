"""Native loops of optimizers: what a step does to a parameter, done to many parameters in one call.

The loop is made from what the optimizer's own `update` does to stand-ins (`recorded_update`), with the forms
of elements that programs are made of: the bits are NumPy's. The numbers of a step are read at run time, so a
loop serves every step, and parameters of any size.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.op import TABLE
from ..eager_kernels.jobs import APART, loop_variable, number, read, write
from ..emit.emitter import Emitter, Module
from ..emit.scalars import FLOAT64, NARROW, TYPES, Value, computing
from ..lower.elementwise import Form, form
from ..runtime import engine
from ..runtime.native_call import count as counter
from ..runtime.native_call import function
from ..runtime.native_gradients import GOOD, SHARED
from ..runtime.native_specification import ALIGNED, ROW_MAJOR
from ..runtime.thread_pool import pool

#: Elements of a part, and from how many on a call's parts are shared out to threads.
PART, WORTH_THREADS = 1 << 15, 1 << 17

_Run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_Serial = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


class _Number(int):
    """The place of a number among those of a step."""


class _Plain(Emitter):
    """Take constants that may be numbers of the step."""

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Value:
        """Return a number."""
        if type(value) is not _Number:
            return super().constant(value, dtype)
        key = f"number {value} as {dtype}"
        found = self.known(key)
        if found is None:
            place = number(self, f"getelementptr double, ptr %numbers, i64 {int(value)}")
            exact = Value(number(self, f"load double, ptr {place}"), FLOAT64)
            found = self.remember(key, self.cast(exact, dtype))
        return found


#: Steps whose op looks at the numbers of a step, which vary: `lerp` is from one end and from the other, by
#: the weight of the farther.
_STEPS: dict[str, Form] = {
    "clamp": lambda ops, x, low, high: ops.minimum(high, ops.maximum(low, x)),
    "lerp_far": lambda ops, x, y, rest: ops.sub(y, ops.mul(ops.sub(y, x), rest)),
    "lerp_near": lambda ops, x, y, weight: ops.add(x, ops.mul(weight, ops.sub(y, x))),
    "masked_fill": lambda ops, x, mask, value: ops.select(mask, value, x),
}


class Update:
    """A loop, for any number of arrays.

    Parameters
    ----------
    written : recorded_update.Written
    dtype : dtype
        Of all arrays.
    """

    def __init__(self, written: Any, dtype: np.dtype[Any]) -> None:
        self._library = engine.Library(_text(written, dtype), {})
        self._part = self._library.address("part")
        self._dtype = dtype
        # An operand has the arrays' dtype; an attribute, and what a product takes unrounded, are as exact as
        # the computation.
        self._operands = [
            ~at
            for name, *of in written.steps
            for place, at in enumerate(of[: len(TABLE[name].inputs) if name in TABLE else 2])
            if at < 0 and not (place == 1 and name in TABLE and TABLE[name].exact_scalars)
        ]
        self._all = _Serial(self._library.address("all"))

    def run(self, rows: Rows, numbers: Sequence[float]) -> None:
        """Do the step, with its numbers, for all rows."""
        rows.take(numbers)
        copies, rows.copies = rows.copies, []
        if self._dtype in NARROW:
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


class Rows:
    """Say where the arrays of some parameters lie: a row of addresses for each.

    Parameters
    ----------
    arrays : sequence of sequence of array
        Of each parameter itself and its state.
    taken : sequence of (int, int)
        Memory, begin and end in order, in which no gradient may lie.

    Attributes
    ----------
    elements : int
    context, count : int
        What a part's function is called with, and how many parts there are.
    numbers : array of float64
        Of the step.
    copies : list of array
        Of gradients in another order, until the step is done.
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
        self.numbers = np.zeros(0)
        self._context = np.array([self._rows.ctypes.data, self._parts.ctypes.data, 0], np.int64)
        self.context = int(self._context.ctypes.data)
        self._expected = [of[0] for of in arrays]
        # The second place of a row is the gradient's.
        self._find = finder(int(self._rows.ctypes.data) + 8, self._rows.strides[0], self._expected, taken)
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


class Updating:
    """The loops, made when they are first asked for."""

    rows = Rows

    @staticmethod
    def count(counters: tuple[list[Any], ...], code: Any, at: int, number: int) -> int:
        """See `native_results.counted_text`."""
        return counter()(counters, code, at, number)

    def __init__(self) -> None:
        self._made: dict[Any, Update] = {}

    def loop(self, written: Any, dtype: np.dtype[Any]) -> Update:
        """Return the loop that does what was written down, on arrays of a dtype."""
        key = (written, dtype)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Update(written, dtype)
        return found


#: The loops of all optimizers.
NATIVE = Updating()


def _text(written: Any, dtype: np.dtype[Any]) -> str:
    ops = _Plain(Module())
    places = written.places
    for n, name in enumerate(("rows", "stretches", "numbers")):
        ops.line(f"%at_{name} = getelementptr ptr, ptr %context, i64 {n}")
        ops.line(f"%{name} = load ptr, ptr %at_{name}")
    ops.line("%stretch = getelementptr [3 x i64], ptr %stretches, i64 %part")
    for n, name in enumerate(("row", "lo", "hi")):
        ops.line(f"%at_{name} = getelementptr i64, ptr %stretch, i64 {n}")
        ops.line(f"%{name} = load i64, ptr %at_{name}")
    ops.line(f"%pointers = getelementptr [{places} x ptr], ptr %rows, i64 %row")
    for n in range(places):
        ops.line(f"%at_{n} = getelementptr ptr, ptr %pointers, i64 {n}")
        ops.line(f"%array_{n} = load ptr, ptr %at_{n}")
    exact = computing(dtype)
    # Before the loop: what is known there is known in it.
    for operands in written.steps:
        for operand in operands[1:]:
            if operand < 0:
                ops.constant(_Number(~operand), exact)
    with ops.loop(loop_variable("n"), "%lo", "%hi", innermost="1"):
        _body(ops, written, dtype, exact)
    head = "define void @part(ptr %context, i64 %part) nounwind #0 {"
    part = "\n".join([head, "entry:", *ops.slots, *ops.lines, "  ret void", "}"])
    return engine.whole(ops.module.declarations.values(), [part, _ALL])


def _body(ops: _Plain, written: Any, dtype: np.dtype[Any], exact: np.dtype[Any]) -> None:
    """Write one element: read its values, do the steps one after another, write the results."""
    type_ = TYPES[dtype]
    values = []
    for n in range(written.places):
        values.append(Value(read(ops, type_, f"%array_{n}", ops.counters["n"], APART), dtype))

    def operand(at: int) -> Value:
        if at < 0:
            return ops.constant(_Number(~at), exact)
        value = values[at]
        return ops.cast(value, exact) if value.dtype == dtype else value

    for name, *operands in written.steps:
        step = _STEPS.get(name) or form(TABLE[name])
        result = step(ops, *map(operand, operands))
        # An op on halves rounds its result to a half.
        values.append(ops.cast(result, dtype) if result.dtype == exact else result)
    for n, at in enumerate(written.results):
        if at != n:
            write(ops, type_, values[at].name, f"%array_{n}", ops.counters["n"], APART)


_ALL = """\
define void @all(ptr %context, i64 %parts) nounwind #0 {
entry:
  br label %head
head:
  %part = phi i64 [ 0, %entry ], [ %next, %run ]
  %more = icmp slt i64 %part, %parts
  br i1 %more, label %run, label %done
run:
  call void @part(ptr %context, i64 %part)
  %next = add nuw nsw i64 %part, 1
  br label %head
done:
  ret void
}"""


def finder(
    slots: int, row: int, expected: Sequence[ndarray], written: Sequence[tuple[int, int]]
) -> Callable[[tuple[Any, ...]], int]:
    """Return a function of a tuple of arrays that writes their addresses to slots: in Python looking where
    gradients lie takes 1 µs each, and a native step's other costs do not grow with their number.

    Parameters
    ----------
    slots, row : int
        Address of the first slot, and bytes from one to the next.
    expected : sequence of array
        Of the shapes and dtypes that the arrays must have.
    written : sequence of (int, int)
        Begin and end of memory in which no array may lie, in order.

    Returns
    -------
    callable
        It gives `native_gradients.GOOD`, or the number of the first array that is not as it must be
        (contiguous, too); or `native_gradients.SHARED` and the number of one that lies where none may.
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
