"""Pools: averages are linear maps with their adjoints; maxima remember which tap won.

Fractional maximum pools have windows at random distances (Graham 2014, "Fractional max-pooling").
"""

import math
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import average_pool as averages
from ..array import pool as kernels
from ..array.layout import following_channels, following_planes
from ..array.pool import Windows
from ..core.connected import PIECEWISE
from ..core.op import Axes, Call, Rule, Several, Term, Terms, op
from ..core.result_shapes import of_no_image
from ..core.value import shape_of
from .structure import permute_to_front, reshape

Sizes = tuple[int, ...]


def folded(call: Callable[[], Rule]) -> Rule:
    """Return a batching rule that folds the batch into the images of every input."""

    def rule(size: int, values: Sequence[Any], dims: Axes, *attrs: Any) -> Any:
        folded = []
        for v, d in zip(values, dims, strict=True):
            x = permute_to_front(v, d) if d is not None else np.broadcast_to(v, (size, *shape_of(v)))
            shape = shape_of(x)
            folded.append(reshape(x, (shape[0] * shape[1], *shape[2:])))
        result = call()(*folded, *attrs)

        def back(y: Term) -> Term:
            shape = shape_of(y)
            return reshape(y, (size, shape[0] // size, *shape[1:]))

        return tuple(map(back, result)) if isinstance(result, tuple) else back(result)

    return rule


def _avg_pool(x: ndarray, /, windows: Windows, count_include_pad: bool, divisor: int | None) -> ndarray:
    return averages.avg_pool(x, windows, count_include_pad, divisor)


def _avg_pool_adjoint(
    y: ndarray, /, windows: Windows, size: Sizes, count_include_pad: bool, divisor: int | None
) -> ndarray:
    return averages.avg_pool_adjoint(y, windows, size, count_include_pad, divisor)


def _declare_avg(suffix: str, node_name: str) -> Call:
    return op(
        "avg_pool" + suffix, _avg_pool,
        (
            lambda g, shape_x, windows, count_include_pad, divisor: avg_pool_adjoint(
                g, windows, shape_x[2:], count_include_pad, divisor
            ),
        ),
        kind="linear", node_name=node_name, batch_rule=folded(lambda: avg_pools[suffix]),
        place=following_planes, shape=of_no_image(_avg_pool), gradient=PIECEWISE, saves=("x",),
    )  # fmt: skip


avg_pools: dict[str, Call] = {}
#: Means over windows, by the number of spatial axes.
avg_pools["_2d"] = avg_pool_2d = _declare_avg("_2d", "AvgPool2DBackward0")
avg_pools["_3d"] = avg_pool_3d = _declare_avg("_3d", "AvgPool3DBackward0")

#: The transpose of `avg_pool`.
avg_pool_adjoint: Call = op(
    "avg_pool_adjoint", _avg_pool_adjoint,
    (
        lambda g, windows, count_include_pad, divisor: avg_pools[f"_{len(windows.kernel)}d"](
            g, windows, count_include_pad, divisor
        ),
    ),
    kind="linear", node_name="AvgPool2DBackwardBackward0", batch_rule=folded(lambda: avg_pool_adjoint),
    shape=of_no_image(_avg_pool_adjoint),
)  # fmt: skip


def _max_pool(x: ndarray, /, windows: Windows) -> tuple[ndarray, ndarray]:
    return kernels.max_pool(x, windows)


#: Elements of x under the winners of a maximum pool.
gather_windows: Call = op(
    "gather_windows", kernels.gather_windows,
    (lambda g, winners, shape_x, windows: scatter_windows(g, winners, windows, shape_x[2:]), None),
    inputs=("x", "winners"), attrs=("windows",),
    kind="gather", batch_rule=folded(lambda: gather_windows),
    shape=lambda x, winners, windows: ((winners.shape, x.dtype),),
)  # fmt: skip

#: Covectors added to the places of the winners.
scatter_windows: Call = op(
    "scatter_windows", kernels.scatter_windows,
    (lambda g, winners, windows: gather_windows(g, winners, windows), None),
    inputs=("y", "winners"), attrs=("windows", "size"),
    kind="gather", batch_rule=folded(lambda: scatter_windows),
    shape=lambda y, winners, windows, size: (((*y.shape[:2], *size), y.dtype),),
)  # fmt: skip


def _declare_max(suffix: str, node_name: str) -> Several:
    return op(
        "max_pool" + suffix, _max_pool,
        (lambda g, winners, shape_x, windows: scatter_windows(g, winners, windows, shape_x[2:]),),
        outputs=("values", "winners"), differentiable=(0,), node_name=node_name,
        jvp=lambda primals, tangents, out, windows: (gather_windows(tangents[0], out[1], windows), None),
        batch_rule=folded(lambda: max_pools[suffix]), place=following_channels, shape=of_no_image(_max_pool),
        gradient=PIECEWISE, saves=("x",),
    )  # fmt: skip


max_pools: dict[str, Several] = {}
#: Maxima over windows and which tap won, by the number of spatial axes.
max_pools["_2d"] = max_pool_2d = _declare_max("_2d", "MaxPool2DWithIndicesBackward0")
max_pools["_3d"] = max_pool_3d = _declare_max("_3d", "MaxPool3DWithIndicesBackward0")


#: torch's indices of the winners: places in the flattened plane.
winner_indices: Call = op(
    "winner_indices", kernels.winner_indices, (), inputs=("winners",), attrs=("windows", "size"),
    batch_rule=folded(lambda: winner_indices), place=following_channels,
)


def _declare_adaptive_avg(suffix: str, node_name: str) -> Call:
    return op(
        "adaptive_avg_pool" + suffix, lambda x, /, output: averages.adaptive_avg_pool(x, output),
        (lambda g, shape_x: adaptive_avg_adjoint(g, shape_x[2:]),),
        kind="linear", node_name=node_name, batch_rule=folded(lambda: adaptive_avg_pools[suffix]),
        place=following_planes, gradient=PIECEWISE, saves=("x",),
    )  # fmt: skip


adaptive_avg_pools: dict[str, Call] = {}
#: Means over as many windows as asked, by the number of spatial axes.
adaptive_avg_pools["_2d"] = adaptive_avg_pool_2d = _declare_adaptive_avg("_2d", "AdaptiveAvgPool2DBackward0")
adaptive_avg_pools["_3d"] = adaptive_avg_pool_3d = _declare_adaptive_avg("_3d", "AdaptiveAvgPool3DBackward0")

#: The transpose of `adaptive_avg_pool`.
adaptive_avg_adjoint: Call = op(
    "adaptive_avg_adjoint", lambda y, /, size: averages.adaptive_avg_pool_adjoint(y, size),
    (
        lambda g, shape_y: adaptive_avg_pools[f"_{len(shape_y) - 2}d"](g, shape_y[2:]),
    ),
    kind="linear", node_name="AdaptiveAvgPool2DBackwardBackward0",
    batch_rule=folded(lambda: adaptive_avg_adjoint),
)  # fmt: skip


#: Elements of each plane at indices into it.
gather_planes: Call = op(
    "gather_planes", lambda x, indices, /: kernels.gather_planes(x, indices),
    (lambda g, indices, shape_x: scatter_planes(g, indices, shape_x[2:]), None),
    kind="gather", batch_rule=folded(lambda: gather_planes),
)  # fmt: skip

#: Covectors added to each plane at indices into it.
scatter_planes: Call = op(
    "scatter_planes",
    lambda y, indices, /, size: kernels.scatter_planes(y, indices, size),
    (lambda g, indices: gather_planes(g, indices), None),
    kind="gather", batch_rule=folded(lambda: scatter_planes),
)  # fmt: skip


def _declare_adaptive_max(suffix: str, node_name: str) -> Several:
    return op(
        "adaptive_max_pool" + suffix, lambda x, /, output: kernels.adaptive_max_pool(x, output),
        (lambda g, indices, shape_x: scatter_planes(g, indices, shape_x[2:]),),
        outputs=("values", "indices"), differentiable=(0,), node_name=node_name,
        jvp=lambda primals, tangents, out, output: (gather_planes(tangents[0], out[1]), None),
        batch_rule=folded(lambda: adaptive_max_pools[suffix]), place=following_planes,
        gradient=PIECEWISE, saves=("x",),
    )  # fmt: skip


adaptive_max_pools: dict[str, Several] = {}
#: Maxima over as many windows as asked and their indices, by the number of spatial axes.
adaptive_max_pools["_2d"] = adaptive_max_pool_2d = _declare_adaptive_max("_2d", "AdaptiveMaxPool2DBackward0")
adaptive_max_pools["_3d"] = adaptive_max_pool_3d = _declare_adaptive_max("_3d", "AdaptiveMaxPool3DBackward0")


def _unpool(x: ndarray, indices: ndarray, /, size: Sizes) -> ndarray:
    volume = math.prod(size)
    outside = (indices < 0) | (indices >= volume)
    if outside.any():
        raise RuntimeError(
            f"Found an invalid max index: {indices[outside].flat[0]} (output volumes are of size "
            f"{'x'.join(map(str, size))})"
        )
    lead = x.shape[: x.ndim - len(size)]
    flat = np.zeros((*lead, volume), x.dtype)
    places = math.prod(x.shape[len(lead) :])
    np.put_along_axis(flat, indices.reshape(*lead, places), x.reshape(*lead, places), -1)
    return flat.reshape(*lead, *size)


def _at_places(y: ndarray, indices: ndarray, /, rank: int) -> ndarray:
    lead = y.shape[: y.ndim - rank]
    flat, places = math.prod(y.shape[len(lead) :]), math.prod(indices.shape[len(lead) :])
    taken = np.take_along_axis(y.reshape(*lead, flat), indices.reshape(*lead, places), -1)
    return taken.reshape(indices.shape)


def _declare_unpool(rank: int) -> Call:
    return op(
        f"max_unpool_{rank}d", _unpool, (lambda g, indices: at_places(g, indices, rank), None),
        node_name=f"MaxUnpool{rank}DBackward0",
        kind="gather", batch_rule=_aligned(lambda x, indices, size: max_unpools[rank](x, indices, size)),
        place=lambda result, operands: following_planes(result, operands[:1]),
    )  # fmt: skip


def _aligned(call: Rule) -> Rule:
    """Return a batching rule for ops that leave any leading axes alone."""

    def rule(size: int, values: Sequence[Any], dims: Axes, *attrs: Any) -> Any:
        fronts = [
            permute_to_front(v, d) if d is not None else np.broadcast_to(v, (size, *shape_of(v)))
            for v, d in zip(values, dims, strict=True)
        ]
        return call(*fronts, *attrs)

    return rule


#: Elements of y at places of its flattened last `rank` axes.
at_places: Call = op(
    "at_places", _at_places,
    (lambda g, indices, shape_y, rank: add_at_places(g, indices, shape_y[-rank:]), None),
    kind="gather", batch_rule=_aligned(lambda y, indices, rank: at_places(y, indices, rank)),
)  # fmt: skip


def _add_at_places(x: ndarray, indices: ndarray, /, size: Sizes) -> ndarray:
    lead = x.shape[: x.ndim - len(size)]
    planes = math.prod(lead)
    whole = (1, planes, math.prod(x.shape[len(lead) :]))
    sums = scatter_planes.op.kernel(x.reshape(whole), indices.reshape(whole), size)
    return np.asarray(sums).reshape(*lead, *size)


#: x added at places of zeros: the transpose of `at_places`.
add_at_places: Call = op(
    "add_at_places", _add_at_places, (lambda g, indices, size: at_places(g, indices, len(size)), None),
    kind="gather", batch_rule=_aligned(lambda x, indices, size: add_at_places(x, indices, size)),
)  # fmt: skip

max_unpools: dict[int, Call] = {}
#: x put at places of zeros; of equal places the last wins.
max_unpools[2] = max_unpool_2d = _declare_unpool(2)
max_unpools[3] = max_unpool_3d = _declare_unpool(3)


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


def _declare(rank: int) -> Several:
    def rule(g: Term, indices: Term, shape_x: Sizes) -> Term:
        return reshape(scatter_planes(_images(g, rank), _images(indices, rank), shape_x[-rank:]), shape_x)

    def jvp(primals: Terms, tangents: Terms, out: Terms, kernel: Sizes, output: Sizes) -> tuple[Any, None]:
        taken = gather_planes(_images(tangents[0], rank), _images(out[1], rank))
        return reshape(taken, shape_of(out[0])), None

    return op(
        f"fractional_max_pool{rank}d", _pool, (rule, None), outputs=("values", "indices"), jvp=jvp,
        differentiable=(0,), node_name=f"FractionalMaxPool{rank}DBackward0", gradient=PIECEWISE, saves=("x",),
    )  # fmt: skip


#: Maxima (N, C, *output) over windows of x (N, C, *size) or (C, *size), placed by samples (N, C, rank), and
#: their places in the planes; by the number of spatial axes.
fractional_max_pools: dict[int, Several] = {rank: _declare(rank) for rank in (2, 3)}
