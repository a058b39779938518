"""Images: pixel shuffles, patches, interpolation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

from ...array import geometry
from ...array.resize import Axis
from ...core.value import shape_of
from ...ops import vision as ops
from ...tensor.api import public
from .pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
)


@public(method=False, out=False)
def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """(…, C·r², H, W) -> (…, C, H·r, W·r)."""
    shape = shape_of(input)
    if len(shape) < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {len(shape)} "
            "dimension(s)"
        )
    if upscale_factor <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {upscale_factor}")
    if shape[-3] % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
            f"upscale_factor, but input.size(-3)={shape[-3]} is not divisible by {upscale_factor**2}"
        )
    return ops.pixel_shuffle(input, int(upscale_factor))


@public(method=False, out=False)
def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """(…, C, H·r, W·r) -> (…, C·r², H, W)."""
    shape = shape_of(input)
    if len(shape) < 3:
        raise RuntimeError(
            f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {len(shape)} "
            "dimension(s)"
        )
    if downscale_factor <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {downscale_factor}")
    for axis, word in ((-2, "height"), (-1, "width")):
        if shape[axis] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {word} to be divisible by downscale_factor, but "
                f"input.size({axis})={shape[axis]} is not divisible by {downscale_factor}"
            )
    return ops.pixel_unshuffle(input, int(downscale_factor))


@public(method=False, out=False)
def channel_shuffle(input: Any, groups: int) -> Any:
    """(N, g·c, …) -> (N, c·g, …): the channels of every group in turn."""
    _check_groups(input, groups)
    return ops.channel_shuffle(input, int(groups))


@public(method=False, out=False)
def native_channel_shuffle(input: Any, groups: int) -> Any:
    """:func:`channel_shuffle` without a derivative, as torch has it."""
    _check_groups(input, groups)
    return ops.native_channel_shuffle(input, int(groups))


def _check_groups(input: Any, groups: int) -> None:
    """Raise torch's error for channels that do not divide into groups."""
    shape = shape_of(input)
    if len(shape) < 3:
        raise RuntimeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}"
        )
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    if shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups."
        )


def _pair(value: Any) -> tuple[int, int]:
    first, second = value if isinstance(value, Iterable) else (value, value)
    return int(first), int(second)


@public(namespace="nn.functional", method=False, out=False)
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Patches as columns: (N, C, H, W) -> (N, C·K·L, places)."""
    shape = shape_of(input)
    if len(shape) < 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got "
            f"{len(shape)})"
        )
    if len(shape) == 3:
        return unfold(input.unsqueeze(0), kernel_size, dilation, padding, stride).squeeze(0)
    kernel, dilations, paddings, strides = map(_pair, (kernel_size, dilation, padding, stride))
    blocks = geometry.output_size(shape[2:], kernel, strides, paddings, dilations)
    if min(blocks) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(shape[2:])}, kernel_size={kernel}, dilation={dilations}, "
            f"padding={paddings}, calculated shape of the array of sliding blocks as {blocks}, but its "
            "components must be at least one."
        )
    return ops.im2col(input, kernel, dilations, paddings, strides)


@public(namespace="nn.functional", method=False, out=False)
def fold(
    input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Columns added to their places: (N, C·K·L, places) -> (N, C, H, W)."""
    shape = shape_of(input)
    if len(shape) == 2:
        return fold(input.unsqueeze(0), output_size, kernel_size, dilation, padding, stride).squeeze(0)
    size, kernel, dilations, paddings, strides = map(
        _pair, (output_size, kernel_size, dilation, padding, stride)
    )
    if shape[1] % math.prod(kernel):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[1]} and kernel_size={kernel}."
        )
    rows, columns = geometry.output_size(size, kernel, strides, paddings, dilations)
    if rows * columns != shape[2]:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={dilations}, padding={paddings}, "
            f"stride={strides}, expected size of input's dimension 2 to match the calculated number of "
            f"sliding blocks {rows} * {columns} = {rows * columns}, but got input.size(2)={shape[2]}."
        )
    return ops.col2im(input, size, kernel, dilations, paddings, strides)


