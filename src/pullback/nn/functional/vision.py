"""Move and resample images: pixel shuffles, pools by norms, interpolation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from ...array.dtype_words import not_implemented
from ...array.dtypes import bfloat16
from ...array.resize import Axis
from ...core.value import TensorBase, dtype_of, shape_of
from ...core.warn import warn
from ...errors import argument_type
from ...ops import vision as ops
from ...tensor.api import public
from ...tensor.data import overflow
from ...tensor.signature import Parser
from ...tensor.sizes import integer, is_int
from .pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)


def _pixel_factor(name: str, word: str, input: Any, factor: Any) -> int:
    """Return the checked factor of a function that moves pixels between channels and places."""
    if (rank := len(shape_of(input))) < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {rank} dimension(s)"
        )
    if (factor := integer(name, word, 2, factor)) <= 0:
        raise RuntimeError(f"{name} expects a positive {word}, but got {factor}")
    return factor


@public(method=False, out=False)
def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Map (…, C·r², H, W) -> (…, C, H·r, W·r)."""
    shape = shape_of(input)
    upscale_factor = _pixel_factor("pixel_shuffle", "upscale_factor", input, upscale_factor)
    if shape[-3] % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
            f"upscale_factor, but input.size(-3)={shape[-3]} is not divisible by {upscale_factor**2}"
        )
    return ops.pixel_shuffle(input, upscale_factor)


@public(method=False, out=False)
def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """Map (…, C, H·r, W·r) -> (…, C·r², H, W)."""
    shape = shape_of(input)
    downscale_factor = _pixel_factor("pixel_unshuffle", "downscale_factor", input, downscale_factor)
    for axis, word in ((-2, "height"), (-1, "width")):
        if shape[axis] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {word} to be divisible by downscale_factor, but "
                f"input.size({axis})={shape[axis]} is not divisible by {downscale_factor}"
            )
    return ops.pixel_unshuffle(input, downscale_factor)


@public(method=False, out=False)
def channel_shuffle(input: Any, groups: int) -> Any:
    """Map (N, g·c, …) -> (N, c·g, …): the channels of every group in turn."""
    return ops.channel_shuffle(input, _checked_groups("channel_shuffle", input, groups))


@public(method=False, out=False)
def native_channel_shuffle(input: Any, groups: int) -> Any:
    """Return :func:`channel_shuffle` without a derivative, as torch has it."""
    return ops.native_channel_shuffle(input, _checked_groups("native_channel_shuffle", input, groups))


def _checked_groups(name: str, input: Any, groups: int) -> int:
    """Return the number of groups; raise torch's error for channels that do not divide into them."""
    shape = shape_of(input)
    groups = integer(name, "groups", 2, groups)
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
    return groups


def _pair(value: Any) -> tuple[int, int]:
    first, second = value if isinstance(value, Iterable) else (value, value)
    return int(first), int(second)


def _largest(x: Any, p: Any, pool: Callable[..., Any], *window: Any) -> Any:
    """Return the pool of an infinite order, that of the largest or least magnitude; None of other orders."""
    if not isinstance(p, int | float) or not math.isinf(p):
        return None
    found = pool(x.abs() if p > 0 else -x.abs(), *window[:2], 0, 1, window[2])
    return found if p > 0 else -found


def _lp(p: float, pooled: Any, count: int) -> Any:
    return (pooled.sign() * pooled.abs().relu()).mul(count).pow(1.0 / p)


@public(namespace="nn.functional", method=False, out=False)
def lp_pool1d(
    input: Any, norm_type: float, kernel_size: int, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """Return (Σ xᵖ)^(1/p) over windows of one axis."""
    if (found := _largest(input, norm_type, max_pool1d, kernel_size, stride, ceil_mode)) is not None:
        return found
    pooled = avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    if not is_int(kernel_size):
        raise argument_type("mul", "other", 1, "Tensor", kernel_size)
    return _lp(norm_type, pooled, int(kernel_size))


@public(namespace="nn.functional", method=False, out=False)
def lp_pool2d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """Return (Σ xᵖ)^(1/p) over windows of two axes."""
    count = math.prod(_pair(kernel_size))
    if (found := _largest(input, norm_type, max_pool2d, kernel_size, stride, ceil_mode)) is not None:
        return found
    pooled = avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _lp(norm_type, pooled, count)


@public(namespace="nn.functional", method=False, out=False)
def lp_pool3d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """Return (Σ xᵖ)^(1/p) over windows of three axes."""
    if (found := _largest(input, norm_type, max_pool3d, kernel_size, stride, ceil_mode)) is not None:
        return found
    pooled = avg_pool3d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    count = math.prod(kernel_size) if isinstance(kernel_size, Iterable) else int(kernel_size) ** 3
    return _lp(norm_type, pooled, count)


_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}
_NAMES = {
    "linear": "UpsampleLinear1D", "bilinear": "UpsampleBilinear2D", "trilinear": "UpsampleTrilinear3D",
    "bicubic": "UpsampleBicubic2D", "lanczos": "UpsampleLanczos2D",
}  # fmt: skip
_KERNELS = {"bicubic": "cubic", "lanczos": "lanczos"}


