"""Samples of linear algebra."""

from __future__ import annotations

import numpy as np

from . import Sample, complex_normal, normal


def _well(*shape: int) -> np.ndarray:
    return normal(*shape) * 0.3 + 2 * np.eye(shape[-1])


def _positive_definite(size: int) -> np.ndarray:
    x = normal(size, size)
    return x @ x.T + np.eye(size)


SAMPLES = [
    Sample("linalg_inv_ex", (_well(3, 3),), reference=np.linalg.inv),
    Sample("linalg_inv_ex", (_well(2, 2, 2),), reference=np.linalg.inv),
    Sample("linalg_inv_ex", (complex_normal(2, 2) + 3 * np.eye(2),), reference=np.linalg.inv),
    Sample("linalg_solve_ex", (_well(3, 3), normal(3, 2)), reference=np.linalg.solve),
    Sample("linalg_solve_ex", (_well(2, 3, 3), normal(3, 1))),
    # The factor reads one triangle and its gradient is that of symmetric changes: see
    # tests/tensor/test_linear_algebra.py.
    Sample("linalg_cholesky_ex", (_positive_definite(3),), reference=np.linalg.cholesky, smooth=False),
    Sample("linalg_solve_triangular", (_well(3, 3), normal(3, 2)), (True, True, False)),
    Sample("linalg_solve_triangular", (_well(2, 3, 3), normal(2, 3)), (False, False, False)),
    Sample("linalg_solve_triangular", (_well(3, 3), normal(2, 3, 1)), (False, True, True)),
    Sample("cholesky_solve", (normal(3, 2), _positive_definite(3)), (False,), smooth=False),
    # These read a triangle too, or give vectors up to their sign.
    Sample("linalg_eigh", (_positive_definite(3),), ("L",), smooth=False),
    Sample("linalg_qr", (_well(3, 3),), ("reduced",)),
    Sample("linalg_qr", (normal(4, 2),), ("reduced",)),
    Sample("linalg_qr", (normal(2, 2, 4),), ("reduced",)),
    Sample("linalg_svd", (normal(3, 3),), (False,)),
    Sample("linalg_svd", (normal(4, 2),), (False,)),
    Sample("linalg_svd", (normal(2, 2, 3),), (False,)),
    Sample("linalg_det", (_well(3, 3),), reference=np.linalg.det),
    Sample("linalg_det", (_well(2, 2, 2),), reference=np.linalg.det),
]
