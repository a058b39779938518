"""The innermost loop of a matrix product: a tile of the result in registers.

A tile of ``rows × vectors`` accumulators adds one outer product for each k; then it is stored, or added to
the result (after Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008, and Van
Zee and van de Geijn, "BLIS", 2015). A lies in any way, packed (see `packing`) or not. From one k to the next
there are ``b_step`` elements of B, whose columns follow one another.
"""

from collections.abc import Iterator

from ....array.named_tuples import NamedTuple
from ..vector_registers import Registers
from ..vectors import Code

PARAMETERS = (
    "ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %pitch, i64 %inner, i64 %a_row, i64 %a_column, "
    "i64 %b_step, i64 %columns, i64 %again, {real} %alpha, i64 %tiles, i64 %b_apart"
)


class Tile(NamedTuple):
    """Rows, and vectors of columns, of the accumulators, and whether columns may be missing of the last.

    Where there are 16 registers, the mask lies in one of them: 1,024×64 by 64×192, float32, AVX2, ran at
    50 GFLOP/s with a mask and at 86 without.
    """

    rows: int
    vectors: int
    masked: bool = False

    @property
    def slot(self) -> int:
        """Return which of the functions that a product may call it is."""
        return 4 * self.rows + 2 * (self.vectors > 1) + self.masked


def largest(registers: Registers) -> Tile:
    """Return the tile that fills the registers: two vectors of B and a number of A stay free."""
    return Tile(14 if registers.number >= 32 else 6, 2)


def _most(registers: Registers) -> int:
    """Return the most rows of the smaller tiles: what is left of a matrix is one of them, or two."""
    return min(largest(registers).rows - 1, 8)


def write(code: Code, tile: Tile, packed: bool = False) -> str:
    """Return the function of one tile, as text; the module it is in is the tile's unless `packed`.

    It computes ``tiles`` beside one another, those of B ``b_apart`` elements apart: a call for each took as
    long as 14 steps along the inner axis (0017). ``again`` is 1 where something has been added to the result,
    else 0. If `packed`, A and B are packed for this tile.
    """
    lanes, last = code.lanes, tile.vectors - 1
    # Rows are told from one of two addresses, by steps that have room in registers. LLVM is not to know
    # that these are multiples of one another: it would go from row to row by additions, each of which waits.
    half = -(-tile.rows // 2)
    multiples = [code.value(f"mul nsw i64 %a_row, {n}") for n in range(0 if packed else half)]
    steps = [code.value(f"freeze i64 {multiple}") for multiple in multiples]
    starts = ["%a"] if packed else ["%a", code.at("%a", code.value(f"mul nsw i64 %a_row, {half}"))]
    kept = code.before(code.value(f"sub i64 %columns, {last * lanes}")) if tile.masked else None
    carried = [(code.vector, "zeroinitializer")] * (tile.rows * tile.vectors)
    with code.loop(0, "%tiles", [("ptr", "%b"), ("ptr", "%c")]) as across:
        b, c = across.values
        with code.loop(0, "%inner", [*carried, *(("ptr", start) for start in (*starts, b))]) as loop:
            *along, line = loop.values[len(carried) :]
            loaded = [code.load(line, n * lanes) for n in range(last)]
            loaded.append(code.load_masked(code.at(line, last * lanes), kept))
            for row in range(tile.rows):
                offset = row if packed else steps[row % half]
                number = code.spread(code.at(along[0 if packed else row // half], offset))
                for n, vector in enumerate(loaded):
                    at = row * tile.vectors + n
                    loop.values[at] = code.fused(vector, number, loop.values[at])
            following = tile.rows if packed else "%a_column"
            loop.values[len(carried) :] = [
                *(code.at(place, following) for place in along),
                code.at(line, tile.vectors * lanes if packed else "%b_step"),
            ]
        scale = code.same("%alpha")
        sums = [code.value(f"fmul {code.vector} {value}, {scale}") for value in loop.values[: len(carried)]]

        def slots() -> Iterator[tuple[int, str, str | None]]:
            for row in range(tile.rows):
                target = code.at(c, code.value(f"mul nsw i64 %pitch, {row}"))
                for n in range(tile.vectors):
                    yield row * tile.vectors + n, code.at(target, n * lanes), kept if n == last else None

        with code.loop(0, "%again", [(code.vector, value) for value in sums]) as added:
            for at, place, mask in slots():
                there = code.load_masked(place, mask)
                added.values[at] = code.value(f"fadd {code.vector} {there}, {added.values[at]}")
        for at, place, mask in slots():
            code.store_masked(added.values[at], place, mask)
        across.values[:] = code.at(b, "%b_apart"), code.at(c, tile.vectors * lanes)
    return code.text("tile_packed" if packed else "part", PARAMETERS.format(real=code.real))


def called(tall: int, registers: Registers) -> tuple[int, ...]:
    """Return the rows of the tiles that compute so many rows, as `chosen` calls them."""
    whole = largest(registers).rows
    return (min(tall, whole),) if tall <= _most(registers) or tall >= whole else (tall - tall // 2, tall // 2)


def chosen(real: str, registers: Registers, first: int) -> str:
    """Return the function that has the rows of a tile, or fewer, computed by the function for as many, as
    text; where these are stands in a table from its word `first` on (see `Tile.slot`).
    """
    whole = largest(registers)
    parameters = PARAMETERS.format(real=real)
    passed = parameters.replace("noalias ", "")
    most = _most(registers)
    return f"""\
define internal void @exact(ptr %table, i64 %rows, {parameters}) nounwind #0 {{
  %wide = icmp sgt i64 %columns, {registers.lanes}
  %more = zext i1 %wide to i64
  %held = shl i64 {registers.lanes}, %more
  %lacks = icmp slt i64 %columns, %held
  %masked = zext i1 %lacks to i64
  %twice = shl i64 %rows, 1
  %two = or i64 %twice, %more
  %four = shl i64 %two, 1
  %slot = or i64 %four, %masked
  %place = add i64 %slot, {first}
  %at = getelementptr ptr, ptr %table, i64 %place
  %made = load ptr, ptr %at
  call void %made({passed})
  ret void
}}
define internal void @tile(ptr %table, i64 %rows, i1 %packed, {parameters}) nounwind #0 {{
  %tall = icmp sge i64 %rows, {whole.rows}
  %held = icmp sge i64 %columns, {whole.vectors * registers.lanes}
  %full = and i1 %tall, %held
  %best = and i1 %full, %packed
  br i1 %best, label %quick, label %rest
quick:
  call void @tile_packed({passed})
  ret void
rest:
  %part = icmp sle i64 %rows, {most}
  %one = or i1 %part, %tall
  br i1 %one, label %single, label %double
single:
  %some = call i64 @llvm.smin.i64(i64 %rows, i64 {whole.rows})
  call void @exact(ptr %table, i64 %some, {passed})
  ret void
double:
  %lower = lshr i64 %rows, 1
  %upper = sub i64 %rows, %lower
  call void @exact(ptr %table, i64 %upper, {passed})
  %a_skipped = mul nsw i64 %upper, %a_row
  %c_skipped = mul nsw i64 %upper, %pitch
  %a_below = getelementptr {real}, ptr %a, i64 %a_skipped
  %c_below = getelementptr {real}, ptr %c, i64 %c_skipped
  call void @exact(ptr %table, i64 %lower, {passed.replace("%a,", "%a_below,").replace("%c,", "%c_below,")})
  ret void
}}"""
