"""Normal numbers, by the three ways torch has.

What this module must do:

- arrays of 16 and more elements that are contiguous: Box and Muller's transform in blocks of 16, the first
  eight numbers giving the radii and the last eight the angles. When the size is no multiple of 16, the last
  16 elements are drawn again;
- all other arrays: pairs of float64 numbers one after the other, whose second half waits in the generator;
- in float32 (and in the half precisions, which compute in it) the logarithm, sine and cosine of the Cephes
  library as compiled with fused multiply-adds; in float64 those of the C library.

With u the uniform numbers of a block, output j < 8 is √(-2·ln(1 - uⱼ))·cos(2π·uⱼ₊₈) and output j + 8 has
the sine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .layout import as_pairs
from .random import SMALL, Generator
from .random_rounding import cos_sin, exp, fused_multiply_add, log, log1p
from .random_uniform import (
    HALVES,
    REALS,
    check_dtype,
    chunks,
    doubles,
    fill,
    singles,
    singles_of,
    store,
)  # fmt: skip
from .tiering import Hotness

BLOCK = 16
_SINGLE = np.dtype(np.float32)

#: What a number costs in NumPy: of float32 54 ns in 2,000, 24 in 100,000, of float64 83.
NANOSECONDS, NANOSECONDS_DOUBLE = 30, 80
#: What the loops of a draw cost to start; of a few numbers they are shared with the draws around them.
START = 40_000
_FEW = 4 * BLOCK
#: Vectors that are made together where vectors of one size follow one another, and their numbers in all: of
#: 2,000 numbers NumPy's calls take 88 µs instead of 208 (busy machine).
_TOGETHER, _AHEAD = 8, 1 << 15
_NONE = np.empty((0, 0), np.uint32)
_HOTNESS = Hotness()

#: Pairs of scalar normal numbers that Python's functions make sooner than NumPy's.
FEW_PAIRS = 4


def normal(generator: Generator, out: np.ndarray, mean: float = 0.0, std: float = 1.0) -> np.ndarray:
    """Fill ``out`` with normal numbers of the given mean and standard deviation.

    The real and the imaginary part of a complex number have the standard deviation std/√2 each.
    """
    size = out.size
    small = mean == 0 and std == 1 and out.dtype == _SINGLE and not size % BLOCK and 0 < size <= SMALL
    if small and out.flags.c_contiguous:  # what is most common needs no further look: 10 µs instead of 12
        with generator.lock:
            out.reshape(-1)[...] = generator.made(_standard_singles, size, BLOCK)
        return out
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if out.size == 0:
        return out
    if out.dtype.kind in "cW":
        normal(generator, as_pairs(out), mean, std / math.sqrt(2))
        return out
    check_dtype(out.dtype, REALS, "normal_kernel_cpu")
    with generator.lock:
        if out.size < BLOCK or not out.flags.c_contiguous:
            return fill(out, lambda flat: _one_by_one(generator, flat, mean, std))
        _blocks(generator, out.reshape(-1), mean, std)
    return out


def log_normal(generator: Generator, out: np.ndarray, mean: float = 1.0, std: float = 2.0) -> np.ndarray:
    """Fill ``out`` with exp(n), n being normal numbers of the scalar path whatever the size."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if out.size == 0:
        return out
    check_dtype(out.dtype, REALS, "log_normal_cpu")

    def write(flat: np.ndarray) -> None:
        for piece in chunks(flat):
            with np.errstate(over="ignore", under="ignore"):
                store(piece, exp(_scalars(generator, piece.size, mean, std)))

    with generator.lock:
        return fill(out, write)


# --- the scalar path ------------------------------------------------------------------------------


def _one_by_one(generator: Generator, flat: np.ndarray, mean: float, std: float) -> None:
    for piece in chunks(flat):
        store(piece, _scalars(generator, piece.size, mean, std))


