"""Solve triangular systems of real numbers by substitution, a panel of right-hand sides at a time.

A panel is copied to rows of a scratch, solved there from the first row to the last, and copied to the
solution. Tiles of its rows are accumulators in registers, as in a product (see `product.tile`): known rows
are taken away from all rows of a tile, then those of the tile from one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ...runtime.shared_kernels import Kernel, bounds, fields, function, module, own_scratch
from .. import tables
from ..vector_registers import registers
from ..vectors import Code

#: Rows of systems at most, for which a part's scratch has room: larger ones are taken apart.
ROWS = 512
#: Vectors of a panel.
_VECTORS = 3
#: What the kernel is given: addresses of the first pivot of the triangle, of the right-hand sides and of the
#: solution, and of numbers. Steps are in elements. In the scratch the first row to be solved is `skipped`
#: elements behind the begin, and `step` leads to the next.
_ARRAYS = ("t", "b", "x", "numbers")
_NUMBERS = (
    "height", "sides", "panels", "t_row", "b_row", "x_row", "t_column", "b_column", "x_column", "t_apart",
    "b_apart", "x_apart", "skipped", "step", "unit", "upper", "zeros",
)  # fmt: skip
#: Nanoseconds of a multiplication and addition of a vector.
_VECTOR = 0.2


def _width(real: str) -> int:
    """Return how many right-hand sides a panel has."""
    return _VECTORS * registers(real).lanes


def panels(real: str, sides: int) -> int:
    """Return how many panels the right-hand sides of a matrix take."""
    return -(-sides // _width(real))


def numbers(
    real: str, shape: tuple[int, ...], rows: Sequence[int], columns: Sequence[int], apart: Sequence[int],
    upper: bool, unit: bool, zeros: bool,
) -> list[int]:  # fmt: skip
    """Return the numbers for right-hand sides of a shape, with the steps of the triangle, of these and of the
    solution; the latter two have one step of 1 within a matrix. With `zeros` the right-hand sides are a
    triangle, too, of the same kind.
    """
    height, sides = shape
    skipped, step = 0, _width(real)
    if upper:  # from the last row to the first
        rows, columns = (-rows[0], *rows[1:]), (-columns[0], *columns[1:])
        skipped, step = (height - 1) * step, -step
    options = [int(option) for option in (unit, upper, zeros)]
    return [height, sides, panels(real, sides), *rows, *columns, *apart, skipped, step, *options]


def _tallest(real: str) -> int:
    """Return the rows of a tile, a power of two."""
    return 8 if registers(real).number >= 32 else 4


@lru_cache(maxsize=1024)
def solutions(real: str, rows: int) -> Kernel:
    """Return the kernel for systems of so many rows, whose images are panels; the machine code is one."""
    vectors = rows * rows * _VECTORS / 2
    return Kernel(
        ("triangular solutions", real), lambda: _text(real), size=4 if real == "float" else 8,
        work=vectors * _VECTOR, scratch=_scratch(real),
    )  # fmt: skip


def _scratch(real: str) -> int:
    # Beyond the last row there is room for a vector's lanes of rows.
    return (ROWS + registers(real).lanes) * _width(real)


def _text(real: str) -> str:
    code = Code(real, registers(real).lanes)
    texts = []
    for vectors in (1, _VECTORS):
        rows = _tallest(real)
        while rows:
            texts.append(_tile(_beside(code), rows, vectors))
            rows //= 2
        texts.append(_down(_beside(code), vectors))
    lines = tables.read("%numbers", {f"%{name}": "i64" for name in _NUMBERS})
    code.lines += [*fields(_ARRAYS), *bounds(), *own_scratch(real, _scratch(real)), *lines]
    _panels(code)
    return module(code, *texts, function("part", code.lines))


def _beside(code: Code) -> Code:
    """Return what writes another function of a module."""
    other = Code(code.real, code.lanes)
    other.declarations = code.declarations
    return other


_OF_TILE = "ptr %t, ptr %panel, i64 %inner, i64 %t_row, i64 %t_column, i64 %step, i1 %unit"


def _tile(code: Code, rows: int, vectors: int) -> str:
    """Return the function that solves the rows behind the `inner` ones of a panel that are known."""
    # See `product.tile.write` for why multiples are frozen.
    half = -(-rows // 2)
    steps = [code.value(f"freeze i64 {code.value(f'mul nsw i64 %t_row, {n}')}") for n in range(half)]
    starts = ["%t", code.at("%t", code.value(f"mul nsw i64 %t_row, {half}"))]
    carried = [(code.vector, "zeroinitializer")] * (rows * vectors)
    with code.loop(0, "%inner", [*carried, *(("ptr", start) for start in (*starts, "%panel"))]) as loop:
        *along, line = loop.values[len(carried) :]
        known = [code.load(line, n * code.lanes) for n in range(vectors)]
        for row in range(rows):
            number = code.spread(code.at(along[row // half], steps[row % half]))
            for n, vector in enumerate(known):
                at = row * vectors + n
                loop.values[at] = code.fused(vector, number, loop.values[at])
        loop.values[len(carried) :] = [*(code.at(p, "%t_column") for p in along), code.at(line, "%step")]
    *sums, upper, lower, line = loop.values
    solved: list[list[str]] = []
    for row in range(rows):
        place = code.at((upper, lower)[row // half], steps[row % half])
        own = sums[row * vectors : (row + 1) * vectors]
        for column, values in enumerate(solved):
            number = code.spread(code.at(place, code.value(f"mul nsw i64 %t_column, {column}")))
            own = [code.fused(x, number, total) for x, total in zip(values, own, strict=True)]
        there = code.value(
            f"load {code.real}, ptr {code.at(place, code.value(f'mul nsw i64 %t_column, {row}'))}"
        )
        pivot = code.value(f"select i1 %unit, {code.real} 1.0, {code.real} {there}")
        scale = code.same(code.value(f"fdiv {code.real} 1.0, {pivot}"))
        for n, total in enumerate(own):
            left = code.value(f"fsub {code.vector} {code.load(line, n * code.lanes)}, {total}")
            own[n] = code.value(f"fmul {code.vector} {left}, {scale}")
            code.store(own[n], line, n * code.lanes)
        solved.append(own)
        line = code.at(line, "%step")
    return code.text(f"tile_{rows}_{vectors}", _OF_TILE)


def _down(code: Code, vectors: int) -> str:
    """Return the function that solves all rows of a panel, by tiles of fewer rows at its end."""
    rows, done = _tallest(code.real), "0"
    while rows:
        end = code.value(f"and i64 %height, {-rows}")
        with code.loop(done, end, step=rows) as loop:
            t = code.at("%t", code.value(f"mul nsw i64 {loop.index}, %t_row"))
            code.line(
                f"call void @tile_{rows}_{vectors}(ptr {t}, ptr %panel, i64 {loop.index}, i64 %t_row, "
                "i64 %t_column, i64 %step, i1 %unit)"
            )
        rows, done = rows // 2, end
    return code.text(f"down_{vectors}", _OF_TILE.replace("%inner", "%height"))


def _panels(code: Code) -> None:
    """Write the loop over a part's share of the panels."""
    value, at, times = code.value, code.at, code.product
    size, lanes = _width(code.real), code.lanes
    unit = value("icmp ne i64 %unit, 0")
    begin, is_upper = at("%scratch", "%skipped"), value("icmp ne i64 %upper, 0")
    with code.loop("%first", "%last") as panel:
        matrix, place = value(f"sdiv i64 {panel.index}, %panels"), value(f"srem i64 {panel.index}, %panels")
        first = value(f"mul nsw i64 {place}, {size}")
        held = code.smaller(value(f"sub i64 %sides, {first}"), size)
        t, b, x = (at(f"%{name}", times(matrix, f"%{name}_apart")) for name in "tbx")
        b, x = at(b, times(first, "%b_column")), at(x, times(first, "%x_column"))
        filled = value(f"sdiv i64 {value(f'add i64 {held}, {lanes - 1}')}, {lanes}")
        masks = [code.before(value(f"sub i64 {held}, {n}")) for n in range(0, size, lanes)]
        _copied(code, b, "%b", held, filled, masks, into=True)
        # What is zero stays zero.
        end = value(f"sub i64 {value(f'sub i64 %height, {first}')}, {held}")
        before = value(f"select i1 {is_upper}, i64 {end}, i64 {first}")
        done = times(value(f"and i64 {before}, {-_tallest(code.real)}"), "%zeros")
        left, t = value(f"sub i64 %height, {done}"), at(t, times(done, "%t_row"), times(done, "%t_column"))
        start = at(begin, times(done, "%step"))
        is_wide = value(f"icmp eq i64 {filled}, {_VECTORS}")
        for vectors, stop in ((_VECTORS, "i64 1, i64 0"), (1, f"i64 0, i64 {filled}")):
            with code.loop(0, value(f"select i1 {is_wide}, {stop}")) as column:
                vector = at(start, value(f"mul nsw i64 {column.index}, {lanes}"))
                code.line(
                    f"call void @down_{vectors}(ptr {t}, ptr {vector}, i64 {left}, i64 %t_row, "
                    f"i64 %t_column, i64 %step, i1 {unit})"
                )
        _copied(code, x, "%x", held, filled, masks, into=False)


