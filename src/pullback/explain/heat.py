"""Lay an array out as a picture of colours: in its own shape, a large one reduced to what can be seen."""

from dataclasses import dataclass

import numpy as np
from numpy import ndarray

from .shown import Plain, widened

#: Rows and columns of the largest picture.
MOST_ROWS = 48
MOST_COLUMNS = 64

#: Elements of the largest array that is looked at.
LARGEST = 4_000_000


@dataclass(frozen=True)
class Heat(Plain):
    """An array as a matrix of colours.

    Attributes
    ----------
    cells : ndarray
        Of each cell the element of largest magnitude, with its sign.
    block : (int, int)
        Rows and columns of elements in a cell.
    tile : (int, int) or None
        Rows and columns of one kernel of a convolution, where the matrix is made of such.
    """

    cells: ndarray
    block: tuple[int, int]
    tile: tuple[int, int] | None


def heat(array: ndarray) -> Heat | None:
    """Return an array as a picture; None where it is empty or too large to be looked at.

    A vector is one row. Kernels of shape ``(out, in, h, w)`` are put side by side, with a row of kernels for
    each output channel.
    """
    if not 0 < array.size <= LARGEST:
        return None
    wide = widened(array)
    if wide.dtype.kind == "c":
        wide = np.abs(wide)
    matrix, tile = _matrix(wide)
    rows, columns = matrix.shape
    block = -(-rows // MOST_ROWS), -(-columns // MOST_COLUMNS)
    if block != (1, 1):
        tile = None
        height, width = -(-rows // block[0]), -(-columns // block[1])
        padded = np.zeros((height * block[0], width * block[1]))
        padded[:rows, :columns] = matrix
        parts = padded.reshape(height, block[0], width, block[1]).swapaxes(1, 2).reshape(height, width, -1)
        matrix = np.take_along_axis(parts, np.abs(parts).argmax(-1)[..., None], -1)[..., 0]
    return Heat(_short(matrix), block, tile)


def _matrix(array: ndarray) -> tuple[ndarray, tuple[int, int] | None]:
    if array.ndim < 2:
        return array.reshape(1, -1), None
    if array.ndim == 2:
        return array, None
    if array.ndim == 3:
        out, into, width = array.shape
        return array.reshape(out, into * width), (1, width)
    if array.ndim == 4:
        out, into, height, width = array.shape
        return array.swapaxes(1, 2).reshape(out * height, into * width), (height, width)
    return array.reshape(array.shape[0], -1), None


def _short(matrix: ndarray) -> ndarray:
    """Return the numbers rounded to three digits, which colours do not show the rest of."""
    with np.errstate(all="ignore"):
        digits = 2 - np.floor(np.log10(np.abs(matrix)))
        factor = 10.0 ** np.where(np.isfinite(digits), digits, 0)
        rounded = np.round(matrix * factor) / factor
    return np.where(np.isfinite(rounded), rounded, matrix)
