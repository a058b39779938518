"""Batch norm of large arrays: each channel's statistics and what is made with them, while its elements are in
the cache.

A channel's elements are one row of places in each image. Sums run along vectors within a row and in double
precision over the rows. Where there is one place an image, vectors lie across channels instead: in turn, each
channel would read a number of every row. 512×128 took 410 µs so and takes 58, 2048×256 5,300 and 410.
"""

from collections.abc import Callable
from functools import lru_cache

from ....array.named_tuples import NamedTuple
from ...runtime import shared_kernels
from ...runtime.shared_kernels import Kernel
from ..scalars import FLOAT64, number
from ..vector_registers import registers
from ..vectors import Code

#: Estimated nanoseconds of an element.
_NANOSECONDS = 0.3
_KEPT = 256
#: Vectors that are added apart from each other.
_TOGETHER = 4


class ChannelShape(NamedTuple):
    """Arrays of ``(images, channels, places)``."""

    real: str
    images: int
    channels: int
    places: int

    def together(self) -> int:
        """Return how many channels are done at once: up to four vectors where an image has one place."""
        lanes = registers(self.real).lanes
        fitting = (n * lanes for n in (4, 2) if self.channels >= n * lanes)
        return 1 if self.places > 1 else next(fitting, lanes)

    def units(self) -> int:
        """Return how many times channels are done."""
        return -(-self.channels // self.together())


class _Channel:
    """Write what is done with one channel after another: the loop over channels is open.

    `real` is the type of a channel's numbers in double precision.
    """

    channel: int | str

    def __init__(self, shape: ChannelShape) -> None:
        self.shape = shape
        self.code = Code(shape.real, registers(shape.real).lanes)
        self.real = "double"

    def begin(self, unit: str) -> None:
        """Do a unit from now on."""
        self.channel = unit

    def row(self, array: str, image: str) -> str:
        """Return where an image's places of the channel begin."""
        code = self.code
        place = code.plus(code.times(image, self.shape.channels), self.channel)
        return code.at(array, code.times(place, self.shape.places))

    def sums(self, arrays: list[str], terms: Callable[[list[str]], list[str]], count: int) -> list[str]:
        """Return sums over all elements, in double precision, of `count` terms of vectors of some arrays."""
        code, lanes, places = self.code, self.code.lanes, self.shape.places
        zero = [("double", "0.0")] * count
        with code.loop(0, self.shape.images, zero) as image:
            rows = [self.row(array, image.index) for array in arrays]

            def at(position: int | str, kept: range) -> list[str]:
                found = terms([code.load_part(code.at(row, position), kept) for row in rows])
                if len(kept) == lanes:
                    return found
                # What lies beyond a row counts nothing.
                order = [n if n in kept else lanes for n in range(lanes)]
                return [code.shuffle(v, "zeroinitializer", lanes, order) for v in found]

            step = lanes * _TOGETHER
            starts = [(code.vector, "zeroinitializer")] * (count * _TOGETHER)
            with code.loop(0, places // step * step, starts, step=step) as loop:
                for n in range(_TOGETHER):
                    for k, term in enumerate(at(code.plus(loop.index, n * lanes), range(lanes))):
                        slot = k * _TOGETHER + n
                        loop.values[slot] = code.value(f"fadd {code.vector} {loop.values[slot]}, {term}")
            values = loop.values
            for n, start in enumerate(range(places // step * step, places, lanes)):
                for k, term in enumerate(at(start, range(min(lanes, places - start)))):
                    slot = k * _TOGETHER + n
                    values[slot] = code.value(f"fadd {code.vector} {values[slot]}, {term}")
            for k in range(count):
                total = values[k * _TOGETHER]
                for other in values[k * _TOGETHER + 1 : (k + 1) * _TOGETHER]:
                    total = code.value(f"fadd {code.vector} {total}, {other}")
                wide = self.wide(code.total(total))
                image.values[k] = code.value(f"fadd double {image.values[k]}, {wide}")
        return image.values

    def map(self, arrays: list[str], target: str, compute: Callable[[list[str]], str]) -> None:
        """Write what is computed of vectors of some arrays."""
        code = self.code
        with code.loop(0, self.shape.images) as image:
            rows = [self.row(array, image.index) for array in arrays]
            to = self.row(target, image.index)

            def at(position: int | str, kept: int) -> None:
                vectors = [code.load_part(code.at(row, position), range(kept)) for row in rows]
                code.store_part(compute(vectors), code.at(to, position), range(kept))

            code.along(self.shape.places, at)

    def wide(self, value: str) -> str:
        """Return it in double precision."""
        return self._cast("fpext", value, self.real.replace("double", self.code.real), self.real)

    def narrow(self, value: str) -> str:
        """Return it in the arrays' precision."""
        return self._cast("fptrunc", value, self.real, self.real.replace("double", self.code.real))

    def _cast(self, word: str, value: str, given: str, wanted: str) -> str:
        return value if given == wanted else self.code.value(f"{word} {given} {value} to {wanted}")

    def constant(self, number: str) -> str:
        """Return a number in double precision for every channel."""
        return number

    def read(self, array: str) -> str:
        """Return the channel's number in an array, in double precision."""
        return self.wide(self.code.value(f"load {self.code.real}, ptr {self.code.at(array, self.channel)}"))

    def write(self, value: str, array: str) -> None:
        """Store a number of the channel, given in double precision."""
        code = self.code
        code.line(f"store {code.real} {self.narrow(value)}, ptr {code.at(array, self.channel)}")

    def double(self, word: str, x: str, y: str) -> str:
        """Return an operation in double precision."""
        return self.code.value(f"{word} {self.real} {x}, {y}")

    def root(self, x: str) -> str:
        """Return a square root in double precision."""
        name = "llvm.sqrt.f64" if self.real == "double" else f"llvm.sqrt.v{self.code.lanes}f64"
        self.code.declarations.add(f"declare {self.real} @{name}({self.real})")
        return self.code.value(f"call {self.real} @{name}({self.real} {x})")

    def share(self, total: str) -> str:
        """Return a sum divided by the number of elements."""
        number = float(self.shape.images * self.shape.places)
        return self.double("fdiv", total, self.constant(f"{number!r}"))

    def everywhere(self, value: str) -> str:
        """Return a vector of a number given in double precision."""
        return self.code.same(self.narrow(value))


class _Columns(_Channel):
    """Write what is done with several channels side by side, each a lane, where an image has one place."""

    def __init__(self, shape: ChannelShape) -> None:
        super().__init__(shape)
        lanes = shape.together()
        self.code = Code(shape.real, lanes)
        self.real = f"<{lanes} x double>"
        self._kept = range(min(lanes, shape.channels))

    def begin(self, unit: str) -> None:
        """Do a unit from now on; the last does channels once more that the one before it has done."""
        start = self.code.times(unit, self.code.lanes)
        self.channel = self.code.least(start, max(0, self.shape.channels - self.code.lanes))

    def sums(self, arrays: list[str], terms: Callable[[list[str]], list[str]], count: int) -> list[str]:
        """Return sums over all images, in double precision, of `count` terms of vectors of some arrays."""
        with self.code.loop(0, self.shape.images, [(self.real, "zeroinitializer")] * count) as image:
            found = terms([self._load(self.row(array, image.index)) for array in arrays])
            image.values[:] = [
                self.double("fadd", x, self.wide(term)) for x, term in zip(image.values, found, strict=True)
            ]
        return image.values

    def map(self, arrays: list[str], target: str, compute: Callable[[list[str]], str]) -> None:
        """Write what is computed of vectors of some arrays."""
        with self.code.loop(0, self.shape.images) as image:
            value = compute([self._load(self.row(array, image.index)) for array in arrays])
            self.code.store_part(value, self.row(target, image.index), self._kept)

    def _load(self, place: str) -> str:
        return self.code.load_part(place, self._kept)

    def constant(self, number: str) -> str:
        """Return a number in double precision for every channel."""
        return f"<{', '.join([f'double {number}'] * self.code.lanes)}>"

    def read(self, array: str) -> str:
        """Return the channels' numbers in an array, in double precision."""
        return self.wide(self._load(self.code.at(array, self.channel)))

    def write(self, value: str, array: str) -> None:
        """Store a number of each channel, given in double precision."""
        self.code.store_part(self.narrow(value), self.code.at(array, self.channel), self._kept)

    def everywhere(self, value: str) -> str:
        """Return a vector of numbers given in double precision."""
        return self.narrow(value)


def _started(shape: ChannelShape) -> _Channel:
    return _Channel(shape) if shape.together() == 1 else _Columns(shape)


def _binary(code: Code, word: str, x: str, y: str) -> str:
    return code.value(f"{word} {code.vector} {x}, {y}")


@lru_cache(maxsize=_KEPT)
def forward(shape: ChannelShape, eps: float, weight: bool, bias: bool) -> Kernel:
    """Return the kernel of arrays (x, weight, bias, out, mean, invstd, variance): units are its images."""
    arrays = ("x", "weight", "bias", "out", "mean", "invstd", "variance")
    return _kernel(shape, arrays, _forward, eps, weight, bias)


def _forward(shape: ChannelShape, eps: float, weight: bool, bias: bool) -> Code:
    channel = _started(shape)
    code = channel.code
    with code.loop("%first", "%last") as loop:
        channel.begin(loop.index)
        (total,) = channel.sums(["%x"], lambda v: v, 1)
        mean = channel.share(total)
        centre = channel.everywhere(mean)

        def squares(vectors: list[str]) -> list[str]:
            distance = _binary(code, "fsub", vectors[0], centre)
            return [_binary(code, "fmul", distance, distance)]

        variance = channel.share(channel.sums(["%x"], squares, 1)[0])
        root = channel.root(channel.double("fadd", variance, channel.constant(number(eps, FLOAT64))))
        invstd = channel.double("fdiv", channel.constant("1.0"), root)
        for value, array in ((mean, "%mean"), (invstd, "%invstd"), (variance, "%variance")):
            channel.write(value, array)
        scale = channel.double("fmul", invstd, channel.read("%weight")) if weight else invstd
        product = channel.double("fmul", mean, scale)
        shift = channel.double("fsub", channel.read("%bias") if bias else channel.constant("0.0"), product)
        factor, level = channel.everywhere(scale), channel.everywhere(shift)
        channel.map(["%x"], "%out", lambda v: code.fused(v[0], factor, level))
    return code


@lru_cache(maxsize=_KEPT)
def backward(shape: ChannelShape, weight: bool) -> Kernel:
    """Return the kernel of (g, x, weight, mean, invstd, in_x, in_weight, in_bias) over x's images."""
    arrays = ("g", "x", "weight", "mean", "invstd", "in_x", "in_weight", "in_bias")
    return _kernel(shape, arrays, _backward, weight)


def _backward(shape: ChannelShape, weight: bool) -> Code:
    channel = _started(shape)
    code = channel.code
    with code.loop("%first", "%last") as loop:
        channel.begin(loop.index)
        mean, invstd = channel.read("%mean"), channel.read("%invstd")
        centre = channel.everywhere(mean)

        def terms(vectors: list[str]) -> list[str]:
            g, x = vectors
            return [g, _binary(code, "fmul", _binary(code, "fsub", x, centre), g)]

        total, products = channel.sums(["%g", "%x"], terms, 2)
        in_weight = channel.double("fmul", products, invstd)
        channel.write(in_weight, "%in_weight")
        channel.write(total, "%in_bias")
        scale = channel.double("fmul", invstd, channel.read("%weight")) if weight else invstd
        along = channel.double("fmul", channel.double("fmul", scale, invstd), channel.share(in_weight))
        slope = code.value(f"fneg {channel.real} {along}")
        level = channel.double("fmul", slope, mean)
        level = channel.double("fadd", level, channel.double("fmul", scale, channel.share(total)))
        level = code.value(f"fneg {channel.real} {level}")
        factors = [channel.everywhere(value) for value in (scale, slope, level)]

        def compute(vectors: list[str]) -> str:
            return code.fused(vectors[0], factors[0], code.fused(vectors[1], factors[1], factors[2]))

        channel.map(["%g", "%x"], "%in_x", compute)
    return code


def _kernel(shape: ChannelShape, arrays: tuple[str, ...], write: Callable[..., Code], *how: float) -> Kernel:
    # A weight or bias that is missing may be given as what another pointer is.
    work = shape.images * shape.places * shape.together() * _NANOSECONDS
    what = write.__name__, shape, how
    return shared_kernels.kernel(what, lambda: write(shape, *how), shape.real, arrays, work, pointer="ptr")
