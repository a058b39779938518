"""Samples of indexing, gather and scatter, masks, fills and embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.ops.embedding import embedding_backward
from pullback.ops.gather import scatter_add, zeros_for

from . import Sample, apart, complex_normal, normal

PLACES = np.array([[[0, 1], [1, 1], [1, 0]]])
PAIRS = np.array([[0, 1, 1], [2, 0, 2]])
DIM1 = np.array([[0, 2], [1, 1], [3, 0]])
DIM0 = np.array([[0, 1, 0, 2], [2, 2, 1, 1]])
MASK = np.array([[True, False, True], [False, True, True]])
ROWS = np.array([2, 0, 2])
REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def _scatter(x: np.ndarray, index: np.ndarray, source: Any, dim: int) -> np.ndarray:
    new = x.copy()
    np.put_along_axis(new, index, source, dim)
    return new


def dense_table(g: Any, indices: Any, shape: tuple[int, ...], padding: int, by_frequency: bool) -> Any:
    """What sparse covectors of rows stand for."""
    return embedding_backward(g, indices, shape[0], padding, by_frequency)


def dense_places(g: Any, index: Any, shape: tuple[int, ...], dim: int) -> Any:
    """What sparse covectors of places stand for."""
    return scatter_add(zeros_for(g, shape), index, g, dim)


SAMPLES = [
    Sample("index", (normal(3, 4), np.array([[2, -1, 0]])), ((0,),), reference=lambda x, w, d: x[w[0]]),
    Sample("index", (normal(2, 3, 4), PAIRS), ((0, 1),), reference=lambda x, w, d: x[w[0], w[1]]),
    Sample("index", (normal(2, 3, 4), PAIRS), ((1, 2),), reference=lambda x, w, d: x[:, w[0], w[1]]),
    Sample("index", (normal(2, 4, 3), PAIRS), ((0, 2),), reference=lambda x, w, d: x[w[0], :, w[1]]),
    Sample("index", (complex_normal(2, 3), PLACES), ((1,),), reference=lambda x, w, d: x[:, w[0]]),
    Sample("index_backward", (normal(3, 4), PAIRS), ((2, 3, 4), (0, 1))),
    Sample("index_backward", (normal(2, 3), PAIRS), ((2, 3, 4), (1, 2))),
    Sample("index_backward", (normal(3, 4), PAIRS), ((2, 4, 3), (0, 2))),
    Sample("index_put", (normal(2, 3, 4), np.array([[0, 1], [2, 0]]), normal(2, 4)), ((0, 1), False)),
    Sample("index_put", (normal(2, 3, 4), np.array([[0, 1], [2, 0]]), normal(2)), ((1, 2), False)),
    Sample("index_put", (normal(2, 3, 4), PAIRS, normal(3, 4)), ((0, 1), True)),
    Sample("index_put", (normal(2, 4, 3), PAIRS, normal(1)), ((0, 2), True)),
    Sample("copy", (normal(2, 3), normal(3))),
    Sample("copy", (normal(2), normal(2))),
    Sample("fill", (normal(2, 3),), (2.0,)),
    Sample("fill_inplace", (normal(2, 3),), (2.0,)),
    Sample("fill_tensor", (normal(2, 3), normal())),
    Sample("fill_tensor_inplace", (normal(2, 3), normal())),
    Sample("zero_inplace", (normal(2, 3),)),
    Sample("gather", (normal(3, 4), DIM1), (1,), reference=np.take_along_axis),
    Sample("gather", (complex_normal(3, 4), DIM0), (0,)),
    Sample("gather_sparse", (normal(3, 4), DIM1), (1, dense_places)),
    Sample("scatter_add", (normal(3, 4), DIM1, normal(3, 2)), (1,)),
    Sample("scatter_add", (normal(3, 4), DIM0, normal(3, 5)), (0,)),
    Sample("scatter", (normal(3, 4), np.array([[0, 2], [1, 3]]), normal(3, 3)), (1,)),
    Sample(
        "scatter", (normal(3, 4), np.array([[0, 2], [1, 2], [3, 0]]), normal(3, 2)), (1,), reference=_scatter
    ),
    Sample("scatter_value", (normal(3, 4), DIM1), (1, 2.0)),
    Sample("scatter_combined", (normal(3, 4), DIM1, normal(3, 2)), (1, "prod"), smooth=False),
    *(
        Sample("scatter_reduce", (apart(3, 4), DIM0, apart(2, 4) + 0.03), (0, r, s))
        for r in REDUCTIONS
        for s in (True, False)
    ),
    Sample(
        "scatter_reduce",
        (normal(3), np.array([0, 0, 1, 1]), np.array([0.0, 2.0, 0.0, 3.0])),
        (0, "prod", True),
    ),
    Sample("index_select", (normal(3, 4), ROWS), (0,), reference=np.take),
    Sample("index_select", (complex_normal(2, 3), ROWS), (1,)),
    Sample("index_add", (normal(3, 4), ROWS, normal(3, 4)), (0, 1)),
    Sample("index_add", (normal(2, 3), ROWS, normal(2, 3)), (1, 2.5)),
    Sample("index_copy", (normal(3, 4), np.array([2, 0]), normal(2, 4)), (0,)),
    Sample("index_fill", (normal(3, 4), np.array([2, 0])), (0, 1.5)),
    Sample("index_fill_tensor", (normal(3, 4), np.array([2, 0]), normal()), (1,)),
    *(
        Sample("index_reduce", (apart(3, 4), ROWS, apart(3, 4) + 0.03), (0, r, s))
        for r in REDUCTIONS[1:]
        for s in (True, False)
    ),
    Sample(
        "masked_select", (normal(2, 3), MASK), batched=False, known_shape=False, reference=lambda x, m: x[m]
    ),
    Sample("masked_select", (normal(3), MASK), batched=False, known_shape=False),
    Sample("places", (MASK,), (4,)),
    Sample("masked_place", (normal(5), MASK), ((2, 3),), traced=False),
    Sample("masked_scatter", (normal(2, 3), MASK, normal(5)), traced=False),
    Sample("masked_scatter", (normal(3), MASK, normal(4)), traced=False),
    Sample("take", (normal(2, 3), np.array([[0, -1], [5, 5]])), reference=np.take),
    Sample("put_places", (normal(2, 3), np.array([0, 4]), normal(2)), (False,)),
    Sample("put_places", (normal(2, 3), np.array([[0, 4], [-2, 1]]), normal(2, 2)), (True,)),
    Sample(
        "embedding",
        (normal(4, 3), np.array([[0, 3], [3, 1]])),
        (-1, False),
        reference=lambda w, i, p, f: w[i],
    ),
    Sample("classes", (np.array([[0, 2], [1, 1]]),), (3,)),
    Sample("embedding_renorm", (normal(4, 3), np.array([0, 2])), (0.5, 2.0), smooth=False),
    Sample("embedding", (normal(4, 3), np.array([[0, 3], [2, 1]])), (-1, True)),
    Sample("embedding_sparse", (normal(4, 3), np.array([[0, 3], [2, 1]])), (-1, False, dense_table)),
    Sample("embedding_backward", (normal(2, 2, 3), np.array([[0, 3], [3, 1]])), (4, 3, False)),
    Sample("embedding_backward", (normal(2, 2, 3), np.array([[0, 3], [3, 1]])), (4, -1, True)),
    Sample("embedding_row_factor", (np.array([0, 3, 3]),), (4, 0, True)),
]
