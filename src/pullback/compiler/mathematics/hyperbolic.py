"""sinh, cosh, tanh and their inverses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..llvm.lanes import Lanes, Writer
from .coefficients import SINH
from .exponentials import clamped, expm1_parts, narrow_exp, narrow_expm1, near_zero, octaves, scaled
from .logarithms import log1p


def tanh(ops: Writer, x: Lanes) -> Lanes:
    """The hyperbolic tangent, (e - 1) / (e + 1) of e = exp(2 x)."""
    size = abs(x)
    if ops.narrow:
        e = narrow_expm1(ops, clamped(ops, size + size, 0.0, 40.0))
        y = e / (e + 2.0)
        return ops.copysign(ops.select(size < 2.0**-30, size, y), x)
    # Both parts of (exp(2 x) - 1) / 2 count: their quotient by one more is rounded once.
    high, low = expm1_parts(ops, clamped(ops, size + size, 0.0, 60.0))
    below = high + 1.0
    back = below - high
    lost = (high - (below - back)) + (1.0 - back) + low
    q = high / below
    rest = (ops.fma(-q, below, high) + low) - q * lost
    y = q + rest / below
    return ops.copysign(ops.select(size < 2.0**-28, size, y), x)


def _half_exp(ops: Writer, size: Lanes) -> Lanes:
    """exp(x) / 2 without overflow before cosh has one."""
    if ops.narrow:
        return narrow_exp(ops, clamped(ops, size, 0.0, 91.0)) * 0.5
    parts = octaves(ops, clamped(ops, size, 0.0, 715.0))
    return scaled(ops, near_zero(ops, parts), parts.shifted - 1)


def sinh(ops: Writer, x: Lanes) -> Lanes:
    """The hyperbolic sine."""
    size = abs(x)
    z = x * x
    near = ops.muladd(z * size, ops.polynomial(z, SINH[ops.narrow]), size)
    near = ops.select(size < 2.0**-28, size, near)
    half = _half_exp(ops, size)
    return ops.copysign(ops.select(size < 1.0, near, half - 0.25 / half), x)


def cosh(ops: Writer, x: Lanes) -> Lanes:
    """The hyperbolic cosine."""
    half = _half_exp(ops, abs(x))
    return half + 0.25 / half


def asinh(ops: Writer, x: Lanes) -> tuple[Lanes, Lanes] | Lanes:
    """The inverse hyperbolic sine, in float32."""
    size = abs(x)
    z = x * x
    y = log1p(ops, size + z / (1.0 + ops.sqrt(z + 1.0)))
    y = ops.select(size < float("inf"), y, size)
    return ops.copysign(ops.select(size < 2.0**-28, size, y), x)


def acosh(ops: Writer, x: Lanes) -> Lanes:
    """The inverse hyperbolic cosine, in float32."""
    above = x - 1.0
    y = log1p(ops, above + ops.sqrt(ops.muladd(above, above, above + above)))
    return ops.select(above < 0.0, float("nan"), y)


def atanh(ops: Writer, x: Lanes) -> Lanes:
    """The inverse hyperbolic tangent, in float32."""
    size = abs(x)
    y = 0.5 * log1p(ops, 2.0 * size / (1.0 - size))
    return ops.copysign(ops.select(size < 2.0**-28, size, y), x)


FUNCTIONS: dict[str, Callable[..., Any]] = {"tanh": tanh, "sinh": sinh, "cosh": cosh}
#: In float32 only.
NARROW: dict[str, Callable[..., Any]] = {"asinh": asinh, "acosh": acosh, "atanh": atanh}
