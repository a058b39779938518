"""Fractional maximum pools: windows at random distances (Graham 2014, "Fractional max-pooling")."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.connected import PIECEWISE
from ..core.op import op
from ..core.value import shape_of
from .pool import gather_planes, scatter_planes
from .structure import reshape

Call = Callable[..., Any]
Sizes = tuple[int, ...]


def _starts(samples: ndarray, size: int, count: int, kernel: int) -> ndarray:
    """Return where the windows of one axis begin, for each of any number of samples in [0, 1): (…, count).

    The n-th begins at ``⌊(n + u)·α⌋ − ⌊u·α⌋``, the last at the end.
    """
    starts = np.full((*samples.shape, count), size - kernel, np.intp)
    if count > 1:
        step = samples.dtype.type(size - kernel) / samples.dtype.type(count - 1)
        places = (np.arange(count - 1, dtype=samples.dtype) + samples[..., None]) * step
        starts[..., :-1] = places.astype(np.intp) - (samples * step).astype(np.intp)[..., None]
    return starts


def _pool(x: ndarray, samples: ndarray, /, kernel: Sizes, output: Sizes) -> tuple[ndarray, ndarray]:
    rank = len(output)
    images, size = _images(x, rank), x.shape[-rank:]
    lead = images.shape[:2]
    # torch reads the samples of two axes as width, height and of three in order.
    order = range(rank) if rank == 3 else range(rank - 1, -1, -1)
    places = np.zeros((*lead, *(1,) * (2 * rank)), np.intp)
    for axis, column in enumerate(order):
        starts = _starts(samples[: lead[0], :, column], size[axis], output[axis], kernel[axis])
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = output[axis], kernel[axis]
        taken = starts[..., None] + np.arange(kernel[axis])
        places = places * size[axis] + taken.reshape(*lead, *shape)
    places = places.reshape(*lead, prod(output), prod(kernel))
    flat = images.reshape(*lead, 1, prod(size))
    values = np.take_along_axis(flat, places, -1)
    winners = np.argmax(values, -1)[..., None]
    results = (np.take_along_axis(found, winners, -1) for found in (values, places))
    highest, indices = (found.reshape(*x.shape[:-rank], *output) for found in results)
    return highest, indices


def _images(x: Any, rank: int) -> Any:
    """Return planes as (N, C, *size)."""
    shape = shape_of(x)
    return x if len(shape) == rank + 2 else reshape(x, (1, *shape))


def _declare(rank: int) -> Call:
    def rule(g: Any, indices: Any, shape_x: Sizes) -> Any:
        return reshape(scatter_planes(_images(g, rank), _images(indices, rank), shape_x[-rank:]), shape_x)

    def jvp(primals: Any, tangents: Any, out: Any, kernel: Sizes, output: Sizes) -> tuple[Any, None]:
        taken = gather_planes(_images(tangents[0], rank), _images(out[1], rank))
        return reshape(taken, shape_of(out[0])), None

    return op(
        f"fractional_max_pool{rank}d", _pool, (rule, None), outputs=("values", "indices"), jvp=jvp,
        differentiable=(0,), node_name=f"FractionalMaxPool{rank}DBackward0", gradient=PIECEWISE, saves=("x",),
    )  # fmt: skip


#: Maxima (N, C, *output) over windows of x (N, C, *size) or (C, *size), placed by samples (N, C, rank), and
#: their places in the planes; by the number of spatial axes.
fractional_max_pools: dict[int, Call] = {rank: _declare(rank) for rank in (2, 3)}
