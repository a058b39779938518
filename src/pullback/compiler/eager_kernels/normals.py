"""Native loops that make normal numbers of random words, bit for bit those of `array.random_normal`.

The steps are Box and Muller's transform, in float32 with the Cephes library's logarithm, sine and cosine, as
that module describes them; there each fused multiply-add is a product in float64, here it is the processor's.
In float64 the logarithm, sine and cosine are calls of the C library: 83 ns a number in NumPy, 13 here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy import ndarray

from ...array.random_normal import BLOCK, COSINE, LOG, LOG_OF_2, QUARTER_PI, SINE
from ..emit.emitter import Emitter, Module
from ..emit.lanes import Lanes, Writer
from ..passes import parallel_rows
from ..runtime import engine
from ..runtime.shared_kernels import address
from .jobs import Job, loop_variable, opened

#: Nanoseconds for a number of float32, and of float64.
EACH, EACH_DOUBLE = 1.2, 13

_LANES = BLOCK // 2


class Normals:
    """The loops, each made when it is first asked for."""

    def filler(self) -> Callable[[ndarray, ndarray, float, float], None] | None:
        """Return ``fill(words, out, mean, std)``, which writes the numbers of blocks of words into a vector
        of float32, of as many, or of float64, of half as many; None where the processor has no fused
        multiply-adds.
        """
        return _fill if engine.fused() else None


def _fill(words: ndarray, out: ndarray, mean: float, std: float) -> None:
    blocks, wide = out.size // BLOCK, out.dtype == np.float64
    parts = parallel_rows.count(blocks, out.size * (EACH_DOUBLE if wide else EACH), False)
    factors = np.array((std, mean), out.dtype)
    _job(wide).run(blocks, parts, (address(words), address(out), address(factors)))


@functools.cache
def _job(wide: bool) -> Job:
    ops = opened(Module(), {"words": "ptr", "out": "ptr", "factors": "ptr"})
    write = write_wide_blocks if wide else write_blocks
    write(ops, "%words", "%out", "%factors", "%lo", "%hi")
    return Job(ops)


class Numbers(Writer):
    """Write arithmetic on one number, or several at a time, into an emitter's function."""

    def __init__(self, ops: Emitter, lanes: int = _LANES, kind: str = "float") -> None:
        super().__init__(lanes, narrow=True, kind=kind)
        self.ops, self.declarations = ops, ops.module.declarations

    def instruction(self, text: str, kind: str) -> Lanes:
        """Return the value of an instruction."""
        return Lanes(self, self.ops.value(text), kind)

    def read(self, kind: str, base: str, place: str, each: str = "i32") -> Lanes:
        """Return numbers that follow each other, from a place that counts numbers of a type `each`."""
        return self.instruction(
            f"load {self.type(kind)}, ptr {self.ops.entry(each, base, place)}, align 4", kind
        )

    def write(self, x: Lanes, base: str, place: str) -> None:
        """Write numbers, which are to follow each other."""
        self.ops.line(
            f"store {self.type(x.kind)} {x.name}, ptr {self.ops.entry(x.kind, base, place)}, align 4"
        )

    def same(self, value: str, kind: str) -> Lanes:
        """Return one number in every lane."""
        if self.lanes == 1:
            return Lanes(self, value, kind)
        type_ = self.type(kind)
        one = self.ops.value(f"insertelement {type_} poison, {kind} {value}, i64 0")
        order = f"{self.type('i32')} zeroinitializer"
        return self.instruction(f"shufflevector {type_} {one}, {type_} poison, {order}", kind)

    def as_real(self, x: Lanes) -> Lanes:
        """Return whole numbers as floating ones."""
        return self.instruction(f"sitofp {self.type(x.kind)} {x.name} to {self.type(self.kind)}", self.kind)

    def as_whole(self, x: Lanes) -> Lanes:
        """Return floating numbers as whole ones, rounded towards zero."""
        return self.instruction(f"fptosi {self.type(x.kind)} {x.name} to {self.type('i32')}", "i32")

    def single(self, words: str, place: str) -> Lanes:
        """Return the low 24 bits of words as numbers in [0, 1)."""
        return self.as_real(self.read("i32", words, place) & 0xFFFFFF) * 2.0**-24

    def bits_of_pairs(self, words: str, place: str) -> Lanes:
        """Return numbers of 53 bits: the low 21 of the first of two words, and the second."""
        pair = self.read("i64", words, place, "i64")
        return self.instruction(
            f"or {self.type('i64')} {(pair << 32 & 0x1FFFFF << 32).name}, {(pair >> 32).name}", "i64"
        )

    def falling(self, coefficients: Sequence[float], x: Lanes) -> Lanes:
        """Return a polynomial by falling powers of `x`."""
        total = self.constant(coefficients[0])
        for coefficient in coefficients[1:]:
            total = self.fma(total, x, coefficient)
        return total


