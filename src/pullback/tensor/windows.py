"""The windows of torch's top level: hann_window and its like, periodic unless asked otherwise.

A periodic window of n points is a symmetric one of n + 1 points without the last. They are computed in the
dtype asked for, halves too, whose rounding is torch's.
"""

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.deferred_import import import_later
from ..array.scipy_functions import special
from ..core.promotion import unsupported
from .creation import creator, numpy_dtype
from .operands import described
from .signature import OPTIONS

ranges = import_later("..array.ranges", __package__)

_Values = Callable[[ndarray, int], ndarray]

_CPP_NAMES = {
    "float64": "double", "float32": "float", "int64": "long int", "int32": "int", "int16": "short int",
    "int8": "signed char", "uint8": "unsigned char", "bool": "bool",
}


def _window(*further: str) -> Callable[[Callable[..., _Values]], Any]:
    """Declare a window by a function of its parameters that gives its values at points: 0, 1, … up to the
    last place of a symmetric window, and this place.
    """

    def declare(function: Callable[..., _Values]) -> Any:
        name = function.__name__

        @wraps(function)
        def make(window_length: int, periodic: bool = True, *, dtype: Any = None, **options: Any) -> ndarray:
            if (chosen := numpy_dtype(dtype)).kind in "biu":
                printed = _CPP_NAMES.get(chosen.name, chosen.name)
                raise RuntimeError(
                    f"{name} expects floating point dtypes, got: TensorOptions(dtype={printed}, device=cpu, "
                    "layout=Strided (default), requires_grad=false (default), pinned_memory=false, "
                    "memory_format=(nullopt))"
                )
            if window_length < 0:
                raise RuntimeError(
                    f"{name} requires non-negative window_length, got window_length={window_length}"
                )
            if window_length < 2:
                return np.ones(window_length, chosen)
            if chosen.kind in "cW":
                raise unsupported("arange_cpu", (), chosen)
            last = window_length if periodic else window_length - 1
            values = function(window_length, periodic, **options)
            return values(ranges.arange(0, 1, last + 1, chosen), last)[:window_length].copy()

        make.__doc__ = described(
            function.__doc__ or "", "window_length : int",
            "periodic : bool\n    n is the length of a periodic window, the length − 1 of a symmetric one.",
            *(f"{parameter} : {kind}" for kind, parameter in map(str.split, further)),
            "dtype : dtype, optional\n    Floating, by default the default dtype.", "requires_grad : bool",
            returns="Tensor of shape (window_length,)",
        )
        return creator(name, *_signatures(*further))(make)

    return declare


def _signatures(*further: str) -> tuple[str, ...]:
    """Return a length; a length and whether it is periodic; then each of further parameters."""
    given = ["int window_length", "int window_length, bool periodic"]
    for parameter in further:
        given.append(f"{given[-1]}, {parameter}")
    return tuple(f"({text}, *, {OPTIONS})" for text in given)


def _raised_cosine(points: ndarray, last: int, alpha: float, beta: float) -> ndarray:
    """Return α − β·cos(2πk/n)."""
    number = points.dtype.type
    return np.cos(points * number(2 * math.pi / last)) * number(-beta) + number(alpha)


@_window()
def hann_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> _Values:
    """Return Hann's window ``½ − ½·cos(2πk/n)``."""
    return lambda points, last: _raised_cosine(points, last, 0.5, 0.5)


@_window("float alpha", "float beta")
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None
) -> _Values:
    """Return Hamming's window ``α − β·cos(2πk/n)``."""
    return lambda points, last: _raised_cosine(points, last, alpha, beta)


@_window()
def bartlett_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> _Values:
    """Return Bartlett's triangle ``1 − |2k/n − 1|``."""

    def values(points: ndarray, last: int) -> ndarray:
        number = points.dtype.type
        rising = points * number(2 / last)
        return np.where(points <= last // 2, rising, number(2) - rising)

    return values


@_window()
def blackman_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> _Values:
    """Return the Blackman's window ``0.42 − 0.5·cos(2πk/n) + 0.08·cos(4πk/n)``."""

    def values(points: ndarray, last: int) -> ndarray:
        number = points.dtype.type
        angle = points * number(math.pi / last)
        slow, fast = np.cos(angle * number(2)), np.cos(angle * number(4))
        return fast * number(0.08) - slow * number(0.5) + number(0.42)

    return values


@_window("float beta")
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None
) -> _Values:
    """Return Kaiser's window ``I₀(β·√(1 − (2k/n − 1)²))/I₀(β)`` (I₀: DLMF 10.25.2)."""

    def values(points: ndarray, last: int) -> ndarray:
        i0 = special("i0")
        wide = points.astype(np.float32) if points.dtype.itemsize == 2 else points
        middle = wide.dtype.type(last / 2)
        place = (wide - middle) / middle
        root = np.sqrt(np.maximum(1 - place * place, 0))
        return (i0(wide.dtype.type(beta) * root) / i0(wide.dtype.type(beta))).astype(points.dtype)

    return values
