"""The windows of torch's top level: hann_window and its like, periodic unless asked otherwise.

A periodic window of n points is a symmetric one of n + 1 points without the last. They are computed in the
dtype asked for, halves too, whose rounding is torch's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.ranges import arange
from ..core.graph_errors import type_word
from ..ops.kernels import scipy_function
from .creation import check_options, creator, made, numpy_dtype
from .signature import OPTIONS

_CPP_NAMES = {
    "float64": "double", "float32": "float", "int64": "long int", "int32": "int", "int16": "short int",
    "int8": "signed char", "uint8": "unsigned char", "bool": "bool",
}


def _window(
    name: str, window_length: int, periodic: bool, values: Callable[[ndarray, int], ndarray], dtype: Any,
    device: Any, pin_memory: bool, requires_grad: bool,
) -> Any:
    """A tensor of the values at 0, 1, … of a symmetric window; `values` gets these points and the last."""
    check_options(name, device, pin_memory)
    chosen = numpy_dtype(dtype)
    if chosen.kind in "biu":
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
        return made(np.ones(window_length, chosen), requires_grad)
    if chosen.kind in "cW":
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{type_word(chosen)}'")
    last = window_length if periodic else window_length - 1
    points = arange(0, 1, last + 1, chosen)
    return made(values(points, last)[:window_length].copy(), requires_grad)


def _signatures(*further: str) -> tuple[str, ...]:
    """A length; a length and whether it is periodic; then each of further parameters."""
    given = ["int window_length", "int window_length, bool periodic"]
    for parameter in further:
        given.append(f"{given[-1]}, {parameter}")
    return tuple(f"({text}, *, {OPTIONS})" for text in given)


def _raised_cosine(points: ndarray, last: int, alpha: float, beta: float) -> ndarray:
    """α − β·cos(2πk/n)."""
    number = points.dtype.type
    return np.cos(points * number(2 * math.pi / last)) * number(-beta) + number(alpha)


@creator("hann_window", *_signatures())
def hann_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """Hann's window ``½ − ½·cos(2πk/n)``.

    Parameters
    ----------
    window_length : int
    periodic : bool
        n is the length of a periodic window, the length − 1 of a symmetric one.
    dtype : dtype, optional
        Floating, by default the default dtype.
    requires_grad : bool

    Returns
    -------
    Tensor of shape (window_length,)
    """
    return _window(
        "hann_window", window_length, periodic, lambda k, n: _raised_cosine(k, n, 0.5, 0.5), dtype, device,
        pin_memory, requires_grad,
    )


@creator("hamming_window", *_signatures("float alpha", "float beta"))
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None,
    layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """Hamming's window ``α − β·cos(2πk/n)``.

    Parameters
    ----------
    window_length : int
    periodic : bool
        n is the length of a periodic window, the length − 1 of a symmetric one.
    alpha, beta : float
    dtype : dtype, optional
        Floating, by default the default dtype.
    requires_grad : bool

    Returns
    -------
    Tensor of shape (window_length,)
    """
    return _window(
        "hamming_window", window_length, periodic, lambda k, n: _raised_cosine(k, n, alpha, beta), dtype,
        device, pin_memory, requires_grad,
    )


@creator("bartlett_window", *_signatures())
def bartlett_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """Bartlett's triangle ``1 − |2k/n − 1|``.

    Parameters
    ----------
    window_length : int
    periodic : bool
        n is the length of a periodic window, the length − 1 of a symmetric one.
    dtype : dtype, optional
        Floating, by default the default dtype.
    requires_grad : bool

    Returns
    -------
    Tensor of shape (window_length,)
    """

    def values(points: ndarray, last: int) -> ndarray:
        number = points.dtype.type
        rising = points * number(2 / last)
        return np.where(points <= last // 2, rising, number(2) - rising)

    return _window(
        "bartlett_window", window_length, periodic, values, dtype, device, pin_memory, requires_grad
    )


@creator("blackman_window", *_signatures())
def blackman_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """Blackman's window ``0.42 − 0.5·cos(2πk/n) + 0.08·cos(4πk/n)``.

    Parameters
    ----------
    window_length : int
    periodic : bool
        n is the length of a periodic window, the length − 1 of a symmetric one.
    dtype : dtype, optional
        Floating, by default the default dtype.
    requires_grad : bool

    Returns
    -------
    Tensor of shape (window_length,)
    """

    def values(points: ndarray, last: int) -> ndarray:
        number = points.dtype.type
        angle = points * number(math.pi / last)
        slow, fast = np.cos(angle * number(2)), np.cos(angle * number(4))
        return fast * number(0.08) - slow * number(0.5) + number(0.42)

    return _window(
        "blackman_window", window_length, periodic, values, dtype, device, pin_memory, requires_grad
    )


@creator("kaiser_window", *_signatures("float beta"))
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """Kaiser's window ``I₀(β·√(1 − (2k/n − 1)²))/I₀(β)`` (I₀: DLMF 10.25.2).

    Parameters
    ----------
    window_length : int
    periodic : bool
        n is the length of a periodic window, the length − 1 of a symmetric one.
    beta : float
        β.
    dtype : dtype, optional
        Floating, by default the default dtype.
    requires_grad : bool

    Returns
    -------
    Tensor of shape (window_length,)
    """

    def values(points: ndarray, last: int) -> ndarray:
        i0 = scipy_function("i0")
        wide = points.astype(np.float32) if points.dtype.itemsize == 2 else points
        middle = wide.dtype.type(last / 2)
        place = (wide - middle) / middle
        root = np.sqrt(np.maximum(1 - place * place, 0))
        return (i0(wide.dtype.type(beta) * root) / i0(wide.dtype.type(beta))).astype(points.dtype)

    return _window(
        "kaiser_window", window_length, periodic, values, dtype, device, pin_memory, requires_grad
    )
