"""Modified Bessel functions and Airy's for float32, by polynomials in double precision.

SciPy adds up Chebyshev series one number after another, 50 to 90 ns each, and for Ai finds Bi and both
derivatives, too, in 200. A polynomial is one loop over many numbers, also in native code. Each is within 1e-9
of the function: they were fitted to SciPy's at the nodes of Chebyshev polynomials. The variable goes from −1
to 1; the highest power is first.
"""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy import ndarray

#: What 1/ζ is at x = 2, about; Airy's polynomials were fitted up to there.
_END = 0.530330085889911


@cache
def _factors() -> dict[str, ndarray]:
    import json  # takes 3 ms

    text = Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
    return {name: np.array(numbers) for name, numbers in json.loads(text).items()}


def _value(name: str, x: ndarray) -> ndarray:
    return np.polyval(_factors()[name], x)


def _first_kind(order: int, scaled: bool, x: ndarray) -> ndarray:
    """Return I₀ or I₁, from polynomials for exp(−x) times I₀(x) or I₁(x)/x up to 8, and I₀(x)·√x beyond."""
    size = np.abs(x)
    low = _value(f"i{order}_near", size * 0.25 - 1)
    high = _value(f"i{order}_far", 16 / size - 1) / np.sqrt(size)
    found = np.where(size <= 8, low * size if order else low, high)
    found = found if scaled else found * np.exp(size)
    return np.where(x < 0, -found, found) if order else found


def _second_kind(order: int, scaled: bool, x: ndarray) -> ndarray:
    """Return K₀ or K₁: up to 2 from I₀(x) or I₁(x)/x, and what K₀(x) or x·K₁(x) has beside the logarithm."""
    square = x * x * 0.5 - 1
    rest = np.log(x * 0.5) * _value(f"i{order}_small", square)
    low = _value(f"k{order}_small", square)
    low = low / x + rest * x if order else low - rest
    high = _value(f"k{order}_large", 4 / x - 1) / np.sqrt(x)
    rise = np.exp(x)
    found = np.where(x <= 2, low * rise, high) if scaled else np.where(x <= 2, low, high / rise)
    return np.where(np.equal(x, 0), np.inf, found)


def _airy(x: ndarray) -> ndarray:
    """Return Ai: beyond 2, in the inverse of ζ = ⅔·x√x, the size and the phase of its waves (DLMF 9.8), and
    the factor of exp(−ζ).
    """
    size = np.abs(x)
    root = np.sqrt(size)
    angle = size * root * (2 / 3)
    inverse = (2 / _END) / angle - 1
    turn = (angle + _value("airy_phase", inverse)) * (0.5 / np.pi)
    turn = turn - np.rint(turn)
    waves = _value("cosine", turn * turn * 8 - 1) * _value("airy_size", inverse)
    beyond = np.where(x < 0, waves, np.exp(-angle) * _value("airy_fall", inverse))
    found = np.where(size <= 2, _value("airy", x * 0.5), beyond / np.sqrt(np.pi * root))
    return np.where(np.isinf(x), np.nan, found)


#: By SciPy's names.
SERIES: dict[str, Callable[[ndarray], ndarray]] = {
    f"{letter}{order}{'e' * scaled}": partial(function, order, scaled)
    for letter, function in (("i", _first_kind), ("k", _second_kind)) for order in (0, 1)
    for scaled in (False, True)
} | {"airy": _airy}
