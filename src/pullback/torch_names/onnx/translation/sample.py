"""Tell of pools, resampling and grids: what reads images at other places than their pixels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....array.pool import Windows
from ....array.resize import Axis
from ....array.sampler import Sampler
from ...export.varying import Varying
from ..builder import Graph, Operand
from ..rules import RULES, Unsupported, rule


def _places(windows: Windows) -> dict[str, Any]:
    return {
        "kernel_shape": [*windows.kernel], "strides": [*windows.stride],
        "pads": [*windows.padding, *windows.padding], "ceil_mode": int(windows.ceil_mode),
    }  # fmt: skip


@rule("max_pool_2d", "max_pool_3d")
def _max_pool(g: Graph, x: Operand, windows: Windows) -> Any:
    # The second result says which tap won; `winner_indices` makes places of ONNX's, which count all images.
    return g.node("MaxPool", x, dilations=[*windows.dilation], **_places(windows), outputs=2)


@rule("winner_indices")
def _winner_indices(g: Graph, winners: Operand, windows: Windows, size: Sequence[Any]) -> Any:
    plane: Any = g.constant(1, np.int64)
    for n in size:
        plane = g.node("Mul", plane, g.scalar(n))
    return g.node("Mod", winners, plane)


@rule("avg_pool_2d", "avg_pool_3d")
def _avg_pool(g: Graph, x: Operand, windows: Windows, count_include_pad: bool, divisor: Any) -> Any:
    if divisor is None:
        return g.node("AveragePool", x, count_include_pad=int(count_include_pad), **_places(windows))
    if windows.ceil_mode:
        raise Unsupported("ONNX has no divisor of windows that stand over the edge")
    mean = g.node("AveragePool", x, count_include_pad=1, **_places(windows))
    return g.node("Mul", mean, g.constant(np.prod(windows.kernel) / divisor, x.dtype))


def _whole(output: Sequence[Any]) -> bool:
    return all(n == 1 for n in output)


def _even(g: Graph, x: Operand, output: Sequence[Any]) -> list[int] | None:
    """Return the sizes of windows that are all alike; None where they are not."""
    size = x.shape[-len(output) :]
    if any(isinstance(n, Varying) for n in (*size, *output)) or any(n % m for n, m in zip(size, output)):
        return None
    return [n // m for n, m in zip(size, output, strict=True)]


@rule("adaptive_avg_pool_2d", "adaptive_avg_pool_3d")
def _adaptive_avg(g: Graph, x: Operand, output: Sequence[Any]) -> Any:
    rank = len(output)
    if _whole(output):
        return g.node("ReduceMean", x, g.ints(range(-rank, 0)), keepdims=1)
    if tuple(output) == tuple(x.shape[-rank:]):
        return x.name
    if (even := _even(g, x, output)) is not None and x.rank == rank + 2:
        return g.node("AveragePool", x, kernel_shape=even, strides=even)
    # A product with a matrix along each axis.
    found: Any = x.name
    for k, (n, m) in enumerate(zip(g.numbers(x.shape[-rank:]), g.numbers(output), strict=True)):
        weights = np.zeros((n, m))
        for o in range(m):
            start, end = o * n // m, -(-(o + 1) * n // m)
            weights[start:end, o] = 1 / (end - start)
        order = [*range(x.rank)]
        order[x.rank - rank + k], order[-1] = order[-1], order[x.rank - rank + k]
        turned = found if k == rank - 1 else g.node("Transpose", found, perm=order)
        found = g.node("MatMul", turned, g.constant(weights, x.dtype))
        found = found if k == rank - 1 else g.node("Transpose", found, perm=order)
    return found


@rule("adaptive_max_pool_2d", "adaptive_max_pool_3d")
def _adaptive_max(g: Graph, x: Operand, output: Sequence[Any]) -> Any:
    rank = len(output)
    if _whole(output):
        return g.node("ReduceMax", x, g.ints(range(-rank, 0)), keepdims=1), None
    if (even := _even(g, x, output)) is None or x.rank != rank + 2:
        raise Unsupported("its windows differ in size")
    return g.node("MaxPool", x, kernel_shape=even, strides=even), None


# --- resampling ---------------------------------------------------------------------------------------------

def _resize(g: Graph, x: Operand, axes: Sequence[Axis]) -> Any:
    modes = {axis.mode for axis in axes}
    mode = modes.pop() if len(modes) == 1 else ""
    attrs: dict[str, Any] = {}
    if mode == "nearest":
        attrs = {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
    elif mode == "nearest-exact":
        attrs = {
            "mode": "nearest", "nearest_mode": "round_prefer_ceil",
            "coordinate_transformation_mode": "half_pixel",
        }  # fmt: skip
    elif mode in ("linear", "cubic"):
        first = axes[0]
        attrs = {
            "mode": mode,
            "coordinate_transformation_mode": "align_corners" if first.align_corners else "half_pixel",
        }  # fmt: skip
        if mode == "cubic":
            attrs["cubic_coeff_a"] = -0.5 if first.antialias else -0.75
        if first.antialias:
            attrs["antialias"] = 1
    else:
        raise Unsupported(f"ONNX does not resample by {mode!r}")
    lead = x.shape[: x.rank - len(axes)]
    if all(axis.scale is not None and not isinstance(axis.scale, Varying) for axis in axes):
        scales = [1.0] * len(lead) + [float(axis.scale) for axis in axes]  # type: ignore[arg-type]  # not None
        return g.node("Resize", x, None, g.constant(scales, np.float32), **attrs)
    return g.node("Resize", x, None, None, g.sizes([*lead, *(axis.output for axis in axes)]), **attrs)


for _name in (
    "UpsampleNearest1D", "UpsampleNearestExact1D", "UpsampleNearest2D", "UpsampleNearestExact2D",
    "UpsampleNearest3D", "UpsampleNearestExact3D", "UpsampleLinear1D", "UpsampleBilinear2D",
    "UpsampleTrilinear3D", "UpsampleBicubic2D", "UpsampleBilinear2DAa", "UpsampleBicubic2DAa",
    "UpsampleLanczos2DAa",
):  # fmt: skip
    RULES[_name] = _resize


@rule("grid_sampler_2d", "grid_sampler_3d")
def _grid_sampler(g: Graph, x: Operand, grid: Operand, sampler: Sampler, orders: Any = None) -> Any:
    if x.rank == 5 and g.opset < 20:
        raise Unsupported("grids of three axes need opset_version=20")
    words = {"bilinear": "linear", "bicubic": "cubic"} if g.opset >= 20 else {}
    return g.node(
        "GridSample", x, grid, mode=words.get(sampler.mode, sampler.mode), padding_mode=sampler.padding,
        align_corners=int(sampler.align_corners),
    )  # fmt: skip


@rule("affine_grid_generator")
def _affine_grid(g: Graph, theta: Operand, size: Sequence[Any], align_corners: bool) -> Any:
    if g.opset < 20:
        raise Unsupported("affine grids need opset_version=20")
    return g.node("AffineGrid", theta, g.sizes(size), align_corners=int(align_corners))


@rule("im2col")
def _im2col(
    g: Graph, x: Operand, kernel: Sequence[int], dilation: Sequence[int], padding: Sequence[int],
    stride: Sequence[int],
) -> Any:  # fmt: skip
    """Return patches as columns: a convolution whose kernels each pick one place."""
    if x.rank != 4:
        raise Unsupported("ONNX convolves batches of images alone")
    taps, channels = int(np.prod(kernel)), g.number(x.shape[1])
    picks = np.tile(np.eye(taps).reshape(taps, 1, *kernel), (channels, 1, 1, 1))
    found = g.node(
        "Conv", x, g.constant(picks, x.dtype), strides=[*stride], pads=[*padding, *padding],
        dilations=[*dilation], group=channels,
    )  # fmt: skip
    return g.node("Reshape", found, g.ints([0, channels * taps, -1]))


@rule("col2im")
def _col2im(
    g: Graph, y: Operand, size: Sequence[Any], kernel: Sequence[int], dilation: Sequence[int],
    padding: Sequence[int], stride: Sequence[int],
) -> Any:  # fmt: skip
    return g.node(
        "Col2Im", y, g.sizes(size), g.ints(kernel), dilations=[*dilation], pads=[*padding, *padding],
        strides=[*stride],
    )  # fmt: skip
