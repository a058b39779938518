"""Assignments of rows to columns: what SciPy's `linear_sum_assignment` finds, as an op of a program.

Losses of detectors that predict sets match predictions to targets by it, in the middle of a step.
"""

from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import Term, op
from ..core.value import shape_of


def _assigned(cost: ndarray, /, maximize: bool) -> tuple[ndarray, ndarray]:
    # What calls it has imported SciPy's.
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(cost, maximize)
    return rows, columns


def _shapes(cost: Term, maximize: bool) -> tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]:
    outline = (min(shape_of(cost)),), np.dtype(np.int64)
    return outline, outline


#: Rows in order, and the column of each, so that the sum of their costs is least, or with `maximize` most.
linear_sum_assignment: Any = op(
    "linear_sum_assignment", _assigned, outputs=("rows", "columns"), shape=_shapes
)
