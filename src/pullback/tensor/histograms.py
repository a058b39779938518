"""Histograms of numbers and of points: `histogram`, `histogramdd`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..array.deferred_import import import_later
from ..array.dtype_words import c_name
from ..core.promotion import unsupported
from ..core.value import TensorBase, array_of, dtype_of, shape_of, wrap
from ..ops.join import cat
from ..ops.structure import contiguous_copy, reshape
from .api import with_signature
from .return_types import named
from .sizes import count

ranges = import_later("..array.ranges", __package__)
ops = import_later("..ops.histogram", __package__)


def _check_points(points: Any, weight: Any) -> None:
    shape = shape_of(points)
    if weight is None:
        return
    if dtype_of(weight) != dtype_of(points):
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the "
            f"same dtype, but got input({c_name(dtype_of(points))}), and weight({c_name(dtype_of(weight))})"
        )
    if shape_of(weight) != shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input "
            f"tensor excluding its innermost dimension, but got input with shape {list(shape)} and weight "
            f"with shape {list(shape_of(weight))}"
        )


def _check_edges(points: Any, edges: tuple[Any, ...]) -> None:
    rank = shape_of(points)[-1]
    if len(edges) != rank:
        raise RuntimeError(
            f"torch.histogramdd: expected {rank} sequences of bin edges for a {rank}-dimensional histogram "
            f"but got {len(edges)}"
        )
    for d, row in enumerate(edges):
        if dtype_of(row) != dtype_of(points):
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input "
                f"with dtype {c_name(dtype_of(points))} and bins for dimension {d} with dtype "
                f"{c_name(dtype_of(row))}"
            )
        if len(shape_of(row)) != 1:
            raise RuntimeError(
                f"torch.histogramdd: bins tensor should have one dimension, but got {len(shape_of(row))} "
                f"dimensions in the bins tensor for dimension {d}"
            )
        if not shape_of(row)[0]:
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the "
                f"bins tensor for dimension {d}"
            )


def _check_bins(counts: tuple[int, ...]) -> None:
    for d, n in enumerate(counts):
        if n <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {n} for dimension {d}")


def _check_dtype(points: Any, kernel: str) -> None:
    if dtype_of(points).name not in ("float32", "float64"):
        raise unsupported(kernel, (), dtype_of(points))


def _even_edges(points: Any, counts: tuple[int, ...], range: Any) -> tuple[Any, ...]:
    """Return edges at equal distances over `range`, or from the least to the largest value of each axis."""
    rank = shape_of(points)[-1]
    if range is not None:
        if len(range) != 2 * rank:
            raise RuntimeError(
                f"torch.histogramdd: for a {rank}-dimensional histogram range should have {2 * rank} "
                f"elements, but got {len(range)}"
            )
        ends = [(range[2 * d], range[2 * d + 1]) for d in np.arange(rank)]
    elif not count(shape_of(points)):
        ends = [(0.0, 1.0)] * rank
    else:
        rows = array_of(points).reshape(-1, rank)
        ends = [(float(row.min()), float(row.max())) for row in rows.T]
    edges = []
    for d, (low, high) in enumerate(ends):
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RuntimeError(f"torch.histogramdd: dimension {d}'s range [{low:g}, {high:g}] is not finite")
        if low > high:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for "
                f"dimension {d}"
            )
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges.append(wrap(ranges.linspace(low, high, counts[d] + 1, dtype_of(points))))
    return tuple(edges)


def _counted(points: Any, edges: tuple[Any, ...], weight: Any, density: bool) -> Any:
    sizes = tuple(shape_of(row)[0] for row in edges)
    _check_bins(tuple(n - 1 for n in sizes))
    total = count(shape_of(points)[:-1])
    return ops.histogram(
        reshape(points, (total, shape_of(points)[-1])), cat(edges, 0),
        None if weight is None else reshape(weight, (total,)), sizes, density,
    )  # fmt: skip


@with_signature()
def histogram(
    input: Any, bins: Any = 100, *, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    """Count the elements in each of several intervals.

    Parameters
    ----------
    input : Tensor
        float32 or float64, of any shape.
    bins : int or Tensor
        Number of intervals of equal size, or their edges, one more than intervals. The last one includes its
        end.
    range : (float, float), optional
        The first and the last edge, by default the smallest and the largest element.
    weight : Tensor, optional
        What each element counts, in the input's shape.
    density : bool
        Divide by the sum of all and by the intervals' sizes, so that the integral is 1.

    Returns
    -------
    (hist, bin_edges) : named tuple of Tensor
    """
    points = reshape(input, (count(shape_of(input)), 1))
    weights = None if weight is None else reshape(weight, (count(shape_of(weight)),))
    own = contiguous_copy(bins) if isinstance(bins, TensorBase) else bins
    hist, edges = _of_points(points, (own,), range, weights, density)
    return named("histogram", ("hist", "bin_edges"), (hist, edges[0]))


def _of_points(points: Any, bins: tuple[Any, ...], range: Any, weight: Any, density: bool) -> tuple[Any, Any]:
    if isinstance(bins[0], TensorBase):
        _check_edges(points, bins)
        edges = bins
    else:
        _check_bins(bins)
        if range is None:
            _check_dtype(points, "histogramdd")
        edges = _even_edges(points, bins, range)
    _check_points(points, weight)
    _check_dtype(points, "histogram_cpu" if edges is bins else "histogramdd")
    return _counted(points, edges, weight, density), edges


@with_signature(method=False, out=False)
def histogramdd(input: Any, bins: Any, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """Count the points in each cell of a grid.

    Parameters
    ----------
    input : Tensor
        Points (…, d), float32 or float64.
    bins : int, sequence of int or of Tensor
        Number of intervals of equal size for all axes or each, or the edges of each.
    range : sequence of float, optional
        First and last edge of each axis, by default the smallest and the largest value.
    weight : Tensor, optional
        What each point counts, (…).
    density : bool
        Divide by the sum of all and by the cells' sizes.

    Returns
    -------
    (hist, bin_edges) : named tuple of a Tensor with d axes and a tuple of d Tensors
    """
    if len(shape := shape_of(input)) < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    each = (bins,) * shape[-1] if isinstance(bins, int) else bins
    if not isinstance(each[0], TensorBase) and len(each) != shape[-1]:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    return named("histogramdd", ("hist", "bin_edges"), _of_points(input, each, range, weight, density))
