"""Packing: a block of a matrix copied to slices as wide as a tile, in the order in which the tile reads them.

A slice holds some lines of the block (rows of A, columns of B); for each k their numbers follow one another.
Where lines lie in one piece each, squares of as many numbers as a register holds are transposed on the way.
What a last slice holds for lines beyond the edge is never used.
"""

from collections.abc import Sequence

from ..vectors import Code

PARAMETERS = "ptr noalias %source, i64 %step, i64 %lines, i64 %inner, ptr noalias %target"


def beside(code: Code, name: str, width: int) -> str:
    """Return the function of lines that lie side by side, `step` elements from one k to the next, as text."""
    lanes = code.lanes
    starts = range(0, width, lanes)
    wide = len(starts) * lanes
    # Whole vectors may read beyond the slice, and write there: what belongs there is written later.
    fitting = code.most(code.value(f"sub i64 %lines, {wide - width}"), 0)
    whole = code.value(f"mul i64 {code.value(f'sdiv i64 {fitting}, {width}')}, {width}")
    with code.loop(0, whole, step=width) as block:
        _slice(code, block.index, width, [None for _ in starts])
    with code.loop(whole, "%lines", step=width) as block:
        limit = code.least(code.value(f"sub i64 %lines, {block.index}"), width)
        _slice(code, block.index, width, [code.before(code.value(f"sub i64 {limit}, {n}")) for n in starts])
    return code.text(name, PARAMETERS)


def _slice(code: Code, first: str, width: int, masks: Sequence[str | None]) -> None:
    """Copy the lines from `first` on, where a mask is given only its lanes."""
    source = code.at("%source", first)
    target = code.at("%target", code.value(f"mul nsw i64 {first}, %inner"))
    with code.loop(0, "%inner") as loop:
        line = code.at(source, code.value(f"mul nsw i64 {loop.index}, %step"))
        slots = code.at(target, code.times(loop.index, width))
        for n, mask in enumerate(masks):
            place = code.at(line, n * code.lanes)
            code.store(code.load_masked(place, mask), slots, n * code.lanes)


def behind(code: Code) -> str:
    """Return the function of lines that lie `step` elements apart, each in one piece, as text; it is told the
    slices' width.

    The last numbers of lines are written with others behind them, over what belongs to the next slice, or to
    nobody. So are those of a slice's last lines, over the first of the next k: the last are copied first.
    """
    lanes = code.lanes
    whole = code.value(f"and i64 %inner, {-lanes}")
    rest = code.before(code.value(f"sub i64 %inner, {whole}"))
    last = code.value("sub i64 %lines, 1")
    with code.loop(0, "%lines", step="%width") as block:
        target = code.at("%target", code.value(f"mul nsw i64 {block.index}, %inner"))
        there = code.smaller(code.value(f"sub i64 %lines, {block.index}"), "%width")
        end = code.value(f"and i64 {code.value(f'sub i64 {there}, 1')}, {-lanes}")
        with code.loop(0, there, step=lanes) as part:
            first = code.value(f"sub i64 {end}, {part.index}")
            rows = []
            for n in range(lanes):
                line = code.smaller(code.plus(code.plus(block.index, first), n), last)
                rows.append(code.at("%source", code.value(f"mul nsw i64 {line}, %step")))
            for start, stop, mask in ((0, whole, None), (whole, "%inner", rest)):
                with code.loop(start, stop, step=lanes) as loop:
                    square = [code.load_masked(code.at(row, loop.index), mask) for row in rows]
                    for n, vector in enumerate(code.transposed(square)):
                        line = code.value(f"mul nsw i64 {code.plus(loop.index, n)}, %width")
                        slots = code.at(target, line, first)
                        code.store(vector, slots)
    return code.text("behind", f"{PARAMETERS}, i64 %width")
