"""erf and erfc."""

from ..lanes import Lanes, Writer
from .coefficients import ERF, ERF_WIDE, ERFC, ERFC_SCALED
from .exponentials import clamped, exponential, narrow_exp, scaled


def _tail(ops: Writer, size: Lanes) -> Lanes:
    """Return erfc of numbers from 0 to 28."""
    t = (size - 3.75) / (size + 3.75)
    change = ops.polynomial(t, ERFC[ops.narrow])
    top = change + 1.25
    twice = size * 2.0
    bottom = twice + 1.0
    factor = top / bottom
    square = size * size
    if ops.narrow:
        return narrow_exp(ops, -square) * factor
    # What roundings left of the factor and of the exponential.
    lost = ops.select(size > 0.5, (twice - bottom) + 1.0, (1.0 - bottom) + twice)
    top_low = (1.25 - top) + change
    factor_low = ((ops.fma(-factor, bottom, top) - factor * lost) + top_low) / bottom
    below = ops.fma(size, size, -square)
    e, e_low, t = exponential(ops, -square)
    product = e * factor
    low = ops.muladd(e_low, factor, ops.fma(e, factor, -product))
    low = ops.muladd(product, -below, ops.muladd(e, factor_low, low))
    return scaled(ops, product + low, t)


def erf(ops: Writer, x: Lanes) -> Lanes:
    """Return the error function."""
    size = abs(x)
    z = x * x
    if ops.narrow:
        z = clamped(ops, z, 0.0, 15.44)
        y = size * ops.polynomial(z, ERF_WIDE[1])
        return ops.copysign(ops.select(size < 3.92, y, ops.select(size >= 3.92, 1.0, size)), x)
    near = ops.muladd(size, ops.polynomial(z, ERF[0]), size)
    # 1 - erfc(x), until that is 1.
    y = clamped(ops, size, 1.0, 6.0)
    e, _, t = exponential(ops, -(y * y))
    far = 1.0 - scaled(ops, e * ops.polynomial((y - 2.5) / (y + 2.5), ERFC_SCALED[0]), t)
    return ops.copysign(ops.select(size < 1.0, near, far), x)


def erfc(ops: Writer, x: Lanes) -> Lanes:
    """Return one less the error function, with its small values right."""
    size = abs(x)
    tail = _tail(ops, clamped(ops, size, 0.0, 12.0 if ops.narrow else 28.0))
    near = ops.muladd(x, ops.polynomial(x * x, ERF[ops.narrow]), x)
    far = ops.select(x < 0.0, 2.0 - tail, tail)
    return ops.select(size < 0.25, 1.0 - near, far)
