"""Convolution (`kernels`), maximum pools (`pooling`) and batch norm (`channels`) in native code: generated
kernels, forward and for the covectors.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy import ndarray

from ....array.named_tuples import NamedTuple
from ...runtime.shared_kernels import address
from . import channels, pooling
from .channels import ChannelShape
from .kernels import correlation, shape_of, weight
from .plan import Shape
from .pooling import PoolShape, pool_shape


class Convolution(NamedTuple):
    """The kernels of convolutions of one shape but for the number of images, on contiguous arrays."""

    shape: Shape

    @classmethod
    @functools.lru_cache(maxsize=512)
    def of(
        cls, x: Sequence[int], w: Sequence[int], y: Sequence[int], dtype: np.dtype, stride: Sequence[int],
        padding: Sequence[int], dilation: Sequence[int], groups: int,
    ) -> Convolution | None:  # fmt: skip
        """Return those of arrays of these shapes, images apart; None where there are none."""
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


class Pools(NamedTuple):
    """The kernels of maximum pools of contiguous planes of one size."""

    shape: PoolShape

    @classmethod
    @functools.lru_cache(maxsize=512)
    def of(
        cls, size: tuple[int, ...], output: tuple[int, ...], dtype: np.dtype, kernel: tuple[int, ...],
        stride: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...],
    ) -> Pools | None:  # fmt: skip
        """Return those of planes of these sizes; None where there are none."""
        shape = pool_shape(size, output, dtype, kernel, stride, padding, dilation)
        return None if shape is None else cls(shape)

    def maxima(self, x: ndarray, values: ndarray, winners: ndarray) -> None:
        """Write the largest elements under the windows, and which taps they are under."""
        kernel = pooling.maxima(self.shape)
        kernel(_planes(x), address(x), address(values), address(winners))

    def spread(self, y: ndarray, winners: ndarray, x: ndarray) -> None:
        """Write each y added to the place of its window's winner into x."""
        kernel = pooling.spread(self.shape)
        kernel(_planes(x), address(y), address(winners), address(x))


def _planes(x: ndarray) -> int:
    return x.shape[0] * x.shape[1]


class Channels(NamedTuple):
    """Batch norm in training of contiguous arrays of one shape."""

    shape: ChannelShape

    @classmethod
    @functools.lru_cache(maxsize=512)
    def of(cls, images: int, channels: int, places: int, dtype: np.dtype) -> Channels | None:
        """Return those of arrays ``(images, channels, places)``; None where there are none."""
        if dtype not in (np.float32, np.float64) or not images * channels * places:
            return None
        return cls(ChannelShape("float" if dtype == np.float32 else "double", images, channels, places))

    def forward(
        self, x: ndarray, weight: ndarray | None, bias: ndarray | None, eps: float, results: Sequence[ndarray]
    ) -> None:
        """Write (out, mean, 1 / √(variance + eps), variance)."""
        kernel = channels.forward(self.shape, eps, weight is not None, bias is not None)
        kernel(self.shape.units(), *map(address, (x, weight, bias, *results)))

    def backward(
        self, g: ndarray, x: ndarray, weight: ndarray | None, mean: ndarray, invstd: ndarray,
        results: Sequence[ndarray],
    ) -> None:  # fmt: skip
        """Write the covectors of x, weight and bias, the statistics being those of x."""
        kernel = channels.backward(self.shape, weight is not None)
        kernel(self.shape.units(), *map(address, (g, x, weight, mean, invstd, *results)))
