"""Count the points, or their weight, in each cell of a grid."""

import math

import numpy as np
from numpy import ndarray

from ..core.op import Call, Term, op


def _histogram(
    x: ndarray, edges: ndarray, weight: ndarray | None, /, sizes: tuple[int, ...], density: bool
) -> ndarray:
    one = len(sizes) == 1  # needs neither a split nor places in a grid
    bounds = [edges] if one else np.split(edges, np.cumsum(sizes)[:-1])
    counts = tuple(n - 1 for n in sizes)
    inside = np.ones(x.shape[0], np.bool_)
    cells = []
    for axis, at in enumerate(bounds):
        values = x[:, axis]
        inside &= (values >= at[0]) & (values <= at[-1])
        cells.append(np.minimum(at.searchsorted(values, "right") - 1, len(at) - 2))
    cells = [c[inside] for c in cells]
    places = cells[0] if one else np.ravel_multi_index(tuple(cells), counts)
    found = np.bincount(places, None if weight is None else weight[inside], math.prod(counts))
    hist = found.reshape(counts).astype(x.dtype)
    if density:
        hist = hist / hist.sum()
        for axis, at in enumerate(bounds):
            hist /= np.diff(at).reshape((-1, *(1,) * (len(counts) - axis - 1)))
    return hist


def _refused(g: Term) -> Term:
    raise RuntimeError("derivative for aten::histogram is not implemented")


#: Counts (or sums of `weight`) of points (n, d) in the cells whose edges are d sorted rows, one after the
#: other, of `sizes` numbers; with `density` divided by their sum and the cells' sizes. The last edge belongs
#: to its cell.
histogram: Call = op("histogram", _histogram, (_refused, None, None), node_name="NotImplemented")
