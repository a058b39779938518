"""Sums, products, quotients and powers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import elementwise
from ..core.value import Value
from .convert import conj

add = elementwise("add", np.add, lambda g: g, lambda g: g)

sub = elementwise("sub", np.subtract, lambda g: g, lambda g: -g)

#: other - input, the reflected difference.
rsub = elementwise("rsub", lambda x, y, /, out=...: np.subtract(y, x, out=out), lambda g: -g, lambda g: g,
                   node_name="RsubBackward1")

mul = elementwise("mul", np.multiply, lambda g, y: g * conj(y), lambda g, x: g * conj(x))


def _div_y(g: Any, x: Any, y: Any) -> Any:
    return -g * conj((x / y) / y)


div = elementwise("div", np.true_divide, lambda g, y: g / conj(y), _div_y, promote="float")

neg = elementwise("neg", np.negative, lambda g: -g)


def _pow_kernel(x: ndarray, /, exponent: Any, out: Any = ...) -> ndarray:
    if exponent == 2:
        return np.multiply(x, x, out=out)
    if exponent == 1:
        return np.positive(x, out=out)
    if exponent == 0.5 and x.dtype.kind in "fc":
        return np.sqrt(x, out=out)
    if exponent == 3:
        return np.multiply(x * x, x, out=out)
    if exponent == -1 and x.dtype.kind in "fc":
        return np.reciprocal(x, out=out)
    if exponent == -2 and x.dtype.kind in "fc":
        return np.reciprocal(x * x, out=out)
    return np.power(x, exponent, out=out)


def _pow_rule(g: Any, x: Any, exponent: Any) -> Any:
    if exponent == 0:
        return g * 0
    if exponent == 2:
        return g * conj(2 * x)
    return g * conj(exponent * x ** (exponent - 1))


#: x to a Python number.
pow_scalar = elementwise("pow_scalar", _pow_kernel, _pow_rule, attrs=("exponent",), node_name="PowBackward0")


def _install_operators() -> None:
    """Give values that users never hold the operators that rules use."""
    Value.__add__ = Value.__radd__ = lambda self, other: add(self, other)  # type: ignore[attr-defined]
    Value.__sub__ = lambda self, other: sub(self, other)  # type: ignore[attr-defined]
    Value.__rsub__ = lambda self, other: rsub(self, other)  # type: ignore[attr-defined]
    Value.__mul__ = Value.__rmul__ = lambda self, other: mul(self, other)  # type: ignore[attr-defined]
    Value.__truediv__ = lambda self, other: div(self, other)  # type: ignore[attr-defined]
    Value.__rtruediv__ = lambda self, other: div(other, self)  # type: ignore[attr-defined]
    Value.__neg__ = lambda self: neg(self)  # type: ignore[attr-defined]
    Value.__pow__ = lambda self, other: pow_scalar(self, other)  # type: ignore[attr-defined]
    Value.__array_ufunc__ = None  # type: ignore[attr-defined]  # ndarray * value goes to the value's reflected operator


_install_operators()
