"""The kernel of a convolution and of its transpose with vectors of output channels.

An accumulator holds the results of some output channels at one place: no vector is part empty where an image
has few places, and none lies across cache lines. Before a block of output channels, its part of the weight is
turned to ``(input channels, taps, output channels)``; behind a block its results are turned back.
"""

from math import prod

from ..vectors import Loop
from .correlate import Correlation
from .packing import turn
from .places import Tap, under
from .plan import Tile, place_tile, weight_tile
from .weight import Weight

#: Products that are summed for a result, for each of whose vectors of places would be full, from which the
#: weight and the results are turned: 8×16×16×16 to 32 channels, 3×3, took 0.19 ms and would take 0.22,
#: 8×64×7×7 to 128, 1×1, 0.12 and 0.14.
_SUMMED = 256
#: Bytes of a turned block of the weight that stay in the second-level cache, with the places of an image.
_WEIGHT_BYTES = 640 << 10
#: Images' places for which the weight is turned once as they are split.
_SPLIT = 4


def is_better(like: Correlation) -> bool:
    """Return whether vectors of output channels take less time than those of places."""
    lanes = like.registers.lanes
    full = like.rows.positions * like.columns.positions
    summed = like.inputs * like.shape.taps
    return like.outputs >= 2 * lanes and summed * like.vectors * lanes >= _SUMMED * full


