"""Orthogonal polynomials of a degree per element, without derivatives, as torch has them.

All but the Chebyshev polynomials of a high degree inside their interval, which are cosines, are computed by
their recurrence in the degree (https://dlmf.nist.gov/18.9). A negative degree gives 0, a broken one is cut.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import Call, elementwise
from .kernels import into, refuse
from .signatures import OF_DEGREE

#: ``step(k, x, q, p)`` gives the polynomial of degree k + 1 from those of degree k and k − 1.
Step = Callable[[int, ndarray, ndarray, ndarray], ndarray]


#: ``values(x, n, highest)`` gives polynomials of degree n[i] ≥ 0 at x[i], `highest` the largest of these.
Values = Callable[[ndarray, ndarray, int], ndarray]


def recurrence(x: ndarray, n: ndarray, highest: int, first: ndarray, step: Step) -> ndarray:
    """Return polynomials of degree n[i] at x[i]: none is negative or above `highest`.

    That of degree 0 is 1, and that of degree 1 is `first`.
    """
    p, q, k = x.dtype.type(1), first, 1
    result = np.where(n == 0, p, q)
    # A value that has overflowed stays nan, however high the degree.
    while k < highest and not np.isnan(q).all():
        p, q = q, step(k, x, q, p)
        k += 1
        result = np.where(n == k, q, result)
    return result if k >= highest else np.where(n > k, q, result)


def _polynomial(name: str, values: Values, summary: str) -> Call:
    """Declare a polynomial."""

    def kernel(x: Any, y: Any, /, out: object = ...) -> ndarray:
        dtype = np.result_type(x, y)
        argument, degree = np.asarray(x, dtype), np.asarray(y, dtype)
        if argument.shape != degree.shape:
            argument, degree = np.broadcast_arrays(argument, degree)
        n = degree.astype(np.int64)
        least, highest = np.minimum.reduce(n, None, initial=0), int(np.maximum.reduce(n, None, initial=0))
        if least >= 0:
            return into(out, values(argument, n, highest))
        result = np.zeros(n.shape, dtype)
        known = n >= 0
        result[known] = values(argument[known], n[known], highest)
        return into(out, result)

    return elementwise(
        name, kernel, None, None, promote="float", check=refuse(f"{name}_cpu", "c", halves=True),
        summary=f"Return the {summary} (DLMF 18.3).", names=(f"special.{name}",), signatures=OF_DEGREE,
    )


def _chebyshev(
    first: Callable[[ndarray], ndarray],
    trigonometric: Callable[[ndarray, ndarray], ndarray],
    at_ends: Callable[[ndarray], tuple[Any, Any]],
    shifted: bool,
    above: int,
) -> Values:
    """Return a Chebyshev polynomial of some kind, of 2x − 1 where it is `shifted`.

    `first` is its value of degree 1; `trigonometric` that at cos θ from the degree and θ, used inside (−1, 1)
    above the degree `above`; `at_ends` those at 1 and, but for the sign (−1)ⁿ, at −1.
    """

    def step(k: int, x: ndarray, q: ndarray, p: ndarray) -> ndarray:
        return (x + x) * q - p

    def values(x: ndarray, n: ndarray, highest: int) -> ndarray:
        if shifted:
            x = x + x - 1
        if highest <= above:
            return recurrence(x, n, highest, first(x), step)  # exact at ±1: it adds whole numbers there
        result = np.empty_like(x)
        right, left = at_ends(n)
        end = np.abs(x) == 1
        np.copyto(result, np.where(x > 0, right, np.where(n % 2 == 0, left, -left)), where=end)
        inside = ~end & (np.abs(x) < 1) & (n > above)
        result[inside] = trigonometric(n[inside].astype(x.dtype), np.arccos(x[inside]))
        rest = ~(end | inside)
        y = x[rest]
        result[rest] = recurrence(y, n[rest], highest, first(y), step)
        return result

    return values


def _t(shifted: bool) -> Any:
    return _chebyshev(lambda x: x, lambda n, angle: np.cos(n * angle), lambda n: (1, 1), shifted, above=6)


def _u(shifted: bool) -> Any:
    return _chebyshev(
        lambda x: x + x, lambda n, angle: np.sin((n + 1) * angle) / np.sin(angle), lambda n: (n + 1, n + 1),
        shifted, above=6 if shifted else 8,
    )


def _v(shifted: bool) -> Any:
    return _chebyshev(
        lambda x: x + x - 1, lambda n, angle: np.cos((n + 0.5) * angle) / np.cos(angle / 2),
        lambda n: (1, n + n + 1), shifted, above=6 if shifted else 8,
    )


def _w(shifted: bool) -> Any:
    return _chebyshev(
        lambda x: x + x + 1, lambda n, angle: np.sin((n + 0.5) * angle) / np.sin(angle / 2),
        lambda n: (n + n + 1, 1), shifted, above=4 if shifted else 8,
    )


# DLMF 18.3; cos nθ, sin (n+1)θ / sin θ, cos (n+½)θ / cos ½θ and sin (n+½)θ / sin ½θ of x = cos θ; the
# shifted ones are the same of 2x − 1.
for _values, _word in ((_t, "first"), (_u, "second"), (_v, "third"), (_w, "fourth")):
    _kind = _values.__name__[1:]
    _symbol = f"{_kind.upper()}ₙ"
    _polynomial(
        f"chebyshev_polynomial_{_kind}", _values(False),
        f"Chebyshev polynomial of the {_word} kind {_symbol}(x)",
    )  # fmt: skip
    _polynomial(
        f"shifted_chebyshev_polynomial_{_kind}", _values(True), f"Chebyshev polynomial {_symbol}(2x − 1)"
    )


#: Degrees from which torch gives nan for Hermite polynomials, by bytes of an element.
_HERMITE_LIMITS = {4: 128, 8: 512}


def _hermite(first: Callable[[ndarray], ndarray], step: Step) -> Values:
    def values(x: ndarray, n: ndarray, highest: int) -> ndarray:
        if highest <= (limit := _HERMITE_LIMITS[x.dtype.itemsize]):
            return recurrence(x, n, highest, first(x), step)
        too_high = n > limit
        result = recurrence(x, np.where(too_high, 0, n), limit, first(x), step)
        return np.where(too_high, np.nan, result)

    return values


#: The physicist's (DLMF 18.5.5) and the probabilist's.
hermite_polynomial_h = _polynomial(
    "hermite_polynomial_h", _hermite(lambda x: x + x, lambda k, x, q, p: (x + x) * q - 2 * k * p),
    "physicist's Hermite polynomial Hₙ(x)",
)
hermite_polynomial_he = _polynomial(
    "hermite_polynomial_he", _hermite(lambda x: x, lambda k, x, q, p: x * q - k * p),
    "probabilist's Hermite polynomial Heₙ(x)",
)
laguerre_polynomial_l = _polynomial(
    "laguerre_polynomial_l",
    lambda x, n, highest: recurrence(
        x, n, highest, 1 - x, lambda k, x, q, p: ((2 * k + 1 - x) * q - k * p) / (k + 1)
    ),
    "Laguerre polynomial Lₙ(x)",
)


def _legendre(x: ndarray, n: ndarray, highest: int) -> ndarray:
    result = recurrence(x, n, highest, x, lambda k, x, q, p: ((2 * k + 1) * x * q - k * p) / (k + 1))
    if highest < 2:
        return result
    return np.where(np.abs(x) == 1, np.where((x > 0) | (n % 2 == 0), 1, -1), result).astype(x.dtype)


legendre_polynomial_p = _polynomial("legendre_polynomial_p", _legendre, "Legendre polynomial Pₙ(x)")
