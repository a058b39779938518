"""Samples of histograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import Sample, normal, positive

_EDGES = np.array([-1.0, 0.0, 0.5, 1.0])
_BOTH = np.concatenate([_EDGES, [-2.0, 0.0, 2.0]])


def _reference(x: np.ndarray, edges: np.ndarray, weight: Any, sizes: Any, density: bool) -> Any:
    bins = np.split(edges, np.cumsum(sizes)[:-1])
    return np.histogramdd(x, bins, weights=weight, density=density)[0]


SAMPLES = [
    Sample("histogram", (normal(30, 1), _EDGES, None), ((4,), False), smooth=False, reference=_reference),
    Sample("histogram", (normal(30, 2), _BOTH, None), ((4, 3), True), smooth=False, reference=_reference),
    Sample(
        "histogram", (normal(30, 2), _BOTH, positive(30)), ((4, 3), False), smooth=False, reference=_reference
    ),
]
