"""Say what a convolution kernel is made for, and how it is cut into tiles that fit the registers."""

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from ....array.named_tuples import NamedTuple
from ..vector_registers import Registers
from .places import Axis, correlation, transposition


class Shape(NamedTuple):
    """A convolution of two spatial axes, batch size apart."""

    real: str  # ``"float"`` or ``"double"``
    channels: int  # of x
    outputs: int  # channels of y
    groups: int
    size: tuple[int, int]
    output: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]

    @property
    def taps(self) -> int:
        """Return how many there are in the kernel."""
        return prod(self.kernel)

    @property
    def multiplications(self) -> int:
        """Return how many there are for each image."""
        return self.outputs * prod(self.output) * self.channels // self.groups * self.taps

    def correlation(self) -> tuple[Axis, Axis]:
        """Return the axes of y = conv(x, w)."""
        return axes_of(self, correlation, self.size, self.output)

    def transposition(self) -> tuple[Axis, Axis]:
        """Return the axes of x = conv_transpose(y, w)."""
        return axes_of(self, transposition, self.output, self.size)


def axes_of(
    shape: Any, make: Callable[..., Axis], read: tuple[int, int], written: tuple[int, int]
) -> tuple[Axis, Axis]:
    """Return the axes of rows and columns of a convolution's or a pool's shape."""
    windows = shape.kernel, shape.stride, shape.padding, shape.dilation
    rows, columns = (make(*numbers) for numbers in zip(read, written, *windows, strict=True))
    return rows, columns


def two(numbers: Sequence[int], other: int = 1) -> tuple[int, int]:
    """Return numbers of two axes, of which a single one is the last."""
    first, second = numbers if len(numbers) == 2 else (other, *numbers)
    return int(first), int(second)


#: What another form of a tile counts, as a part of the time.
_FORM = 0.03


class Tile(NamedTuple):
    """Accumulators that are kept in registers: `rows` times `columns` vectors."""

    rows: int
    columns: int


def _cost(tile: Tile, loads: int) -> float:
    """Return a step's cycles: two multiplications and two loads start in each, sums are ready in 4."""
    return max(4.0, tile.rows * tile.columns / 2, loads / 2)


def correlation_tile(registers: Registers, outputs: int, vectors: int) -> Tile:
    """Return the output channels by vectors of places.

    A step loads a vector for each column, on the border of two cache lines, and a number for each row. The
    weight of more than eight rows may share too few lines of the cache: 1024 → 256 channels, 1×1, ran at 48
    GFLOP/s with 29 rows and at 160 with eight.
    """
    best, least = Tile(1, 1), float("inf")
    for rows in range(1, min(outputs, 8) + 1):
        for columns in range(1, min(vectors, registers.number) + 1):
            tile = Tile(rows, columns)
            if rows * columns + columns + 2 > registers.number:
                break
            tiles = -(-outputs // rows) * -(-vectors // columns)
            if (cost := tiles * (_cost(tile, rows + 2 * columns) + 0.5)) < least:
                best, least = tile, cost
    return best


class PlaceTile(NamedTuple):
    """Accumulators that are kept in registers: some vectors of output channels for a box of places."""

    rows: int
    columns: int
    vectors: int


def place_tile(registers: Registers, outputs: int, most: int, rows: int, columns: int) -> PlaceTile:
    """Return the box of places, of so many, by at most `most` vectors of output channels: these are
    loaded from the second-level cache.
    """
    best, least = PlaceTile(1, 1, 1), float("inf")
    for high in range(1, rows + 1):
        for wide in range(1, columns + 1):
            for vectors in range(1, most + 1):
                places = high * wide
                if places * vectors + vectors + 1 > registers.number:
                    break
                boxes = -(-rows // high) * -(-columns // wide)
                tiles = boxes * -(-outputs // (vectors * registers.lanes))
                cycles = max(_cost(Tile(places, vectors), places + vectors), 2.0 * vectors)
                if (cost := tiles * (cycles + 0.75)) < least:
                    best, least = PlaceTile(high, wide, vectors), cost
    return best


def weight_tile(registers: Registers, outputs: int, taps: int, loads: int) -> Tile:
    """Return the output channels, or vectors of them, by taps (times input channels, where these are few). A
    step has `loads` for each tap.
    """
    best, least = Tile(1, 1), float("inf")
    for rows in range(1, min(outputs, registers.number) + 1):
        for columns in range(1, min(taps, registers.number) + 1):
            tile = Tile(rows, columns)
            if rows * columns + rows + 3 > registers.number:
                break
            heights, widths = runs(outputs, rows), runs(taps, columns)
            forms = [(m * n, _cost(Tile(r, c), r + loads * c)) for r, m in heights for c, n in widths]
            # Each form of a tile is compiled.
            cost = sum(n * (cycles + 0.5) for n, cycles in forms) * (1 + _FORM * (len(forms) - 1))
            if cost < least:
                best, least = tile, cost
    return best


def cut(length: int, most: int) -> Iterator[int]:
    """Return nearly equal parts of at most `most`."""
    parts = -(-length // most)
    for n in range(parts):
        yield length * (n + 1) // parts - length * n // parts


def runs(length: int, most: int) -> list[tuple[int, int]]:
    """Return each size of these parts, the larger one first, and how many have it."""
    parts = -(-length // most)
    size, larger = divmod(length, parts)
    return [(n, count) for n, count in ((size + 1, larger), (size, parts - larger)) if count]


def unaliased(step: int, size: int) -> int:
    """Return a step between rows of numbers of `size` bytes, longer where many rows would share the few lines
    of the cache that addresses a multiple of half a page apart may use.
    """
    return step if step * size % 2048 or not step else step + 64 // size
