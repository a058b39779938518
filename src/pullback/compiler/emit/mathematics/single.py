"""float32 functions in float32 arithmetic, twice as many lanes at a time; for processors that have fused
multiply-adds.

The errors are below 1.5 units in the last place; by way of float64 they would be below 0.51.
"""

from ..lanes import Lanes, Writer
from .coefficients import COS, ERF, ERF_PIECES, ERF_STEP, ERFC_LOGARITHM, EXP, LOG_SINGLE, SIN, TANH
from .exponentials import LOG2E, clamped

_ROUND = float.fromhex("0x1.8p23")
_LN2_HIGH, _LN2_LOW = 0.693145751953125, 1.428606820309417e-06
_TWO_OVER_PI = 0.6366197723675814
#: pi/2 in three float32 numbers.
_FIRST, _SECOND, _THIRD = float.fromhex("0x1.921fb6p+0"), -4.371138828673793e-08, -1.7151245100059e-15
_REACH = 30000.0
_ONE, _ROOT_HALF = 0x3F800000, 0x3F3504F3
_INFINITY = float("inf")


def _near_zero(ops: Writer, x: Lanes) -> tuple[Lanes, Lanes]:
    """Return exp(r) - 1 for x = n log(2) + r, and n in the lowest bits."""
    t = ops.fma(x, LOG2E, _ROUND)
    n = t - _ROUND
    r = ops.fma(n, -_LN2_LOW, ops.fma(n, -_LN2_HIGH, x))
    return ops.fma(r * r, ops.horner(r, EXP[1]), r), ops.bits(t)


def exp(ops: Writer, x: Lanes) -> Lanes:
    """Return exp(x)."""
    p, shifted = _near_zero(ops, clamped(ops, x, -110.0, 90.0))
    if ops.permutes and ops.lanes > 1:
        # The same bits as below. The processor takes ten times as long where numbers underflow.
        return ops.scaled(ops.select(x < -104.0, 0.0, 1.0 + p), ops.from_bits(shifted) - _ROUND)
    # In two factors, both of which are normal numbers.
    exponent = ((shifted << 16) + (254 << 16)) >> 16
    first = exponent >> 1
    first_factor = ops.from_bits(first << 23)
    second_factor = ops.from_bits((exponent - first) << 23)
    # What would underflow takes the processor four times as long: half of the scores of a causal mask.
    return ops.fma(p, first_factor, first_factor) * ops.select(x < -104.0, 0.0, second_factor)


def tanh(ops: Writer, x: Lanes) -> Lanes:
    """Return the hyperbolic tangent: a polynomial near zero, 1 - 2 / (exp(2 x) + 1) beyond."""
    size = abs(x)
    z = x * x
    near = ops.fma(size * z, ops.horner(z, TANH[1]), size)
    p, shifted = _near_zero(ops, clamped(ops, size + size, 0.0, 20.0))
    scale = ops.from_bits((shifted << 23) + (127 << 23))
    far = 1.0 - 2.0 / ops.fma(scale, p, scale + 1.0)
    return ops.copysign(ops.select(size < 0.625, near, far), x)


def _erf_by_pieces(ops: Writer, size: Lanes) -> Lanes:
    """Return erf of numbers above zero by polynomials around 16 middles: half the instructions."""
    size = ops.select(size > 4.0, 4.0, size)
    t = ops.fma(size, 1 / ERF_STEP, _ROUND)
    n, place = t - _ROUND, ops.bits(t)
    rest = ops.fma(n, -ERF_STEP, size)
    first, *rows, last = (ops.looked_up(row, place) for row in ERF_PIECES)
    for row in reversed(rows):
        last = ops.fma(last, rest, row)
    return ops.fma(last, rest, ops.select(n.equals(0.0), rest, first))


