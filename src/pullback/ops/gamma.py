"""The gamma function's logarithm and its derivatives, incomplete gamma functions, the Hurwitz zeta function.

Formulas are those of the Digital Library of Mathematical Functions, chapters 5, 8 and 25
(https://dlmf.nist.gov/5).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.layout import in_order
from ..array.scipy_functions import special
from ..core.op import Call, Term, elementwise
from ..core.underivable import not_implemented
from .arithmetic import log
from .elementwise import exp
from .kernels import into, refuse
from .signatures import TWO


def _lgamma(x: ndarray, /, out: object = ...) -> ndarray:
    infinite = np.isinf(x)
    result = special("gammaln")(x, out=out)
    np.copyto(result, np.inf, where=infinite)
    return result


#: log |Γ(x)| (DLMF 5.2.1), ∞ at both infinities.
lgamma = elementwise(
    "lgamma", _lgamma, lambda g, x: g * digamma(x), promote="float",
    check=refuse("lgamma_vml_cpu", "c"),
    summary="Return the logarithm of the gamma function's size, log |Γ(x)|, of each element.",
    names=("lgamma", "special.gammaln"),
)


def _digamma(x: ndarray, /, out: object = ...) -> ndarray:
    # Before anything is written: what is written to may be x.
    none, negative, near = np.equal(x, 0), np.less(x, 0), np.rint(x)
    pole, infinite = negative & np.equal(x, near), np.copysign(np.inf, -x)
    # Below 0 by reflection (DLMF 5.5.4), as torch does it: near its zeros there SciPy sums a series, up to
    # 17 µs an element.
    pi = x.dtype.type(math.pi)
    turn = np.where(negative, pi / np.tan((x - near) * pi), x.dtype.type(0))
    result = special("digamma")(np.where(negative, 1 - x, x), out=out)
    np.subtract(result, turn, out=result)
    np.copyto(result, infinite, where=none)
    np.copyto(result, np.nan, where=pole)
    return result


#: DLMF 5.2.2; ∓∞ at ±0, nan at the other poles.
digamma: Call = elementwise(
    "digamma", _digamma, lambda g, x: g * polygamma(x, 1), promote="float", check=refuse("digamma", "c"),
    summary="Return the logarithmic derivative of the gamma function, Γ′(x)/Γ(x), of each element.",
    names=("digamma", "special.digamma", "special.psi"),
)


def _trigamma(x: ndarray) -> ndarray:
    """Return ψ′, by reflection below ½ (DLMF 5.15.6)."""
    low = x < 0.5
    right = np.asarray(special("zeta")(2, np.where(low, 1 - x, x)), x.dtype)
    sine = np.sin(x.dtype.type(math.pi) * x)
    return np.where(low, x.dtype.type(math.pi**2) / (sine * sine) - right, right)


def _polygamma(x: ndarray, /, n: int, out: Any = ...) -> ndarray:
    if n < 2:
        return into(out, _trigamma(x)) if n else _digamma(x, out)
    factor = x.dtype.type((-1) ** (n + 1)) * np.exp(x.dtype.type(math.lgamma(n + 1)))
    return np.multiply(factor, _zeta(n + 1, x), out=out)


def _refuse_polygamma(x: Term, n: int) -> None:
    refuse(("digamma", "trigamma", "polygamma")[min(n, 2)], "c", inputs=1)(x)


#: The derivative of order n of digamma, (−1)ⁿ⁺¹·n!·ζ(n + 1, x) (DLMF 25.11.12).
polygamma: Call = elementwise(
    "polygamma", _polygamma, lambda g, x, n: g * polygamma(x, n + 1), attrs=("n",), promote="float",
    check=_refuse_polygamma,
)


def _incomplete(name: str, at_zero: float) -> Callable[..., ndarray]:
    """Return a kernel of an incomplete gamma function, whose value at an argument of 0 is given.

    At 0 and at ∞ torch asks for one operand only; the other may be nan.
    """

    def kernel(x: Any, y: Any, /, out: object = ...) -> ndarray:
        result = _by_series(name, x, y)
        unknown = np.isnan(x)
        np.copyto(result, at_zero, where=(unknown & np.equal(y, 0)) | (np.isposinf(x) & np.isnan(y)))
        np.copyto(result, 1 - at_zero, where=unknown & np.isposinf(y))
        return into(out, result)

    return kernel


def _by_series(name: str, x: Any, y: Any) -> ndarray:
    """Return an incomplete gamma function over Γ.

    SciPy adds up a continued fraction for y > x, and for the upper one a series of zeta functions, to 2.5 µs
    an element. Up to y = x + 1 the power series of P(x + 1, y) in double precision gives what float32 holds
    of both, in 0.1 µs (DLMF 8.8.5), but for the upper one of parameters near 0.
    """
    if np.result_type(x, y) != np.float32:
        return special(name)(x, y, out=...)
    wide, argument = np.asarray(x, np.float64), np.asarray(y, np.float64)
    near = (argument <= wide + 1) & (argument > 0) & (wide >= 1e-5) & (wide < 20)
    result = special(name)(np.where(near, np.nan, wide), argument, out=...)
    wide, argument = np.where(near, wide, np.nan), np.where(near, argument, 1)
    lower = np.exp(wide * np.log(argument) - argument - special("gammaln")(wide + 1))
    lower += special("gammainc")(wide + 1, argument)
    np.copyto(result, lower if name == "gammainc" else 1 - lower, where=near)
    return result.astype(np.float32)


def _igamma_slope(x: Term, y: Term) -> Term:
    """Return y^(x−1)·e^(−y) / Γ(x) (DLMF 8.8.13)."""
    return exp((x - 1) * log(y) - y - lgamma(x))


#: What help says of the first operand.
_PARAMETER = "The parameter a, floating; torch has no derivative in it."

#: The lower incomplete gamma function over Γ (DLMF 8.2.4), of its parameter x and its argument y.
igamma = elementwise(
    "igamma", _incomplete("gammainc", 0), not_implemented("igamma: input"),
    lambda g, x, y: g * _igamma_slope(x, y), promote="same", check=refuse("igamma_cpu", "biuc"),
    summary="Return the lower incomplete gamma function over Γ, P(a, x) = 1/Γ(a)·∫₀ˣ tᵃ⁻¹e⁻ᵗ dt, x "
            "being `other` (DLMF 8.2.4).",
    names=("igamma", "special.gammainc"), takes=_PARAMETER, signatures=TWO,
)
#: The upper one over Γ.
igammac = elementwise(
    "igammac", _incomplete("gammaincc", 1), not_implemented("igammac: input"),
    lambda g, x, y: -g * _igamma_slope(x, y), promote="same", check=refuse("igammac_cpu", "biuc"),
    summary="Return the upper incomplete gamma function over Γ, Q(a, x) = 1 − P(a, x), x being `other` "
            "(DLMF 8.2.4).",
    names=("igammac", "special.gammaincc"), takes=_PARAMETER, signatures=TWO,
)


def _mvlgamma(x: ndarray, /, p: int, out: Any = ...) -> ndarray:
    total = _lgamma(x)
    for k in range(1, p):
        total = total + _lgamma(x - x.dtype.type(k / 2))
    constant = x.dtype.type(p * (p - 1) / 4 * math.log(math.pi))
    return np.add(np.asarray(total, x.dtype), constant, out=out)


def _mvlgamma_rule(g: Term, x: Term, p: int) -> Term:
    slope = digamma(x)
    for k in range(1, p):
        slope = slope + digamma(x - k / 2)
    return g * slope


def _refuse_mvlgamma(x: Any, p: int) -> None:
    if x.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    refuse("arange_cpu", "c", inputs=1)(x)


#: The logarithm of the multivariate gamma function of dimension p (DLMF 35.3.4).
mvlgamma = elementwise(
    "mvlgamma", _mvlgamma, _mvlgamma_rule, attrs=("p",), promote="float", check=_refuse_mvlgamma,
    place=in_order,
)


def _zeta(x: Any, y: Any, /, out: Any = ...) -> ndarray:
    result = np.asarray(special("zeta")(x, y))
    np.copyto(result, np.nan, where=np.isposinf(y))
    np.copyto(result, np.inf, where=np.equal(x, 1))
    return into(out, result.astype(y.dtype, copy=False))


_ZETA: dict[str, Any] = {"promote": "float", "check": refuse("zeta_cpu", "c", halves=True)}

#: The Hurwitz zeta function ζ(x, y) (DLMF 25.11.1); its derivative in y is 25.11.17.
zeta: Call = elementwise(
    "zeta", _zeta, not_implemented("zeta"), lambda g, x, y: g * (-x * zeta(x + 1, y)),
    node_name="SpecialZetaBackward0", **_ZETA,
)
#: The same of a number and a tensor, and of a tensor and a number.
zeta_of_number: Call = elementwise(
    "zeta_of_number", lambda y, /, x, out=...: _zeta(np.asarray(x, y.dtype), y, out),
    lambda g, y, x: g * (-x * zeta_of_number(y, x + 1)), inputs=("y",), attrs=("x",),
    node_name="SpecialZetaBackward1", **_ZETA,
)
zeta_with_number = elementwise(
    "zeta_with_number", lambda x, /, y, out=...: _zeta(x, np.asarray(y, x.dtype), out),
    not_implemented("zeta"), attrs=("y",), node_name="SpecialZetaBackward2", **_ZETA,
)
