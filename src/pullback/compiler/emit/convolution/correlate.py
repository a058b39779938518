"""The kernel of a convolution and of its transpose: padded places of each image times the weight.

A tile of accumulators holds some output channels of some vectors of places; for each input channel and tap
the vectors are loaded once and multiplied with one number of the weight for each output channel. The results
of some output channels, all places of an image, go to a scratch that stays in the cache, and from there to
their rows. A large weight is read once for several images.
"""

from ....array.named_tuples import NamedTuple
from ..vector_registers import Registers
from ..vectors import Code, Loop
from .packing import pack, unpack
from .places import Tap, under
from .plan import Shape, correlation_tile, unaliased

#: Multiplications in the body of a loop beyond which the rows of the kernel are a loop too.
_LONGEST_BODY = 400


class _Weights(NamedTuple):
    """Steps in the weight between groups, input and output channels."""

    group: int
    inputs: int
    outputs: int


class Correlation:
    """Write one kernel: images `first` to below `last`, one of `splits` parts of their output channels, in a
    scratch of `scratch` elements.

    `transposed` writes the transpose, `bias` adds a number for each output channel.
    """

    #: Bytes of a weight that are read again for each image, and bytes of places of images for which a larger
    #: one is read once.
    near, place_bytes = 512 << 10, 512 << 10

    def __init__(self, shape: Shape, registers: Registers, *, transposed: bool, bias: bool) -> None:
        self.shape, self.registers, self.bias = shape, registers, bias
        ins, outs = shape.channels // shape.groups, shape.outputs // shape.groups
        each = ins * shape.taps
        if transposed:
            self.rows, self.columns = shape.transposition()
            self.inputs, self.outputs = outs, ins
            self.weights = _Weights(outs * each, each, shape.taps)
        else:
            self.rows, self.columns = shape.correlation()
            self.inputs, self.outputs = ins, outs
            self.weights = _Weights(outs * each, shape.taps, each)
        size = 4 if shape.real == "float" else 8
        rows, columns = self.rows, self.columns
        self.plane = rows.length * columns.length
        self.parts = len(rows.firsts) * len(columns.firsts)
        self.results = len(rows.taps) * len(columns.taps)
        run = (rows.positions - 1) * columns.length + columns.positions
        self.vectors = -(-run // registers.lanes)
        self.pitch = unaliased(self.parts * self.plane, size)
        self.is_whole = rows.is_whole and columns.is_whole and self.pitch == self.plane
        # Vectors of the scratch start where cache lines do.
        self.packed = -(-(self.inputs * self.pitch + registers.lanes) // 16) * 16
        #: Images for which a block of the weight is read once.
        is_large = outs * each * size > self.near
        self.images = max(1, self.place_bytes // (self.packed * size)) if is_large else 1
        #: How results lie in the scratch, and how far apart the numbers of a row of the kernel do.
        self.unpacked, self.tap = columns, 1
        #: Output channels of a block, and elements of the scratch for it.
        self.height, self.room, self.scratch = self.plan()
        self.blocks = -(-self.outputs // self.height)

    def plan(self) -> tuple[int, int, int]:
        """Choose a tile; return its output channels, room for the places of one, and elements of scratch."""
        lanes = self.registers.lanes
        self.tile = correlation_tile(self.registers, self.outputs, self.vectors)
        room = self.vectors * lanes
        return self.tile.rows, room, self.images * self.packed + self.tile.rows * self.results * room + lanes

    def write(self) -> Code:
        """Return the body of ``(source, weight, bias, target, scratch, first, last, split, splits)``."""
        code = self.code = Code(self.shape.real, self.registers.lanes)
        together = code.least(code.value("sub i64 %last, %first"), self.images)
        code.clear("%scratch", code.times(together, self.packed))
        read = self.rows.size * self.columns.size
        written = self.rows.out_size * self.columns.out_size
        group_bounds: tuple[int | str, int | str] = (0, 1)
        block_bounds: tuple[int | str, int | str] = (0, self.blocks)
        if self.shape.groups > 1:
            group_bounds = code.bounds("%split", "%splits", self.shape.groups)
        else:
            block_bounds = code.bounds("%split", "%splits", self.blocks)
        with code.loop("%first", "%last", step=self.images) as some, code.loop(*group_bounds) as group:
            images = code.least(code.value(f"sub i64 %last, {some.index}"), self.images)
            weight = code.at("%weight", code.times(group.index, self.weights.group))
            bias = code.at("%bias", code.times(group.index, self.outputs))

            def channel(image: str) -> int | str:
                number = code.plus(some.index, image)
                return code.plus(code.times(number, self.shape.groups), group.index)

            with code.loop(0, images) as image:
                source = code.at("%source", code.times(channel(image.index), self.inputs * read))
                self._pack(source, image.index, some.index)
            with code.loop(*block_bounds) as block:
                first = code.times(block.index, self.height)
                if self.outputs % self.height:
                    # The last block begins where it still is a whole one: what two blocks compute is equal.
                    first = code.least(first, self.outputs - self.height)
                factors = self.factors(code.at(weight, code.times(first, self.weights.outputs)))
                with code.loop(0, images) as image:
                    number = channel(image.index)
                    source = code.at("%source", code.times(number, self.inputs * read))
                    target = code.at("%target", code.times(number, self.outputs * written))
                    places = self._places(source, image.index, some.index)
                    self.block(first, places, factors, code.at(bias, first), target)
        return code

    def reads_weight_once(self) -> bool:
        """Return whether parts are splits of the output channels of all images where they can be."""
        return self.images > 1

    def factors(self, weight: str) -> str:
        """Return where the numbers for a block of output channels are."""
        return weight

    def _pack(self, source: str, image: str, before: str) -> None:
        """Copy the places of an image that cannot stay where they are."""
        code = self.code
        target = code.at("%scratch", code.times(image, self.packed))
        copies: int | str = 1
        if self.is_whole:
            copies = code.value(f"zext i1 {self._is_last(image, before)} to i64")
        with code.loop(0, copies):
            pack(code, source, target, self.inputs, self.pitch, self.rows, self.columns)

    def _places(self, source: str, image: str, before: str) -> str:
        """Return where the padded places of an image are: in the scratch, or where the image is."""
        code = self.code
        packed = code.at("%scratch", code.times(image, self.packed))
        if not self.is_whole:
            return packed
        return code.value(f"select i1 {self._is_last(image, before)}, ptr {packed}, ptr {source}")

    def _is_last(self, image: str, before: str) -> str:
        """Return whether the last vector of an image reaches beyond the images: the last image is copied, or
        more where they are small.
        """
        code = self.code
        last = code.plus("%last", -self.images_reached())
        return code.value(f"icmp sge i64 {code.plus(before, image)}, {last}")

    def images_reached(self) -> int:
        """Return how many images, the one that is read among them, the last vector of one may lie in."""
        rows, columns = self.rows, self.columns
        taps = [(row, column) for r in rows.taps for row in r for c in columns.taps for column in c]
        furthest = max(under(rows, columns, *pair) for pair in taps)
        vectors = max(self.vectors, self.tile.columns)
        end = (self.inputs - 1) * self.pitch + furthest + vectors * self.registers.lanes
        image = self.shape.groups * self.inputs * rows.size * columns.size
        return -(-end // image)

    def block(self, first: int | str, places: str, factors: str, bias: str, target: str) -> None:
        """Write a block of output channels from the first, all places."""
        code = self.code
        results = code.at("%scratch", self.images * self.packed)
        for result in range(self.results):
            self.result(result, places, factors, bias, code.at(results, result * self.room))
        with code.loop(0, self.height) as row:
            written = self.rows.out_size * self.columns.out_size
            unpack(
                code,
                code.at(results, code.times(row.index, self.results * self.room)),
                code.at(target, code.times(code.plus(first, row.index), written)),
                self.room,
                self.rows,
                self.unpacked,
            )

    def result(self, number: int, places: str, factors: str, bias: str, results: str) -> None:
        """Write one of the interleaved results for a block of output channels."""
        code, tile = self.code, self.tile
        lanes = self.registers.lanes
        row_result, column_result = divmod(number, len(self.columns.taps))
        with code.loop(0, -(-self.vectors // tile.columns)) as loop:
            place = code.times(loop.index, tile.columns * lanes)
            if self.vectors % tile.columns:
                place = code.least(place, (self.vectors - tile.columns) * lanes)
            zero = "zeroinitializer"
            firsts = [code.spread(bias, n) if self.bias else zero for n in range(tile.rows)]
            starts = [first for first in firsts for _ in range(tile.columns)]
            window = code.at(places, place)
            sums = self.sums(window, factors, starts, row_result, self.columns.taps[column_result])
            target = code.at(results, place)
            for n in range(tile.rows):
                for m in range(tile.columns):
                    code.store(sums[n * tile.columns + m], target, n * self.results * self.room + m * lanes)

    def sums(
        self, window: str, factors: str, starts: list[str], row_result: int, columns: tuple[Tap, ...]
    ) -> list[str]:
        """Return the accumulators after all input channels and taps."""
        code = self.code
        carried = [(code.vector, start) for start in starts]
        rows = self.rows.taps[row_result]
        size = len(rows) * len(columns) * len(starts)
        pitch = self.rows.pitch(row_result) if size > _LONGEST_BODY else None
        with code.loop(0, self.inputs, carried) as channel:
            read = code.at(window, code.times(channel.index, self.pitch))
            factor = code.at(factors, code.times(channel.index, self.weights.inputs))
            if pitch is None:
                for row in rows:
                    self.row(channel, read, factor, row, columns)
            else:
                # The rows of the kernel lie at equal distances.
                by_row = [(code.vector, value) for value in channel.values]
                with code.loop(0, len(rows), by_row) as loop:
                    shifted = code.at(read, code.times(loop.index, pitch * self.columns.length))
                    below = code.at(factor, code.times(loop.index, self.shape.kernel[1] * self.tap))
                    self.row(loop, shifted, below, rows[0], columns)
                channel.values = loop.values
        return channel.values

    def row(self, loop: Loop, read: str, factor: str, row: Tap, columns: tuple[Tap, ...]) -> None:
        code, tile = self.code, self.tile
        for column in columns:
            place = under(self.rows, self.columns, row, column)
            tap = row.number * self.shape.kernel[1] + column.number
            vectors = [code.load(read, place + n * code.lanes) for n in range(tile.columns)]
            for n in range(tile.rows):
                number = code.spread(factor, n * self.weights.outputs + tap)
                for m, vector in enumerate(vectors):
                    at = n * tile.columns + m
                    loop.values[at] = code.fused(vector, number, loop.values[at])