def _unsupported(rank: int, mode: Any) -> NotImplementedError:
    modes = {"linear": 3, "bilinear": 4, "trilinear": 5}
    wanted = modes.get(mode, rank) if isinstance(mode, str) else rank
    if 3 <= rank <= 5 and wanted != rank:
        return NotImplementedError(f"Got {rank}D input, but {mode} mode needs {wanted}D input")
    return NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {rank}D) for the modes: nearest | "
        f"linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


def _resized(
    rank: int, spatial: tuple[int, ...], size: Any, scale_factor: Any, recompute: bool | None
) -> tuple[Any, Any]:
    """Return the output's size or the factors, of which one is None, as torch passes them on; torch's errors
    where they do not fit. `rank` is negative where there is less than a batch of channels.
    """
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    name, axes = ("size", "o") if scale_factor is None else ("scale_factor", "s")
    given = size if scale_factor is None else scale_factor
    values = given if isinstance(given, list | tuple) else [given] * rank
    if values is given and len(values) != rank:
        shown, of = (f"output size of {given}", "output size") if name == "size" else (
            f"scale_factor of shape {given}", "scale_factor"
        )
        raise ValueError(
            f"Input and {'output' if name == 'size' else name} must have the same number of spatial "
            f"dimensions, but got input with spatial dimensions of {list(spatial)} and {shown}. Please "
            f"provide input tensor in (N, C, d1, d2, ...,dK) format and {of} in ({axes}1, {axes}2, "
            f"...,{axes}K) format."
        )
    if scale_factor is None:
        if values is given and not all(map(_is_whole, values)):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], "
                f"but got size with types {[type(v) for v in values]}"
            )
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return values, None
    if recompute:
        return [math.floor(float(n) * f) for n, f in zip(spatial, values, strict=True)], None
    return None, values


def _is_whole(value: Any) -> bool:
    return dtype_of(value).kind in "iu" if isinstance(value, TensorBase) else isinstance(value, int)


@cache
def _upsampling(mode: str, antialias: bool, rank: int) -> Parser:
    """Return the parser of the arguments of the function behind a mode."""
    exact = mode == "nearest-exact"
    kind = "nearest_exact" if exact else mode
    name = f"{'_' if exact or antialias else ''}upsample_{kind}{rank}d{'_aa' if antialias else ''}"
    corners = "" if mode.startswith("nearest") else "bool align_corners, "
    scales = ["scales"] if rank == 1 else [f"scales_{axis}" for axis in "dhw"[-rank:]]
    each = ", ".join(f"float {scale} = None" for scale in scales)
    return Parser(
        name, f"(Tensor input, tuple of ints? output_size, {corners}tuple of floats? scale_factors)",
        f"(Tensor input, tuple of ints output_size, {corners}{each}, *, Tensor out = None)",
    )


def _passed_on(
    input: Any, mode: str, antialias: bool, align_corners: Any, size: Any, factors: Any
) -> tuple[tuple[int, ...], list[float | None]]:
    """Return the output's size, and the factors if they decide the places, as the inner function wants."""
    spatial = shape_of(input)[2:]
    corners = () if mode.startswith("nearest") else (False if align_corners is None else align_corners,)
    parser = _upsampling(mode, antialias, len(spatial))
    if (given := parser.signatures[0].match((input, size, *corners, factors), {})) is None:
        raise parser.rejected((input, size, *corners, factors), {})
    if factors is None:
        return given["output_size"], [None] * len(spatial)
    output = []
    for n, factor in zip(spatial, given["scale_factors"], strict=True):
        if not math.isfinite(factor):
            raise overflow("int64_t")
        output.append(math.floor(float(n) * factor))
    return tuple(output), [*given["scale_factors"]]


