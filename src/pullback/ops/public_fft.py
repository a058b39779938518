"""Transforms as SciPy's pocketfft has them, by SciPy's public functions: for a SciPy without that module."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft
from numpy import ndarray

#: The names of the normalisations 0, 1 and 2, for transforms with the exponent's minus and plus.
FORWARD = ("backward", "ortho", "forward")
INVERSE = ("forward", "ortho", "backward")


def c2c(x: ndarray, axes: Any, forward: bool, normalization: int, out: None, threads: int) -> ndarray:
    """Return the transform of complex values, with the exponent's minus where `forward`."""
    function, norms = (scipy.fft.fftn, FORWARD) if forward else (scipy.fft.ifftn, INVERSE)
    return np.ascontiguousarray(function(x, axes=axes, norm=norms[normalization], workers=threads))


def r2c(x: ndarray, axes: Any, forward: bool, normalization: int, out: None, threads: int) -> ndarray:
    """Return the frequencies 0 … N/2 of real values."""
    found = scipy.fft.rfftn(x, axes=axes, norm=FORWARD[normalization], workers=threads)
    return np.ascontiguousarray(found)


def c2r(
    x: ndarray, axes: Any, size: int, forward: bool, normalization: int, out: None, threads: int
) -> ndarray:
    """Return the real values that have these frequencies."""
    norm = INVERSE[normalization]
    found = scipy.fft.irfftn(x, (size,), axes=axes, norm=norm, workers=threads)
    return np.ascontiguousarray(found)
