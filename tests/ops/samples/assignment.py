"""Samples of assignments of rows to columns."""

from __future__ import annotations

from scipy.optimize import linear_sum_assignment

from . import Sample, normal

SAMPLES = [
    Sample("linear_sum_assignment", (normal(*shape),), (maximize,), reference=linear_sum_assignment)
    for shape, maximize in (((4, 4), False), ((3, 5), True), ((5, 2), False), ((0, 3), False))
]
