"""Transforms as pocketfft of SciPy has them: by public functions of SciPy, or by NumPy where missing."""


import numpy as np
from numpy import ndarray

from ..array import scipy_functions

_library = scipy_functions.fft()
#: The names of the normalisations 0, 1 and 2, for transforms with the exponent's minus and plus.
FORWARD = ("backward", "ortho", "forward")
INVERSE = ("forward", "ortho", "backward")


def c2c(x: ndarray, axes: object, forward: bool, normalization: int, out: None, threads: int) -> ndarray:
    """Return the transform of complex values, with the exponent's minus where `forward`."""
    function, norms = (_library.fftn, FORWARD) if forward else (_library.ifftn, INVERSE)
    return np.ascontiguousarray(function(x, axes=axes, norm=norms[normalization]))


def r2c(x: ndarray, axes: object, forward: bool, normalization: int, out: None, threads: int) -> ndarray:
    """Return the frequencies 0 … N/2 of real values."""
    found = _library.rfftn(x, axes=axes, norm=FORWARD[normalization])
    return np.ascontiguousarray(found)


def c2r(
    x: ndarray, axes: object, size: int, forward: bool, normalization: int, out: None, threads: int
) -> ndarray:
    """Return the real values that have these frequencies."""
    norm = INVERSE[normalization]
    found = _library.irfftn(x, (size,), axes=axes, norm=norm)
    return np.ascontiguousarray(found)
