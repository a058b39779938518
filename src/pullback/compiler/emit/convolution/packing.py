"""Writing the copies between arrays and padded places (see `places`)."""

from ..vectors import Code
from .places import Axis

#: Vectors of a row that are copied without a loop.
_UNROLLED = 8


def copy_row(code: Code, source: str, target: str, count: int, step: int = 1, *, exact: bool = True) -> None:
    """Copy every `step`-th element to follow one another.

    With `exact` nothing is written beyond `count` elements; otherwise zeros may be, up to a vector's end.
    """
    lanes = code.lanes
    if step > 4:
        with code.loop(0, count) as loop:
            element = code.value(f"load {code.real}, ptr {code.at(source, code.times(loop.index, step))}")
            code.line(f"store {code.real} {element}, ptr {code.at(target, loop.index)}")
        return

    def vector(position: int | str, kept: int) -> None:
        begin, to = code.at(source, code.times(position, step)), code.at(target, position)
        # What lies behind the last wanted element may be beyond the array.
        wide = code.load_part(begin, range((kept - 1) * step + 1), lanes * step)
        if step > 1:
            wide = code.shuffle(wide, "poison", lanes * step, range(0, lanes * step, step))
        code.store_part(wide, to, range(kept if exact else lanes))

    code.along(count, vector, _UNROLLED)


def turn(code: Code, source: str, pitch: int, target: str, height: int, count: int) -> None:
    """Copy `count` numbers of each of a vector's rows, `pitch` apart, to vectors of a number of each row,
    `height` apart.
    """

    def vector(position: int | str, kept: int) -> None:
        begin, to = code.at(source, position), code.at(target, code.times(position, height))
        rows = [code.load_part(code.at(begin, n * pitch), range(kept)) for n in range(code.lanes)]
        for n, column in enumerate(code.transposed(rows)[:kept]):
            code.store(column, to, n * height)

    code.over(count, vector)


def pack(
    code: Code, source: str, target: str, channels: int, pitch: int, rows: Axis, columns: Axis,
    *, exact: bool = False,
) -> None:  # fmt: skip
    """Copy the channels of an image to padded places, which hold what stands for the padding; zeros may be
    written there unless `exact`.

    The layout is ``(channels, row parts, column parts, rows.length, columns.length)``, with `pitch` elements
    from one channel to the next.
    """
    plane = rows.length * columns.length
    with code.loop(0, channels) as loop:
        image = code.at(source, code.times(loop.index, rows.size * columns.size))
        packed = code.at(target, code.times(loop.index, pitch))
        for row_part, row_first in enumerate(rows.firsts):
            start, stop = rows.inside(row_part)
            for column_part, column_first in enumerate(columns.firsts):
                left, right = columns.inside(column_part)
                if right == left or stop == start:
                    continue
                part = (row_part * len(columns.firsts) + column_part) * plane + left
                from_row = row_first * columns.size + column_first + left * columns.step
                with code.loop(start, stop) as line:
                    copy_row(
                        code,
                        code.at(image, code.times(line.index, rows.step * columns.size), from_row),
                        code.at(packed, code.times(line.index, columns.length), part),
                        right - left,
                        columns.step,
                        # Rows come in rising order: beyond a row lies what is zero or still to come.
                        exact=exact,
                    )


def unpack(code: Code, source: str, target: str, room: int, rows: Axis, columns: Axis) -> None:
    """Copy the results of one channel, `room` elements for each pair of interleaved ones, to its place."""
    count = len(columns.taps)
    for row_result in range(len(rows.taps)):
        start, stop = rows.written(row_result)
        with code.loop(start, stop) as line:
            place = code.plus(code.times(line.index, len(rows.taps)), row_result + rows.out_first)
            results = [
                code.at(source, code.times(line.index, columns.length), (row_result * count + n) * room)
                for n in range(count)
            ]
            write_row(code, results, code.at(target, code.times(place, columns.out_size)), columns)


def write_row(code: Code, results: list[str], row: str, columns: Axis) -> None:
    """Copy the interleaved results of one row to their place."""
    if (count := len(results)) == 1:
        first, last = columns.written(0)
        copy_row(code, code.at(results[0], first), code.at(row, first + columns.out_first), last - first)
    elif count <= 4:
        _interleave(code, results, row, columns)
    else:
        for result, pointer in enumerate(results):
            first, last = columns.written(result)
            with code.loop(first, last) as loop:
                place = code.plus(code.times(loop.index, count), result + columns.out_first)
                element = code.value(f"load {code.real}, ptr {code.at(pointer, loop.index)}")
                code.line(f"store {code.real} {element}, ptr {code.at(row, place)}")


def _interleave(code: Code, results: list[str], row: str, columns: Axis) -> None:
    """Store the elements of several results in turn, as far as they lie in the row."""
    lanes, count = code.lanes, len(results)
    wide = lanes * count

    def vector(position: int | str, kept: range) -> None:
        parts = [code.load(code.at(pointer, position)) for pointer in results]
        joined = parts[0]
        for n, part in enumerate(parts[1:], 1):
            # Both operands of a shuffle are of one type: the shorter is widened.
            widened = code.shuffle(part, "poison", lanes, [*range(lanes), *[0] * (lanes * (n - 1))])
            joined = code.shuffle(joined, widened, lanes * n, range(lanes * (n + 1)))
        ordered = code.shuffle(joined, "poison", wide, [n % count * lanes + n // count for n in range(wide)])
        where: int | str = position * count if isinstance(position, int) else code.times(position, count)
        code.store_part(ordered, code.at(row, where, columns.out_first), kept, wide)

    def kept(position: int) -> range:
        start = -(position * count + columns.out_first)
        return range(max(0, start), max(0, min(wide, start + columns.out_size)))

    positions = range(0, columns.positions, lanes)
    middle = [p for p in positions if len(kept(p)) == wide]
    for position in positions:
        if position not in middle:
            vector(position, kept(position))
    if len(middle) > 2:
        with code.loop(middle[0], middle[-1] + 1, step=lanes) as loop:
            vector(loop.index, range(wide))
    else:
        for position in middle:
            vector(position, range(wide))
