"""Fit the polynomials of the compiler's functions; write compiler/emit/mathematics/coefficients.py.

Run from the project's root: ``python -m tools.fit_functions`` (needs mpmath). Every polynomial approximates a
smooth function on an interval by its Chebyshev expansion, cut where the error is below a bound: one for
float64, one for float32, whose functions are computed in float64 arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import fill
from typing import Any

from mpmath import mp, mpf

TARGET = Path("src/pullback/compiler/emit/mathematics/coefficients.py")
mp.dps = 110


def _root(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An even or odd function's remainder as a function of the square of its argument."""

    def of_square(z: Any) -> Any:
        return function(mp.sqrt(max(z, mpf(10) ** -16)))

    return of_square


def _apart(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function with a removable singularity at zero, kept away from it."""

    def moved(x: Any) -> Any:
        return function(x if abs(x) > mpf(10) ** -20 else mpf(10) ** -20)

    return moved


def _scaled_erfc(t: Any) -> Any:
    x = mpf("3.75") * (1 + t) / max(1 - t, mpf(10) ** -12)
    if x > 30:
        terms = [mpf(1)]
        for n in range(1, 16):
            terms.append(-terms[-1] * (2 * n - 1) / (2 * x * x))
        return (1 + 2 * x) / (x * mp.sqrt(mp.pi)) * sum(terms) - mpf("1.25")
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x) - mpf("1.25")


def _of_ratio(t: Any) -> Any:
    return mpf("2.5") * (1 + t) / (1 - t)


_HALF = mp.log(2) / 2 * mpf("1.001")
_Z = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.001")
_QUARTER = (mp.pi / 4) ** 2 * mpf("1.001")

#: Name: (function, interval, what the error may be in float64 and in float32, meaning).
FITS: dict[str, tuple[Callable[[Any], Any], tuple[Any, Any], float, float, str]] = {
    "EXP": (
        _apart(lambda r: (mp.exp(r) - 1 - r) / r**2), (-_HALF, _HALF), 2.0**-56, 2.0**-29,
        "(exp(r) - 1 - r) / r**2, |r| <= log(2) / 2",
    ),
    "EXP_SIXTEENTH": (
        _apart(lambda r: (mp.exp(r) - 1 - r) / r**2), (-_HALF / 16, _HALF / 16), 2.0**-46, 2.0**-46,
        "(exp(r) - 1 - r) / r**2, |r| <= log(2) / 32",
    ),
    "EXP2": (
        _apart(lambda r: (mpf(2) ** r - 1) / r), (mpf("-0.5"), mpf("0.5")), 2.0**-57, 2.0**-30,
        "(2**r - 1) / r, |r| <= 1/2",
    ),
    "LOG": (
        _root(lambda s: (2 * mp.atanh(s) / s - 2) / s**2), (mpf(0), _Z), 2.0**-53, 2.0**-27,
        "(2 atanh(s) / s - 2) / s**2 of s**2, s = (m - 1) / (m + 1), sqrt(1/2) <= m <= sqrt(2)",
    ),
    "LOG_LONG": (
        _root(lambda s: ((2 * mp.atanh(s) / s - 2) / s**2 - mpf(2) / 3) / s**2), (mpf(0), _Z), 2.0**-55,
        2.0**-55, "((2 atanh(s) / s - 2) / s**2 - 2/3) / s**2 of s**2, s as for LOG",
    ),
    "LOG_SINGLE": (
        _apart(lambda f: (mp.log(1 + f) - f + f**2 / 2) / f**3), (mp.sqrt(mpf("0.5")) - 1, mp.sqrt(2) - 1),
        2.0**-26, 2.0**-26,
        "(log(1 + f) - f + f**2 / 2) / f**3, sqrt(1/2) <= 1 + f <= sqrt(2)",
    ),
    "TANH": (
        _root(lambda x: (mp.tanh(x) / x - 1) / x**2), (mpf(0), mpf("0.391")), 2.0**-54, 2.0**-27,
        "(tanh(x) / x - 1) / x**2 of x**2, |x| <= 5/8",
    ),
    "SIN": (
        _root(lambda r: (mp.sin(r) / r - 1) / r**2), (mpf(0), _QUARTER), 2.0**-57, 2.0**-31,
        "(sin(r) / r - 1) / r**2 of r**2, |r| <= pi / 4",
    ),
    "COS": (
        _root(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4), (mpf(0), _QUARTER), 2.0**-57, 2.0**-30,
        "(cos(r) - 1 + r**2 / 2) / r**4 of r**2, |r| <= pi / 4",
    ),
    "ATAN": (
        _root(lambda x: (mp.atan(x) / x - 1) / x**2), (mpf(0), mpf(1)), 2.0**-57, 2.0**-30,
        "(atan(x) / x - 1) / x**2 of x**2, |x| <= 1",
    ),
    "ASIN": (
        _root(lambda x: (mp.asin(x) / x - 1) / x**2), (mpf(0), mpf("0.25")), 2.0**-55, 2.0**-28,
        "(asin(x) / x - 1) / x**2 of x**2, |x| <= 1/2",
    ),
    "SINH": (
        _root(lambda x: (mp.sinh(x) / x - 1) / x**2), (mpf(0), mpf(1)), 2.0**-57, 2.0**-30,
        "(sinh(x) / x - 1) / x**2 of x**2, |x| <= 1",
    ),
    "ERF": (
        _root(lambda x: mp.erf(x) / x - 1), (mpf(0), mpf(1)), 2.0**-58, 2.0**-31,
        "erf(x) / x - 1 of x**2, |x| <= 1",
    ),
    "ERF_WIDE": (
        _root(lambda x: mp.erf(x) / x), (mpf(0), mpf("15.45")), 2.0**-33, 2.0**-33,
        "erf(x) / x of x**2, |x| <= 3.93",
    ),
    "ERFC_LOGARITHM": (
        lambda x: mp.log(mp.erfc(x)), (mpf(1), mpf("3.95")), 2.0**-26, 2.0**-26,
        "log(erfc(x)), 1 <= x <= 3.95",
    ),
    "ERFC_SCALED": (
        lambda t: mp.exp(_of_ratio(t) ** 2) * mp.erfc(_of_ratio(t)), (mpf(-3) / 7, mpf(7) / 17), 2.0**-54,
        2.0**-54, "exp(x**2) erfc(x) of (x - 2.5) / (x + 2.5), 1 <= x <= 6",
    ),
    "ERFC": (
        _scaled_erfc, (mpf(-1), mpf(1)), 2.0**-55, 2.0**-29,
        "(1 + 2 x) exp(x**2) erfc(x) - 5/4 of (x - 3.75) / (x + 3.75), x >= 0",
    ),
    "LGAMMA": (
        _apart(lambda t: mp.loggamma(2 + t) / t), (mpf("-0.5"), mpf("0.5")), 2.0**-56, 2.0**-30,
        "lgamma(2 + t) / t, |t| <= 1/2",
    ),
}  # fmt: skip


def _fit(function: Callable[[Any], Any], interval: tuple[Any, Any], bound: float) -> list[float]:
    """Coefficients by rising power of the shortest expansion whose error is below a bound."""
    low, high = interval
    count = 48
    nodes = [mp.cos(mp.pi * (k + mpf(1) / 2) / count) for k in range(count)]
    values = [function((high - low) / 2 * t + (high + low) / 2) for t in nodes]
    expansion = [
        2 * mp.fsum(v * mp.cos(j * mp.pi * (k + mpf(1) / 2) / count) for k, v in enumerate(values)) / count
        for j in range(count)
    ]
    expansion[0] /= 2
    length = next(n for n in range(2, count) if mp.fsum(abs(c) for c in expansion[n:]) < bound)
    # From Chebyshev polynomials of t to powers of x, t = (2 x - low - high) / (high - low).
    scale, shift = 2 / (high - low), -(high + low) / (high - low)
    before, now = [mpf(1)], [shift, scale]
    total = [mpf(0)] * length
    for j in range(length):
        for power, c in enumerate(before):
            total[power] += expansion[j] * c
        following = [mpf(0)] * (len(now) + 1)
        for power, c in enumerate(now):
            following[power] += 2 * shift * c
            following[power + 1] += 2 * scale * c
        for power, c in enumerate(before):
            following[power] -= c
        before, now = now, following
    return [float(c) for c in total]


#: How far the middles of pieces are apart; from behind the last but one on erf rounds to 1.
_STEP = 0.264


def _erf_by_pieces() -> list[list[float]]:
    """Coefficients of erf around 16 middles, those of one power together; without x itself around 0."""
    half, middles = mpf(_STEP) / 2 * mpf("1.001"), [k * mpf(_STEP) for k in range(16)]
    near = _fit(_apart(lambda t: mp.erf(t) / t - 1), (-half, half), 2.0**-27)
    # Of an even function.
    pieces = [[0.0, *(0.0 if abs(c) < 1e-30 else c for c in near)]]
    for middle in middles[1:-1]:
        pieces.append(_fit(lambda t, middle=middle: mp.erf(middle + t), (-half, half), 2.0**-30))
    pieces.append([1.0])
    length = max(map(len, pieces))
    return [[float(p[n]) if n < len(p) else 0.0 for p in pieces] for n in range(length)]


def main() -> None:
    """Write the coefficients."""
    lines = [
        (
            '"""Coefficients of polynomials, by rising power: for float64 and for float32; by '
            'tools/fit_functions.py."""'
        ),
        "",
        "# fmt: off",
    ]
    for name, (function, interval, wide, narrow, meaning) in FITS.items():
        lines += [f"#: {meaning}.", f"{name} = ("]
        for bound in dict.fromkeys((wide, narrow)):
            numbers = ", ".join(map(repr, _fit(function, interval, bound)))
            lines += fill(f"({numbers}),", 110, initial_indent="    ", subsequent_indent="     ").splitlines()
        lines.append(") * 2" if wide == narrow else ")")
    powers = [mpf(2) ** (mpf(n) / 16) for n in range(16)]
    lines += ["#: Powers of two by sixteenths, and what their rounding left.", "SIXTEENTHS = ("]
    for values in (powers, [x - float(x) for x in powers]):
        numbers = ", ".join(repr(float(x)) for x in values)
        lines += fill(f"({numbers}),", 110, initial_indent="    ", subsequent_indent="     ").splitlines()
    lines += [")", "#: The distance of 16 middles, and erf's coefficients around them, by rising power."]
    lines += [f"ERF_STEP = {_STEP}", "ERF_PIECES = ("]
    for values in _erf_by_pieces():
        numbers = ", ".join(map(repr, values))
        lines += fill(f"({numbers}),", 110, initial_indent="    ", subsequent_indent="     ").splitlines()
    lines += [")", "# fmt: on"]
    TARGET.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
