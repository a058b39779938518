"""Write functions on floating numbers and rows of matrices, as formulas, in LLVM's text.

Variables are stack slots, which LLVM turns into registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ...runtime import engine, shared_kernels
from ...runtime.shared_kernels import Kernel
from ..codegen import LOOPS
from ..lanes import Lanes, Writer, letters
from ..scalars import DTYPES
from ..vector_registers import registers

Place = int | str


class Reals(Writer):
    """Write one function of numbers of one type `real`, "float" or "double", and of vectors of them.

    Loops are not unrolled: what they do to a row takes longer than to count, and LLVM as long as all else.

    `parameters` are types by names; in the text a parameter is its name after a ``%``. `result` is the type
    of what it returns. A vector has `width` numbers, 0: as many as a register of the processor's.
    """

    #: What is said of loops where they begin again, and of who may call the function.
    again, linkage = ", !llvm.loop !0", "internal "

    def __init__(
        self, name: str, parameters: Mapping[str, str], real: str, result: str = "void", width: int = 0
    ) -> None:
        super().__init__(1, False, real)
        given = ", ".join(f"{type_} %{name}" for name, type_ in parameters.items())
        self._head = f"{result} @{name}({given}) nounwind #0 {{\nentry:"
        self._result = result
        self._slots: list[str] = []
        self.bytes = DTYPES[real].itemsize
        self.width = width or registers(real).lanes
        self.vector = f"<{self.width} x {real}>"

    def text(self) -> str:
        """Return the function."""
        end = "  ret void" if self._result == "void" else "  unreachable"
        return "\n".join([f"define {self.linkage}{self._head}", *self._slots, *self.lines, end, "}"])

    def instruction(self, text: str, kind: str) -> Lanes:
        """Return the value of an instruction, which is written where it is asked for."""
        return Lanes(self, self.value(text), kind)

    def _label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    # Whole numbers, loops and branches.

    def variable(self, value: Place) -> str:
        """Return a variable that holds a number at first."""
        name = self.slot("i64")
        self.set(name, value)
        return name

    def slot(self, type_: str) -> str:
        """Return the address of room for a value of a type."""
        name = self.fresh()
        self._slots.append(f"  {name} = alloca {type_}")
        return name

    def get(self, variable: str) -> str:
        """Return what a variable holds."""
        return self.value(f"load i64, ptr {variable}")

    def set(self, variable: str, value: Place) -> None:
        """Let a variable hold a number."""
        self.line(f"store i64 {value}, ptr {variable}")

    def add(self, x: Place, y: Place) -> str:
        """Return ``x + y``."""
        return self.value(f"add i64 {x}, {y}")

    def compare(self, order: str, x: Place, y: Place) -> Lanes:
        """Return whether two numbers are in an order of LLVM's, as ``"slt"``."""
        return self.instruction(f"icmp {order} i64 {x}, {y}", "i1")

    def returned(self, value: str) -> None:
        """Return from the function; what is written behind belongs to no path."""
        self.line(f"ret {self._result} {value}")
        self._label(self.fresh()[1:])

    @contextmanager
    def when(self, condition: Lanes) -> Iterator[None]:
        """Write what runs where a condition holds."""
        then, end = (self.fresh()[1:] for _ in range(2))
        self.line(f"br i1 {condition.name}, label %{then}, label %{end}")
        self._label(then)
        yield
        self.line(f"br label %{end}")
        self._label(end)

    @contextmanager
    def loop(self) -> Iterator[str]:
        """Write what runs again and again; what is yielded names the loop for `leave`."""
        head, end = (self.fresh()[1:] for _ in range(2))
        self.line(f"br label %{head}")
        self._label(head)
        yield end
        self.line(f"br label %{head}{self.again}")
        self._label(end)

    def leave(self, loop: str, condition: Lanes) -> None:
        """Leave a loop where a condition holds."""
        further = self.fresh()[1:]
        self.line(f"br i1 {condition.name}, label %{loop}, label %{further}")
        self._label(further)

    @contextmanager
    def count(self, start: Place, stop: Place, step: int = 1) -> Iterator[str]:
        """Count from `start` to below `stop`."""
        counter = self.variable(start)
        with self.loop() as loop:
            now = self.get(counter)
            self.leave(loop, self.compare("sge", now, stop))
            yield now
            self.set(counter, self.add(now, step))

    @contextmanager
    def count_down(self, start: Place, stop: Place) -> Iterator[str]:
        """Count from below `start` down to `stop`."""
        counter = self.variable(start)
        with self.loop() as loop:
            self.leave(loop, self.compare("sle", self.get(counter), stop))
            self.set(counter, self.add(self.get(counter), -1))
            yield self.get(counter)

    # Memory.

    def at(self, pointer: str, *offsets: Place) -> str:
        """Return the address some elements further."""
        for offset in offsets:
            pointer = self.value(f"getelementptr {self.kind}, ptr {pointer}, i64 {offset}")
        return pointer

    def read(self, pointer: str, *offsets: Place) -> Lanes:
        """Return the number at a place."""
        return self.instruction(f"load {self.kind}, ptr {self.at(pointer, *offsets)}", self.kind)

    def write(self, x: Lanes | float, pointer: str, *offsets: Place) -> None:
        """Store a number, or a vector, at a place."""
        x = self._lanes(x)
        self.line(f"store {x.kind} {x.name}, ptr {self.at(pointer, *offsets)}, align {self.bytes}")

    def cell(self, x: Lanes | float) -> str:
        """Return the address of a variable that holds a number, or a vector, at first."""
        x = self._lanes(x)
        name = self.slot(x.kind)
        self.write(x, name)
        return name

    # Vectors.

    def vectors(self, pointer: str, count: int, *offsets: Place) -> list[Lanes]:
        """Return so many vectors that follow one another."""
        at = self.at(pointer, *offsets)
        places = (self.at(at, n * self.width) for n in range(count))
        return [
            self.instruction(f"load {self.vector}, ptr {place}, align {self.bytes}", self.vector)
            for place in places
        ]

    def read_vector(self, cell: str) -> Lanes:
        """Return the vector that a variable holds."""
        return self.vectors(cell, 1)[0]

    def keep(self, vectors: Sequence[Lanes], pointer: str, *offsets: Place) -> None:
        """Store vectors one behind the other."""
        at = self.at(pointer, *offsets)
        for n, vector in enumerate(vectors):
            self.write(vector, at, n * self.width)

    def spread(self, x: Lanes) -> Lanes:
        """Return a vector of one number."""
        first = self.value(f"insertelement {self.vector} poison, {self.kind} {x.name}, i32 0")
        order = f"<{self.width} x i32> zeroinitializer"
        text = f"shufflevector {self.vector} {first}, {self.vector} poison, {order}"
        return self.instruction(text, self.vector)

    def zeros(self) -> Lanes:
        """Return a vector of zeros."""
        return Lanes(self, "zeroinitializer", self.vector)

    def total(self, vectors: Sequence[Lanes]) -> Lanes:
        """Return the sum over the lanes of vectors."""
        whole = vectors[0]
        for vector in vectors[1:]:
            whole = whole + vector
        name = f"llvm.vector.reduce.fadd.{letters(self.vector)}"
        self.declarations[name] = f"declare {self.kind} @{name}({self.kind}, {self.vector})"
        text = f"call reassoc {self.kind} @{name}({self.kind} -0.0, {self.vector} {whole.name})"
        return self.instruction(text, self.kind)


