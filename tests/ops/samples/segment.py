"""Samples of reductions by segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import Sample, apart, normal

_LENGTHS = np.array([2, 0, 3])
_ROWS = np.array([[2, 3], [4, 1]])
_BY = {"sum": np.sum, "mean": np.mean, "prod": np.prod, "max": np.max, "min": np.min}


def _reference(x: np.ndarray, lengths: np.ndarray, reduce: str, axis: int, initial: Any) -> Any:
    parts = np.split(x, np.cumsum(lengths)[:-1])
    return np.stack([_BY[reduce](part, 0) for part in parts])


def _with_zeros(*zeros: int) -> np.ndarray:
    x = normal(5)
    x[list(zeros)] = 0
    return x


SAMPLES = [
    *(
        Sample("segment_reduce", (apart(5, 2), np.array([2, 3])), (reduce, 0, None), reference=_reference)
        for reduce in _BY
    ),
    *(Sample("segment_reduce", (apart(5), _LENGTHS), (reduce, 0, 0.17)) for reduce in _BY),
    *(Sample("segment_reduce", (apart(2, 5, 2), _ROWS), (reduce, 1, None)) for reduce in _BY),
    Sample("segment_reduce", (_with_zeros(1), _LENGTHS), ("prod", 0, 2.0), second=False),
    Sample("segment_reduce", (_with_zeros(2, 4), _LENGTHS), ("prod", 0, 2.0), second=False),
    Sample("segment_spread", (normal(3, 2), _LENGTHS), (0, 5)),
    Sample("segment_spread", (normal(2, 2), _ROWS), (1, 6)),
]
