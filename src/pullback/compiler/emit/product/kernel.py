"""The matrix product in machine code: one function for each dtype, for operands of any extents and strides.

A part (see `apart`) computes some rows by some columns of the results for some matrices of a batch. It goes
over the columns, k and the rows in blocks that fit the caches, packs a block of B and one of A, and lets the
tiles run over them. A B whose rows lie in one piece, and of which few rows of A make use, is read as it lies,
and so is an A of which few columns make use. Few rows of A by a B whose columns lie in one piece each are
sums along k (see `dots`). An element is the same sum whatever part computes it.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from ....array.locks import computed
from ...runtime import cache, engine, machine_code
from ..codegen import WRITTEN
from ..vector_registers import registers
from ..vectors import Code
from . import dots, packing, tile
from .tile import Tile

#: The words of the table, and the numbers that its last word points to. Steps are in elements.
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
    """The machine code of one dtype.

    Attributes
    ----------
    name : str
        Unique to the code.
    part : int
        The address of ``part(table, number)``, when it is asked for.
    """

    def __init__(self, real: str) -> None:
        # Writing the text takes 70 ms, which a process that finds the code on disk does without.
        self.name = machine_code.name_of(cache.key("product", real, engine.attributes()))
        self._library = machine_code.library(self.name, lambda: _text(real), WRITTEN)

    @computed
    def part(self) -> int:
        return self._library.address(self.name)


compiled = functools.cache(Compiled)


def _text(real: str) -> str:
    kind = registers(real)
    whole = tile.largest(kind)
    declarations: set[str] = set()
    functions = []

    def fresh() -> Code:
        code = Code(real, kind.lanes)
        code.declarations = declarations
        return code

    for rows in tile.heights(kind):
        for vectors in (1, whole.vectors):
            functions.append(tile.write(fresh(), Tile(rows, vectors)))
    functions.append(tile.write(fresh(), whole, packed=True))
    functions.append(tile.chosen(real, kind))
    tall = dots.tallest(kind)
    functions += [dots.tile(fresh(), tall), dots.tile(fresh(), tall // 2), dots.whole(fresh(), tall)]
    for name, width in (("a", whole.rows), ("b", whole.vectors * kind.lanes)):
        functions.append(packing.beside(fresh(), f"{name}_beside", width))
        functions.append(packing.behind(fresh(), f"{name}_behind", width))
        functions.append(_packed(name))
    functions.append(_part(fresh(), whole))
    declarations.add("declare i64 @llvm.smin.i64(i64, i64)")
    return "\n".join([*sorted(declarations), *functions, engine.attributes()])


def _packed(name: str) -> str:
    """Return the function that packs a block of an operand whose lines are `apart` elements apart, as
    text.
    """
    return f"""\
define internal void @pack_{name}(ptr %source, i64 %apart, i64 %step, i64 %lines, i64 %inner, ptr %target)
  nounwind #0 {{
  %side = icmp eq i64 %apart, 1
  br i1 %side, label %beside, label %behind
beside:
  call void @{name}_beside(ptr %source, i64 %step, i64 %lines, i64 %inner, ptr %target)
  ret void
