"""log, log2, log10 and log1p: an exponent, and the logarithm of a number between sqrt(1/2) and sqrt(2)."""

from collections.abc import Sequence
from typing import Any

from ....array.named_tuples import NamedTuple
from ..lanes import Lanes, Writer
from .coefficients import LOG
from .exponentials import LN2_HIGH, LN2_LOW

INFINITY = float("inf")
_ONE, _ROOT_HALF = 0x3FF0000000000000, 0x3FE6A09E667F3BCD
_MANTISSA = (1 << 52) - 1
#: An integer in the lowest bits of this number is that much more than the number.
_COUNT, _COUNT_BITS = 2.0**52, 0x4330000000000000
_TINY = 2.0**-1022
LOG10_2_HIGH, LOG10_2_LOW = float.fromhex("0x1.34413509f6000p-2"), float.fromhex("0x1.9fef311f12b36p-42")
LOG2_E = (1.4426950408889634, 2.0355273740931033e-17)
LOG10_E = (0.4342944819032518, 1.098319650216765e-17)


class Parts(NamedTuple):
    """``x = 2**k * (1 + f)`` with ``sqrt(1/2) <= 1 + f <= sqrt(2)``."""

    k: Lanes
    f: Lanes
    shift: Lanes


def parts_of(ops: Writer, x: Lanes) -> Parts:
    """Take a positive number apart; a subnormal one is made larger first."""
    offset: Any = -1023.0 - _COUNT
    if not ops.narrow:
        small = x < _TINY
        x = ops.select(small, x * 2.0**54, x)
        offset = ops.select(small, -1077.0 - _COUNT, offset)
    shift = ops.bits(x) + (_ONE - _ROOT_HALF)
    k = ops.from_bits((shift >> 52) | _COUNT_BITS) + offset
    mantissa = ops.from_bits((shift & _MANTISSA) + _ROOT_HALF)
    return Parts(k, mantissa - 1.0, shift)


def correction(ops: Writer, f: Lanes, coefficients: Sequence[float]) -> tuple[Lanes, Lanes, Lanes]:
    """Return s, f**2 / 2 and R with ``log(1 + f) = f - (f**2 / 2 - s * (f**2 / 2 + R))``."""
    s = f / (f + 2.0)
    z = s * s
    return s, f * f * 0.5, z * ops.polynomial(z, coefficients)


def _edges(ops: Writer, x: Lanes, y: Lanes) -> Lanes:
    y = ops.select(x < INFINITY, y, x)
    y = ops.select(x.equals(0.0), -INFINITY, y)
    return ops.select(x < 0.0, float("nan"), y)


def log(ops: Writer, x: Lanes) -> Lanes:
    """Return the natural logarithm."""
    return _edges(ops, x, _positive_log(ops, x, LOG[ops.narrow]))


def wide_log(ops: Writer, x: Lanes) -> Lanes:
    """Return the natural logarithm of positive numbers to 52 bits, whatever the writer asks for."""
    return _positive_log(ops, x, LOG[0])


def _positive_log(ops: Writer, x: Lanes, coefficients: Sequence[float]) -> Lanes:
    parts = parts_of(ops, x)
    s, half, r = correction(ops, parts.f, coefficients)
    inner = ops.muladd(s, half + r, parts.k * LN2_LOW)
    return ops.muladd(parts.k, LN2_HIGH, parts.f - (half - inner))


def log1p(ops: Writer, x: Lanes) -> Lanes:
    """Return log(1 + x)."""
    return log1p_of_sum(ops, x, None)


def log1p_of_sum(ops: Writer, x: Lanes, low: Lanes | None) -> Lanes:
    """Return log(1 + x + low), where `low` is what rounding left of `x`."""
    total = x + 1.0
    back = total - x
    lost = (x - (total - back)) + (1.0 - back)
    if low is not None:
        lost = lost + low
    parts = parts_of(ops, total)
    s, half, r = correction(ops, parts.f, LOG[ops.narrow])
    # What 1 + x lost, relative to it; beyond 2**53 it is nothing.
    lost = ops.select(abs(x) < 2.0**60, lost / total, 0.0)
    inner = ops.muladd(s, half + r, ops.muladd(parts.k, LN2_LOW, lost))
    y = ops.muladd(parts.k, LN2_HIGH, parts.f - (half - inner))
    y = _edges(ops, total, y)
    return ops.select(abs(x) < 2.0**-54, x, y)


def _in_base(ops: Writer, x: Lanes, factor: tuple[float, float], power: tuple[float, float]) -> Lanes:
    parts = parts_of(ops, x)
    s, half, r = correction(ops, parts.f, LOG[ops.narrow])
    if ops.narrow:
        natural = parts.f - (half - s * (half + r))
        return _edges(ops, x, ops.muladd(natural, factor[0], parts.k * power[0]))
    # log(1 + f) in two parts, of which products with the factor's first part are exact.
    high = ops.from_bits(ops.bits(parts.f - half) & (-1 << 32))
    low = ((parts.f - high) - half) + s * (half + r)
    first = ops.from_bits(ops.bits(ops.constant(factor[0])) & (-1 << 32))
    second = (factor[0] - first) + factor[1]
    main = high * first
    rest = ops.muladd(low + high, second, low * first)
    exponent = parts.k * power[0]
    total = exponent + main
    # Zero octaves leave `main` alone; more are larger than it.
    lost = ops.select(parts.k.equals(0.0), 0.0, (exponent - total) + main)
    rest = ops.muladd(parts.k, power[1], rest)
    return _edges(ops, x, total + (rest + lost))


def log2(ops: Writer, x: Lanes) -> Lanes:
    """Return the logarithm to the base of two."""
    return _in_base(ops, x, LOG2_E, (1.0, 0.0))


def log10(ops: Writer, x: Lanes) -> Lanes:
    """Return the logarithm to the base of ten."""
    return _in_base(ops, x, LOG10_E, (LOG10_2_HIGH, LOG10_2_LOW))
