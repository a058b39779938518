"""Read images at the places of a grid, and make the grids of affine maps (Jaderberg et al. 2015, "Spatial
transformer networks").
"""

from collections.abc import Sequence
from typing import Any

from ...array.dtype_words import not_implemented, unlike
from ...array.dtypes import FLOAT8_NUMPY, from_numpy_dtype
from ...array.sampler import Sampler
from ...core.size import size_of
from ...core.value import dtype_of, shape_of
from ...core.warn import warn
from ...errors import argument_type
from ...ops import sampling as ops
from ...tensor.api import public
from ...tensor.read_calls import as_function
from ...tensor.sizes import tensor

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


def _corners(align_corners: bool | None) -> bool:
    if align_corners is None:
        warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. "
            "Please specify align_corners=True if the old behavior is desired. See the documentation of "
            "grid_sample for details."
        )
        return False
    return align_corners


def _check(input: Any, grid: Any, mode: str) -> None:
    """Raise torch's error for an image and a grid that do not go together."""
    shape, places = list(shape_of(input)), list(shape_of(grid))
    if not shape or not places:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    sizes = f"got input with sizes {shape} and grid with sizes {places}"
    if shape[:1] != places[:1]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, but {sizes}")
    if places[-1] != len(shape) - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {len(shape) - 2} in last dimension, but got grid "
            f"with sizes {places}"
        )
    for axis, n in enumerate(shape[2:], 2):
        if n == 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{shape} with dimension {axis} being empty"
            )
    if len(shape) not in (4, 5) or len(shape) != len(places):
        raise RuntimeError(
            f"grid_sampler(): expected {4 if len(shape) == 4 else 5}D input and grid with same number of "
            "dimensions, but " + sizes
        )
    if len(shape) == 5 and mode == "bicubic":
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if dtype_of(input).kind not in "fV" or dtype_of(input) in FLOAT8_NUMPY:
        kernel = "grid_sampler_2d_cpu_kernel_impl" if len(shape) == 4 else "grid_sampler3d_cpu"
        raise not_implemented(kernel, dtype_of(input))
    if dtype_of(input) != dtype_of(grid):
        raise unlike(dtype_of(input), dtype_of(grid))


@public(namespace="nn.functional", method=False, out=False)
def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:  # fmt: skip
    """Return values of images at the places of a grid: ``out[n, c, p] = input[n, c, grid[n, p]]``.

    Parameters
    ----------
    input : tensor
        (N, C, H, W) or (N, C, D, H, W).
    grid : tensor
        (N, H', W', 2) or (N, D', H', W', 3): x, y and z of each place, between −1 and 1 inside the image.
    mode : {"bilinear", "nearest", "bicubic"}
        How values between pixels are made; "bicubic" for 4-d inputs only.
    padding_mode : {"zeros", "border", "reflection"}
        What is outside the image.
    align_corners : bool, optional
        Whether −1 and 1 are the centres of the corner pixels, or (default) their outer edges.

    Returns
    -------
    tensor
        (N, C, H', W') or (N, C, D', H', W').
    """
    if mode not in _MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
            f"'{mode}'"
        )
    if padding_mode not in _PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
            f"but got: '{padding_mode}'"
        )
    return _sampled(input, grid, mode, padding_mode, _corners(align_corners))


def _sampled(input: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool) -> Any:
    tensor("grid_sampler", "input", input)
    tensor("grid_sampler", "grid", grid, 2)
    if not isinstance(align_corners, bool):
        raise argument_type("grid_sampler", "align_corners", 5, "bool", align_corners)
    _check(input, grid, mode)
    rank = shape_of(grid)[-1]
    return ops.grid_samplers[rank](input, grid, Sampler(mode, padding_mode, bool(align_corners)), (0,) * rank)


@public(method=False, out=False)
def grid_sampler(
    input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Any:
    """Return :func:`torch.nn.functional.grid_sample` with its modes as numbers, in their documented order."""
    return _sampled(input, grid, _MODES[interpolation_mode], _PADDINGS[padding_mode], align_corners)


#: torch's names for images of two and of three axes.
grid_sampler_2d, grid_sampler_3d = (as_function(grid_sampler, f"grid_sampler_{n}d") for n in (2, 3))


@public(namespace="nn.functional", method=False, out=False)
def affine_grid(theta: Any, size: Sequence[int], align_corners: bool | None = None) -> Any:
    """Return the grid of an affine map: ``out[n, p] = theta[n] @ (p, 1)`` for the centre p of every pixel.

    Parameters
    ----------
    theta : tensor
        (N, 2, 3) or (N, 3, 4).
    size : sequence of int
        (N, C, H, W) or (N, C, D, H, W), the shape of what :func:`grid_sample` is to give.
    align_corners : bool, optional
        As in :func:`grid_sample`.

    Returns
    -------
    tensor
        (N, H, W, 2) or (N, D, H, W, 3).
    """
    align_corners = _corners(align_corners)
    if dtype_of(theta).kind not in "fV":
        raise ValueError(
            f"Expected theta to have floating point type, but got {from_numpy_dtype(dtype_of(theta))}"
        )
    if (rank := len(size) - 2) not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got "
            f"size {size}."
        )
    if len(shape := shape_of(theta)) != 3 or shape[1:] != (rank, rank + 1):
        raise ValueError(
            f"Expected a batch of {rank}D affine matrices of shape Nx{rank}x{rank + 1} for size {size}. Got "
            f"{size_of(shape)}."
        )
    if align_corners and min(size[2:]) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
            "align_corners=True. This is not an intended use case of affine_grid. See the documentation of "
            "affine_grid for details."
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return affine_grid_generator(theta, size, align_corners)


@public(method=False, out=False)
def affine_grid_generator(theta: Any, size: Sequence[int], align_corners: bool) -> Any:
    """Return :func:`torch.nn.functional.affine_grid` without a default."""
    rows, images = shape_of(theta)[0], int(size[0])
    if rows != images:
        width = len(size) - 1
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{images}, {width}] but got: "
            f"[{rows}, {width}]."
        )
    return ops.affine_grid(theta, tuple(int(n) for n in size[2:]), bool(align_corners))
