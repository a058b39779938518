"""Write functions on floating numbers and rows of matrices, as formulas, in LLVM's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...runtime import engine, shared_kernels
from ...runtime.shared_kernels import Kernel
from ..branching import Function, Place
from ..codegen import LOOPS
from ..lanes import Lanes, letters
from ..scalars import DTYPES
from ..vector_registers import registers


class Reals(Function):
    """Write one function of numbers of one type, ``"float"`` or ``"double"``, and of vectors of them.

    Loops are not unrolled: what they do to a row takes longer than to count, and LLVM as long as all else.

    Parameters
    ----------
    width : int
        Numbers in a vector; 0 for as many as a register of the processor's has.
    """

    again = ", !llvm.loop !0"

    def __init__(
        self, name: str, parameters: Mapping[str, str], real: str, result: str = "void", width: int = 0
    ) -> None:
        super().__init__(name, parameters, result, real)
        self.bytes = DTYPES[real].itemsize
        self.width = width or registers(real).lanes
        self.vector = f"<{self.width} x {real}>"

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
