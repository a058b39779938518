"""Elementwise mathematics under torch's names."""

from __future__ import annotations

from typing import Any

from ..core.value import TensorBase
from ..ops import arithmetic as a
from ..ops import comparison as c
from ..ops import elementwise as e
from .api import public, public_op

for _call in (
    e.exp, e.exp2, e.expm1, e.log, e.log2, e.log10, e.log1p, e.sqrt, e.sin, e.cos, e.tan, e.sinh, e.cosh, e.sigmoid,
    e.sign, e.sgn, e.floor, e.ceil, e.frac, e.relu, e.erf, e.erfc, e.erfinv, e.lgamma, e.digamma, e.tanh, a.reciprocal,
    a.rsqrt,
):  # fmt: skip
    public_op(_call)
for _call, _alias in (
    (e.asin, "arcsin"), (e.acos, "arccos"), (e.atan, "arctan"), (e.asinh, "arcsinh"), (e.acosh, "arccosh"),
    (e.atanh, "arctanh"), (e.trunc, "fix"), (e.abs, "absolute"), (a.neg, "negative"),
):  # fmt: skip
    public_op(_call, aliases=(_alias,))
for _call, _alias in (
    (c.lt, "less"), (c.le, "less_equal"), (c.gt, "greater"), (c.ge, "greater_equal"), (c.ne, "not_equal"), (c.eq, "eq"),
):  # fmt: skip
    public_op(_call, aliases=(_alias,) if _alias != "eq" else ())
for _call in (
    c.logical_and, c.logical_or, c.logical_xor, c.logical_not, c.bitwise_and, c.bitwise_or, c.bitwise_xor,
    c.bitwise_not, c.bitwise_left_shift, c.bitwise_right_shift,
):  # fmt: skip
    public_op(_call)
for _call in (c.isnan, c.isfinite, c.isinf, c.signbit):
    public_op(_call, inplace=False)

public_op(a.mul, aliases=("multiply",))


@public(inplace=True)
def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Sum ``input + alpha * other``, shapes broadcast."""
    return a.add.op.public(input, other if alpha == 1 else scaled(other, alpha))


@public(inplace=True, aliases=("subtract",))
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Difference ``input - alpha * other``, shapes broadcast."""
    return a.sub.op.public(input, other if alpha == 1 else scaled(other, alpha))


def scaled(other: Any, alpha: Any) -> Any:
    """``alpha * other`` for a tensor or a number."""
    return a.mul(other, alpha) if isinstance(other, TensorBase) else other * alpha


@public(inplace=True, name="pow")
def power(input: Any, exponent: Any) -> Any:
    """Power ``input ** exponent`` of tensors or numbers, at least one of them a tensor."""
    if isinstance(exponent, TensorBase):
        if isinstance(input, TensorBase):
            return a.pow(input, exponent)
        return a.scalar_pow(exponent, input)
    return a.pow_scalar(input, exponent)


@public(inplace=True)
def square(input: Any) -> Any:
    """Square ``input ** 2``."""
    return a.pow_scalar(input, 2)
