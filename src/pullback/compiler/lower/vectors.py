"""Write vectors out where LLVM's vectoriser would not find them, or not the best ones.

`Vectors` is to vectors what a handler is to scalars: bodies that add, multiply and negate serve both.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from ..emit.emitter import Emitter
from ..emit.scalars import TYPES, Value, number
from .buffer import Buffer
from .index import Index, Variable
from .routines import spread


class Vectors:
    """Handle vectors of numbers, as a handler does scalars."""

    def __init__(self, ops: Emitter, dtype: np.dtype[Any], lanes: int) -> None:
        self.ops, self.dtype, self.lanes = ops, dtype, lanes
        self.real = TYPES[dtype]
        self.type = f"<{lanes} x {self.real}>" if lanes > 1 else self.real

    def _value(self, text: str) -> Value:
        found: Value = self.ops.instruction(text, self.dtype)
        return found

    def add(self, x: Value, y: Value) -> Value:
        return self._value(f"fadd {self.type} {x.name}, {y.name}")

    def sub(self, x: Value, y: Value) -> Value:
        return self._value(f"fsub {self.type} {x.name}, {y.name}")

    def mul(self, x: Value, y: Value) -> Value:
        return self._value(f"fmul {self.type} {x.name}, {y.name}")

    def neg(self, x: Value) -> Value:
        return self._value(f"fneg {self.type} {x.name}")

    def constant(self, value: float, dtype: np.dtype[Any]) -> Value:
        text = number(value, dtype)
        if self.lanes > 1:
            text = f"<{', '.join([f'{self.real} {text}'] * self.lanes)}>"
        return Value(text, dtype)

    def load(self, buffer: Buffer, at: Index) -> Value:
        """Return what lies from a place on, which may have been written since it was last loaded."""
        place = self.ops.address(buffer, at)
        name = self.ops.value(f"load {self.type}, ptr {place}, align {self.dtype.itemsize}")
        return Value(name, self.dtype)

    def backwards(self, buffer: Buffer, at: Index) -> Value:
        """Return what lies from a place on towards the front."""
        found = self.load(buffer, at + (1 - self.lanes))
        return found if self.lanes == 1 else self._shuffled(found, found, range(self.lanes)[::-1])

    def store(self, buffer: Buffer, at: Index, value: Value) -> None:
        """Write numbers from a place on."""
        place = self.ops.address(buffer, at)
        self.ops.line(f"store {self.type} {value.name}, ptr {place}, align {self.dtype.itemsize}")

    def spread(self, value: Value) -> Value:
        """Return one number in every lane."""
        if self.lanes == 1:
            return value
        one = self._value(f"insertelement {self.type} poison, {self.real} {value.name}, i32 0")
        lanes = f"<{self.lanes} x i32> zeroinitializer"
        return self._value(f"shufflevector {self.type} {one.name}, {self.type} poison, {lanes}")

    def interleaved(self, vectors: Sequence[Value]) -> list[Value]:
        """Return the first numbers of a power of two of vectors, then the second ones, and so on."""
        found, half, lanes = list(vectors), len(vectors) // 2, self.lanes
        if lanes == 1:
            return found
        merged = [n // 2 + (lanes if n % 2 else 0) for n in range(2 * lanes)]
        for _ in range(len(vectors).bit_length() - 1):
            pairs = [(found[n], found[n + half]) for n in range(half)]
            found = [self._shuffled(*pair, merged[k : k + lanes]) for pair in pairs for k in (0, lanes)]
        return found

    def _shuffled(self, x: Value, y: Value, order: Sequence[int]) -> Value:
        lanes = ", ".join(f"i32 {n}" for n in order)
        return self._value(
            f"shufflevector {self.type} {x.name}, {self.type} {y.name}, <{self.lanes} x i32> <{lanes}>"
        )


@contextmanager
def counted(ops: Emitter, *variables: Variable) -> Iterator[None]:
    """Open loops that LLVM leaves as they are."""
    with ExitStack() as loops:
        for variable in variables:
            if variable.extent > 1:
                loops.enter_context(ops.loop(variable, "0", str(variable.extent), "3"))
        loops.enter_context(ops.scope())
        yield


def in_vectors(ops: Emitter, dtype: np.dtype[Any], width: int, count: int) -> Iterator[tuple[Vectors, Index]]:
    """Go over the places below `count` by whole vectors, then by shorter ones; inside of a loop each."""
    start = 0
    while start < count:
        if (loop := Variable("q", (count - start) // width)).extent:
            with counted(ops, loop):
                yield Vectors(ops, dtype, width), spread([loop])[0] * width + start
            start += loop.extent * width
        width //= 2