def _copied(code: Code, base: str, name: str, held: str, filled: str, masks: list[str], into: bool) -> None:
    """Copy columns of a matrix into the scratch's rows, or out of them."""
    value, at, times, lanes = code.value, code.at, code.product, code.lanes
    is_behind = value(f"icmp eq i64 {name}_row, 1")
    beside, behind = (
        value(f"select i1 {is_behind}, i64 {n}, i64 {m}") for n, m in ((0, "%height"), ("%height", 0))
    )
    with code.loop(0, beside) as row:
        line = at(base, times(row.index, f"{name}_row"))
        slots = at("%scratch", value(f"mul nsw i64 {row.index}, {_width(code.real)}"))
        for n, mask in enumerate(masks):
            if into:
                code.store(code.load_masked(at(line, n * lanes), mask), slots, n * lanes)
            else:
                code.store_masked(code.load(slots, n * lanes), at(line, n * lanes), mask)
    last = value(f"sub i64 {held}, 1")
    whole = value(f"and i64 {behind}, {-lanes}")
    rest = code.before(value(f"sub i64 {behind}, {whole}"))
    parts: list[tuple[str, str, str | None]] = [("0", whole, None), (whole, behind, rest)]
    for begin, stop, edge in parts:
        with code.loop(begin, stop, step=lanes) as down, code.loop(0, filled) as block:
            first = value(f"mul nsw i64 {block.index}, {lanes}")
            rows = [
                at("%scratch", value(f"mul nsw i64 {code.plus(down.index, n)}, {_width(code.real)}"), first)
                for n in range(lanes)
            ]
            # Columns that are not there are the last one, which is written after them.
            columns = [
                at(base, times(code.smaller(code.plus(first, n), last), f"{name}_column"), down.index)
                for n in range(lanes)
            ]
            if into:
                square = code.transposed([code.load_masked(column, edge) for column in columns])
                for vector, place in zip(square, rows, strict=True):
                    code.store(vector, place)
            else:
                square = code.transposed([code.load(place) for place in rows])
                for vector, column in reversed([*zip(square, columns, strict=True)]):
                    code.store_masked(vector, column, edge)
