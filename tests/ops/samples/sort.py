"""Samples of sorting, places in sorted rows and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import Sample, apart, between, integers, normal


def _sorted(x: np.ndarray, dim: int, descending: bool) -> Any:
    order = np.argsort(-x if descending else x, dim)
    return np.take_along_axis(x, order, dim), order


SAMPLES = [
    Sample("probabilities", (between(5, low=0.1, high=0.9),), reference=lambda q: q),
    Sample("drawn_from", (between(3, 5, low=0.1, high=0.9),), reference=lambda p: p),
    Sample("sort", (apart(3, 4),), (1, False), reference=_sorted),
    Sample("sort", (apart(3, 4),), (0, True), reference=_sorted),
    Sample("sort_stable", (apart(3, 4),), (0, True), reference=_sorted),
    Sample("topk", (apart(3, 4),), (2, 1, True)),
    Sample("topk", (apart(4, 3),), (3, 0, False)),
    Sample("searchsorted", (np.array([1.0, 3.0, 5.0]), normal(2, 3)), (False, False)),
    Sample("searchsorted", (np.sort(normal(2, 3)), normal(2, 4)), (True, True)),
    Sample(
        "bincount", (integers(7, high=4), None), (6, None), known_shape=False,
        reference=lambda x, w, n, length: np.bincount(x, minlength=n),
    ),
    Sample("bincount", (integers(7, high=4), None), (0, 6)),
    Sample("bincount", (integers(7, high=4), normal(7)), (6, None), smooth=False, known_shape=False),
    Sample("bincount", (integers(7, high=4), normal(7)), (0, 6), smooth=False),
    Sample(
        "histc", (normal(20),), (5, -1.0, 1.0), reference=lambda x, n, a, b: np.histogram(x, n, (a, b))[0]
    ),
    Sample("isin", (integers(5), integers(3)), (False,), reference=lambda x, t, i: np.isin(x, t)),
    *(
        Sample(
            name,
            (np.array([2.0, 1.0, 1.0, 3.0, 2.0]),),
            (dim,),
            smooth=False,
            batched=False,
            known_shape=False,
        )
        for name, dim in (("_unique2", None), ("unique_dim", 0), ("unique_consecutive", None))
    ),
]