@dataclass(frozen=True)
class Rows:
    """A matrix in a scratch whose rows are so many whole vectors each."""

    f: Reals
    start: str
    count: int

    @property
    def pitch(self) -> int:
        """Return elements from one row to the next."""
        return self.count * self.f.width

    def place(self, row: Place, column: Place = 0) -> str:
        """Return the address of an element."""
        away = row * self.pitch if isinstance(row, int) else self.f.value(f"mul i64 {row}, {self.pitch}")
        return self.f.at(self.start, away, column)

    def __getitem__(self, at: tuple[Place, Place]) -> Lanes:
        return self.f.read(self.place(*at))

    def __setitem__(self, at: tuple[Place, Place], x: Lanes | float) -> None:
        self.f.write(x, self.place(*at))

    def row(self, row: Place, first: int = 0) -> list[Lanes]:
        """Return a row, from one of its vectors on."""
        return self.f.vectors(self.place(row, first * self.f.width), self.count - first)

    def put(self, row: Place, vectors: Sequence[Lanes]) -> None:
        """Write a row, or the end of it."""
        self.f.keep(vectors, self.place(row, (self.count - len(vectors)) * self.f.width))

    def add(self, row: Place, factor: Lanes, vectors: Sequence[Lanes]) -> None:
        """Add a multiple of a row, or of the end of it, to a row."""
        spread, own = self.f.spread(factor), self.row(row, self.count - len(vectors))
        self.put(row, [self.f.muladd(v, spread, x) for v, x in zip(vectors, own, strict=True)])


def columns(real: str, extent: int) -> int:
    """Return how many whole vectors hold so many numbers."""
    return -(-extent // registers(real).lanes)


def kernel(f: Reals, arrays: Mapping[str, int], scratch: int, work: float, *called: Reals) -> Kernel:
    """Return the kernel that runs a function ``matrix(*arrays, scratch)`` on each matrix of a stack, given
    how many elements of each array one has, and the functions that it calls.
    """
    parameters = {**dict.fromkeys((*arrays, "scratch"), "ptr"), "first": "i64", "last": "i64"}
    g = Reals("stack", parameters, f.kind)
    with g.count("%first", "%last") as image:
        own = [g.at(f"%{name}", g.value(f"mul i64 {image}, {size}")) for name, size in arrays.items()]
        g.line(f"call void @matrix({', '.join(f'ptr {place}' for place in (*own, '%scratch'))})")
    text = module(*called, f, g, part=shared_kernels.part(tuple(arrays), "stack", f.kind, scratch))
    return Kernel(text, lambda: text, size=f.bytes, work=work, scratch=scratch, effort=LOOPS)


def module(*functions: Reals, part: str = "") -> str:
    """Return the text of a module of functions, and of one that calls them."""
    return "\n".join([
        *sorted({text for f in functions for text in f.declarations.values()}),
        *(f.text() for f in functions), part,
        '!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.unroll.disable"}', engine.attributes(),
    ])  # fmt: skip


def function(arrays: Sequence[str], real: str) -> Reals:
    """Return the function of one matrix, to be written."""
    return Reals("matrix", dict.fromkeys((*arrays, "scratch"), "ptr"), real)