def erf(ops: Writer, x: Lanes) -> Lanes:
    """Return the error function: a polynomial near zero, 1 - erfc(x) beyond, until that is 1."""
    size = abs(x)
    if ops.permutes:
        return ops.copysign(_erf_by_pieces(ops, size), x)
    near = ops.fma(size, ops.horner(x * x, ERF[1]), size)
    p, shifted = _near_zero(ops, ops.horner(clamped(ops, size, 1.0, 3.95), ERFC_LOGARITHM[1]))
    scale = ops.from_bits((shifted << 23) + (127 << 23))
    far = 1.0 - ops.fma(scale, p, scale)
    return ops.copysign(ops.select(size < 1.0, near, far), x)


def _turned(ops: Writer, x: Lanes, quarters: int) -> tuple[Lanes, Lanes]:
    """Return the sine of x plus a number of quarter turns, and which x are too large for it."""
    t = ops.fma(x, _TWO_OVER_PI, _ROUND)
    n = t - _ROUND
    high = ops.fma(n, -_FIRST, x)
    r = ops.fma(n, -_SECOND, high)
    # What rounding the rest left; a rest so small that its bits lie below those of `high` is right as it is.
    lost = ops.select(abs(r) < 2.0**-11, 0.0, ops.fma(n, -_SECOND, high - r))
    below = ops.fma(n, -_THIRD, lost)
    z = r * r
    sine = r + ops.fma(z * r, ops.horner(z, SIN[1]), below)
    cosine = ops.fma(z * z, ops.horner(z, COS[1]), ops.fma(z, -0.5, 1.0))
    quadrant = ops.bits(t) + quarters
    y = ops.select((quadrant & 1).differs(0), cosine, sine)
    y = ops.from_bits(ops.bits(y) ^ ((quadrant & 2) << 30))
    return y, ~(abs(x) <= _REACH)


def sin(ops: Writer, x: Lanes) -> tuple[Lanes, Lanes]:
    """Return the sine."""
    y, hard = _turned(ops, x, 0)
    return ops.select(abs(x) < 2.0**-13, x, y), hard


def cos(ops: Writer, x: Lanes) -> tuple[Lanes, Lanes]:
    """Return the cosine."""
    return _turned(ops, x, 1)


def _log(ops: Writer, k: Lanes, f: Lanes, total: Lanes, low: float | Lanes = 0.0) -> Lanes:
    """Return log(2**k * (1 + f + low)); `total`, the number itself, says if it is 0, negative or infinite."""
    z = f * f
    tail = ops.fma(z * f, ops.polynomial(f, LOG_SINGLE[1]), ops.fma(k, _LN2_LOW, low))
    y = ops.fma(k, _LN2_HIGH, ops.fma(z, -0.5, tail) + f)
    y = ops.select(total < _INFINITY, y, total)
    y = ops.select(total.equals(0.0), -_INFINITY, y)
    return ops.select(total < 0.0, float("nan"), y)


def log(ops: Writer, x: Lanes) -> Lanes:
    """Return the natural logarithm."""
    small = x < 2.0**-126
    raised = ops.select(small, x * 2.0**23, x)
    shift = ops.bits(raised) + (_ONE - _ROOT_HALF)
    k = ops.from_bits((shift >> 23) | 0x4B000000) + ops.select(small, -150.0 - 2.0**23, -127.0 - 2.0**23)
    return _log(ops, k, ops.from_bits((shift & 0x7FFFFF) + _ROOT_HALF) - 1.0, x)


def log1p(ops: Writer, x: Lanes) -> Lanes:
    """Return log(1 + x), which takes twice as long by way of float64."""
    total = x + 1.0
    shift = ops.bits(total) + (_ONE - _ROOT_HALF)
    k = ops.from_bits((shift >> 23) | 0x4B000000) + (-127.0 - 2.0**23)
    # 2**(2 - k), for k = 128 too.
    scale = ops.from_bits(ops.constant(256 << 23, "i32") - (shift & (0xFF << 23)))
    scaled, above = x * 0.25 * scale, scale * 0.25 - 1.0
    f = scaled + above
    return ops.select(abs(x) < 2.0**-24, x, _log(ops, k, f, total, scaled - (f - above)))