def write_blocks(ops: Emitter, words: str, out: str, factors: str, begin: str, end: str) -> None:
    """Write the loop over blocks, from pointers to the words, the numbers, their deviation and mean."""
    do = Numbers(ops)
    std, mean = (do.same(ops.read_entry("float", factors, place), "float") for place in "01")
    with ops.loop(loop_variable("b"), begin, end):
        start = ops.product(ops.counters["b"], str(BLOCK))
        middle = ops.sum(start, str(_LANES))
        radius = _radius(do, 1 - do.single(words, start))
        cosine, sine = _cosine_and_sine(do, do.single(words, middle))
        for place, part in ((start, cosine), (middle, sine)):
            do.write(do.fma(radius * part, std, mean), out, place)


def _radius(do: Numbers, x: Lanes) -> Lanes:
    """Return √(-2·ln x), as `array.random_normal.cephes_radius`."""
    bits = do.bits(x)
    exponent = (bits - int(np.float32(0.5**0.5).view(np.int32))).shifted(23)
    m = do.from_bits(bits - (exponent << 23)) - 1
    e = do.as_real(exponent)
    square = m * m
    y = do.falling(LOG, m) * m
    y = do.fma(y, square, e * float(LOG_OF_2[1]))
    y = y - square * 0.5
    y = y + m + e * float(LOG_OF_2[0])
    return do.sqrt(y * -2)


def _cosine_and_sine(do: Numbers, u: Lanes) -> tuple[Lanes, Lanes]:
    """Return cos 2πu and sin 2πu, as `array.random_normal.cephes_cos_sin`."""
    x = u * (2 * np.pi)
    octant = (do.as_whole(x * (4 / np.pi)) + 1) & -2
    count = do.as_real(octant)
    for part in QUARTER_PI:
        x = do.fma(count, float(part), x)
    square = x * x
    cosine = do.fma(do.falling(COSINE, square) * square, square, square * -0.5) + 1
    sine = do.fma(do.falling(SINE, square) * square, x, x)
    # In every second pair of octants they change places; bit 2 of the octant gives the signs.
    sines, cosines = do.bits(sine), do.bits(cosine)
    swap = (octant << 30).shifted(31) & (sines ^ cosines)
    sines, cosines = sines ^ swap ^ _sign(octant), cosines ^ swap ^ _sign(octant + 2)
    return do.from_bits(cosines), do.from_bits(sines)


def _sign(octant: Lanes) -> Lanes:
    return (octant & 4) << 29


def write_wide_blocks(ops: Emitter, words: str, out: str, factors: str, begin: str, end: str) -> None:
    """Write the loop over blocks of float64 numbers, each of two words, as `write_blocks` for float32."""
    fma, do = ops.module.declare("llvm.fma.f64", "double", *["double"] * 3), Numbers(ops, 1, "double")
    std, mean = (ops.read_entry("double", factors, place) for place in "01")

    def call(name: str, x: str) -> str:
        return ops.value(f"call double @{ops.module.declare(name, 'double', 'double')}(double {x})")

    with ops.loop(loop_variable("b"), begin, end):
        start = ops.product(ops.counters["b"], str(BLOCK))
        with ops.loop(loop_variable("j"), "0", str(_LANES)):
            place = ops.sum(start, ops.counters["j"])
            other = ops.sum(place, str(_LANES))
            rest = ops.value(f"fsub double 1.0, {uniform_double(do, words, place).name}")
            radius = call("llvm.sqrt.f64", ops.value(f"fmul double {call('log', rest)}, -2.0"))
            turn = uniform_double(do, words, other).name
            angle = ops.value(f"fmul double {turn}, {2 * math.pi:.17e}")
            for name, to in (("cos", place), ("sin", other)):
                value = ops.value(f"fmul double {radius}, {call(name, angle)}")
                value = ops.value(f"call double @{fma}(double {value}, double {std}, double {mean})")
                ops.write_entry("double", value, out, to)


def uniform_double(do: Numbers, words: str, place: str) -> Lanes:
    """Return numbers in [0, 1) of 53 bits."""
    return do.as_real(do.bits_of_pairs(words, place)) * 2.0**-53
