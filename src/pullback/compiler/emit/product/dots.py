"""Products of few rows by a matrix whose columns lie in one piece each, as those of A's rows do.

Weights of a layer lie so. To pack them takes longer than to multiply few rows by them, so a tile's
accumulators are partial sums along k, of some rows by four columns, which are added up at its end.
"""

from ..vector_registers import Registers
from ..vectors import Code

#: Columns of a tile, and the k that pass by while the tile's columns stay in the nearest cache.
COLUMNS, DEPTH = 4, 2048
PARAMETERS = (
    "ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %pitch, i64 %inner, i64 %a_row, i64 %b_column, "
    "i64 %rows, i64 %columns, i1 %first, {real} %alpha"
)


def tallest(registers: Registers) -> int:
    """Return the rows of a tile."""
    return 4 if registers.number >= 32 else 2


def _added_up(code: Code, vectors: list[str]) -> str:
    """Return one vector with the sums of up to as many vectors as it has lanes, in their order."""
    lanes = code.lanes
    while len(vectors) > 1 or lanes > 1:
        pairs = zip(vectors[::2], vectors[1::2] or vectors, strict=True)
        vectors = [
            code.value(
                f"fadd {code.vector} {code.shuffle(x, y, code.lanes, range(0, 2 * code.lanes, 2))}, "
                f"{code.shuffle(x, y, code.lanes, range(1, 2 * code.lanes, 2))}"
            )
            for x, y in pairs
        ]
        lanes //= 2
    return vectors[0]


def tile(code: Code, rows: int) -> str:
    """Return the function of a tile of up to so many rows and `COLUMNS` columns, as text."""
    lanes = code.lanes
    last_row, last_column = code.value("sub i64 %rows, 1"), code.value("sub i64 %columns, 1")

    def line(pointer: str, number: int, last: str, apart: str) -> str:
        return code.at(pointer, code.value(f"mul nsw i64 {code.smaller(number, last)}, {apart}"))

    left = [line("%a", n, last_row, "%a_row") for n in range(rows)]
    right = [line("%b", n, last_column, "%b_column") for n in range(COLUMNS)]
    whole = code.value(f"and i64 %inner, {-lanes}")
    sums = ["zeroinitializer"] * (rows * COLUMNS)
    rest = code.before(code.value(f"sub i64 %inner, {whole}"))
    for start, stop, mask in ((0, whole, None), (whole, "%inner", rest)):
        with code.loop(start, stop, [(code.vector, value) for value in sums], step=lanes) as loop:
            columns = [code.load_masked(code.at(place, loop.index), mask) for place in right]
            for row, place in enumerate(left):
                numbers = code.load_masked(code.at(place, loop.index), mask)
                for column, vector in enumerate(columns):
                    at = row * COLUMNS + column
                    loop.values[at] = code.fused(numbers, vector, loop.values[at])
        sums = loop.values
    scale = code.same("%alpha")
    together = [_added_up(code, sums[n : n + lanes]) for n in range(0, len(sums), lanes)]
    for at in range(0, rows * COLUMNS, min(lanes, COLUMNS)):
        row, first = divmod(at, COLUMNS)
        vector = code.value(f"fmul {code.vector} {together[at // lanes]}, {scale}")
        turned = code.shuffle(vector, vector, lanes, [(at + n) % lanes for n in range(lanes)])
        there = code.value(f"icmp slt i64 {row}, %rows")
        count = code.value(f"sub i64 {code.smaller(COLUMNS, '%columns')}, {first}")
        kept = code.before(code.value(f"select i1 {there}, i64 {count}, i64 0"))
        mask = f"<{lanes} x i1>"
        read = code.value(f"select i1 %first, {mask} zeroinitializer, {mask} {kept}")
        slots = code.at("%c", code.value(f"mul nsw i64 %pitch, {row}"), first)
        total = code.value(f"fadd {code.vector} {code.load_masked(slots, read)}, {turned}")
        code.store_masked(total, slots, kept)
    return code.text(f"dots_{rows}", PARAMETERS.format(real=code.real))


def whole(code: Code, rows: int) -> str:
    """Return the function of a product, given tiles of so many rows and of half as many, as text."""
    with code.loop(0, "%inner", step=DEPTH) as deep:
        depth = code.smaller(code.value(f"sub i64 %inner, {deep.index}"), DEPTH)
        begin = code.value(f"icmp eq i64 {deep.index}, 0")
        with code.loop(0, "%columns", step=COLUMNS) as across:
            column = code.value(f"mul nsw i64 {across.index}, %b_column")
            b = code.at("%b", column, deep.index)
            wide = code.value(f"sub i64 %columns, {across.index}")

            def take(first: str, stop: str, step: int) -> None:
                with code.loop(first, stop, step=step) as down:
                    a = code.at("%a", code.value(f"mul nsw i64 {down.index}, %a_row"), deep.index)
                    c = code.at("%c", code.value(f"mul nsw i64 {down.index}, %pitch"), across.index)
                    tall = code.value(f"sub i64 %rows, {down.index}")
                    code.line(
                        f"call void @dots_{step}(ptr {a}, ptr {b}, ptr {c}, i64 %pitch, i64 {depth}, "
                        f"i64 %a_row, i64 %b_column, i64 {tall}, i64 {wide}, i1 {begin}, {code.real} %alpha)"
                    )

            # What is more than half a tile is a tile.
            most = code.value(f"add i64 %rows, {(rows - 1) // 2}")
            tiled = code.value(f"and i64 {most}, {-rows}")
            take("0", tiled, rows)
            take(tiled, "%rows", rows // 2)
    return code.text("part", PARAMETERS.format(real=code.real))
