"""Matrix products by generated machine code: packed operands, tiles in registers, parts on threads.

NumPy's BLAS has threads of its own, which take turns with those of programs (`llvm.pool`); docs/design/0017
has what was measured.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy import ndarray

from ....array.named_tuples import NamedTuple
from ....array.threads import get_num_threads
from ...lower.lowered import Contraction
from ...runtime.shared_kernels import LINE, address, parallel
from ..scalars import TYPES
from ..vector_registers import registers
from . import tile
from .kernel import ADDRESSES, DOTS, MARGIN, NUMBERS, Blocks, Compiled, compiled

#: Estimated nanoseconds of a multiplication and addition, of what a matrix takes beside them (400 of 9×9 by
#: 9×9 take 29 µs, 4,000 of 8×8 by 8×8 340), and of a part's work at least; parts at most (each packs what it
#: needs: sixteen were slower than eight, 0017) where there are no more threads.
_NANOSECONDS, _MATRIX, _PART, _MOST = 0.009, 70, 25_000, 8
#: The share of a part's time that threads wait for the last one.
_WAITING = 0.25
#: Rows of tiles up to which b is read as it lies: 32 rows by 256×1024 take 122 µs, and 145 with b packed.
_FEW = 4
#: Columns up to which a is read as it lies, where its rows or its columns lie in one piece.
_BESIDE, _BEHIND = 512, 64
#: Bytes of an operand that is read as it lies by any number of tiles, as the nearest cache holds it.
_NEAR = 1 << 15
#: Rows up to which a right operand whose columns lie in one piece is multiplied by sums along k, and how many
#: times as long these are: 20 rows by 64×256 take 8 µs so, and 6 with the operand packed.
_DOTS, _LONG = 16, 12
#: Words of the table of a product: addresses, and a function for each slot of the largest tile.
WORDS = len(ADDRESSES) + tile.Tile(14, 2, True).slot + 1
#: Accumulations in the time of packing an element: up to 0.8 cycles were measured, of 32 accumulations each.
_PACKING = 32


class Grid(NamedTuple):
    """Parts along each axis of a product."""

    rows: int
    columns: int
    batch: int

    @property
    def parts(self) -> int:
        """Return all of them."""
        return self.rows * self.columns * self.batch


class Operand(NamedTuple):
    """Steps between the elements of a batch of matrices, along rows or along columns 1."""

    row: int  # to the next row
    column: int  # to the next column
    batch: tuple[int, int] = (0, 0)  # along the two axes of the batch


class Product(NamedTuple):
    """``c[n] = alpha · a[n] @ b[n]`` for a batch of matrices, c being contiguous."""

    real: str  # ``"float"`` or ``"double"``
    extents: tuple[int, int, int]  # rows, columns, and the axis that is summed over
    a: Operand
    b: Operand
    batch: tuple[int, int] = (1, 1)  # extents of two axes
    alpha: float = 1.0

    @classmethod
    def of(cls, step: Contraction) -> Product:
        """Return the product that a step of a program is."""
        left, right = step.left, step.right
        extents, steps = merged(step.batch, left.batch, right.batch)
        while len(extents) < 2:
            extents.insert(0, 1)
            for s in steps:
                s.insert(0, 0)
        outer, inner = extents
        a, b = (Operand(*m.strides, (s[0], s[1])) for m, s in zip((left, right), steps, strict=True))
        return cls(TYPES[step.buffer.dtype], step.extents, a, b, (outer, inner), step.alpha)

    @property
    def matrices(self) -> int:
        """Return how many there are in the batch."""
        return self.batch[0] * self.batch[1]

    @property
    def height(self) -> int:
        """Return rows of a tile: no part has fewer but the last."""
        return tile.largest(registers(self.real)).rows

    @property
    def width(self) -> int:
        """Return columns of a tile."""
        kind = registers(self.real)
        return tile.largest(kind).vectors * kind.lanes

    @property
    def code(self) -> Compiled:
        """Return the machine code that computes it."""
        return compiled(self.real)

    def called(self) -> dict[int, Compiled]:
        """Return the functions that it calls, by their words in its table, however it is cut into parts."""
        kind, height = registers(self.real), self.height
        (rows, columns, _), in_place = self.extents, self.reads_rows_as_they_lie
        packed = not (in_place or self.reads_as_it_lies)
        heights, left = _steps(rows, height), rows % height
        if in_place:
            # A part of few rows has steps of its own (see `kernel`).
            few = (n for n in (height, left, height + left) if n <= min(rows, 16))
            heights = heights.union(*(_steps(n, min(8, height)) for n in few))
        tiles = {DOTS} if self.is_dots else {
            tile.Tile(each, 1 + (wide > kind.lanes), wide % kind.lanes > 0)
            for tall in heights
            for wide in _steps(columns, self.width)
            if not (packed and (tall, wide) == (height, self.width))
            for each in tile.called(tall, kind)
        }  # fmt: skip
        return {len(ADDRESSES) + t.slot: compiled(self.real, t) for t in sorted(tiles)}

    def table(self) -> ndarray:
        """Return its table, in which the functions stand that it calls."""
        words = np.zeros(WORDS, np.uintp)
        for place, function in self.called().items():
            words[place] = function.part
        return words

    def grid(self) -> Grid:
        """Return how it is cut into parts for as many threads as there are now."""
        return _best(self, get_num_threads())

    def cost(self, grid: Grid) -> int:
        """Return the cost of a matrix's largest part, sums and packing, in accumulations for each k."""
        strips, slices = self.tiles()
        tall = -(-strips // grid.rows) * self.height
        wide = -(-slices // grid.columns) * self.width
        return tall * wide + _PACKING * (tall + wide)

    def tiles(self) -> tuple[int, int]:
        """Return how many there are along rows and along columns."""
        return -(-self.extents[0] // self.height), -(-self.extents[1] // self.width)

    def is_near(self, extent: int) -> bool:
        """Return whether an operand of so many rows or columns stays in the nearest cache."""
        return extent * self.extents[2] * (4 if self.real == "float" else 8) <= _NEAR

    @property
    def is_dots(self) -> bool:
        """Return whether its elements are sums along k: few rows by columns that lie in one piece."""
        few = self.extents[0] <= min(_DOTS, self.extents[2] // _LONG)
        return few and self.b.row == 1 != self.b.column and self.a.column == 1

    @property
    def reads_as_it_lies(self) -> bool:
        """Return whether b is not packed: its rows lie in one piece, and few rows of a make use of it."""
        return self.b.column == 1 and (self.tiles()[0] <= _FEW or self.is_near(self.extents[1]))

    @property
    def reads_rows_as_they_lie(self) -> bool:
        """Return whether a is not packed: few columns make use of it."""
        if self.a.column == 1 and self.extents[1] <= _BESIDE:
            return True
        return self.extents[1] <= _BEHIND or self.is_near(self.extents[0])

    def numbers(self) -> list[int]:
        """Return the numbers that its parts are told (see `kernel.NUMBERS`)."""
        rows, columns, inner = self.extents
        blocks, grid = Blocks.of(self.real), self.grid()
        depth = min(blocks.depth, inner)

        def room(extent: int, most: int, unit: int) -> int:
            return -(-min(extent, most) // unit) * unit * depth + MARGIN

        as_it_lies, in_place, dots = self.reads_as_it_lies, self.reads_rows_as_they_lie, self.is_dots
        b_room = 0 if as_it_lies or dots else room(columns, blocks.columns, self.width)
        scratch = b_room + (0 if in_place or dots else room(rows, blocks.rows, self.height))
        values = {
            "rows": rows, "columns": columns, "inner": inner,
            "a_row": self.a.row, "a_column": self.a.column, "b_row": self.b.row, "b_column": self.b.column,
            "batch": self.matrices, "batch_inner": self.batch[1],
            "a_outer": self.a.batch[0], "a_inner": self.a.batch[1],
            "b_outer": self.b.batch[0], "b_inner": self.b.batch[1],
            "alpha": int(np.float64(self.alpha).view(np.int64)),
            "row_parts": grid.rows, "column_parts": grid.columns, "batch_parts": grid.batch,
            "scratch": -(-scratch // 16) * 16, "b_room": b_room,
            "as_it_lies": int(as_it_lies), "rows_as_they_lie": int(in_place), "dots": int(dots),
        }  # fmt: skip
        return [values[name] for name in NUMBERS]

    def scratch(self) -> int:
        """Return bytes of scratch of all parts, that begin where a cache line does."""
        size = 4 if self.real == "float" else 8
        return self.grid().parts * self.numbers()[NUMBERS.index("scratch")] * size


def begun(step: Contraction) -> None:
    """Begin to compile what a step will call."""
    _begun(Product.of(step))


@functools.lru_cache(maxsize=4096)
def _begun(product: Product) -> tuple[Compiled, ...]:
    return product.code, *product.called().values()


def _steps(extent: int, step: int) -> set[int]:
    """Return the lengths of the steps that an extent is gone through in."""
    return {n for n in (step if extent >= step else 0, extent % step) if n}


@functools.lru_cache(maxsize=4096)
def _best(product: Product, threads: int) -> Grid:
    """Return the cut with which threads are ready first: parts that differ in speed cost the last one's time,
    and more parts pack more.
    """
    rows, columns, inner = product.extents
    work = product.matrices * (rows * columns * inner * _NANOSECONDS + _MATRIX)
    parts = max(1, min(max(_MOST, threads), int(work / _PART))) if threads > 1 else 1
    along_batch = min(product.matrices, parts)
    parts //= along_batch
    strips, slices = product.tiles()
    cuts = [
        Grid(down, across, along_batch)
        for across in range(1, min(parts, slices) + 1)
        for down in range(1, min(parts // across, strips) + 1)
    ]
    return min(cuts, key=lambda cut: (-(-cut.parts // threads) + _WAITING) * product.cost(cut))


def merged(batch: Sequence[int], *steps: Sequence[int]) -> tuple[list[int], list[list[int]]]:
    """Return the axes of a batch with those joined that lie one behind the other in all operands."""
    extents: list[int] = []
    kept: list[list[int]] = [[] for _ in steps]
    for axis in reversed(range(len(batch))):
        extent, own = batch[axis], [s[axis] for s in steps]
        if extent == 1:
            continue
        if extents and all(o == k[0] * extents[0] for o, k in zip(own, kept, strict=True)):
            extents[0] *= extent
            continue
        extents.insert(0, extent)
        for k, o in zip(kept, own, strict=True):
            k.insert(0, o)
    return extents, kept


class _Plain(NamedTuple):
    """A product of stacks of matrices, ready to be run."""

    code: Compiled
    parts: int
    table: ndarray
    words: ndarray
    scratch: int


@functools.lru_cache(maxsize=512)
def _plain(real: str, shape: tuple[int, ...], a: tuple[int, ...], b: tuple[int, ...]) -> _Plain | None:
    """Return the product of operands with these steps in bytes, the extents being those of the stacks, rows,
    columns and what is summed over; None where no two axes are those of the stacks.
    """
    size = 4 if real == "float" else 8
    *lead, rows, columns, inner = shape
    extents, steps = merged(lead, *([step // size for step in own[:-2]] for own in (a, b)))
    if len(extents) > 2:
        return None
    batch = [[0] * (2 - len(own)) + own for own in steps]
    x, y = (
        Operand(own[-2] // size, own[-1] // size, (outer, further))
        for own, (outer, further) in zip((a, b), batch, strict=True)
    )
    outer, further = [1] * (2 - len(extents)) + extents
    product = Product(real, (rows, columns, inner), x, y, (outer, further))
    words = np.array(product.numbers(), np.int64)
    return _Plain(product.code, product.grid().parts, product.table(), words, product.scratch() + LINE)


#: Scratches of products that ran, for the next: the system takes longer to give new memory than to multiply.
_scratches: list[ndarray] = []


def multiply(a: ndarray, b: ndarray, out: ndarray) -> bool:
    """Write ``a @ b`` to a contiguous array; return whether that was done.

    Stacks of matrices have the axes of the result's. Each matrix of an operand has a stride of one element.
    """
    real = "float" if a.itemsize == 4 else "double"
    if (product := _plain(real, (*out.shape, a.shape[-1]), a.strides, b.strides)) is None:
        return False
    memory = _scratches.pop() if _scratches else np.empty(product.scratch, np.uint8)
    if memory.size < product.scratch:
        memory = np.empty(product.scratch, np.uint8)
    start = memory.ctypes.data
    table = product.table.copy()
    table[: len(ADDRESSES)] = (
        address(a), address(b), address(out), start + -start % LINE, address(product.words)
    )  # fmt: skip
    parallel(product.code.part, table, product.parts)
    _scratches.append(memory)
    return True
