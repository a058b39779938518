"""Maximum pools: the kernels of the maxima with their winners, and of the covectors added to the winners.

Both go plane by plane. The places of a plane are padded and sorted (`places`), so that what lies under one
tap of all windows in a row is one run; winners, a byte each, are numbers of taps in C order (see
`array.pool`).
"""

from functools import lru_cache
from itertools import product
from math import prod

import numpy as np

from ....array.named_tuples import NamedTuple
from ...runtime import shared_kernels
from ...runtime.shared_kernels import Kernel
from ..vector_registers import registers
from ..vectors import Code
from .packing import pack, write_row
from .places import Axis, correlation, transposition, under
from .plan import axes_of, two

#: Estimated nanoseconds of an element under a tap.
_NANOSECONDS = 0.15
_KEPT = 256
#: Vectors of a row that are written without a loop.
_UNROLLED = 4


class PoolShape(NamedTuple):
    """Planes, what they are pooled to, and the windows, along two axes each."""

    real: str
    size: tuple[int, int]
    output: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]

    def axes(self, transposed: bool) -> tuple[Axis, Axis]:
        """Return the axes of what gathers elements under windows, or of what spreads them."""
        if transposed:
            return axes_of(self, transposition, self.output, self.size)
        return axes_of(self, correlation, self.size, self.output)

    @property
    def work(self) -> float:
        """Return estimated nanoseconds for a plane."""
        return prod(self.output) * prod(self.kernel) * _NANOSECONDS

    def firsts(self) -> bytes:
        """Return for each window the first tap that is not padding, which wins where nothing is above −∞."""
        along = [
            [-(-max(0, p - o * s) // d) for o in range(n)]
            for n, s, p, d in zip(self.output, self.stride, self.padding, self.dilation, strict=True)
        ]
        return bytes(row * self.kernel[1] + column for row in along[0] for column in along[1])


class _Bytes(NamedTuple):
    """Vectors of bytes, as many as `code` has numbers in one."""

    code: Code

    @property
    def type(self) -> str:
        return f"<{self.code.lanes} x i8>"

    def same(self, value: int) -> str:
        return "<" + ", ".join([f"i8 {value}"] * self.code.lanes) + ">"

    def at(self, pointer: str, *offsets: int | str) -> str:
        for offset in offsets:
            if offset != 0:
                pointer = self.code.value(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        return pointer

    def load(self, pointer: str, kept: int) -> str:
        """Return the first `kept` bytes at an address."""
        return self.code.load_part(pointer, range(kept), type_="i8")

    def store(self, value: str, pointer: str, kept: int) -> None:
        self.code.store_part(value, pointer, range(kept), type_="i8")


@lru_cache(maxsize=_KEPT)
def maxima(shape: PoolShape) -> Kernel:
    """Return the kernel of arrays (source, values, winners): planes are its images."""
    rows, columns = shape.axes(False)
    plane = rows.length * columns.length
    packed = len(rows.firsts) * len(columns.firsts) * plane + registers(shape.real).lanes
    scratch = shared_kernels.whole(packed)
    return shared_kernels.kernel(
        ("maxima", shape), lambda: _maxima(shape, scratch), shape.real, ("source", "values", "winners"),
        shape.work, scratch,
    )  # fmt: skip


def _maxima(shape: PoolShape, scratch: int) -> Code:
    code = Code(shape.real, registers(shape.real).lanes)
    rows, columns = shape.axes(False)
    octets = _Bytes(code)
    plane = rows.length * columns.length
    lowest = code.same("0xFFF0000000000000")
    with code.loop(0, scratch, step=code.lanes) as fill:
        code.store(lowest, code.at("%scratch", fill.index))
    has_firsts = any(shape.padding)
    with code.loop("%first", "%last") as loop:
        source = code.at("%source", code.times(loop.index, prod(shape.size)))
        pack(code, source, "%scratch", 1, plane, rows, columns, exact=True)
        written = code.times(loop.index, prod(shape.output))
        with code.loop(0, rows.positions) as line:
            read = code.at("%scratch", code.times(line.index, columns.length))
            start = code.times(line.index, columns.positions)

            def vector(position: int | str, kept: int) -> None:
                window = code.at(read, position)
                best, winner = lowest, "zeroinitializer"
                if has_firsts:
                    winner = octets.load(octets.at("@firsts", start, position), code.lanes)
                for row, column in product(rows.taps[0], columns.taps[0]):
                    element = code.load(window, under(rows, columns, row, column))
                    greater = code.value(f"fcmp ogt {code.vector} {element}, {best}")
                    unknown = code.value(f"fcmp uno {code.vector} {element}, {element}")
                    mask = f"<{code.lanes} x i1>"
                    wins = code.value(f"or {mask} {greater}, {unknown}")
                    best = code.value(f"select {mask} {wins}, {code.vector} {element}, {code.vector} {best}")
                    number = octets.same(row.number * shape.kernel[1] + column.number)
                    winner = code.value(
                        f"select {mask} {wins}, {octets.type} {number}, {octets.type} {winner}"
                    )
                code.store_part(best, code.at("%values", written, start, position), range(kept))
                octets.store(winner, octets.at("%winners", written, start, position), kept)

            code.along(columns.positions, vector, _UNROLLED)
    if has_firsts:
        octs = "".join(f"\\{n:02X}" for n in shape.firsts() + bytes(code.lanes))
        count = prod(shape.output) + code.lanes
        code.declarations.add(f'@firsts = internal constant [{count} x i8] c"{octs}"')
    return code


@lru_cache(maxsize=_KEPT)
def spread(shape: PoolShape) -> Kernel:
    """Return the kernel of arrays (covectors, winners, target): planes are its images."""
    rows, columns = shape.axes(True)
    lanes = registers(shape.real).lanes
    is_whole = rows.is_whole and columns.is_whole
    packed = 0 if is_whole else shared_kernels.whole(rows.length * columns.length + lanes)
    # Winners lie as covectors do, in bytes; then come the interleaved results of a row.
    room = -(-columns.positions // lanes) * lanes
    scratch = 2 * packed + shared_kernels.whole(room * len(columns.taps))
    return shared_kernels.kernel(
        ("spread", shape), lambda: _spread(shape, packed, room, scratch), shape.real,
        ("covectors", "winners", "target"), shape.work, scratch,
    )  # fmt: skip


def _spread(shape: PoolShape, packed: int, room: int, scratch: int) -> Code:
    code = Code(shape.real, registers(shape.real).lanes)
    rows, columns = shape.axes(True)
    octets, plane, is_whole = _Bytes(code), rows.length * columns.length, not packed
    code.clear("%scratch", scratch)
    with code.loop("%first", "%last") as loop:
        given = code.times(loop.index, prod(shape.output))
        covectors, winners = code.at("%covectors", given), octets.at("%winners", given)
        if not is_whole:
            pack(code, covectors, "%scratch", 1, plane, rows, columns)
            target = code.at("%scratch", packed)
            _pack_bytes(octets, winners, target, rows, columns)
            covectors, winners = "%scratch", target
        result = code.at("%target", code.times(loop.index, prod(shape.size)))
        for row_result, row_taps in enumerate(rows.taps):
            with code.loop(*rows.written(row_result)) as line:
                below = code.times(line.index, columns.length)
                start = code.at(covectors, below), octets.at(winners, below)
                pointers = [code.at("%scratch", 2 * packed + n * room) for n in range(len(columns.taps))]
                for pointer, column_taps in zip(pointers, columns.taps, strict=True):
                    taps = {
                        r.number * shape.kernel[1] + c.number: r.shift * columns.length + c.shift
                        for r in row_taps
                        for c in column_taps
                    }
                    _won(octets, start, taps, pointer, columns.positions, is_whole)
                place = code.plus(code.times(line.index, len(rows.taps)), row_result + rows.out_first)
                write_row(code, pointers, code.at(result, code.times(place, columns.out_size)), columns)
    return code


def _pack_bytes(octets: _Bytes, source: str, target: str, rows: Axis, columns: Axis) -> None:
    """Write `pack` for one plane of bytes in one part."""
    code = octets.code
    code.declarations.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)")
    left, right = columns.inside(0)
    first = rows.firsts[0] * columns.size + columns.firsts[0] + left
    with code.loop(*rows.inside(0)) as line:
        from_ = octets.at(source, code.times(line.index, columns.size), first)
        to = octets.at(target, code.times(line.index, columns.length), left)
        code.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {from_}, i64 {right - left}, i1 false)")


def _won(
    octets: _Bytes, start: tuple[str, str], taps: dict[int, int], target: str, count: int, exact: bool
) -> None:
    """Write to a row of places the sum of the covectors that they won, by taps and how far along these read;
    nothing beyond the row is read where it is `exact`.
    """
    code = octets.code

    def vector(position: int | str, kept: int) -> None:
        kept = kept if exact else code.lanes
        total = "zeroinitializer"
        # In the order of windows, as torch and NumPy add to zeros: of −0 comes 0.
        for tap, place in sorted(taps.items(), reverse=True):
            winner = octets.load(octets.at(start[1], position, place), kept)
            covector = code.load_part(code.at(start[0], position, place), range(kept))
            won = code.value(f"icmp eq {octets.type} {winner}, {octets.same(tap)}")
            term = code.value(
                f"select <{code.lanes} x i1> {won}, {code.vector} {covector}, {code.vector} zeroinitializer"
            )
            total = code.value(f"fadd {code.vector} {total}, {term}")
        code.store(total, code.at(target, position))

    code.along(count, vector, _UNROLLED)


def pool_shape(
    size: tuple[int, ...], output: tuple[int, ...], dtype: np.dtype, kernel: tuple[int, ...],
    stride: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...],
) -> PoolShape | None:  # fmt: skip
    """Return what a pool needs; None where no kernel is made. A single axis is the last of two."""
    axes = len(size)
    if axes not in (1, 2) or dtype not in (np.float32, np.float64) or 0 in size or 0 in output:
        return None
    if prod(stride) > 9 or prod(kernel) > 49:
        return None

    return PoolShape(
        "float" if dtype == np.float32 else "double", two(size), two(output), two(kernel), two(stride),
        two(padding, 0), two(dilation),
    )  # fmt: skip
