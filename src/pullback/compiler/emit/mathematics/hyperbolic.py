"""sinh, cosh, tanh and their inverses."""

from ..lanes import Lanes, Writer
from .coefficients import SINH, TANH
from .exponentials import clamped, exponential, narrow_exp, narrow_expm1, scaled
from .logarithms import log1p_of_sum


def tanh(ops: Writer, x: Lanes) -> Lanes:
    """Return the hyperbolic tangent: a polynomial near zero, 1 - 2 / (exp(2 x) + 1) beyond."""
    size = abs(x)
    if ops.narrow:
        e = narrow_expm1(ops, clamped(ops, size + size, 0.0, 40.0))
        y = e / (e + 2.0)
        return ops.copysign(ops.select(size < 2.0**-30, size, y), x)
    z = x * x
    near = ops.muladd(size * z, ops.polynomial(z, TANH[0]), size)
    e, _, t = exponential(ops, clamped(ops, size + size, 0.0, 40.0))
    far = 1.0 - 2.0 / (scaled(ops, e, t) + 1.0)
    return ops.copysign(ops.select(size < 0.625, near, far), x)


def _half_exp(ops: Writer, size: Lanes) -> Lanes:
    """Return exp(x) / 2 without overflow before cosh has one."""
    if ops.narrow:
        return narrow_exp(ops, clamped(ops, size, 0.0, 91.0)) * 0.5
    y, _, t = exponential(ops, clamped(ops, size, 0.0, 715.0))
    return scaled(ops, y, t - 1.0)


def sinh(ops: Writer, x: Lanes) -> Lanes:
    """Return the hyperbolic sine."""
    size = abs(x)
    z = x * x
    near = ops.muladd(z * size, ops.polynomial(z, SINH[ops.narrow]), size)
    near = ops.select(size < 2.0**-28, size, near)
    half = _half_exp(ops, size)
    return ops.copysign(ops.select(size < 1.0, near, half - 0.25 / half), x)


def cosh(ops: Writer, x: Lanes) -> Lanes:
    """Return the hyperbolic cosine."""
    half = _half_exp(ops, abs(x))
    return half + 0.25 / half


#: Beyond it, both asinh and acosh are log(x) + log(2).
_FAR = 2.0**28
_LN2 = 0.6931471805599453


def _sum(x: Lanes, y: Lanes) -> tuple[Lanes, Lanes]:
    """Return a sum and what its rounding left."""
    total = x + y
    back = total - x
    return total, (x - (total - back)) + (y - back)


def _log_of_sum(ops: Writer, x: Lanes, argument: Lanes, low: Lanes) -> Lanes:
    """Return log(1 + argument + low), or the logarithm of twice a large `x`."""
    far = x > _FAR
    y = log1p_of_sum(ops, ops.select(far, x - 1.0, argument), ops.select(far, 0.0, low))
    return ops.select(far, y + _LN2, y)


def asinh(ops: Writer, x: Lanes) -> Lanes:
    """Return the inverse hyperbolic sine, log(x + sqrt(x**2 + 1))."""
    size = abs(x)
    z = x * x
    y = _log_of_sum(ops, size, *_sum(size, z / (1.0 + ops.sqrt(z + 1.0))))
    return ops.copysign(ops.select(size < 2.0**-28, size, y), x)


def acosh(ops: Writer, x: Lanes) -> Lanes:
    """Return the inverse hyperbolic cosine, log(x + sqrt(x**2 - 1))."""
    above = x - 1.0
    twice = above + above
    square = above * above
    inner = square + twice
    root = ops.sqrt(inner)
    if ops.narrow:
        argument, low = _sum(above, root)
    else:
        # Near one the root is nearly all of the argument: its last bits count.
        left = ((twice - inner) + square) + ops.fma(above, above, -square)
        left = (ops.fma(-root, root, inner) + left) / (root + root)
        left = ops.select(inner > 0.0, left, 0.0)
        argument, low = _sum(above, root)
        low = low + left
    return ops.select(x < 1.0, float("nan"), _log_of_sum(ops, x, argument, low))


def atanh(ops: Writer, x: Lanes) -> Lanes:
    """Return the inverse hyperbolic tangent, log(1 + 2 x / (1 - x)) / 2."""
    size = abs(x)
    twice = size + size
    below = 1.0 - size
    lost = (1.0 - below) - size
    q = twice / below
    low = None if ops.narrow else (ops.fma(-q, below, twice) - q * lost) / below
    y = 0.5 * log1p_of_sum(ops, q, low)
    return ops.copysign(ops.select(size < 2.0**-28, size, y), x)
