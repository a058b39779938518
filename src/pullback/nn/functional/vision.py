"""Images: pixel shuffles, patches, interpolation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...array.resize import Axis
from ...core.value import shape_of
from ...ops import vision as ops
from ...tensor.api import public
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d, avg_pool1d, avg_pool2d


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


def _pair(value: Any) -> tuple[int, int]:
    first, second = value if isinstance(value, Iterable) else (value, value)
    return int(first), int(second)


@public(namespace="nn.functional", method=False, out=False)
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Patches as columns: (N, C, H, W) -> (N, C·K·L, places)."""
    shape = shape_of(input)
    if len(shape) == 3:
        return unfold(input.unsqueeze(0), kernel_size, dilation, padding, stride).squeeze(0)
    return ops.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


@public(namespace="nn.functional", method=False, out=False)
def fold(
    input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Columns added to their places: (N, C·K·L, places) -> (N, C, H, W)."""
    if len(shape_of(input)) == 2:
        return fold(input.unsqueeze(0), output_size, kernel_size, dilation, padding, stride).squeeze(0)
    return ops.col2im(
        input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride)
    )


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


_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}
_NAMES = {"linear": "UpsampleLinear1D", "bilinear": "UpsampleBilinear2D", "trilinear": "UpsampleTrilinear3D"}


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
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[rank - 1](input, output)
    if mode in ("nearest", "nearest-exact"):
        kernel, name = mode, f"UpsampleNearest{'Exact' if mode.endswith('exact') else ''}{rank}D"
    elif _LINEAR.get(mode) == rank:
        kernel, name = "linear", _NAMES[mode]
    elif mode == "bicubic" and rank == 2:
        kernel, name = "cubic", "UpsampleBicubic2D"
    else:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {rank + 2}D) for the modes: "
            f"nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {mode})"
        )
    axes = tuple(
        Axis(n, o, kernel, bool(align_corners), bool(antialias), s)  # type: ignore[arg-type]  # the modes are checked above
        for n, o, s in zip(spatial, output, scales, strict=True)
    )
    return ops.resizes[name](input, axes)
