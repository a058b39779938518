"""The matrix product in machine code: functions for each dtype, for operands of any extents and strides.

A part (see `apart`) computes some rows by some columns of the results for some matrices of a batch. It goes
over the columns, k and the rows in blocks that fit the caches, packs a block of B and one of A, and lets the
tiles run over them. A B whose rows lie in one piece, and of which few rows of A make use, is read as it lies,
and so is an A of which few columns make use. Few rows of A by a B whose columns lie in one piece each are
sums along k (see `dots`). An element is the same sum whatever part computes it.

Tiles and those sums are modules of their own, of which a product has those compiled that it calls: all of
them take 0.2 s, the part 0.08, a tile 0.008.
"""

from __future__ import annotations

import functools

from ....array.locks import computed
from ....array.named_tuples import NamedTuple
from ...runtime import cache, engine, machine_code
from ..codegen import PLACED, WRITTEN
from ..vector_registers import registers
from ..vectors import Code
from . import dots, packing, tile
from .tile import Tile

#: The first words of the table, and the numbers that the last of these points to. Steps are in elements.
#: Behind them are functions: the sums along k, then tiles by their slots.
ADDRESSES = ("a", "b", "c", "scratches", "numbers")
NUMBERS = (
    "rows", "columns", "inner", "a_row", "a_column", "b_row", "b_column", "batch", "batch_inner", "a_outer",
    "a_inner", "b_outer", "b_inner", "alpha", "row_parts", "column_parts", "batch_parts", "scratch", "b_room",
    "as_it_lies", "rows_as_they_lie", "dots",
)  # fmt: skip

#: Of k in a block, and bytes of a block of A and of B: a slice of B stays in the nearest cache while those of
#: A pass by, and both blocks stay in the next one.
DEPTH, A_BYTES, B_BYTES = 256, 168 * 1024, 512 * 1024
#: Room behind a packed block, for what is written beyond its last slice (see `packing.behind`).
MARGIN = 16 * 32 + 32


