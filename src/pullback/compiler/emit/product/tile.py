"""The innermost loop of a matrix product: a tile of the result in registers.

A comes packed (see `packing`): for each k the rows' numbers follow one another. So do the columns' of B,
which may be packed, too: from one k to the next there are ``b_step`` elements. A tile of ``rows × vectors``
accumulators adds one outer product for each k; then it is added to the result, cut off where the result
ends (after Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008, and Van Zee and
van de Geijn, "BLIS", 2015).
"""

from __future__ import annotations

from typing import NamedTuple

from ..vector_registers import Registers
from ..vectors import Code

PARAMETERS = (
    "ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %pitch, i64 %inner, i64 %a_row, i64 %b_step, "
    "i64 %rows, i64 %columns, ptr %outside, i1 %first, {real} %alpha"
)


class Tile(NamedTuple):
    """Rows, and vectors of columns, of the accumulators."""

    rows: int
    vectors: int

    @property
    def name(self) -> str:
        """Return the name of the function."""
        return f"tile_{self.rows}_{self.vectors}"

    @property
    def in_place(self) -> str:
        """Return the name of the function that reads A where it lies."""
        return f"{self.name}_in_place"


def largest(registers: Registers) -> Tile:
    """Return the tile that fills the registers: two vectors of B and a number of A stay free."""
    return Tile(14 if registers.number >= 32 else 6, 2)


def forms(registers: Registers) -> tuple[Tile, ...]:
    """Return the tiles for which functions are made, smaller ones for what is left at the edges."""
    whole = largest(registers)
    heights = [whole.rows, *((8, 4) if whole.rows > 8 else (3,))]
    return tuple(Tile(rows, vectors) for rows in heights for vectors in (whole.vectors, 1))


def write(code: Code, tile: Tile, whole: Tile, in_place: bool = False) -> str:
    """Return the function of one tile on operands packed for the `whole` one, as text.

    ``outside`` is where rows beyond the result go; ``first`` says that nothing has been added to the result.
    If `in_place`, A is not packed: its rows lie in one piece each, ``a_row`` elements apart.
    """
    lanes = code.lanes
    count = tile.rows * tile.vectors
    # Rows are told from one of two addresses, by steps that have room in registers.
    half = -(-tile.rows // 2)
    steps = [code.value(f"mul nsw i64 %a_row, {n}") for n in range(half if in_place else 0)]
    starts = ["%a", code.at("%a", code.value(f"mul nsw i64 %a_row, {half}"))]
    with code.loop(0, "%inner", [(code.vector, "zeroinitializer")] * count) as loop:
        if in_place:
            along = [code.at(start, loop.index) for start in starts]
            numbers = [code.at(along[row // half], steps[row % half]) for row in range(tile.rows)]
        else:
            packed = code.at("%a", code.times(loop.index, whole.rows))
            numbers = [code.at(packed, row) for row in range(tile.rows)]
        vectors = code.at("%b", code.value(f"mul nsw i64 {loop.index}, %b_step"))
        loaded = [code.load(vectors, n * lanes) for n in range(tile.vectors)]
        for row in range(tile.rows):
            number = code.spread(numbers[row])
            for n, vector in enumerate(loaded):
                at = row * tile.vectors + n
                loop.values[at] = code.fused(vector, number, loop.values[at])
    scale = code.same("%alpha")
    sums = [code.value(f"fmul {code.vector} {value}, {scale}") for value in loop.values]
    targets = [code.at("%c", code.value(f"mul nsw i64 %pitch, {row}")) for row in range(tile.rows)]
    tall = code.value(f"icmp sge i64 %rows, {tile.rows}")
    wide = code.value(f"icmp sge i64 %columns, {tile.vectors * lanes}")
    inside = code.value(f"and i1 {tall}, {wide}")
    plain = code.value(f"and i1 {inside}, %first")
    code.line(f"br i1 {plain}, label %plain, label %careful")
    code.lines.append("plain:")
    for row, target in enumerate(targets):
        for n in range(tile.vectors):
            code.store(sums[row * tile.vectors + n], target, n * lanes)
    code.line("ret void")
    code.lines.append("careful:")
    kept = [code.before(code.value(f"sub i64 %columns, {n * lanes}")) for n in range(tile.vectors)]
    mask = f"<{lanes} x i1>"
    read = [code.value(f"select i1 %first, {mask} zeroinitializer, {mask} {lane}") for lane in kept]
    for row, target in enumerate(targets):
        there = code.value(f"icmp slt i64 {row}, %rows")
        place = code.value(f"select i1 {there}, ptr {target}, ptr %outside")
        for n in range(tile.vectors):
            slots = code.at(place, n * lanes)
            added = sums[row * tile.vectors + n]
            total = code.value(f"fadd {code.vector} {code.load_masked(slots, read[n])}, {added}")
            code.store_masked(total, slots, kept[n])
    return code.text(tile.in_place if in_place else tile.name, PARAMETERS.format(real=code.real))