behind:
  call void @{name}_behind(ptr %source, i64 %apart, i64 %lines, i64 %inner, ptr %target)
  ret void
}}"""


def _part(code: Code, whole: Tile) -> str:
    blocks = Blocks.of(code.real)
    width = whole.vectors * code.lanes
    for table, names in (("table", ADDRESSES), ("numbers", NUMBERS)):
        for n, name in enumerate(names):
            type_ = "ptr" if names is ADDRESSES else "double" if name == "alpha" else "i64"
            code.lines += [
                f"  %{name}_at = getelementptr i64, ptr %{table}, i64 {n}",
                f"  %{name}{'_' if name == 'alpha' else ''} = load {type_}, ptr %{name}_at",
            ]

    def value(text: str) -> str:
        return code.value(text)

    def times(x: str, y: str) -> str:
        return value(f"mul nsw i64 {x}, {y}")

    def place(pointer: str, *offsets: str) -> str:
        return code.at(pointer, *offsets)

    def stretch(part: str, parts: str, extent: str, unit: int) -> tuple[str, str]:
        """Return the stretch of an axis, in units, that a part has."""
        units = value(f"sdiv i64 {value(f'add i64 {extent}, {unit - 1}')}, {unit}")
        ends = []
        for number in (part, value(f"add i64 {part}, 1")):
            end = value(f"sdiv i64 {times(number, units)}, {parts}")
            ends.append(code.smaller(value(f"mul i64 {end}, {unit}"), extent))
        return ends[0], ends[1]

    scale = "%alpha_" if code.real == "double" else value("fptrunc double %alpha_ to float")
    as_it_lies = value("icmp ne i64 %as_it_lies, 0")
    in_place = value("icmp ne i64 %rows_as_they_lie, 0")
    b_step = value(f"select i1 {as_it_lies}, i64 %b_row, i64 {width}")
    a_row = value(f"select i1 {in_place}, i64 %a_row, i64 1")
    a_column = value(f"select i1 {in_place}, i64 %a_column, i64 {whole.rows}")
    packed_both = value(f"xor i1 {value(f'or i1 {as_it_lies}, {in_place}')}, true")
    by_dots = value("icmp ne i64 %dots, 0")
    b_packed = place("%scratches", times("%number", "%scratch"))
    a_packed = place(b_packed, "%b_room")
    column_part = value("srem i64 %number, %column_parts")
    rest = value("sdiv i64 %number, %column_parts")
    row_part = value(f"srem i64 {rest}, %row_parts")
    batch_part = value(f"sdiv i64 {rest}, %row_parts")
    left, right = stretch(column_part, "%column_parts", "%columns", width)
    top, bottom = stretch(row_part, "%row_parts", "%rows", whole.rows)
    first, last = stretch(batch_part, "%batch_parts", "%batch", 1)
    # Two tiles of eight rows take less time than one of 14 and one of two, which waits for its sums.
    few = value(f"icmp sle i64 {value(f'sub i64 {bottom}, {top}')}, 16")
    halved = value(f"and i1 {few}, {in_place}")
    height = value(f"select i1 {halved}, i64 {min(8, whole.rows)}, i64 {whole.rows}")
    # Either way has no columns where the other is taken.
    tiled = value(f"select i1 {by_dots}, i64 {left}, i64 {right}")
    dotted = value(f"sub i64 {right}, {tiled}")
    with code.loop(first, last) as matrix:
        outer = value(f"sdiv i64 {matrix.index}, %batch_inner")
        inner = value(f"srem i64 {matrix.index}, %batch_inner")
        a = place("%a", times(outer, "%a_outer"), times(inner, "%a_inner"))
        b = place("%b", times(outer, "%b_outer"), times(inner, "%b_inner"))
        c = place("%c", times(times(matrix.index, "%rows"), "%columns"))
        code.line(
            f"call void @dots(ptr {place(a, times(top, '%a_row'))}, "
            f"ptr {place(b, times(left, '%b_column'))}, ptr {place(c, times(top, '%columns'), left)}, "
            f"i64 %columns, i64 %inner, i64 %a_row, i64 %b_column, "
            f"i64 {value(f'sub i64 {bottom}, {top}')}, i64 {dotted}, i1 true, {code.real} {scale})"
        )
        with code.loop(left, tiled, step=blocks.columns) as across:
            columns = code.smaller(value(f"sub i64 {right}, {across.index}"), blocks.columns)
            with code.loop(0, "%inner", step=blocks.depth) as deep:
                depth = code.smaller(value(f"sub i64 %inner, {deep.index}"), blocks.depth)
                begin = value(f"icmp eq i64 {deep.index}, 0")
                source = place(b, times(deep.index, "%b_row"), times(across.index, "%b_column"))
                packed = value(f"select i1 {as_it_lies}, i64 0, i64 {columns}")
                code.line(
                    f"call void @pack_b(ptr {source}, i64 %b_column, i64 %b_row, i64 {packed}, "
                    f"i64 {depth}, ptr {b_packed})"
                )
                b_block = value(f"select i1 {as_it_lies}, ptr {source}, ptr {b_packed}")
                b_apart = value(f"select i1 {as_it_lies}, i64 1, i64 {depth}")
                with code.loop(top, bottom, step=blocks.rows) as down:
                    rows = code.smaller(value(f"sub i64 {bottom}, {down.index}"), blocks.rows)
                    source = place(a, times(down.index, "%a_row"), times(deep.index, "%a_column"))
                    lines = value(f"select i1 {in_place}, i64 0, i64 {rows}")
                    code.line(
                        f"call void @pack_a(ptr {source}, i64 %a_row, i64 %a_column, i64 {lines}, "
                        f"i64 {depth}, ptr {a_packed})"
                    )
                    base = value(f"select i1 {in_place}, ptr {source}, ptr {a_packed}")
                    apart = value(f"select i1 {in_place}, i64 %a_row, i64 {depth}")
                    target = place(c, times(down.index, "%columns"), across.index)
                    # Rows of the result are written from end to end: b is in the second cache.
                    with code.loop(0, rows, step=height) as strip:
                        a_slice = place(base, times(strip.index, apart))
                        tall = code.smaller(value(f"sub i64 {rows}, {strip.index}"), height)
                        line = place(target, times(strip.index, "%columns"))
                        with code.loop(0, columns, step=width) as slice_:
                            b_slice = place(b_block, times(slice_.index, b_apart))
                            wide = value(f"sub i64 {columns}, {slice_.index}")
                            result = place(line, slice_.index)
                            code.line(
                                f"call void @tile(i64 {tall}, i1 {packed_both}, ptr {a_slice}, "
                                f"ptr {b_slice}, ptr {result}, i64 %columns, i64 {depth}, "
                                f"i64 {a_row}, i64 {a_column}, i64 {b_step}, i64 {wide}, "
                                f"i1 {begin}, {code.real} {scale})"
                            )
    body = "\n".join(code.lines)
    return (
        f"define void @part(ptr %table, i64 %number) nounwind #0 {{\nentry:\n{body}\n  ret void\n}}"
    )