def _scalars(generator: Generator, count: int, mean: float, std: float) -> np.ndarray:
    """Return what ``count`` calls of the scalar path give: the waiting number, pairs, half of one more."""
    waiting = generator.next_normal
    pairs = (count if waiting is None else count - 1) + 1 >> 1
    numbers = np.empty(2 * pairs + (waiting is not None))
    made = numbers
    if waiting is not None:
        numbers[0] = waiting
        made = numbers[1:]
    if pairs > FEW_PAIRS:
        uniform = doubles(generator, 2 * pairs)
        radius = np.sqrt(-2.0 * log1p(-uniform[1::2]))
        cosine, sine = cos_sin(2.0 * math.pi * uniform[::2])
        np.multiply(radius, cosine, out=made[::2])
        np.multiply(radius, sine, out=made[1::2])
    elif pairs:
        made[:] = _pairs(generator, pairs)
    generator.next_normal = float(numbers[-1]) if numbers.size > count else None
    return fused_multiply_add(numbers[:count], std, mean)


def _pairs(generator: Generator, pairs: int) -> list[float]:
    numbers: list[float] = []
    uniform = iter(doubles(generator, 2 * pairs).tolist())
    for turn, share in zip(uniform, uniform, strict=True):
        angle, radius = 2.0 * math.pi * turn, math.sqrt(-2.0 * math.log1p(-share))
        numbers += (radius * math.cos(angle), radius * math.sin(angle))
    return numbers


# --- blocks of 16 ---------------------------------------------------------------------------------


def _blocks(generator: Generator, flat: np.ndarray, mean: float, std: float) -> None:
    if flat.dtype == np.float64:
        draw, transform, words_each = doubles, _double_transform, 2
    else:
        draw, transform, words_each = singles, _single_transform, 1
        mean, std = float(np.float32(mean)), float(np.float32(std))
    single = flat.dtype == np.float32
    whole = flat.size - flat.size % BLOCK
    if single and flat.size <= SMALL:
        if whole == flat.size:
            values = generator.made(_standard_singles, whole, BLOCK)
        else:  # the words of the rest are drawn and not used; a block of its own ends the numbers
            words = generator.words(flat.size + BLOCK)
            values = _standard_singles(np.concatenate((words[:whole], words[flat.size :])))
        values = values if mean == 0 and std == 1 else fused_multiply_add(values, std, mean)
        flat[:whole] = values[:whole]
        if whole < flat.size:
            flat[-BLOCK:] = values[whole:]
        return
    wants = (single and flat.size % BLOCK != 0) or (flat.size > _FEW and flat.dtype not in HALVES)
    each = NANOSECONDS if single else NANOSECONDS_DOUBLE
    native = wants and _HOTNESS.is_hot(flat.size * each + START)
    if single and not native and flat.size % BLOCK == 0 and flat.size <= _AHEAD // _TOGETHER:
        values = _one_of_several(generator, flat.size)
        flat[...] = values if mean == 0 and std == 1 else fused_multiply_add(values, std, mean)
        return
    if native and (fill_blocks := _HOTNESS.ask("normals")) is not None:
        fill_blocks(generator.words(words_each * whole), flat[:whole], mean, std)
        if whole < flat.size:
            generator.words(words_each * (flat.size - whole))
            fill_blocks(generator.words(words_each * BLOCK), flat[-BLOCK:], mean, std)
        return
    *pieces, last = chunks(flat[:whole])
    for piece in pieces:
        store(piece, transform(draw(generator, piece.size), mean, std))
    uniform = draw(generator, last.size)
    if whole < flat.size:
        if flat.dtype not in HALVES:  # torch draws the numbers that it then overwrites, in these precisions
            generator.words(words_each * (flat.size - whole))
        uniform = np.concatenate((uniform, draw(generator, BLOCK)))
    values = transform(uniform, mean, std)
    store(last, values[: last.size])
    if whole < flat.size:
        store(flat[-BLOCK:], values[last.size :])


