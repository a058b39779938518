"""Samples of bags of a table's rows."""

from __future__ import annotations

import numpy as np

from . import Sample, normal
from .index import dense_table

_INDICES, _OFFSETS = np.array([1, 2, 0, 3, 0, 2]), np.array([0, 3, 3])
_WINNERS = np.array([[1, 0], [-1, -1], [3, 3]])

SAMPLES = [
    Sample("embedding_bag", (normal(4, 2), _INDICES, _OFFSETS, normal(6)), ("sum", -1, False)),
    Sample("embedding_bag", (normal(4, 2), _INDICES, _OFFSETS, None), ("mean", 2, False)),
    Sample("embedding_bag", (normal(4, 2), _INDICES, _OFFSETS, normal(6)), ("sum", 0, True), smooth=False),
    Sample(
        "embedding_bag_sparse",
        (normal(4, 2), _INDICES, _OFFSETS, normal(6)),
        ("sum", 1, False, dense_table),
    ),
    Sample(
        "embedding_bag_sparse", (normal(4, 2), _INDICES, _OFFSETS, None), ("mean", -1, False, dense_table)
    ),
    Sample("embedding_bag_adjoint", (normal(3, 2), _INDICES, _OFFSETS, normal(6)), (4,)),
    Sample("entries_product", (normal(4, 2), normal(6), _INDICES, np.array([2, 0, 0, 1, 2, 1])), (3,)),
    Sample("embedding_bag_max", (normal(4, 2), _INDICES, _OFFSETS), (2,)),
    Sample("embedding_bag_factor", (_INDICES, _OFFSETS), (4, "mean", 2, False)),
    Sample("embedding_bag_numbers", (_OFFSETS,), (6,)),
    Sample("row_starts", (_INDICES.reshape(2, 3),), reference=lambda x: np.array([0, 3])),
    Sample("column_winners", (normal(4, 2), _WINNERS)),
    Sample("column_winners_adjoint", (normal(3, 2), _WINNERS), (4,)),
]
