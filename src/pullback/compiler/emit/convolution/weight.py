"""The kernel of the weight's covector: for each output channel, input channel and tap, the product of the
covector with the places under the tap, summed over images and places.

A tile of accumulators holds some output channels by the taps of an input channel, a vector of partial sums
each, over all places of some images; then each vector is summed. What lies in
the covector's rows beyond the last output is zero.
"""

from math import prod

from ..vector_registers import Registers
from ..vectors import Code
from .packing import copy_row, pack
from .places import under
from .plan import Shape, Tile, cut, runs, unaliased, weight_tile

Bounds = tuple[int | str, int | str]

#: What holds the number of a group's input channels.
INPUTS = "%inputs"
#: Bytes of covectors, and of padded places of one channel or a few, that are worked on together.
_COVECTOR_BYTES, _PLACE_BYTES = 256 << 10, 24 << 10
#: Taps beyond which the rows of the kernel are a loop, where they lie at equal distances.
_MANY_TAPS = 25


class Weight:
    """Write one kernel: the sum over images `first` to below `last`, of one of `splits` parts of the output
    channels, in a scratch of `scratch` elements.

    `inputs` are the input channels of a group: `INPUTS`, which the kernel is told when it runs, where one is
    worked on after the other.
    """

    def __init__(self, shape: Shape, registers: Registers) -> None:
        self.shape, self.registers = shape, registers
        self.outputs = shape.outputs // shape.groups
        self.rows, self.columns = rows, columns = shape.correlation()
        self.plane = rows.length * columns.length
        self.parts = len(rows.firsts) * len(columns.firsts)
        size = 4 if shape.real == "float" else 8
        # Where there are few taps, those of several channels make a tile.
        inputs, most = shape.channels // shape.groups, registers.number // 4 // shape.taps
        self.together = min(inputs, max(1, most))
        told = most <= 1 and shape.outputs * shape.taps >= registers.lanes
        self.inputs: int | str = INPUTS if told else inputs
        self.row_pitch = rows.pitch(0) if shape.taps > _MANY_TAPS else None
        each = shape.kernel[1] if self.row_pitch is not None else self.together * shape.taps
        #: A tile, and elements of the scratch for the covectors of an output channel.
        self.tile, self.room = self.plan(each, size)
        self.heights = runs(self.outputs, self.tile.rows)
        self.pitch = unaliased(self.parts * self.plane, size)
        self.packed = -(-(self.together * self.pitch + registers.lanes) // 16) * 16
        self.covectors = self.outputs * self.room
        together = min(_COVECTOR_BYTES // (self.covectors * size), _PLACE_BYTES // (self.packed * size))
        self.images = max(1, min(32, together))
        self.scratch = self.images * (self.packed + self.covectors)

    def plan(self, taps: int, size: int) -> tuple[Tile, int]:
        """Choose a tile of output channels by taps, and the room for the covectors of an output channel."""
        run = (self.rows.positions - 1) * self.columns.length + self.columns.positions
        lanes = self.registers.lanes
        self.length = -(-run // lanes) * lanes
        return weight_tile(self.registers, self.outputs, taps, 2), unaliased(self.length, size)

    @property
    def tiles(self) -> int:
        """Return the tiles of output channels."""
        return sum(count for _, count in self.heights)

    def write(self) -> Code:
        """Return the body of ``(source, covector, target, scratch, first, last, split, splits, inputs)``."""
        shape = self.shape
        code = self.code = Code(shape.real, self.registers.lanes)
        self.covector = code.at("%scratch", self.images * self.packed)
        used = code.least(code.value("sub i64 %last, %first"), self.images)
        code.clear("%scratch", code.times(used, self.packed))
        if self.room > prod(shape.output):
            code.clear(self.covector, code.times(used, self.covectors))
        depth = code.times(self.inputs, shape.taps)
        weights = code.times(depth, self.outputs)
        groups: Bounds = (0, 1)
        tiles: Bounds = (0, self.tiles)
        if shape.groups > 1:
            groups = code.bounds("%split", "%splits", shape.groups)
        else:
            tiles = code.bounds("%split", "%splits", self.tiles)
        with code.loop(*groups) as group:
            target = code.at("%target", code.times(group.index, weights))
            outputs = self._first_output(tiles[0]), self._first_output(tiles[1])
            many = code.value(f"sub i64 {outputs[1]}, {outputs[0]}")
            code.clear(code.at(target, code.times(outputs[0], depth)), code.times(many, depth))
            with code.loop("%first", "%last", step=self.images) as block:
                images = code.least(code.value(f"sub i64 %last, {block.index}"), self.images)
                with code.loop(0, images) as image:
                    number = code.plus(block.index, image.index)
                    channel = code.plus(code.times(number, shape.groups), group.index)
                    self._spread(channel, image.index, outputs)
                first: int | str = 0
                for together, count in self._runs():
                    with code.loop(0, count) as loop:
                        channel = code.plus(code.times(loop.index, together), first)
                        with code.loop(0, images) as image:
                            number = code.plus(block.index, image.index)
                            plane = code.plus(code.times(number, shape.groups), group.index)
                            source = code.plus(code.times(plane, self.inputs), channel)
                            self._pack(source, image.index, together)
                        self._outputs(images, target, channel, together, tiles)
                    first = code.plus(first, code.times(count, together))
        return code

    def _runs(self) -> list[tuple[int, int | str]]:
        """Return how many input channels are worked on together, and how often."""
        return [(1, self.inputs)] if isinstance(self.inputs, str) else [*runs(self.inputs, self.together)]

    def _first_output(self, tile: int | str) -> str:
        """Return the first output channel of a tile."""
        code, before = self.code, 0
        first: int | str = 0
        for height, count in self.heights:
            # As many of these tiles as lie before it.
            earlier = code.least(code.most(code.plus(tile, -before), 0), count)
            first = code.plus(first, code.times(earlier, height))
            before += count
        return str(first)

    def _spread(self, channel: int | str, image: str, outputs: tuple[str, str]) -> None:
        """Copy an image's covectors to rows as long as those of the padded places."""
        code, rows, columns = self.code, self.rows, self.columns
        given = prod(self.shape.output)
        source = code.at("%covector", code.times(channel, self.outputs * given))
        target = code.at(self.covector, code.times(image, self.covectors))
        with code.loop(*outputs) as output:
            from_ = code.at(source, code.times(output.index, given))
            place = code.at(target, code.times(output.index, self.room))
            with code.loop(0, rows.positions) as line:
                copy_row(
                    code,
                    code.at(from_, code.times(line.index, columns.positions)),
                    code.at(place, code.times(line.index, columns.length)),
                    columns.positions,
                )

    def _pack(self, channel: int | str, image: str, together: int) -> None:
        code, rows, columns = self.code, self.rows, self.columns
        source = code.at("%source", code.times(channel, rows.size * columns.size))
        target = code.at("%scratch", code.times(image, self.packed))
        pack(code, source, target, together, self.pitch, rows, columns)

    def _outputs(
        self, images: int | str, target: str, channel: int | str, together: int, tiles: Bounds
    ) -> None:
        """Write all tiles of some input channels."""
        code, before, first = self.code, 0, 0
        for height, count in self.heights:
            start, stop = (code.least(code.most(code.plus(n, -before), 0), count) for n in tiles)
            with code.loop(start, stop) as loop:
                output = code.plus(code.times(loop.index, height), first)
                place = code.at(
                    target,
                    code.times(output, code.times(self.inputs, self.shape.taps)),
                    code.times(channel, self.shape.taps),
                )
                if self.row_pitch is None:
                    self._taps(images, "%scratch", place, output, height, together * self.shape.taps)
                else:
                    # One row of the kernel after another, of the only channel.
                    rows, columns = self.shape.kernel
                    step = self.row_pitch * self.columns.length
                    with code.loop(0, rows) as row:
                        read = code.at("%scratch", code.times(row.index, step))
                        place = code.at(place, code.times(row.index, columns))
                        self._taps(images, read, place, output, height, columns)
            before, first = before + count, first + height * count

    def _taps(
        self, images: int | str, read: str, target: str, output: int | str, height: int, taps: int
    ) -> None:
        """Write the tiles of some output channels for the first so many taps."""
        done = 0
        for width in cut(taps, self.tile.columns):
            places = [self._place(tap) for tap in range(done, done + width)]
            self._tile(images, read, self.code.at(target, done), output, Tile(height, width), places)
            done += width

    def _tile(
        self, images: int | str, read: str, target: str, output: int | str, tile: Tile, places: list[int]
    ) -> None:
        code, lanes = self.code, self.registers.lanes
        given = code.at(self.covector, code.times(output, self.room))
        carried = [(code.vector, "zeroinitializer")] * (tile.rows * tile.columns)
        with code.loop(0, images, carried) as image:
            image_read = code.at(read, code.times(image.index, self.packed))
            image_given = code.at(given, code.times(image.index, self.covectors))
            inner = [(code.vector, value) for value in image.values]
            with code.loop(0, self.length, inner, step=lanes) as loop:
                covector = code.at(image_given, loop.index)
                window = code.at(image_read, loop.index)
                factors = [code.load(covector, n * self.room) for n in range(tile.rows)]
                for m, place in enumerate(places):
                    vector = code.load(window, place)
                    for n, factor in enumerate(factors):
                        at = n * tile.columns + m
                        loop.values[at] = code.fused(vector, factor, loop.values[at])
            image.values = loop.values
        depth, pointer = code.times(self.inputs, self.shape.taps), target
        for n in range(tile.rows):
            sums = image.values[n * tile.columns : (n + 1) * tile.columns]
            for start in range(0, len(sums), lanes):
                some = sums[start : start + lanes]
                kept = range(len(some))
                slots = code.at(pointer, start)
                total = code.value(f"fadd {code.vector} {code.load_part(slots, kept)}, {_summed(code, some)}")
                code.store_part(total, slots, kept)
            pointer = code.at(pointer, depth)

    def _place(self, tap: int) -> int:
        """Return how far from a place of the tile's first channel the element under a tap lies."""
        channel, number = divmod(tap, self.shape.taps)
        row = self.rows.taps[0][number // self.shape.kernel[1]]
        column = self.columns.taps[0][number % self.shape.kernel[1]]
        return channel * self.pitch + under(self.rows, self.columns, row, column)


def _summed(code: Code, vectors: list[str]) -> str:
    """Return a vector whose lane n is the sum over the lanes of the n-th vector: halves are added until one
    number is left, those of two vectors in one instruction.
    """
    lanes, width = code.lanes, 1
    while width < lanes:
        # Lane j of a vector holds a part of the sum of its member j % width.
        following = []
        for n in range(0, len(vectors), 2):
            x, y = vectors[n], vectors[n + 1] if n + 1 < len(vectors) else vectors[n]
            low = _order(lanes, width, 0)
            high = _order(lanes, width, 1)
            a, b = code.shuffle(x, y, lanes, low), code.shuffle(x, y, lanes, high)
            following.append(code.value(f"fadd {code.vector} {a}, {b}"))
        vectors, width = following, 2 * width
    return vectors[0]


def _order(lanes: int, width: int, half: int) -> list[int]:
    """Return which lanes of two vectors, whose lanes hold `width` members in turn, are added: the result
    holds those of the first and then of the second vector in turn.
    """
    order = []
    for lane in range(lanes):
        group, member = divmod(lane, 2 * width)
        vector, member = divmod(member, width)
        order.append(vector * lanes + (2 * group + half) * width + member)
    return order