def _one_of_several(generator: Generator, size: int) -> np.ndarray:
    """Return standard normal float32 numbers of the next words, for reading only.

    A simulation draws vectors of one size one after another. So from the second of them on, those that are
    likely to follow are made in the same calls, of the words that are to come. Each draw then draws its words
    like any other, and takes what was made if it was made of these.
    """
    place, last, row, words, values = generator.ahead or (None, 0, 0, _NONE, _NONE)
    if last == size and row == len(words) and generator.place() == place:
        words = generator.coming(min(_TOGETHER, 2 * max(1, row)) * size).reshape(-1, size)
        row, values = 0, _standard_singles(words.reshape(-1)).reshape(-1, size)
    drawn = generator.words(size)
    if last == size and row < len(words) and np.array_equal(words[row], drawn):
        found = values[row]
        row += 1
    else:
        found = _standard_singles(drawn)
        row, words, values = 0, _NONE, _NONE
    generator.ahead = generator.place(), size, row, words, values
    return found


def _halves_of_blocks(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    blocks = numbers.reshape(-1, 2, BLOCK // 2)
    return np.ascontiguousarray(blocks[:, 0]).reshape(-1), np.ascontiguousarray(blocks[:, 1]).reshape(-1)


def _double_transform(uniform: np.ndarray, mean: float, std: float) -> np.ndarray:
    first, second = _halves_of_blocks(uniform)
    radius = np.sqrt(-2.0 * log(1.0 - first))
    cosine, sine = cos_sin(2.0 * math.pi * second)
    return fused_multiply_add(_join(radius, cosine, sine), std, mean)


def _single_transform(uniform: np.ndarray, mean: float, std: float) -> np.ndarray:
    first, second = _halves_of_blocks(uniform)
    radius = cephes_radius(_ONE - first)
    cosine, sine = cephes_cos_sin(second)
    return fused_multiply_add(_join(radius, cosine, sine), std, mean)


def _standard_singles(words: np.ndarray) -> np.ndarray:
    # Of the numbers that small draws share: 560 words take 160 µs in NumPy and 12 so.
    if _HOTNESS.is_hot(words.size * NANOSECONDS + START) and (fill_blocks := _HOTNESS.ask("normals")):
        numbers = np.empty(words.size, np.float32)
        fill_blocks(words, numbers, 0.0, 1.0)
        return numbers
    return _single_transform(singles_of(words), 0.0, 1.0)


def _join(radius: np.ndarray, cosine: np.ndarray, sine: np.ndarray) -> np.ndarray:
    joined = np.empty((radius.size * 2 // BLOCK, 2, BLOCK // 2), radius.dtype)
    radius = radius.reshape(-1, BLOCK // 2)
    np.multiply(radius, cosine.reshape(-1, BLOCK // 2), out=joined[:, 0])
    np.multiply(radius, sine.reshape(-1, BLOCK // 2), out=joined[:, 1])
    return joined.reshape(-1)


# --- Cephes' single-precision functions
#
# The compiled functions fuse each product that is added to something. Here such a step runs in float64,
# where the product is exact, and rounds to float32. That the sum is rounded twice makes no difference: the
# arguments are multiples of 2⁻²⁴ in [0, 1], and for each of the 2²⁴ the results were compared with torch's.
# Products that are exact anyway (by a power of two, or of a small integer and a constant with few bits)
# stay in float32.

_single = np.float32

# The coefficients of Moshier's Cephes library, 1989: logf.c and sinf.c.
LOG = tuple(map(float, map(_single, (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
))))  # fmt: skip
SINE = tuple(map(float, map(_single, (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1))))
COSINE = tuple(map(float, map(_single, (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2))))
LOG_OF_2 = _single(0.693359375), _single(-2.12194440e-4)
QUARTER_PI = (
    _single(-0.78515625), _single(-2.4187564849853515625e-4), float(_single(-3.77489497744594108e-8)),
)  # fmt: skip
_FOUR_OVER_PI = _single(1.27323954473516)
_TWO_PI = _single(2 * math.pi)
_ROOT_HALF_BITS = int(_single(0.707106781186547524).view(np.int32))

# As arrays without dimensions NumPy takes numbers sooner (see `numbers`).
_LOG = tuple(map(np.array, LOG))
#: The coefficients of cosine and sine, one above the other.
_BOTH = tuple(np.array(pair)[:, None] for pair in zip(COSINE, SINE, strict=True))
_ONE, _HALF, _MINUS_TWO, _TURN, _OCTANTS = (
    np.array(v, np.float32) for v in (1, 0.5, -2, _TWO_PI, _FOUR_OVER_PI)
)
_WIDE_HALF = np.array(0.5)
_LOG_PARTS = tuple(map(np.array, LOG_OF_2))
_PI_PARTS = tuple(map(np.array, QUARTER_PI))


def cephes_radius(x: np.ndarray) -> np.ndarray:
    """Return √(-2·ln x) for float32 x in (0, 1].

    Cephes writes x = 2ᵉ·m with √½ ≤ m < √2 and takes a polynomial in m - 1.
    """
    bits = x.view(np.int32)
    exponent = bits - _ROOT_HALF_BITS
    exponent >>= 23
    m = (bits - (exponent << 23)).view(np.float32)
    m -= _ONE
    e = exponent.astype(np.float32)
    wide, y = np.empty(x.shape, np.float64), np.empty(x.shape, np.float32)
    _polynomial(_LOG, m.astype(np.float64), wide, y)
    square = m * m
    y *= m
    wide[...] = y
    wide *= square
    wide += e * _LOG_PARTS[1]
    y[...] = wide
    square *= _HALF
    y -= square
    y += m
    e *= _LOG_PARTS[0]
    y += e
    y *= _MINUS_TWO
    return np.sqrt(y, out=y)


def cephes_cos_sin(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return cos 2πu and sin 2πu for float32 u in [0, 1).

    Cephes reduces the argument to ±π/4 and has one polynomial for each function.
    """
    x = u * _TURN
    octant = (x * _OCTANTS).astype(np.int32)
    octant += 1
    octant &= ~1
    count = octant.astype(np.float32)
    x += count * _PI_PARTS[0]
    x += count * _PI_PARTS[1]
    reduced = count.astype(np.float64)
    reduced *= _PI_PARTS[2]
    reduced += x
    x[...] = reduced
    reduced[...] = x
    square = x * x
    wide_square = square.astype(np.float64)

    wide, both = np.empty((2, *x.shape), np.float64), np.empty((2, *x.shape), np.float32)
    _polynomial(_BOTH, wide_square, wide, both)
    both *= square
    wide[...] = both
    of_cosine, of_sine = wide
    of_cosine *= wide_square
    wide_square *= _WIDE_HALF
    of_cosine -= wide_square
    of_sine *= reduced
    of_sine += reduced
    both[...] = wide
    cosine, sine = both
    cosine += _ONE

    # In every second pair of octants sine and cosine change places; bit 2 of the octant gives the signs. On
    # the bits this takes a third of the time of np.where.
    cosine_bits, sine_bits = both.view(np.int32)
    swap = octant << 30
    swap >>= 31
    swap &= sine_bits ^ cosine_bits
    sine_bits ^= swap
    cosine_bits ^= swap
    sine_bits ^= (octant & 4) << 29
    octant += 2
    cosine_bits ^= (octant & 4) << 29
    return cosine, sine


def _polynomial(coefficients: Sequence[np.ndarray], x: np.ndarray, wide: np.ndarray, y: np.ndarray) -> None:
    """Write the polynomial to the float32 ``y``, rounded after each fused step; the rest is float64."""
    np.multiply(x, coefficients[0], out=wide)
    wide += coefficients[1]
    for coefficient in coefficients[2:]:
        y[...] = wide
        wide[...] = y
        wide *= x
        wide += coefficient
    y[...] = wide
