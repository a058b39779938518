"""Sums, means and maxima of bags of a table's rows, without the rows in between.

A bag is a run of indices: bag b holds those from ``offsets[b]`` up to the next offset. Sums are products with
a sparse matrix, one row per bag, whose entries are the samples' weights.
"""

from typing import Any

import numpy as np
from numpy import ndarray

from ..array.entries import weighted_rows
from ..array.scatter import index_sum, sum_rows
from ..array.scipy_functions import is_installed
from ..core.op import Term, op
from ..core.value import dtype_of, shape_of
from .convert import cast, conj
from .embedding import embedding
from .structure import reshape, sum_dims


def _bags(offsets: ndarray, count: int) -> ndarray:
    """Return the bag of each of `count` samples."""
    return np.searchsorted(offsets, np.arange(count), side="right") - 1


def _sizes(bags: ndarray, kept: ndarray, count: int) -> ndarray:
    """Return the number of samples of each of `count` bags that are kept."""
    return sum_rows(kept.astype(np.int64), bags, count)


def _factor(
    indices: ndarray, offsets: ndarray, /, rows: int, mode: str, padding: int, by_frequency: bool
) -> ndarray:
    """Return each sample's weight: 0 for padding, its share of a mean or of its row's occurrences."""
    kept = indices != padding
    factor = kept.astype(np.float64)
    if mode == "mean":
        bags = _bags(offsets, len(indices))
        factor /= np.maximum(_sizes(bags, kept, len(offsets)), 1)[bags]
    if by_frequency and len(indices):
        # torch divides by the count of the n-th smallest index, where n numbers the different indices
        numbers = np.unique(indices, return_inverse=True)[1]
        factor /= np.bincount(indices, minlength=rows)[np.sort(indices)[numbers]]
    return factor


#: Elements of the picked rows from which a sparse product, which imports SciPy, is faster.
_WORTH_A_PRODUCT = 2048


def _embedding_bag(
    weight: ndarray, indices: ndarray, offsets: ndarray, scale: ndarray | None, /, mode: str, padding: int,
    by_frequency: bool,
) -> ndarray:  # fmt: skip
    kept = indices != padding
    factor = kept.astype(weight.dtype) if scale is None else kept * scale
    bags = _bags(offsets, len(indices))
    if len(indices) * weight.shape[1] < _WORTH_A_PRODUCT:
        out = sum_rows(weight[indices] * factor[:, None], bags, len(offsets))
    else:
        out = weighted_rows(bags, indices, factor, weight, len(offsets))
    if mode == "mean":
        # A sum that is divided, as torch has it: of whole numbers a mean by shares is not always whole.
        out /= np.maximum(_sizes(bags, kept, len(offsets)), 1).astype(out.dtype)[:, None]
    return out


def _adjoint(g: ndarray, indices: ndarray, offsets: ndarray, scale: ndarray, /, rows: int) -> ndarray:
    scale = scale.astype(g.dtype, copy=False)
    bags = _bags(offsets, len(indices))
    if len(indices) * g.shape[1] < _WORTH_A_PRODUCT:
        return sum_rows(g[bags] * scale[:, None], indices, rows)
    return weighted_rows(indices, bags, scale, g, rows)


def _weight_rule(
    g: Term, indices: Term, offsets: Any, scale: Any, shape_weight: tuple[int, ...], mode: str, padding: int,
    by_frequency: bool,
) -> Term:  # fmt: skip
    rows = shape_weight[0]
    factor = _bag_factor(indices, offsets, rows, mode, padding, by_frequency)
    return embedding_bag_adjoint(g, indices, offsets, factor if scale is None else scale * factor, rows)


def _sparse_rule(
    g: Term, indices: Any, offsets: Any, scale: Any, shape_weight: tuple[int, ...], mode: str, padding: int,
    by_frequency: bool, covector: Any,
) -> Term:  # fmt: skip
    factor = _bag_factor(indices, offsets, shape_weight[0], mode, padding, False)
    factor = factor if scale is None else scale * factor
    count = shape_of(indices)[0]
    rows = embedding(g, _bag_numbers(offsets, count), -1, False)
    rows = rows * reshape(cast(factor, dtype_of(g)), (count, 1))
    return covector(rows, indices, shape_weight, padding, by_frequency)


def _products(g: Term, weight: Term, indices: Term, offsets: object) -> Term:
    """Return ⟨g[bag], weight[index]⟩ per sample."""
    bags = _bag_numbers(offsets, shape_of(indices)[0])
    return sum_dims(embedding(g, bags, -1, False) * embedding(weight, indices, -1, False), (1,), False)


_bag_factor: Any = op("embedding_bag_factor", _factor)
_bag_numbers: Any = op("embedding_bag_numbers", lambda offsets, /, count: _bags(offsets, count))
#: Where the rows of a matrix begin, whose elements are counted one after another.
row_starts: Any = op("row_starts", lambda x, /: np.arange(0, x.size, x.shape[1], dtype=x.dtype))

