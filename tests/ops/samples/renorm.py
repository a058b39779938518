"""Samples of `renorm`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import Sample, complex_normal, normal


def _by_rows(x: np.ndarray, p: float, dim: int, largest: float) -> Any:
    norm = np.linalg.norm(x, p, axis=1, keepdims=True)
    return x * np.where(norm > largest, largest / (norm + 1e-7), 1)


SAMPLES = [
    Sample("renorm", (normal(3, 4),), (2.0, 0, 1.5), reference=_by_rows),
    Sample("renorm", (normal(4, 3) * np.array([0.1, 1.0, 3.0]),), (3.0, 1, 1.0)),
    Sample("renorm", (complex_normal(2, 3),), (2.0, 0, 1.0), reference=_by_rows),
]