def _lp(x: Any, p: float, pooled: Any, count: int) -> Any:
    return (pooled.sign() * pooled.abs().relu()).mul(count).pow(1.0 / p)


@public(namespace="nn.functional", method=False, out=False)
def lp_pool1d(
    input: Any, norm_type: float, kernel_size: int, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """(Σ xᵖ)^(1/p) over windows of one axis."""
    pooled = avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _lp(input, norm_type, pooled, int(kernel_size))


@public(namespace="nn.functional", method=False, out=False)
def lp_pool2d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """(Σ xᵖ)^(1/p) over windows of two axes."""
    pooled = avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _lp(input, norm_type, pooled, math.prod(_pair(kernel_size)))


@public(namespace="nn.functional", method=False, out=False)
def lp_pool3d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """(Σ xᵖ)^(1/p) over windows of three axes."""
    pooled = avg_pool3d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    count = math.prod(kernel_size) if isinstance(kernel_size, Iterable) else int(kernel_size) ** 3
    return _lp(input, norm_type, pooled, count)


_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}
_NAMES = {"linear": "UpsampleLinear1D", "bilinear": "UpsampleBilinear2D", "trilinear": "UpsampleTrilinear3D"}


def _unsupported(rank: int, mode: str) -> NotImplementedError:
    wanted = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}.get(mode, rank)
    if 3 <= rank <= 5 and wanted != rank:
        return NotImplementedError(f"Got {rank}D input, but {mode} mode needs {wanted}D input")
    return NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {rank}D) for the modes: nearest | "
        f"linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


@public(namespace="nn.functional", method=False, out=False)
def interpolate(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Any:  # fmt: skip
    """Resample the spatial axes of (N, C, *spatial) to a size or by a factor.

    Parameters
    ----------
    mode : {"nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area"}
    align_corners : bool, optional
        For the linear and cubic modes: the corner elements keep their places.
    """
    if align_corners is not None and mode in ("nearest", "area", "nearest-exact"):
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
            "| trilinear"
        )
    spatial = shape_of(input)[2:]
    rank = len(spatial)
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None:
        output = tuple(int(n) for n in size) if isinstance(size, Iterable) else (int(size),) * rank
        scales: list[float | None] = [None] * rank
    else:
        factors = (
            [float(f) for f in scale_factor]
            if isinstance(scale_factor, Iterable)
            else [float(scale_factor)] * rank
        )
        output = tuple(math.floor(float(n) * f) for n, f in zip(spatial, factors, strict=True))
        scales = [None] * rank if recompute_scale_factor else list(factors)
    if len(output) != rank:
        raise ValueError(
            "Input and output must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {list(spatial)} and output size of {size}. Please provide input tensor in (N, C, "
            "d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format."
        )
    if not 1 <= rank <= 3:
        raise _unsupported(rank + 2, mode)
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[rank - 1](input, output)
    if mode in ("nearest", "nearest-exact"):
        kernel, name = mode, f"UpsampleNearest{'Exact' if mode.endswith('exact') else ''}{rank}D"
    elif _LINEAR.get(mode) == rank:
        kernel, name = "linear", _NAMES[mode]
    elif mode == "bicubic" and rank == 2:
        kernel, name = "cubic", "UpsampleBicubic2D"
    else:
        raise _unsupported(rank + 2, mode)
    axes = tuple(
        Axis(n, o, kernel, bool(align_corners), bool(antialias), s)  # type: ignore[arg-type]  # the modes are checked above
        for n, o, s in zip(spatial, output, scales, strict=True)
    )
    return ops.resizes[name](input, axes)


def _deprecated(name: str) -> None:
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.",
        UserWarning,
        stacklevel=4,
    )


@public(namespace="nn.functional", method=False, out=False)
def upsample(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:  # fmt: skip
    """The former name of :func:`interpolate`."""
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


@public(namespace="nn.functional", method=False, out=False)
def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """:func:`interpolate` in mode "nearest"."""
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


@public(namespace="nn.functional", method=False, out=False)
def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """:func:`interpolate` in mode "bilinear" with aligned corners."""
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
