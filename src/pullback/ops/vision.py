"""Rearrangements and resampling of images: pixel shuffles, patches as columns, interpolation. All
are linear.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy import ndarray

from ..array import resize as kernels
from ..array.layout import following_channels
from ..array.resize import Axis
from ..core.op import Call, op
from .pool import folded

Sizes = tuple[int, ...]


def _shuffle(x: ndarray, /, factor: int) -> ndarray:
    *lead, c, h, w = x.shape
    rank = len(lead)
    y = x.reshape(*lead, c // factor**2, factor, factor, h, w)
    order = (*range(rank + 1), rank + 3, rank + 1, rank + 4, rank + 2)
    return y.transpose(order).copy().reshape(*lead, c // factor**2, h * factor, w * factor)


def _unshuffle(x: ndarray, /, factor: int) -> ndarray:
    *lead, c, h, w = x.shape
    rank = len(lead)
    y = x.reshape(*lead, c, h // factor, factor, w // factor, factor)
    order = (*range(rank + 1), rank + 2, rank + 4, rank + 1, rank + 3)
    return y.transpose(order).copy().reshape(*lead, c * factor**2, h // factor, w // factor)


#: (…, C·r², H, W) -> (…, C, H·r, W·r) (Shi et al. 2016, eq. 4).
pixel_shuffle: Call = op(
    "pixel_shuffle", _shuffle, (lambda g, factor: pixel_unshuffle(g, factor),), kind="linear",
    batch=lambda size, factor: (factor,), place=following_channels,
)  # fmt: skip
#: The inverse of `pixel_shuffle`.
pixel_unshuffle: Call = op(
    "pixel_unshuffle", _unshuffle, (lambda g, factor: pixel_shuffle(g, factor),), kind="linear",
    batch=lambda size, factor: (factor,), place=following_channels,
)  # fmt: skip


def _channel_shuffle(x: ndarray, /, groups: int) -> ndarray:
    n, c, *size = x.shape
    shuffled = np.empty((n, c // groups, groups, *size), x.dtype)
    shuffled[...] = x.reshape(n, groups, c // groups, *size).swapaxes(1, 2)
    return shuffled.reshape(x.shape)


#: (N, g·c, …) -> (N, c·g, …): the channels of every group in turn.
channel_shuffle: Call = op(
    "channel_shuffle", _channel_shuffle,
    (lambda g, shape_x, groups: channel_shuffle(g, shape_x[1] // groups),), kind="linear",
    batch_rule=folded(lambda: channel_shuffle), place=following_channels,
)  # fmt: skip


#: The same without a derivative.
native_channel_shuffle: Call = op(
    "native_channel_shuffle", _channel_shuffle, underivable="native_channel_shuffle",
    batch_rule=folded(lambda: native_channel_shuffle), place=following_channels,
)  # fmt: skip


def _patches(x: ndarray, kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> ndarray:
    """Return a view (N, C, K, L, H', W') of a padded x."""
    height, width = (
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, d, p, s in zip(x.shape[2:], kernel, dilation, padding, stride, strict=True)
    )
    n, c, h, w = x.strides
    shape = (*x.shape[:2], *kernel, height, width)
    strides = (n, c, h * dilation[0], w * dilation[1], h * stride[0], w * stride[1])
    return np.lib.stride_tricks.as_strided(x, shape, strides)


def _box(x: ndarray, padding: Sizes) -> ndarray:
    return np.pad(x, ((0, 0), (0, 0), *((p, p) for p in padding))) if any(padding) else x


def _im2col(x: ndarray, /, kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> ndarray:
    images = x.reshape(-1, *x.shape[-3:])
    patches = np.array(_patches(_box(images, padding), kernel, dilation, (0, 0), stride), order="C")
    return patches.reshape(*x.shape[:-3], x.shape[-3] * math.prod(kernel), math.prod(patches.shape[4:]))


def _col2im(
    y: ndarray, /, size: Sizes, kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes
) -> ndarray:
    images, channels = math.prod(y.shape[:-2]), y.shape[-2] // (kernel[0] * kernel[1])
    box = np.zeros((images, channels, *(n + 2 * p for n, p in zip(size, padding, strict=True))), y.dtype)
    patches = _patches(box, kernel, dilation, (0, 0), stride)
    source = y.reshape(patches.shape)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            patches[:, :, i, j] += source[:, :, i, j]
    inner = box[:, :, padding[0] : padding[0] + size[0], padding[1] : padding[1] + size[1]]
    return np.ascontiguousarray(inner).reshape(*y.shape[:-2], channels, *size)


#: Patches of (N, C, H, W), or without N, as columns (N, C·K·L, places).
im2col: Call = op(
    "im2col", _im2col,
    (
        lambda g, shape_x, kernel, dilation, padding, stride: col2im(
            g, shape_x[-2:], kernel, dilation, padding, stride
        ),
    ),
    kind="linear", node_name="Im2ColBackward0", batch_rule=folded(lambda: im2col),
)  # fmt: skip
#: Columns added to their places: the transpose of `im2col`.
col2im: Call = op(
    "col2im", _col2im,
    (lambda g, kernel, dilation, padding, stride: im2col(g, kernel, dilation, padding, stride),),
    kind="linear", node_name="Col2ImBackward0", batch_rule=folded(lambda: col2im),
)  # fmt: skip


#: Resampling by mode and number of spatial axes.
resizes: dict[str, Call] = {}


def _declare_resize(node_name: str) -> None:
    name = node_name.removesuffix("Backward0")
    resizes[name] = op(
        name, lambda x, /, axes: kernels.resize(x, axes), (lambda g, axes: resize_adjoint(g, axes),),
        kind="linear", node_name=node_name,
        batch_rule=folded(lambda: resizes[name]), place=following_channels,
    )  # fmt: skip


for _rank in (1, 2, 3):
    _declare_resize(f"UpsampleNearest{_rank}DBackward0")
    _declare_resize(f"UpsampleNearestExact{_rank}DBackward0")
for _name in (
    "UpsampleLinear1D", "UpsampleBilinear2D", "UpsampleTrilinear3D", "UpsampleBicubic2D",
    "UpsampleBilinear2DAa", "UpsampleBicubic2DAa", "UpsampleLanczos2DAa",
):  # fmt: skip
    _declare_resize(_name + "Backward0")

#: The transpose of every resampling.
resize_adjoint: Call = op(
    "resize_adjoint",
    lambda y, /, axes: kernels.resize_adjoint(y, axes),
    (lambda g, axes: _forward(axes)(g, axes),), kind="linear",
    node_name="UpsampleBackwardBackward0", batch_rule=folded(lambda: resize_adjoint),
)  # fmt: skip


def _forward(axes: Sequence[Axis]) -> Call:
    """Resample that many axes in any way: what the axes say decides the values, the name only the node."""
    return resizes[f"UpsampleNearest{len(axes)}D"]
