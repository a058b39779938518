"""Sums of weighted rows at given places: the product of a sparse matrix with a dense one.

The loop is SciPy's, which its matrices call: to make such a matrix first takes three times as long as to
multiply a few hundred entries. A SciPy that has the loop elsewhere is asked for the matrix.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from .scipy_functions import extension, sparse


@functools.cache
def _loop() -> Callable[..., None] | None:
    try:
        return getattr(extension("sparse._sparsetools"), "coo_matmat_dense", None)
    except ModuleNotFoundError:
        return None


def weighted_rows(put: ndarray, take: ndarray, weights: ndarray, x: ndarray, rows: int | ndarray) -> ndarray:
    """Return ``out[put[i]] += weights[i] * x[take[i]]`` over all i in order, by SciPy.

    `put`, `take` and `weights` are ``(n,)``, the first two integers in ``range(rows)`` and ``range(len(x))``,
    or an IndexError is raised; x is ``(m, k)``, of the dtype of the weights, which is no half precision.
    `rows` is how many rows of zeros are added to, or an array ``(rows, k)`` in C order, which is then
    returned.
    """
    loop = _loop()
    out = np.zeros((rows, x.shape[1]), x.dtype) if isinstance(rows, int) else rows
    if loop is None:
        matrix: Any = sparse().coo_array((weights, (put, take)), shape=(len(out), len(x)))
        out += matrix.tocsr() @ x
        return out
    put, take = (np.ascontiguousarray(v, np.int64) for v in (put, take))
    for places, size in ((put, len(out)), (take, len(x))):
        # SciPy's loop does not look, and would write elsewhere. Unsigned, what is below 0 is above all sizes.
        if len(places) and np.maximum.reduce(places.view(np.uint64)) >= size:
            raise IndexError(f"a row of {size} is out of range")
    loop(len(put), x.shape[1], put, take, np.ascontiguousarray(weights), x.reshape(-1), out.reshape(-1))
    return out
