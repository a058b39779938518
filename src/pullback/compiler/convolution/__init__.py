"""Convolution in native code: generated kernels, forward and for both covectors (`kernels`)."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy import ndarray

from ..apart import address
from .kernels import correlation, shape_of, weight
from .plan import Shape


class Convolution:
    """The kernels of convolutions of one shape but for the number of images, on contiguous arrays.

    Parameters
    ----------
    shape : Shape
    """

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    @classmethod
    @functools.lru_cache(maxsize=512)
    def of(
        cls, x: Sequence[int], w: Sequence[int], y: Sequence[int], dtype: np.dtype, stride: Sequence[int],
        padding: Sequence[int], dilation: Sequence[int], groups: int,
    ) -> Convolution | None:  # fmt: skip
        """Those of arrays of these shapes, images apart; None where there are none."""
        shape = shape_of(x, w, y, dtype, stride, padding, dilation, groups)
        return None if shape is None else cls(shape)

    def forward(self, x: ndarray, w: ndarray, bias: ndarray | None, y: ndarray) -> None:
        """Write conv(x, w) + bias into y."""
        kernel = correlation(self.shape, False, bias is not None)
        kernel(len(x), address(x), address(w), address(bias), address(y))

    def transpose(self, y: ndarray, w: ndarray, x: ndarray) -> None:
        """Write conv_transpose(y, w) into x."""
        correlation(self.shape, True, False)(len(y), address(y), address(w), 0, address(x))

    def weight(self, x: ndarray, y: ndarray, w: ndarray) -> None:
        """Write conv_weight(x, y) into w."""
        weight(self.shape)(len(x), address(x), address(y), address(w))
