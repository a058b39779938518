"""The matrix product in machine code: one function for each dtype, for operands of any extents and strides.

A part (see `apart`) computes some rows by some columns of the results for some matrices of a batch. It goes
over the columns, k and the rows in blocks that fit the caches, packs a block of B and one of A, and lets the
tiles run over them. A B whose rows lie in one piece, and of which few rows of A make use, is read as it lies,
and so are whole strips of such an A where there are few columns.
An element is the same sum whatever part computes it: over the blocks of k in order, and in each block k by k.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from ....array.locks import computed
from ...runtime import cache, engine, machine_code
from ..codegen import WRITTEN
from ..vector_registers import Registers, registers
from ..vectors import Code
from . import packing, tile
from .tile import Tile

#: The words of the table, and the numbers that its last word points to. Steps are in elements.
ADDRESSES = ("a", "b", "c", "scratches", "numbers")
NUMBERS = (
    "rows", "columns", "inner", "a_row", "a_column", "b_row", "b_column", "batch", "batch_inner", "a_outer",
    "a_inner", "b_outer", "b_inner", "alpha", "row_parts", "column_parts", "batch_parts", "scratch", "b_room",
    "as_it_lies", "rows_as_they_lie",
)  # fmt: skip

#: Of k in a block, and bytes of a block of A and of B: a slice of B stays in the nearest cache while those of
#: A pass by, and both blocks stay in the next one.
DEPTH, A_BYTES, B_BYTES = 256, 168 * 1024, 512 * 1024
#: Room before the packed blocks, for the rows of a tile beyond the result, and behind each.
MARGIN = 64


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

    for form in tile.forms(kind):
        functions.append(tile.write(fresh(), form, whole))
    for form in (whole, Tile(whole.rows, 1)):
        functions.append(tile.write(fresh(), form, whole, in_place=True))
    functions.append(_chosen(real, kind))
    for name, width in (("a", whole.rows), ("b", whole.vectors * kind.lanes)):
        functions.append(packing.beside(fresh(), f"{name}_beside", width))
        functions.append(packing.behind(fresh(), f"{name}_behind", width))
        functions.append(_packed(name))
    functions.append(_part(fresh(), whole))
    return "\n".join([*sorted(declarations), *functions, engine.attributes()])


def _chosen(real: str, kind: Registers) -> str:
    """Return the function that takes the smallest tile that covers what is left, as text.

    Most are whole tiles, so these are asked for first; only they read A where it lies.
    """
    parameters = tile.PARAMETERS.format(real=real)
    passed = parameters.replace("noalias ", "")
    whole = tile.largest(kind)
    lines: list[str] = []

    def ask(place: str, *conditions: str) -> None:
        """Go on where all conditions hold, and to a place where one does not."""
        for condition in conditions:
            name = f"on{len(lines)}"
            lines.append(f"  %{name}_holds = icmp {condition}")
            lines.extend([f"  br i1 %{name}_holds, label %{name}, label %{place}", f"{name}:"])

    def take(name: str) -> None:
        lines.extend([f"  call void @{name}({passed})", "  ret void"])

    ask("try0", f"sge i64 %rows, {whole.rows}")
    ask("narrow", f"sgt i64 %columns, {(whole.vectors - 1) * kind.lanes}")
    ask("packed", "ne i64 %a_row, 1")
    take(whole.in_place)
    lines.append("packed:")
    take(whole.name)
    lines.append("narrow:")
    ask("try0", "ne i64 %a_row, 1")
    take(Tile(whole.rows, 1).in_place)
    for n, form in enumerate(sorted(tile.forms(kind))):
        lines.append(f"try{n}:")
        ask(f"try{n + 1}", f"sle i64 %rows, {form.rows}", f"sle i64 %columns, {form.vectors * kind.lanes}")
        take(form.name)
    lines.append(f"try{len(tile.forms(kind))}:")
    take(whole.name)
    body = "\n".join(lines)
    return f"define internal void @tile({parameters}) nounwind #0 {{\n{body}\n}}"


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
    outside = place("%scratches", times("%number", "%scratch"))
    b_packed = place(outside, str(MARGIN))
    a_packed = place(b_packed, "%b_room")
    column_part = value("srem i64 %number, %column_parts")
    rest = value("sdiv i64 %number, %column_parts")
    row_part = value(f"srem i64 {rest}, %row_parts")
    batch_part = value(f"sdiv i64 {rest}, %row_parts")
    left, right = stretch(column_part, "%column_parts", "%columns", width)
    top, bottom = stretch(row_part, "%row_parts", "%rows", whole.rows)
    first, last = stretch(batch_part, "%batch_parts", "%batch", 1)
    with code.loop(first, last) as matrix:
        outer = value(f"sdiv i64 {matrix.index}, %batch_inner")
        inner = value(f"srem i64 {matrix.index}, %batch_inner")
        a = place("%a", times(outer, "%a_outer"), times(inner, "%a_inner"))
        b = place("%b", times(outer, "%b_outer"), times(inner, "%b_inner"))
        c = place("%c", times(times(matrix.index, "%rows"), "%columns"))
        with code.loop(left, right, step=blocks.columns) as across:
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
                    strips = value(f"sdiv i64 {rows}, {whole.rows}")
                    direct = value(f"select i1 {in_place}, i64 {times(strips, str(whole.rows))}, i64 0")
                    left_over = value(f"sub i64 {rows}, {direct}")
                    code.line(
                        f"call void @pack_a(ptr {place(source, times(direct, '%a_row'))}, i64 %a_row, "
                        f"i64 %a_column, i64 {left_over}, i64 {depth}, "
                        f"ptr {place(a_packed, times(direct, depth))})"
                    )
                    target = place(c, times(down.index, "%columns"), across.index)
                    with code.loop(0, columns, step=width) as slice_:
                        b_slice = place(b_block, times(slice_.index, b_apart))
                        wide = value(f"sub i64 {columns}, {slice_.index}")
                        with code.loop(0, rows, step=whole.rows) as strip:
                            lies = value(f"icmp slt i64 {strip.index}, {direct}")
                            base = value(f"select i1 {lies}, ptr {source}, ptr {a_packed}")
                            apart = value(f"select i1 {lies}, i64 %a_row, i64 {depth}")
                            row_step = value(f"select i1 {lies}, i64 %a_row, i64 1")
                            a_slice = place(base, times(strip.index, apart))
                            tall = value(f"sub i64 {rows}, {strip.index}")
                            result = place(target, times(strip.index, "%columns"), slice_.index)
                            code.line(
                                f"call void @tile(ptr {a_slice}, ptr {b_slice}, ptr {result}, "
                                f"i64 %columns, i64 {depth}, i64 {row_step}, i64 {b_step}, i64 {tall}, "
                                f"i64 {wide}, ptr {outside}, i1 {begin}, {code.real} {scale})"
                            )
    body = "\n".join(code.lines)
    return (
        f"define void @part(ptr %table, i64 %number) nounwind #0 {{\nentry:\n{body}\n  ret void\n}}"
    )
