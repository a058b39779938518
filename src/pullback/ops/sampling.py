"""Values of images at the places of a grid, and the grids of affine maps."""

import numpy as np
from numpy import ndarray

from ..array import sampler as kernels
from ..array.sampler import Sampler
from ..core.op import Call, Term, op
from ..core.value import dtype_of
from .contract import matmul
from .pool import folded
from .structure import permute, reshape, stack, sum_dims

Ints = tuple[int, ...]


def _by_place(g: Term, x: Term, grid: Term, sampler: Sampler, orders: Ints) -> Term:
    """Return the covector of a grid: what a shift of the place changes, per coordinate, over all channels."""
    if isinstance(g, ndarray) and isinstance(x, ndarray) and isinstance(grid, ndarray) and not any(orders):
        return kernels.pull_to_places(g, x, grid, sampler)
    slopes = [
        sum_dims(g * grid_sample_slope(x, grid, sampler, raised), (1,), False)
        for raised in ((*orders[:d], n + 1, *orders[d + 1 :]) for d, n in enumerate(orders))
    ]
    return stack(slopes, len(orders) + 1)


def _declare(name: str, node_name: str) -> Call:
    call: Call = op(
        name, lambda x, grid, /, sampler, orders: kernels.sample(x, grid, sampler, orders),
        (
            lambda g, grid, shape_x, sampler, orders: grid_sample_adjoint(
                g, grid, shape_x[2:], sampler, orders
            ),
            _by_place,
        ),
        node_name=node_name, batch_rule=folded(lambda: call), saves=("x", "grid"),
        shape=lambda x, grid, sampler, orders: (((*x.shape[:2], *grid.shape[1:-1]), x.dtype),),
    )  # fmt: skip
    return call


#: Values of (N, C, *size) at a grid (N, *places, rank), whose weights are differentiated `orders` times by
#: each coordinate: what the derivatives of a grid's samples are made of.
grid_sample_slope = _declare("grid_sample_slope", "GridSampler2DBackwardBackward0")

#: Values of images at the places of a grid, by the number of spatial axes; `orders` are zeros.
grid_samplers: dict[int, Call] = {
    2: _declare("grid_sampler_2d", "GridSampler2DBackward0"),
    3: _declare("grid_sampler_3d", "GridSampler3DBackward0"),
}

#: The transpose of `grid_sample_slope`.
grid_sample_adjoint: Call = op(
    "grid_sample_adjoint",
    lambda y, grid, /, size, sampler, orders: kernels.sample_adjoint(y, grid, size, sampler, orders),
    (
        lambda g, grid, sampler, orders: grid_sample_slope(g, grid, sampler, orders),
        lambda g, y, grid, sampler, orders: _by_place(y, g, grid, sampler, orders),
    ),
    node_name="GridSampler2DBackwardBackward0", batch_rule=folded(lambda: grid_sample_adjoint),
    shape=lambda y, grid, size, sampler, orders: (((*y.shape[:2], *size), y.dtype),),
)  # fmt: skip


def _affine_grid(theta: ndarray, /, size: Ints, align_corners: bool) -> ndarray:
    base = kernels.base_grid(size, align_corners, theta.dtype)
    return np.matmul(base, theta.swapaxes(-1, -2)).reshape(*theta.shape[:-2], *size, len(size))


def _affine_grid_rule(g: Term, shape_theta: Ints, size: Ints, align_corners: bool) -> Term:
    base = kernels.base_grid(size, align_corners, dtype_of(g))
    rank = len(shape_theta)
    points = reshape(g, (*shape_theta[:-2], len(base), len(size)))
    return permute(matmul(base.T, points), (*range(rank - 2), rank - 1, rank - 2))


#: Where affine maps (…, rank, rank + 1) take the pixels of an image: (…, *size, rank).
affine_grid: Call = op(
    "affine_grid_generator", _affine_grid, (_affine_grid_rule,), kind="linear", halves=True,
    batch=lambda size, *attrs: attrs,
)  # fmt: skip
