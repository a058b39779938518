"""Error functions and the normal distribution, logit, entropy, products with a logarithm, sinc.

Formulas are those of the Digital Library of Mathematical Functions, chapter 7 (https://dlmf.nist.gov/7).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import scipy_functions
from ..core.op import Call, Term, elementwise
from .arithmetic import log
from .comparison import eq, ge, gt, le, lt, where
from .convert import conj
from .elementwise import abs as absolute
from .elementwise import cos, exp, sin
from .kernels import from_scipy, into, refuse
from .mixture import masked_fill

_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)

#: DLMF 7.2.1, its derivative 7.10.1.
erf = elementwise(
    "erf", from_scipy("erf"), lambda g, x: _TWO_OVER_ROOT_PI * exp(-(x * x)) * g, promote="float",
    check=refuse("erf_vml_cpu", "c"), form=lambda ops, x: ops.function("erf", x),
    summary="Return the error function 2/√π·∫₀ˣ exp(−t²) dt of each element.", names=("erf", "special.erf"),
)
#: DLMF 7.2.2.
erfc = elementwise(
    "erfc", from_scipy("erfc"), lambda g, x: -_TWO_OVER_ROOT_PI * exp(-(x * x)) * g, promote="float",
    check=refuse("erfc_vml_cpu", "c"), form=lambda ops, x: ops.function("erfc", x),
    summary="Return the complementary error function 1 − erf(x) of each element.",
    names=("erfc", "special.erfc"),
)


#: erfinv(x)/x as polynomials in w − 2.5 where w = −log(1 − x²) is below 5, and in √w − 3 beyond; the highest
#: power first. M. B. Giles, "Approximating the erfinv function", GPU Computing Gems (2012), table for single
#: precision.
_CENTRE = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
    -0.00417768164, 0.246640727, 1.50140941,
)  # fmt: skip
_TAIL = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
    0.00943887047, 1.00167406, 2.83297682,
)  # fmt: skip


def _polynomial(coefficients: tuple[float, ...], x: ndarray) -> ndarray:
    total = x * coefficients[0] + coefficients[1]
    for c in coefficients[2:]:
        total = total * x + c
    return total


def _erfinv(x: ndarray, /, out: object = ...) -> ndarray:
    if x.dtype != np.float32:
        zero = x == 0  # SciPy's has no sign at -0
        return into(out, np.where(zero, x, scipy_functions.special("erfinv")(x)))
    # SciPy takes 0.75 µs for an element; the error here is at most 2.7e-7 of the value.
    w = -np.log((1 - x) * (1 + x))
    slope = np.where(w < 5, _polynomial(_CENTRE, w - 2.5), _polynomial(_TAIL, np.sqrt(w) - 3))
    return into(out, np.where(np.abs(x) == 1, np.copysign(np.inf, x), x * slope))


def _erfinv_rule(g: Term, x: Term) -> Term:
    root = erfinv(x)
    return exp(root * root) * (1 / _TWO_OVER_ROOT_PI) * g


#: DLMF 7.17.1.
erfinv = elementwise(
    "erfinv", _erfinv, _erfinv_rule,
    promote="float", check=refuse("erfinv_vml_cpu", "c"),
    summary="Return the value whose error function each element is: ±∞ at ±1 and nan beyond.",
    names=("erfinv", "special.erfinv"),
)
erfcx = elementwise(
    "erfcx", from_scipy("erfcx"), lambda g, x, out: g * (2 * x * out - _TWO_OVER_ROOT_PI), promote="float",
    node_name="SpecialErfcxBackward0", check=refuse("erfcx_cpu", "c", halves=True),
    summary="Return the scaled complementary error function exp(x²)·erfc(x) of each element (DLMF 7.2).",
    names=("special.erfcx",),
)
ndtri = elementwise(
    "ndtri", from_scipy("ndtri"), lambda g, out: g * math.sqrt(2 * math.pi) * exp(out * out / 2),
    promote="float", node_name="SpecialNdtriBackward0", check=refuse("ndtri_cpu", "c", halves=True),
    summary="Return the quantile of the standard normal of each element: the inverse of `ndtr`.",
    names=("special.ndtri",),
)
log_ndtr = elementwise(
    "log_ndtr", from_scipy("log_ndtr"),
    lambda g, x: g / erfcx(x * -math.sqrt(0.5)) * math.sqrt(2 / math.pi), promote="float",
    node_name="SpecialLogNdtrBackward0", check=refuse("log_ndtr_cpu", "c", halves=True), saves=("out",),
    summary="Return the logarithm of the standard normal's distribution function of each element.",
    names=("special.log_ndtr",),
)


def _entr(x: ndarray, /, out: object = ...) -> ndarray:
    result = np.where(np.equal(x, 0), 0, np.where(np.less(x, 0), -np.inf, -x * np.log(x)))
    return into(out, result.astype(x.dtype))


entr = elementwise(
    "entr", _entr, lambda g, x: g * (-1 - log(x)), promote="float", node_name="SpecialEntrBackward0",
    check=refuse("entr_cpu", "c"),
    summary="Return the entropy −x·log(x) of each element: 0 at 0 and −∞ below.", names=("special.entr",),
)


def _logit(x: ndarray, /, eps: float | None, out: Any = ...) -> ndarray:
    if eps is not None:
        low = x.dtype.type(eps)
        x = np.where(x < low, low, np.where(x > 1 - low, 1 - low, x))
    return np.log(x / (1 - x), out=out)


def _logit_rule(g: Term, x: Term, eps: float | None) -> Term:
    """Return g / (x·(1 − x)); 0 where the input was cut, nan outside [0, 1] where it was not."""
    slope = g / absolute(x * (1 - x))  # at -0, too, it is +∞
    if eps is None or eps < 0:
        return where(ge(x, 0) & le(x, 1), slope, math.nan)
    return where(lt(x, eps) | gt(x, 1 - eps), 0, slope)  # a nan stays one


#: log(x / (1 − x)), x cut to [eps, 1 − eps] first. Of halves torch rounds the quotient too.
logit = elementwise(
    "logit", _logit, _logit_rule, attrs=("eps",), promote="float", halves=False,
    check=refuse("logit_cpu", "c", inputs=1),
)


def _product_with(logarithm: Any, x: Any, y: Any, out: Any) -> ndarray:
    """Return x·logarithm(y), 0 where x is 0; nan where y is nan."""
    result = np.multiply(x, logarithm(y), out=...)
    np.copyto(result, 0, where=np.equal(x, 0))
    np.copyto(result, np.nan, where=np.isnan(y))
    return into(out, result)


def _xlogy(x: object, y: object, /, out: object = ...) -> ndarray:
    return _product_with(np.log, x, y, out)


def _xlog1py(x: object, y: object, /, out: object = ...) -> ndarray:
    return _product_with(np.log1p, x, y, out)


_XLOGY: dict[str, Any] = {"promote": "float", "check": refuse("xlogy_cpu", "c")}
_XLOG1PY: dict[str, Any] = {"promote": "float", "check": refuse("xlog1py_cpu", "c")}

#: x·log(y), 0 where x is 0.
xlogy: Call = elementwise(
    "xlogy", _xlogy, lambda g, x, y: where(eq(x, 0) & le(y, 0), 0, xlogy(g, y)), lambda g, x, y: g * x / y,
    **_XLOGY,
)
#: The same of a number and a tensor, and of a tensor and a number.
xlogy_of_number = elementwise(
    "xlogy_of_number", lambda y, /, x, out=...: _xlogy(np.asarray(x, y.dtype), y, out),
    lambda g, y, x: g * x / y, inputs=("y",), attrs=("x",), node_name="XlogyBackward1", **_XLOGY,
)
xlogy_with_number: Call = elementwise(
    "xlogy_with_number", lambda x, /, y, out=...: _xlogy(x, np.asarray(y, x.dtype), out),
    lambda g, x, y: xlogy_with_number(g, y) if y > 0 else masked_fill(xlogy_with_number(g, y), eq(x, 0), 0),
    attrs=("y",), node_name="XlogyBackward2", **_XLOGY,
)
#: x·log(1 + y), 0 where x is 0.
xlog1py: Call = elementwise(
    "xlog1py", _xlog1py, lambda g, x, y: where(eq(x, 0) & le(y, -1), 0, xlog1py(g, y)),
    lambda g, x, y: g * x / (y + 1), node_name="SpecialXlog1PyBackward0", **_XLOG1PY,
)
xlog1py_of_number = elementwise(
    "xlog1py_of_number", lambda y, /, x, out=...: _xlog1py(np.asarray(x, y.dtype), y, out),
    lambda g, y, x: g * x / (y + 1), inputs=("y",), attrs=("x",), node_name="SpecialXlog1PyBackward1",
    **_XLOG1PY,
)
xlog1py_with_number: Call = elementwise(
    "xlog1py_with_number", lambda x, /, y, out=...: _xlog1py(x, np.asarray(y, x.dtype), out),
    lambda g, x, y: (
        xlog1py_with_number(g, y) if y > -1 else masked_fill(xlog1py_with_number(g, y), eq(x, 0), 0)
    ),
    attrs=("y",), node_name="SpecialXlog1PyBackward2", **_XLOG1PY,
)


def _sinc(x: ndarray, /, out: object = ...) -> ndarray:
    # As NumPy has it: of something small in place of 0, whose quotient is 1.
    angle = x * math.pi
    angle = np.where(np.equal(angle, 0), x.dtype.type(1e-20), angle)
    return into(out, np.sin(angle) / angle)


def _sinc_rule(g: Term, x: Term) -> Term:
    angle = x * math.pi
    square = x * angle
    slope = (angle * cos(angle) - sin(angle)) / square
    return where(eq(square, 0), 0, g * conj(slope))


sinc = elementwise("sinc", _sinc, _sinc_rule, promote="float",
                   summary="Return sin(πx)/(πx) of each element: 1 at 0.", names=("sinc", "special.sinc"))