def _check_resize(
    input: Any, mode: str, antialias: bool, spatial: tuple[int, ...], output: tuple[int, ...]
) -> None:
    """Raise torch's error for sizes of nothing and for dtypes that it does not resample."""
    if min(output) <= 0 or min(spatial) <= 0:
        def shown(sizes: tuple[int, ...]) -> str:
            return ", ".join(f"{a}: {n}" for a, n in zip("DHW"[-len(sizes) :], sizes, strict=True))

        # torch's kernels of one axis say it with one word more.
        joined = "and " if len(spatial) == 1 else ""
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({shown(spatial)}) "
            f"{joined}output ({shown(output)})"
        )
    dtype, rank = dtype_of(input), len(spatial)
    nearest = mode.startswith("nearest")
    floating = (dtype.kind == "f" and dtype.itemsize > 1) or dtype == bfloat16.numpy
    if floating or (dtype.name == "uint8" and (rank == 2 or nearest)):
        return
    if antialias:
        kernel = "compute_index_ranges_weights"
    elif rank == 2 and mode != "bicubic":
        kernel = f"upsample_{'nearest' if nearest else mode}2d_channels_last"
    else:
        kernel = f"compute_indices_weights_{'nearest' if nearest else _KERNELS.get(mode, 'linear')}"
    raise not_implemented(kernel, dtype)


@public(namespace="nn.functional", method=False, out=False)
def interpolate(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Any:  # fmt: skip
    """Resample the spatial axes of (N, C, *spatial) to a size or by a factor.

    Parameters
    ----------
    size : int or sequence of int, optional
    scale_factor : float or sequence of float, optional
        One of both is wanted; the size is the input's times the factor, rounded down.
    mode : {"nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "lanczos", "area"}
        "linear" for one spatial axis, "bilinear", "bicubic" and "lanczos" for two, "trilinear" for three.
    align_corners : bool, optional
        For the linear and cubic modes: the corner elements keep their places.
    recompute_scale_factor : bool, optional
        Take the quotient of the sizes for the factor.
    antialias : bool
        Widen the kernel where the output is smaller; for "bilinear", "bicubic" and "lanczos".

    Returns
    -------
    tensor
        (N, C, *size).
    """
    if align_corners is not None and mode in ("nearest", "area", "nearest-exact"):
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
            "| trilinear"
        )
    rank = input.dim() - 2
    spatial = shape_of(input)[2:]
    size, factors = _resized(
        rank, spatial, size, scale_factor,
        recompute_scale_factor or (mode == "area" and scale_factor is not None and size is None),
    )  # fmt: skip
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and rank == 2):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D "
            "tensor as input"
        )
    if mode == "lanczos" and rank == 2 and not antialias:
        raise ValueError("Lanczos mode requires antialias=True")
    if not 1 <= rank <= 3:
        raise _unsupported(rank + 2, mode)
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[rank - 1](input, size)
    if mode in ("nearest", "nearest-exact"):
        kernel, name = mode, f"UpsampleNearest{'Exact' if mode.endswith('exact') else ''}{rank}D"
    elif not isinstance(mode, str):
        raise _unsupported(rank + 2, mode)
    elif _LINEAR.get(mode) == rank or (mode in _KERNELS and rank == 2):
        kernel, name = _KERNELS.get(mode, "linear"), _NAMES[mode] + ("Aa" if antialias else "")
    else:
        raise _unsupported(rank + 2, mode)
    output, scales = _passed_on(input, mode, antialias, align_corners, size, factors)
    _check_resize(input, mode, antialias, spatial, output)
    axes = tuple(
        Axis(n, o, kernel, bool(align_corners), bool(antialias), s)  # type: ignore[arg-type]  # the modes are checked above
        for n, o, s in zip(spatial, output, scales, strict=True)
    )
    return ops.resizes[name](input, axes)


def _deprecated(name: str) -> None:
    warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.")


@public(namespace="nn.functional", method=False, out=False)
def upsample(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:  # fmt: skip
    """Return the former name of :func:`interpolate`."""
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


@public(namespace="nn.functional", method=False, out=False)
def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """Return :func:`interpolate` in mode "nearest"."""
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


@public(namespace="nn.functional", method=False, out=False)
def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """Return :func:`interpolate` in mode "bilinear" with aligned corners."""
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