#: Sums or means (bags, columns) of rows of `weight`, each times its `scale`; the row `padding` (−1: none)
#: does not count.
embedding_bag: Any = op(
    "embedding_bag", _embedding_bag,
    (
        _weight_rule, None, None,
        lambda g, weight, indices, offsets, mode, padding, by_frequency: (
            _products(g, weight, indices, offsets)
            * _bag_factor(indices, offsets, shape_of(weight)[0], mode, padding, False)
        ),
    ),
    halves=True, saves=("weight", "indices", "offsets", "scale"),
)  # fmt: skip

#: The same, with a covector of rows (see `embedding.embedding_sparse`).
embedding_bag_sparse: Any = op(
    "embedding_bag_sparse",
    lambda weight, indices, offsets, scale, /, mode, padding, by_frequency, covector: _embedding_bag(
        weight, indices, offsets, scale, mode, padding, by_frequency
    ),
    (
        _sparse_rule, None, None,
        lambda g, weight, indices, offsets, mode, padding, by_frequency: (
            _products(g, weight, indices, offsets)
            * _bag_factor(indices, offsets, shape_of(weight)[0], mode, padding, False)
        ),
    ),
    halves=True, saves=("weight", "indices", "offsets", "scale"), node_name="EmbeddingBagBackward0",
)  # fmt: skip

#: Rows of g, one per bag, added at the bag's indices: the transpose of `embedding_bag`.
embedding_bag_adjoint: Any = op(
    "embedding_bag_adjoint", _adjoint,
    (
        lambda g, indices, offsets, scale, rows: embedding_bag(g, indices, offsets, scale, "sum", -1, False),
        None, None,
        lambda covector, g, indices, offsets, rows: _products(g, covector, indices, offsets),
    ),
    halves=True, node_name="EmbeddingBagBackwardBackward0",
)  # fmt: skip


def _weighted_rows(x: ndarray, weights: ndarray, take: ndarray, put: ndarray, /, rows: int) -> ndarray:
    if not is_installed():
        return sum_rows(x[take] * weights[:, None], put, rows)
    return weighted_rows(put, take, weights, x, rows)


#: Σ of weights[i] · x[take[i]] at the row put[i]: the product of a sparse matrix, by its entries, with x.
entries_product: Any = op(
    "entries_product", _weighted_rows,
    (
        lambda g, weights, take, put, shape_x: entries_product(g, conj(weights), put, take, shape_x[0]),
        lambda g, x, take, put: sum_dims(
            embedding(g, put, -1, False) * conj(embedding(x, take, -1, False)), (1,), False
        ),
        None, None,
    ),
    halves=True,
)  # fmt: skip


def _maxima(weight: ndarray, indices: ndarray, offsets: ndarray, /, padding: int) -> tuple[ndarray, ndarray]:
    kept = indices != padding
    sizes, rows = _sizes(_bags(offsets, len(kept)), kept, len(offsets)), indices[kept]
    full = sizes > 0
    values = np.zeros((len(offsets), weight.shape[1]), weight.dtype)
    winners = np.full(values.shape, -1, np.int64)
    if full.any():
        starts = (np.cumsum(sizes) - sizes)[full]
        picked = weight[rows]
        values[full] = highest = np.maximum.reduceat(picked, starts, 0)
        wins = (picked == np.repeat(highest, sizes[full], 0)) | np.isnan(picked)
        first = np.minimum.reduceat(np.where(wins, np.arange(len(rows))[:, None], len(rows)), starts, 0)
        winners[full] = rows[first]
    return values, winners


def _columns(x: ndarray, winners: ndarray, /) -> ndarray:
    taken = np.take_along_axis(x, np.maximum(winners, 0), 0)
    return np.where(winners >= 0, taken, np.zeros((), x.dtype))


def _columns_adjoint(g: ndarray, winners: ndarray, /, rows: int) -> ndarray:
    places = winners * g.shape[1] + np.arange(g.shape[1])
    won = winners >= 0
    return index_sum(g[won], places[won], rows * g.shape[1]).reshape(rows, g.shape[1])


#: Elements x[winners[b, c], c], and 0 where there is no winner (−1).
column_winners: Any = op(
    "column_winners", _columns,
    (lambda g, winners, shape_x: column_winners_adjoint(g, winners, shape_x[0]), None),
    kind="gather",
)  # fmt: skip
#: The transpose of `column_winners`.
column_winners_adjoint: Any = op(
    "column_winners_adjoint", _columns_adjoint,
    (lambda g, winners: column_winners(g, winners), None),
    kind="gather",
)  # fmt: skip
#: Maxima (bags, columns) of rows of `weight` and the rows that they come from, 0 and −1 of an empty bag.
embedding_bag_max: Any = op(
    "embedding_bag_max", _maxima,
    (lambda g, winners, shape_weight: column_winners_adjoint(g, winners, shape_weight[0]), None, None),
    outputs=("values", "winners"), differentiable=(0,), node_name="EmbeddingBagBackward0",
    jvp=lambda primals, tangents, out, padding: (column_winners(tangents[0], out[1]), None),
    saves=("weight", "indices", "offsets"),
)  # fmt: skip
