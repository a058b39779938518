"""A native loop that makes normal numbers of random words, bit for bit those of `array.random_normal`.

The steps are Box and Muller's transform with the Cephes library's logarithm, sine and cosine in float32, as
that module describes them. There each fused multiply-add is a product in float64; here it is the processor's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy import ndarray

from ...array.random_normal import BLOCK, COSINE, LOG, LOG_OF_2, QUARTER_PI, SINE
from ..emit.emitter import Emitter, Module
from ..emit.scalars import number as literal
from ..lower.index import Variable
from ..passes import parallel_rows
from ..runtime import engine
from ..runtime.shared_kernels import address
from .jobs import Job, number, opened

#: Nanoseconds for a number.
EACH = 1.2

_LANES = BLOCK // 2
_REAL, _INT = f"<{_LANES} x float>", f"<{_LANES} x i32>"
_FLOAT32 = np.dtype(np.float32)
_UNKNOWN = 1 << 62


class Normals:
    """The loop, made when it is first asked for."""

    def __init__(self) -> None:
        self._job: Job | None = None

    def filler(self) -> Callable[[ndarray, ndarray, float, float], None] | None:
        """Return ``fill(words, out, mean, std)``, which writes the numbers of blocks of words into a float32
        vector of their length; None where the processor has no fused multiply-adds.
        """
        if self._job is None and engine.fused():
            self._job = Job(_transform())
        return None if self._job is None else self._fill

    def _fill(self, words: ndarray, out: ndarray, mean: float, std: float) -> None:
        assert self._job is not None
        blocks = out.size // BLOCK
        parts = parallel_rows.count(blocks, out.size * EACH, False)
        factors = np.array((std, mean), np.float32)
        self._job.run(blocks, parts, (address(words), address(out), address(factors)))


class _Lanes:
    """Arithmetic on eight numbers at a time."""

    def __init__(self, ops: Emitter, words: str) -> None:
        self.ops, self.words = ops, words
        self._fma = ops.module.declare("llvm.fma.v8f32", _REAL, _REAL, _REAL, _REAL)
        self._root = ops.module.declare("llvm.sqrt.v8f32", _REAL, _REAL)

    def real(self, value: float) -> str:
        return f"<{', '.join([f'float {literal(value, _FLOAT32)}'] * _LANES)}>"

    def whole(self, value: int) -> str:
        return f"<{', '.join([f'i32 {value}'] * _LANES)}>"

    def __call__(self, word: str, x: str, y: str) -> str:
        """Return the result of an instruction on two operands."""
        return number(self.ops, f"{word} {_REAL if word[0] == 'f' else _INT} {x}, {y}")

    def fma(self, x: str, y: str, z: str) -> str:
        return number(self.ops, f"call {_REAL} @{self._fma}({_REAL} {x}, {_REAL} {y}, {_REAL} {z})")

    def root(self, x: str) -> str:
        return number(self.ops, f"call {_REAL} @{self._root}({_REAL} {x})")

    def bits(self, x: str) -> str:
        return number(self.ops, f"bitcast {_REAL} {x} to {_INT}")

    def of_bits(self, x: str) -> str:
        return number(self.ops, f"bitcast {_INT} {x} to {_REAL}")

    def as_real(self, x: str) -> str:
        return number(self.ops, f"sitofp {_INT} {x} to {_REAL}")

    def as_whole(self, x: str) -> str:
        return number(self.ops, f"fptosi {_REAL} {x} to {_INT}")

    def polynomial(self, coefficients: Sequence[float], x: str) -> str:
        first, *others = map(self.real, coefficients)
        for coefficient in others:
            first = self.fma(first, x, coefficient)
        return first


def _transform() -> Emitter:
    module = Module()
    ops = opened(module, {"words": "ptr", "out": "ptr", "factors": "ptr"})
    write_blocks(ops, "%words", "%out", "%factors", "%lo", "%hi")
    return ops


def write_blocks(ops: Emitter, words: str, out: str, factors: str, begin: str, end: str) -> None:
    """Write the loop over blocks, from pointers to the words, to the numbers, and to their deviation and
    mean.
    """
    do = _Lanes(ops, words)
    std, mean = (_spread(ops, factors, place) for place in (0, 1))
    with ops.loop(Variable("b", _UNKNOWN), begin, end):
        start = number(ops, f"mul i64 {ops.counters['b']}, {BLOCK}")
        middle = number(ops, f"add i64 {start}, {_LANES}")
        radius = _radius(do, do("fsub", do.real(1), _uniform(do, start)))
        cosine, sine = _cosine_and_sine(do, _uniform(do, middle))
        for place, part in ((start, cosine), (middle, sine)):
            value = do.fma(do("fmul", radius, part), std, mean)
            target = number(ops, f"getelementptr float, ptr {out}, i64 {place}")
            ops.line(f"store {_REAL} {value}, ptr {target}, align 4")


def _spread(ops: Emitter, factors: str, place: int) -> str:
    source = number(ops, f"getelementptr float, ptr {factors}, i64 {place}")
    value = number(ops, f"load float, ptr {source}")
    one = number(ops, f"insertelement {_REAL} poison, float {value}, i64 0")
    return number(ops, f"shufflevector {_REAL} {one}, {_REAL} poison, {_INT} zeroinitializer")


def _uniform(do: _Lanes, place: str) -> str:
    """Return the low 24 bits of words as numbers in [0, 1)."""
    source = number(do.ops, f"getelementptr i32, ptr {do.words}, i64 {place}")
    words = number(do.ops, f"load {_INT}, ptr {source}, align 4")
    return do("fmul", do.as_real(do("and", words, do.whole(0xFFFFFF))), do.real(2.0**-24))


def _radius(do: _Lanes, x: str) -> str:
    """Return √(-2·ln x), as `array.random_normal.cephes_radius`."""
    bits = do.bits(x)
    least = int(np.float32(0.5**0.5).view(np.int32))
    exponent = do("ashr", do("sub", bits, do.whole(least)), do.whole(23))
    m = do.of_bits(do("sub", bits, do("shl", exponent, do.whole(23))))
    m = do("fsub", m, do.real(1))
    e = do.as_real(exponent)
    square = do("fmul", m, m)
    y = do("fmul", do.polynomial(LOG, m), m)
    y = do.fma(y, square, do("fmul", e, do.real(float(LOG_OF_2[1]))))
    y = do("fsub", y, do("fmul", square, do.real(0.5)))
    y = do("fadd", do("fadd", y, m), do("fmul", e, do.real(float(LOG_OF_2[0]))))
    return do.root(do("fmul", y, do.real(-2)))


def _cosine_and_sine(do: _Lanes, u: str) -> tuple[str, str]:
    """Return cos 2πu and sin 2πu, as `array.random_normal.cephes_cos_sin`."""
    x = do("fmul", u, do.real(2 * np.pi))
    octant = do.as_whole(do("fmul", x, do.real(4 / np.pi)))
    octant = do("and", do("add", octant, do.whole(1)), do.whole(-2))
    count = do.as_real(octant)
    for part in QUARTER_PI:
        x = do.fma(count, do.real(float(part)), x)
    square = do("fmul", x, x)
    cosine = do("fmul", do.polynomial(COSINE, square), square)
    half = do("fmul", square, do.real(-0.5))
    cosine = do("fadd", do.fma(cosine, square, half), do.real(1))
    sine = do.fma(do("fmul", do.polynomial(SINE, square), square), x, x)
    # In every second pair of octants they change places; bit 2 of the octant gives the signs.
    sines, cosines = do.bits(sine), do.bits(cosine)
    swap = do("ashr", do("shl", octant, do.whole(30)), do.whole(31))
    swap = do("and", swap, do("xor", sines, cosines))
    sines, cosines = do("xor", sines, swap), do("xor", cosines, swap)
    sines = do("xor", sines, _sign(do, octant))
    cosines = do("xor", cosines, _sign(do, do("add", octant, do.whole(2))))
    return do.of_bits(cosines), do.of_bits(sines)


def _sign(do: _Lanes, octant: str) -> str:
    return do("shl", do("and", octant, do.whole(4)), do.whole(29))
