"""exp, exp2 and expm1: a power of two times a polynomial on half an octave."""

from ....array.named_tuples import NamedTuple
from ..lanes import Lanes, Writer
from .coefficients import EXP, EXP2

LOG2E = 1.4426950408889634
#: log(2) in two parts; products of the first with integers of 12 bits are exact.
LN2_HIGH, LN2_LOW = float.fromhex("0x1.62e42fefa0000p-1"), float.fromhex("0x1.cf79abc9e3b3ap-40")
#: Adding it rounds a number to an integer, which then stands in the lowest bits.
ROUND = float.fromhex("0x1.8p52")


class Octaves(NamedTuple):
    """A number as a multiple of log(2) and a rest."""

    shifted: Lanes  # the multiple, in the lowest bits
    rest: Lanes
    below: Lanes  # what the rounding of the rest left


def octaves(ops: Writer, x: Lanes) -> Octaves:
    """Divide numbers between -2000 and 2000 by log(2)."""
    t = ops.muladd(x, LOG2E, ROUND)
    n = t - ROUND
    high = ops.muladd(n, -LN2_HIGH, x)
    low = n * LN2_LOW
    rest = high - low
    return Octaves(ops.bits(t), rest, (high - rest) - low)


def power_of_two(ops: Writer, shifted: Lanes) -> Lanes:
    """Return ``2**n`` for an integer in the lowest bits, between -1022 and 1023."""
    return ops.from_bits((shifted << 52) + (1023 << 52))


def scaled(ops: Writer, x: Lanes, shifted: Lanes) -> Lanes:
    """Return ``x * 2**n`` with one rounding, for an integer between -2044 and 2046."""
    # In two factors, both of which are normal numbers.
    exponent = ((shifted << 48) + (2046 << 48)) >> 48
    first = exponent >> 1
    return x * ops.from_bits(first << 52) * ops.from_bits((exponent - first) << 52)


def clamped(ops: Writer, x: Lanes, low: float, high: float) -> Lanes:
    """Return numbers no smaller than `low` and no larger than `high`; NaN stays."""
    x = ops.select(x > high, high, x)
    return ops.select(x < low, low, x)


def exp(ops: Writer, x: Lanes) -> Lanes:
    """Return exp(x)."""
    if ops.narrow:
        return narrow_exp(ops, clamped(ops, x, -110.0, 90.0))
    parts = octaves(ops, clamped(ops, x, -750.0, 715.0))
    # What would underflow takes the processor longer.
    return scaled(ops, ops.select(x < -745.5, 0.0, near_zero(ops, parts)), parts.shifted)


def near_zero(ops: Writer, parts: Octaves) -> Lanes:
    """Return exp of the rest."""
    r = parts.rest
    tail = ops.muladd(r * r, ops.polynomial(r, EXP[0]), parts.below)
    return 1.0 + (r + tail)


def near_zero_parts(ops: Writer, parts: Octaves) -> tuple[Lanes, Lanes]:
    """Return exp of the rest, and what its rounding left."""
    r = parts.rest
    tail = ops.muladd(r * r, ops.polynomial(r, EXP[0]), parts.below)
    growth = r + tail
    total = 1.0 + growth
    return total, ((1.0 - total) + growth) + ((r - growth) + tail)


def narrow_exp(ops: Writer, x: Lanes) -> Lanes:
    """Return exp(x) to 30 bits for ``|x| < 700``."""
    t = ops.muladd(x, LOG2E, ROUND)
    n = t - ROUND
    r = ops.muladd(n, -LN2_HIGH, x)
    q = ops.polynomial(r, EXP[1])
    p = ops.muladd(r * r, q, r)
    s = power_of_two(ops, ops.bits(t))
    return ops.muladd(s, p, s)


def exp2(ops: Writer, x: Lanes) -> Lanes:
    """Return 2**x."""
    x = clamped(ops, x, *((-160.0, 130.0) if ops.narrow else (-1080.0, 1030.0)))
    t = x + ROUND
    r = x - (t - ROUND)
    shifted = ops.bits(t)
    p = r * ops.polynomial(r, EXP2[ops.narrow])
    if ops.narrow:
        s = power_of_two(ops, shifted)
        return ops.muladd(s, p, s)
    return scaled(ops, 1.0 + p, shifted)


def expm1_parts(ops: Writer, x: Lanes) -> tuple[Lanes, Lanes]:
    """Return half of exp(x) - 1 and what its rounding left, for ``-40 <= x <= 709.9``."""
    parts = octaves(ops, x)
    r = parts.rest
    tail = ops.muladd(r * r, ops.polynomial(r, EXP[0]), parts.below)
    e = r + tail
    left = tail - (e - r)
    half = power_of_two(ops, parts.shifted - 1)
    above = half - 0.5
    product = half * e
    total = above + product
    # Whichever of the two is larger: what adding them lost, exactly.
    back = total - above
    lost = (above - (total - back)) + (product - back)
    return total, ops.muladd(half, left, lost)


def expm1(ops: Writer, x: Lanes) -> Lanes:
    """Return exp(x) - 1."""
    if ops.narrow:
        y = narrow_expm1(ops, clamped(ops, x, -40.0, 90.0))
    else:
        high, low = expm1_parts(ops, clamped(ops, x, -40.0, 709.9))
        y = (high + low) * 2.0
    return ops.select(abs(x) < 2.0**-54, x, y)


def narrow_expm1(ops: Writer, x: Lanes) -> Lanes:
    """Return exp(x) - 1 to 30 bits for ``|x| < 700``."""
    t = ops.muladd(x, LOG2E, ROUND)
    n = t - ROUND
    r = ops.muladd(n, -LN2_LOW, ops.muladd(n, -LN2_HIGH, x))
    p = ops.muladd(r * r, ops.polynomial(r, EXP[1]), r)
    s = power_of_two(ops, ops.bits(t))
    return ops.muladd(s, p, s - 1.0)
