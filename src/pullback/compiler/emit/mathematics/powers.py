"""pow, hypot and fmod."""

from ..lanes import Lanes, Writer
from .coefficients import LOG_LONG
from .exponentials import LN2_HIGH, LN2_LOW, clamped, exponential, narrow_exp, scaled
from .logarithms import parts_of, wide_log

INFINITY = float("inf")
_TWO_THIRDS = (0.6666666666666666, 3.700743415417188e-17)


def _long_log(ops: Writer, x: Lanes) -> tuple[Lanes, Lanes]:
    """Return the logarithm of positive numbers in two parts, to 64 bits."""
    parts = parts_of(ops, x)
    f = parts.f
    d = f + 2.0
    s = f / d
    s_low = (ops.fma(-s, d, f) - s * (f - (d - 2.0))) / d
    z = s * s
    z_low = ops.muladd(s * 2.0, s_low, ops.fma(s, s, -z))
    # 2 atanh(s) = s * (2 + z * l), the sums and products in two parts each.
    beyond = z * ops.polynomial(z, LOG_LONG[0])
    l_high = _TWO_THIRDS[0] + beyond
    l_low = ((_TWO_THIRDS[0] - l_high) + beyond) + _TWO_THIRDS[1]
    t = z * l_high
    t_low = ops.muladd(z, l_low, ops.muladd(z_low, l_high, ops.fma(z, l_high, -t)))
    u = s * t
    u_low = ops.muladd(s, t_low, ops.muladd(s_low, t, ops.fma(s, t, -u)))
    twice = s * 2.0
    near = twice + u
    near_low = ((twice - near) + u) + ops.muladd(s_low, 2.0, u_low)
    octave = parts.k * LN2_HIGH
    high = octave + near
    return high, ((octave - high) + near) + ops.muladd(parts.k, LN2_LOW, near_low)


def pow(ops: Writer, x: Lanes, y: Lanes) -> tuple[Lanes, Lanes]:
    """Return x to the power of y."""
    size = abs(x)
    if ops.narrow:
        result = narrow_exp(ops, clamped(ops, y * wide_log(ops, size), -110.0, 90.0))
    else:
        high, low = _long_log(ops, size)
        product = y * high
        left = ops.muladd(y, low, ops.fma(y, high, -product))
        left = ops.select(abs(product) < 800.0, left, 0.0)
        power, _, t = exponential(ops, clamped(ops, product, -750.0, 715.0), left)
        result = scaled(ops, power, t)
    whole = ops.trunc(y).equals(y)
    half = y * 0.5
    odd = whole & ops.trunc(half).differs(half)
    negative = x < 0.0
    result = ops.select(negative & odd, -result, result)
    result = ops.select(negative & ~whole, float("nan"), result)
    ordinary = (size > 0.0) & (size < INFINITY) & (abs(y) < INFINITY)
    return result, ~ordinary


def hypot(ops: Writer, x: Lanes, y: Lanes) -> Lanes:
    """Return the length of the vector (x, y)."""
    a, b = abs(x), abs(y)
    if ops.narrow:
        length = ops.sqrt(ops.muladd(a, a, b * b))
    else:
        larger = a > b
        high, low = ops.select(larger, a, b), ops.select(larger, b, a)
        huge, tiny = high > 2.0**500, high < 2.0**-400
        scale = ops.select(huge, 2.0**-600, ops.select(tiny, 2.0**600, 1.0))
        back = ops.select(huge, 2.0**600, ops.select(tiny, 2.0**-600, 1.0))
        high, low = high * scale, low * scale
        length = ops.sqrt(ops.muladd(high, high, low * low)) * back
    return ops.select(a.equals(INFINITY) | b.equals(INFINITY), INFINITY, length)


def fmod(ops: Writer, x: Lanes, y: Lanes) -> tuple[Lanes, Lanes]:
    """Return what is left of x by y. The whole quotient is right or, where it was rounded up, one too large;
    what either leaves is a number without rounding.
    """
    size, by = abs(x), abs(y)
    quotient = ops.trunc(size / by)
    left = ops.fma(-quotient, by, size)
    left = ops.select(left < 0.0, left + by, left)
    return ops.copysign(left, x), ~((quotient < 2.0**50) & (by < INFINITY))