class ByChannel(Correlation):
    """Write a kernel as `Correlation` does, by vectors of output channels."""

    #: To turn the weight takes as long as some places: it is always done for several images.
    near, place_bytes = 0, 1 << 20

    def plan(self) -> tuple[int, int, int]:
        """Choose a tile; return its output channels, room for the places of one, and elements of scratch."""
        lanes, rows, columns = self.registers.lanes, self.rows, self.columns
        each = self.inputs * self.shape.taps * lanes * (4 if self.shape.real == "float" else 8)
        # Threads have blocks of an image: there are two at least.
        most = max(1, min(self.outputs // (2 * lanes), _WEIGHT_BYTES // each))
        self.places = place_tile(self.registers, self.outputs, most, rows.positions, columns.positions)
        height = self.places.vectors * lanes
        room = -(-rows.positions * columns.positions // lanes) * lanes
        self.unpacked, self.tap = columns._replace(length=columns.positions), height
        # The weight as it is given, and as it is turned.
        self.given = self.weights.inputs
        self.weights = self.weights._replace(inputs=self.shape.taps * height)
        # Where results lie in rows as they are written, they go there at once.
        whole = [(axis.out_first, axis.out_size) == (0, axis.positions) for axis in (rows, columns)]
        self.goes_at_once = self.results == 1 and all(whole)
        self.pace = rows.positions * columns.positions if self.goes_at_once else self.results * room
        self.turned = self.images * self.packed + height * room * self.results
        self.found = self.turned + self.inputs * self.weights.inputs
        return height, room, self.found + height * room

    def reads_weight_once(self) -> bool:
        """Return whether it costs more to turn the weight again than to pack some images again."""
        return self.inputs * self.outputs * self.shape.taps > _SPLIT * self.packed

    def images_reached(self) -> int:
        """Return 0: nothing is read beyond an image."""
        return 0

    def factors(self, weight: str) -> str:
        """Turn the numbers for a block of output channels; return where they are."""
        code, lanes, taps = self.code, self.registers.lanes, self.shape.taps
        turned = code.at("%scratch", self.turned)
        # Those of an output channel lie side by side, but for the transpose only those of one input channel.
        count, length = (1, self.inputs * taps) if self.given == taps else (self.inputs, taps)
        with code.loop(0, count) as run, code.loop(0, self.places.vectors) as vector:
            source = code.at(weight, code.times(run.index, self.given))
            source = code.at(source, code.times(vector.index, lanes * self.weights.outputs))
            target = code.at(turned, code.times(run.index, self.weights.inputs))
            target = code.at(target, code.times(vector.index, lanes))
            turn(code, source, self.weights.outputs, target, self.height, length)
        return turned

    def block(self, first: int | str, places: str, factors: str, bias: str, target: str) -> None:
        """Write a block of output channels from the first, all places."""
        if self.goes_at_once:
            self.result(0, places, factors, bias, self.code.at(target, self.code.times(first, self.pace)))
        else:
            super().block(first, places, factors, bias, target)

    def result(self, number: int, places: str, factors: str, bias: str, results: str) -> None:
        """Write one of the interleaved results for a block of output channels."""
        code, lanes, tile = self.code, self.registers.lanes, self.places
        rows, columns = self.rows, self.columns
        row_result, column_result = divmod(number, len(columns.taps))
        found = code.at("%scratch", self.found)
        zero = ["zeroinitializer"] * tile.vectors
        with (
            code.loop(0, -(-rows.positions // tile.rows)) as down,
            code.loop(0, -(-columns.positions // tile.columns)) as across,
        ):
            # The last tile begins where it still is a whole one.
            row = code.least(code.times(down.index, tile.rows), rows.positions - tile.rows)
            column = code.least(code.times(across.index, tile.columns), columns.positions - tile.columns)
            window = code.at(places, code.times(row, columns.length), column)
            firsts = [code.load(bias, v * lanes) for v in range(tile.vectors)] if self.bias else zero
            starts = firsts * (tile.rows * tile.columns)
            sums = self.sums(window, factors, starts, row_result, columns.taps[column_result])
            place = code.plus(code.times(row, columns.positions), column)
            target = code.at(found, code.times(place, self.height))
            for n in range(tile.rows):
                for m in range(tile.columns):
                    for v in range(tile.vectors):
                        value = sums[(n * tile.columns + m) * tile.vectors + v]
                        code.store(value, target, (n * columns.positions + m) * self.height + v * lanes)
        self._turn_back(found, results)

    def _turn_back(self, found: str, results: str) -> None:
        """Copy what was found at each place to a row for each output channel."""
        code, lanes, each = self.code, self.registers.lanes, self.pace

        def turn(position: int | str, kept: int) -> None:
            with code.loop(0, self.places.vectors) as vector:
                channel = code.times(vector.index, lanes)
                source = code.at(found, code.times(position, self.height), channel)
                target = code.at(results, position, code.times(channel, each))
                rows = [code.load(source, n * self.height) for n in range(lanes)]
                for n, column in enumerate(code.transposed(rows)):
                    code.store_part(column, code.at(target, n * each), range(kept))

        code.over(self.rows.positions * self.columns.positions, turn)

    def row(self, loop: Loop, read: str, factor: str, row: Tap, columns: tuple[Tap, ...]) -> None:
        """Add the products of a row of the kernel."""
        code, tile = self.code, self.places
        for column in columns:
            place = under(self.rows, self.columns, row, column)
            tap = row.number * self.shape.kernel[1] + column.number
            # Numbers that two taps share are read again rather than kept: there is no register for them.
            code.line('fence syncscope("singlethread") acq_rel')
            vectors = [code.load(factor, tap * self.height + v * code.lanes) for v in range(tile.vectors)]
            at = 0
            for n in range(tile.rows):
                for m in range(tile.columns):
                    number = code.spread(read, place + n * self.columns.length + m)
                    for vector in vectors:
                        loop.values[at] = code.fused(vector, number, loop.values[at])
                        at += 1


class WeightByChannel(Weight):
    """Write a kernel as `Weight` does, by vectors of output channels: an accumulator holds the sums over all
    places of some images, of some output channels for a tap. The covectors of an image are turned to
    ``(vectors, places, output channels of one)``.
    """

    def plan(self, taps: int, size: int) -> tuple[Tile, int]:
        """Choose a tile of whole vectors, and the room for an output channel's covectors."""
        lanes = self.registers.lanes
        tile = weight_tile(self.registers, self.outputs // lanes, taps, 1)
        return tile._replace(rows=tile.rows * lanes), prod(self.shape.output)

    def _spread(self, channel: int | str, image: str, outputs: tuple[str, str]) -> None:
        """Turn an image's covectors."""
        code, lanes, room = self.code, self.registers.lanes, self.room
        source = code.at("%covector", code.times(channel, self.outputs * room))
        target = code.at(self.covector, code.times(image, self.covectors))
        with code.loop(*outputs, step=lanes) as output:
            first = code.times(output.index, room)
            turn(code, code.at(source, first), room, code.at(target, first), lanes, room)

    def _tile(
        self, images: int | str, read: str, target: str, output: int | str, tile: Tile, places: list[int]
    ) -> None:
        code, lanes, columns = self.code, self.registers.lanes, self.columns
        vectors, taps = tile.rows // lanes, len(places)
        given = code.at(self.covector, code.times(output, self.room))
        carried = [(code.vector, "zeroinitializer")] * (vectors * taps)
        with code.loop(0, images, carried) as image:
            image_read = code.at(read, code.times(image.index, self.packed))
            image_given = code.at(given, code.times(image.index, self.covectors))
            with code.loop(0, self.rows.positions, [(code.vector, v) for v in image.values]) as row:
                row_read = code.at(image_read, code.times(row.index, columns.length))
                row_given = code.at(image_given, code.times(row.index, columns.positions * lanes))
                with code.loop(0, columns.positions, [(code.vector, v) for v in row.values]) as column:
                    covector = code.at(row_given, code.times(column.index, lanes))
                    window = code.at(row_read, column.index)
                    factors = [code.load(covector, n * self.room * lanes) for n in range(vectors)]
                    for m, place in enumerate(places):
                        number = code.spread(window, place)
                        for n, factor in enumerate(factors):
                            at = n * taps + m
                            column.values[at] = code.fused(factor, number, column.values[at])
                row.values = column.values
            image.values = row.values
        depth = code.times(self.inputs, self.shape.taps)
        for n in range(vectors):
            for start in range(0, taps, lanes):
                some = image.values[n * taps + start : min(n * taps + start + lanes, (n + 1) * taps)]
                kept, pointer = range(len(some)), code.at(target, start)
                for sums in code.transposed([*some, *["zeroinitializer"] * (lanes - len(some))]):
                    total = code.value(f"fadd {code.vector} {code.load_part(pointer, kept)}, {sums}")
                    code.store_part(total, pointer, kept)
                    pointer = code.at(pointer, depth)
            target = code.at(target, code.times(depth, lanes))