class Blocks(NamedTuple):
    """Extents of the blocks that are packed."""

    depth: int
    rows: int
    columns: int

    @classmethod
    def of(cls, real: str) -> Blocks:
        """Return those of a dtype."""
        kind = registers(real)
        whole, size = tile.largest(kind), 4 if real == "float" else 8
        width = whole.vectors * kind.lanes
        rows, columns = A_BYTES // (DEPTH * size), B_BYTES // (DEPTH * size)
        return cls(DEPTH, rows // whole.rows * whole.rows, columns // width * width)


class Compiled:
    """The machine code of one dtype: of a tile, of sums along k (`DOTS`), or of what calls these.

    `name` is unique to the code, `part` the address of ``part(table, number)``, or of the tile or the sums,
    when it is asked for.
    """

    def __init__(self, real: str, what: Tile | None = None) -> None:
        # Writing the text takes long, which a process that finds the code on disk does without.
        self.name = machine_code.name_of(cache.key("product", real, repr(what), engine.attributes()))
        effort = PLACED if real == "float" else WRITTEN
        self._library = machine_code.library(self.name, lambda: _text(real, what), effort)

    @computed
    def part(self) -> int:
        return self._library.address(self.name)

    def address(self) -> int:
        """Wait for its machine code."""
        return self.part


compiled = functools.cache(Compiled)
#: What stands for the sums along k among tiles.
DOTS = Tile(0, 1)


def _text(real: str, what: Tile | None) -> str:
    kind = registers(real)
    whole = tile.largest(kind)
    declarations = {"declare i64 @llvm.smin.i64(i64, i64)"}

    def fresh() -> Code:
        code = Code(real, kind.lanes)
        code.declarations = declarations
        return code

    if what == DOTS:
        tall = dots.tallest(kind)
        functions = [dots.tile(fresh(), tall), dots.tile(fresh(), tall // 2), dots.whole(fresh(), tall)]
    elif what is not None:
        functions = [tile.write(fresh(), what)]
    else:
        functions = [tile.write(fresh(), whole, packed=True), tile.chosen(real, kind, len(ADDRESSES))]
        for name, width in (("a", whole.rows), ("b", whole.vectors * kind.lanes)):
            functions += [packing.beside(fresh(), f"{name}_beside", width), _packed(name, width)]
        functions += [packing.behind(fresh()), _Part(fresh(), whole).text()]
    functions[-1] = functions[-1].replace("define internal", "define", 1)
    return "\n".join([*sorted(declarations), *functions, engine.attributes()])


def _packed(name: str, width: int) -> str:
    """Return as text the function that packs a block of an operand, lines `apart` elements apart."""
    return f"""\
define internal void @pack_{name}(ptr %source, i64 %apart, i64 %step, i64 %lines, i64 %inner, ptr %target)
  nounwind #0 {{
  %side = icmp eq i64 %apart, 1
  br i1 %side, label %beside, label %behind
beside:
  call void @{name}_beside(ptr %source, i64 %step, i64 %lines, i64 %inner, ptr %target)
  ret void
behind:
  call void @behind(ptr %source, i64 %apart, i64 %lines, i64 %inner, ptr %target, i64 {width})
  ret void
}}"""


class _Part:
    """Write the function of a part of a product; attributes are the names of values in its text."""

    def __init__(self, code: Code, whole: Tile) -> None:
        self.code, self.value, self.at = code, code.value, code.at
        self.whole, self.blocks = whole, Blocks.of(code.real)
        self.width = whole.vectors * code.lanes
        for table, names in (("table", ADDRESSES), ("numbers", NUMBERS)):
            for n, name in enumerate(names):
                type_ = "ptr" if names is ADDRESSES else "double" if name == "alpha" else "i64"
                code.lines += [
                    f"  %{name}_at = getelementptr i64, ptr %{table}, i64 {n}",
                    f"  %{name}{'_' if name == 'alpha' else ''} = load {type_}, ptr %{name}_at",
                ]
        value = self.value
        self.scale = "%alpha_" if code.real == "double" else value("fptrunc double %alpha_ to float")
        self.as_it_lies = value("icmp ne i64 %as_it_lies, 0")
        self.in_place = value("icmp ne i64 %rows_as_they_lie, 0")
        self.b_step = self._either(self.as_it_lies, "%b_row", self.width)
        self.a_row = self._either(self.in_place, "%a_row", 1)
        self.a_column = self._either(self.in_place, "%a_column", whole.rows)
        self.packed = value(f"xor i1 {value(f'or i1 {self.as_it_lies}, {self.in_place}')}, true")
        self.b_packed = self.at("%scratches", self._times("%number", "%scratch"))
        self.a_packed = self.at(self.b_packed, "%b_room")

    def _times(self, x: str, y: str) -> str:
        return self.value(f"mul nsw i64 {x}, {y}")

    def _either(self, condition: str, x: int | str, y: int | str, type_: str = "i64") -> str:
        return self.value(f"select i1 {condition}, {type_} {x}, {type_} {y}")

    def _left(self, stop: str, start: str, most: int | str) -> str:
        """Return how many of at most so many there are from a place on."""
        return self.code.smaller(self.value(f"sub i64 {stop}, {start}"), most)

    def _stretch(self, part: str, parts: str, extent: str, unit: int) -> tuple[str, str]:
        """Return the stretch of an axis, in units, that a part has."""
        value = self.value
        units = value(f"sdiv i64 {value(f'add i64 {extent}, {unit - 1}')}, {unit}")
        ends = []
        for number in (part, value(f"add i64 {part}, 1")):
            end = value(f"sdiv i64 {self._times(number, units)}, {parts}")
            ends.append(self.code.smaller(value(f"mul i64 {end}, {unit}"), extent))
        return ends[0], ends[1]

    def text(self) -> str:
        """Return the function."""
        value, rows = self.value, self.whole.rows
        column_part = value("srem i64 %number, %column_parts")
        rest = value("sdiv i64 %number, %column_parts")
        row_part = value(f"srem i64 {rest}, %row_parts")
        batch_part = value(f"sdiv i64 {rest}, %row_parts")
        self.left, self.right = self._stretch(column_part, "%column_parts", "%columns", self.width)
        self.top, self.bottom = self._stretch(row_part, "%row_parts", "%rows", rows)
        first, last = self._stretch(batch_part, "%batch_parts", "%batch", 1)
        # Two tiles of eight rows take less time than one of 14 and one of two, which waits for its sums.
        few = value(f"icmp sle i64 {value(f'sub i64 {self.bottom}, {self.top}')}, 16")
        self.height = self._either(value(f"and i1 {few}, {self.in_place}"), min(8, rows), rows)
        # Either way has no columns where the other is taken.
        self.tiled = self._either(value("icmp ne i64 %dots, 0"), self.left, self.right)
        with self.code.loop(first, last) as matrix:
            self._matrix(matrix.index)
        body = "\n".join(self.code.lines)
        return f"define void @part(ptr %table, i64 %number) nounwind #0 {{\nentry:\n{body}\n  ret void\n}}"

    def _matrix(self, number: str) -> None:
        """Write a matrix of the batch."""
        code, value, at, times = self.code, self.value, self.at, self._times
        outer, inner = value(f"sdiv i64 {number}, %batch_inner"), value(f"srem i64 {number}, %batch_inner")
        a = at("%a", times(outer, "%a_outer"), times(inner, "%a_inner"))
        b = at("%b", times(outer, "%b_outer"), times(inner, "%b_inner"))
        c = at("%c", times(times(number, "%rows"), "%columns"))
        with code.loop(0, "%dots"):
            place = value(f"getelementptr ptr, ptr %table, i64 {len(ADDRESSES) + DOTS.slot}")
            code.line(
                f"call void {value(f'load ptr, ptr {place}')}(ptr {at(a, times(self.top, '%a_row'))}, "
                f"ptr {at(b, times(self.left, '%b_column'))}, "
                f"ptr {at(c, times(self.top, '%columns'), self.left)}, i64 %columns, i64 %inner, "
                f"i64 %a_row, i64 %b_column, i64 {value(f'sub i64 {self.bottom}, {self.top}')}, "
                f"i64 {value(f'sub i64 {self.right}, {self.left}')}, i1 true, {code.real} {self.scale})"
            )
        with code.loop(self.left, self.tiled, step=self.blocks.columns) as across:
            columns = self._left(self.right, across.index, self.blocks.columns)
            with code.loop(0, "%inner", step=self.blocks.depth) as deep:
                depth = self._left("%inner", deep.index, self.blocks.depth)
                source = at(b, times(deep.index, "%b_row"), times(across.index, "%b_column"))
                packed = self._either(self.as_it_lies, 0, columns)
                code.line(
                    f"call void @pack_b(ptr {source}, i64 %b_column, i64 %b_row, i64 {packed}, "
                    f"i64 {depth}, ptr {self.b_packed})"
                )
                block = self._either(self.as_it_lies, source, self.b_packed, "ptr")
                apart = self._either(self.as_it_lies, 1, depth)
                rows = at(a, times(deep.index, "%a_column"))
                again = self.code.smaller(deep.index, 1)
                self._block(rows, block, apart, at(c, across.index), columns, depth, again)

    def _block(self, a: str, b: str, b_apart: str, c: str, columns: str, depth: str, again: str) -> None:
        """Write the products of all rows by a block of b."""
        code, at, times = self.code, self.at, self._times
        slices, width = self.value(f"sdiv i64 {columns}, {self.width}"), str(self.width)
        whole, slice_apart = times(slices, width), times(b_apart, width)
        with code.loop(self.top, self.bottom, step=self.blocks.rows) as down:
            rows = self._left(self.bottom, down.index, self.blocks.rows)
            source = at(a, times(down.index, "%a_row"))
            code.line(
                f"call void @pack_a(ptr {source}, i64 %a_row, i64 %a_column, "
                f"i64 {self._either(self.in_place, 0, rows)}, i64 {depth}, ptr {self.a_packed})"
            )
            base = self._either(self.in_place, source, self.a_packed, "ptr")
            apart = self._either(self.in_place, "%a_row", depth)
            target = at(c, times(down.index, "%columns"))
            # Rows of the result are written from end to end: b is in the second cache.
            with code.loop(0, rows, step=self.height) as strip:
                a_slice = at(base, times(strip.index, apart))
                tall = self._left(rows, strip.index, self.height)
                line = at(target, times(strip.index, "%columns"))
                # Whole tiles, where there are any, and what is left.
                for start, stop, step, tiles in ((0, whole, whole, slices), (whole, columns, width, "1")):
                    with code.loop(start, stop, step=step) as slice_:
                        wide = self.value(f"sub i64 {columns}, {slice_.index}")
                        code.line(
                            f"call void @tile(ptr %table, i64 {tall}, i1 {self.packed}, ptr {a_slice}, "
                            f"ptr {at(b, times(slice_.index, b_apart))}, ptr {at(line, slice_.index)}, "
                            f"i64 %columns, i64 {depth}, i64 {self.a_row}, i64 {self.a_column}, "
                            f"i64 {self.b_step}, i64 {wide}, i64 {again}, {code.real} {self.scale}, "
                            f"i64 {tiles}, i64 {slice_apart})"
                        )
