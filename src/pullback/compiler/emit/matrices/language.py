"""Write functions on floating numbers and rows of matrices, as formulas, in LLVM's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...runtime import engine, shared_kernels
from ...runtime.shared_kernels import Kernel
from ..branching import Function
from ..codegen import LOOPS
from ..scalars import number
from ..vector_registers import registers

DTYPES: dict[str, np.dtype[Any]] = {"float": np.dtype(np.float32), "double": np.dtype(np.float64)}
Place = int | str


class Number:
    """A value of a function: a floating number, or a vector of them, with the signs of arithmetic."""

    def __init__(self, f: Reals, name: str, type_: str) -> None:
        self.f, self.name, self.type = f, name, type_

    def _with(self, word: str, other: Number | float, turned: bool = False) -> Number:
        y = other if isinstance(other, Number) else self.f.constant(other)
        first, second = (y, self) if turned else (self, y)
        type_ = first.type
        return Number(self.f, self.f.value(f"{word} {type_} {first.name}, {second.name}"), type_)

    def __add__(self, other: Number | float) -> Number:
        return self._with("fadd", other)

    def __sub__(self, other: Number | float) -> Number:
        return self._with("fsub", other)

    def __rsub__(self, other: float) -> Number:
        return self._with("fsub", other, turned=True)

    def __mul__(self, other: Number | float) -> Number:
        return self._with("fmul", other)

    def __truediv__(self, other: Number | float) -> Number:
        return self._with("fdiv", other)

    def __rtruediv__(self, other: float) -> Number:
        return self._with("fdiv", other, turned=True)

    def __neg__(self) -> Number:
        return Number(self.f, self.f.value(f"fneg {self.type} {self.name}"), self.type)

    __radd__, __rmul__ = __add__, __mul__


class Reals(Function):
    """Write one function of numbers of one type, ``"float"`` or ``"double"``, and of vectors of them.

    Loops are not unrolled: what they do to a row takes longer than to count, and LLVM as long as all else.
    """

    again = ", !llvm.loop !0"

    def __init__(self, name: str, parameters: Mapping[str, str], real: str) -> None:
        super().__init__(name, parameters)
        self.real, self.lanes = real, registers(real).lanes
        self.vector = f"<{self.lanes} x {real}>"
        self.letter = "f32" if real == "float" else "f64"
        self.declarations: set[str] = set()

    # Numbers.

    def constant(self, value: float) -> Number:
        """Return a number that is known."""
        return Number(self, number(value, DTYPES[self.real]), self.real)

    def called(self, name: str, *xs: Number) -> Number:
        """Return what an intrinsic function of LLVM's gives."""
        type_ = xs[0].type
        symbol = f"llvm.{name}.{'' if type_ == self.real else f'v{self.lanes}'}{self.letter}"
        self.declarations.add(f"declare {type_} @{symbol}({', '.join(x.type for x in xs)})")
        given = ", ".join(f"{x.type} {x.name}" for x in xs)
        return Number(self, self.value(f"call {type_} @{symbol}({given})"), type_)

    def root(self, x: Number) -> Number:
        """Return the square root."""
        return self.called("sqrt", x)

    def size(self, x: Number) -> Number:
        """Return the absolute value."""
        return self.called("fabs", x)

    def signed(self, x: Number, sign: Number) -> Number:
        """Return a number with the sign of another."""
        return self.called("copysign", x, sign)

    def ordered(self, order: str, x: Number, y: Number | float) -> str:
        """Return whether two numbers are in an order of LLVM's, as ``"olt"``."""
        y = y if isinstance(y, Number) else self.constant(y)
        return self.value(f"fcmp {order} {self.real} {x.name}, {y.name}")

    def chosen(self, condition: str, x: Number, y: Number | float) -> Number:
        """Return one of two numbers, or of two vectors."""
        y = y if isinstance(y, Number) else self.constant(y)
        name = self.value(f"select i1 {condition}, {x.type} {x.name}, {y.type} {y.name}")
        return Number(self, name, x.type)

    def fused(self, x: Number, y: Number, z: Number) -> Number:
        """Return ``x · y + z``, rounded once or twice."""
        return self.called("fmuladd", x, y, z)

    # Memory.

    def at(self, pointer: str, *offsets: Place) -> str:
        """Return the address some elements further."""
        for offset in offsets:
            pointer = self.value(f"getelementptr {self.real}, ptr {pointer}, i64 {offset}")
        return pointer

    def read(self, pointer: str, *offsets: Place) -> Number:
        """Return the number at a place."""
        at = self.at(pointer, *offsets)
        return Number(self, self.value(f"load {self.real}, ptr {at}"), self.real)

    def write(self, x: Number, pointer: str, *offsets: Place) -> None:
        """Store a number, or a vector, at a place."""
        size = 4 if self.real == "float" else 8
        self.line(f"store {x.type} {x.name}, ptr {self.at(pointer, *offsets)}, align {size}")

    def cell(self, x: Number | float) -> str:
        """Return the address of a variable that holds a number at first."""
        name = self._fresh()
        self._slots.append(f"  {name} = alloca {self.real}")
        self.write(x if isinstance(x, Number) else self.constant(x), name)
        return name

    # Vectors.

    def vectors(self, pointer: str, count: int, *offsets: Place) -> list[Number]:
        """Return so many vectors that follow one another."""
        at = self.at(pointer, *offsets)
        size = 4 if self.real == "float" else 8
        return [
            Number(self, self.value(f"load {self.vector}, ptr {self.at(at, n * self.lanes)}, align {size}"),
                   self.vector)
            for n in range(count)
        ]  # fmt: skip

    def vector_cell(self) -> str:
        """Return the address of a variable that holds a vector of zeros at first."""
        name = self._fresh()
        self._slots.append(f"  {name} = alloca {self.vector}")
        self.write(self.zeros(), name)
        return name

    def read_vector(self, cell: str) -> Number:
        """Return what such a variable holds."""
        return self.vectors(cell, 1)[0]

    def keep(self, vectors: Sequence[Number], pointer: str, *offsets: Place) -> None:
        """Store vectors one behind the other."""
        at = self.at(pointer, *offsets)
        for n, vector in enumerate(vectors):
            self.write(vector, at, n * self.lanes)

    def spread(self, x: Number) -> Number:
        """Return a vector of one number."""
        first = self.value(f"insertelement {self.vector} poison, {self.real} {x.name}, i32 0")
        order = f"<{self.lanes} x i32> zeroinitializer"
        text = f"shufflevector {self.vector} {first}, {self.vector} poison, {order}"
        return Number(self, self.value(text), self.vector)

    def zeros(self) -> Number:
        """Return a vector of zeros."""
        return Number(self, "zeroinitializer", self.vector)

    def total(self, vectors: Sequence[Number]) -> Number:
        """Return the sum over the lanes of vectors."""
        whole = vectors[0]
        for vector in vectors[1:]:
            whole = whole + vector
        name = f"llvm.vector.reduce.fadd.v{self.lanes}{self.letter}"
        self.declarations.add(f"declare {self.real} @{name}({self.real}, {self.vector})")
        text = f"call reassoc {self.real} @{name}({self.real} -0.0, {self.vector} {whole.name})"
        return Number(self, self.value(text), self.real)


@dataclass(frozen=True)
class Rows:
    """A matrix in a scratch whose rows are so many whole vectors each."""

    f: Reals
    start: str
    count: int

    @property
    def pitch(self) -> int:
        """Return elements from one row to the next."""
        return self.count * self.f.lanes

    def place(self, row: Place, column: Place = 0) -> str:
        """Return the address of an element."""
        away = row * self.pitch if isinstance(row, int) else self.f.value(f"mul i64 {row}, {self.pitch}")
        return self.f.at(self.start, away, column)

    def __getitem__(self, at: tuple[Place, Place]) -> Number:
        return self.f.read(self.place(*at))

    def __setitem__(self, at: tuple[Place, Place], x: Number) -> None:
        self.f.write(x, self.place(*at))

    def row(self, row: Place, first: int = 0) -> list[Number]:
        """Return a row, from one of its vectors on."""
        return self.f.vectors(self.place(row, first * self.f.lanes), self.count - first)

    def put(self, row: Place, vectors: Sequence[Number]) -> None:
        """Write a row, or the end of it."""
        self.f.keep(vectors, self.place(row, (self.count - len(vectors)) * self.f.lanes))

    def add(self, row: Place, factor: Number, vectors: Sequence[Number]) -> None:
        """Add a multiple of a row, or of the end of it, to a row."""
        spread, own = self.f.spread(factor), self.row(row, self.count - len(vectors))
        self.put(row, [self.f.fused(v, spread, x) for v, x in zip(vectors, own, strict=True)])


def columns(real: str, extent: int) -> int:
    """Return how many whole vectors hold so many numbers."""
    return -(-extent // registers(real).lanes)


def kernel(f: Reals, arrays: Mapping[str, int], scratch: int, work: float, *called: Reals) -> Kernel:
    """Return the kernel that runs a function ``matrix(*arrays, scratch)`` on each matrix of a stack, given
    how many elements of each array one has, and the functions that it calls.
    """
    parameters = {**dict.fromkeys((*arrays, "scratch"), "ptr"), "first": "i64", "last": "i64"}
    g = Reals("stack", parameters, f.real)
    with g.count("%first", "%last") as image:
        own = [g.at(f"%{name}", g.value(f"mul i64 {image}, {size}")) for name, size in arrays.items()]
        g.line(f"call void @matrix({', '.join(f'ptr {place}' for place in (*own, '%scratch'))})")
    text = "\n".join([
        *sorted({*f.declarations, *(name for other in called for name in other.declarations)}),
        *(other.text() for other in (*called, f, g)),
        shared_kernels.part(tuple(arrays), "stack", f.real, scratch),
        '!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.unroll.disable"}', engine.attributes(),
    ])
    size = 4 if f.real == "float" else 8
    return Kernel(text, lambda: text, size=size, work=work, scratch=scratch, effort=LOOPS)


def function(arrays: Sequence[str], real: str) -> Reals:
    """Return the function of one matrix, to be written."""
    return Reals("matrix", dict.fromkeys((*arrays, "scratch"), "ptr"), real)
