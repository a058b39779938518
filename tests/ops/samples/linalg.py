"""Samples of linear algebra."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from . import Sample, complex_normal, hermitian, lower, normal, upper


def _well(*shape: int) -> np.ndarray:
    return normal(*shape) * 0.3 + 2 * np.eye(shape[-1])


def _well_complex(*shape: int) -> np.ndarray:
    return complex_normal(*shape) * 0.3 + 2 * np.eye(shape[-1])


def _positive_definite(size: int) -> np.ndarray:
    x = normal(size, size)
    return x @ x.T + np.eye(size)


def _hermitian(size: int) -> np.ndarray:
    x = complex_normal(size, size)
    return x @ x.conj().T + np.eye(size)


def _linalg(name: str, *args: Any, **kwargs: Any) -> Any:
    """A function of SciPy."""
    return getattr(importlib.import_module("scipy.linalg"), name)(*args, **kwargs)


def _no_failure(x: np.ndarray, *results: Any) -> tuple[Any, ...]:
    return *results, np.zeros(x.shape[:-2], np.int32)


def _triangular(x: np.ndarray, upper: bool, unit: bool) -> np.ndarray:
    part = np.triu(x, 1) if upper else np.tril(x, -1)
    return part + (np.eye(x.shape[-1]) if unit else np.eye(x.shape[-1]) * x)


def _lu_factors(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lu, pivots = _linalg("lu_factor", x)
    return lu, (pivots + 1).astype(np.int32)


def _ldl_factors(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lapack = importlib.import_module("scipy.linalg.lapack")
    ld, pivots, _ = lapack.dsytrf(np.tril(x), lower=1)
    return ld, pivots.astype(np.int32)


def _reflectors(*shape: int) -> tuple[np.ndarray, np.ndarray]:
    x = normal(*shape)
    lapack = importlib.import_module("scipy.linalg.lapack")
    a, tau, _, _ = lapack.dgeqrf(x)
    return a, tau


def _product_of(x: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """The whole product of reflectors, one by one."""
    rows = len(x)
    q = np.eye(rows)
    for i, t in enumerate(tau):
        v = np.concatenate([np.zeros(i), [1.0], x[i + 1 :, i]])
        q = q @ (np.eye(rows) - t * np.outer(v, v))
    return q


def _applied(x: np.ndarray, tau: np.ndarray, c: np.ndarray, left: bool, transposed: bool) -> np.ndarray:
    q = _product_of(x, tau)
    q = q.T if transposed else q
    return q @ c if left else c @ q


def _cofactors(x: np.ndarray) -> np.ndarray:
    size = x.shape[-1]
    result = np.empty_like(x)
    for i in range(size):
        for j in range(size):
            minor = np.delete(np.delete(x, i, -2), j, -1)
            result[..., i, j] = (-1) ** (i + j) * np.linalg.det(minor)
    return result


def _distances(x: np.ndarray, y: np.ndarray, p: float = 2.0) -> np.ndarray:
    difference = np.abs(x[..., :, None, :] - y[..., None, :, :])
    return np.linalg.norm(difference, p, axis=-1)


_LU, _PIVOTS = _lu_factors(_well(3, 3))
_LD, _LD_PIVOTS = _ldl_factors(_positive_definite(3))
_A, _TAU = _reflectors(4, 3)
_NONE, _ROUNDING = np.zeros(()), np.asarray(1e-12)
_THIN = normal(4, 2) @ normal(2, 3)

SAMPLES = [
    Sample("trace", (normal(3, 4),), reference=np.trace),
    # --- inverse and solution
    Sample("linalg_inv_ex", (_well(3, 3),), ("",), reference=lambda x, _: _no_failure(x, np.linalg.inv(x))),
    Sample("linalg_inv_ex", (_well(2, 2, 2),), ("",)),
    Sample("linalg_inv_ex", (_well_complex(2, 2),), ("",)),
    Sample(
        "linalg_solve_ex",
        (_well(3, 3), normal(3, 2)),
        (True, False, ""),
        reference=lambda x, y, *_: _no_failure(x, np.linalg.solve(x, y)),
    ),
    Sample("linalg_solve_ex", (_well(2, 3, 3), normal(3, 1)), (True, False, "")),
    Sample(
        "linalg_solve_ex",
        (_well(2, 3, 3), normal(2, 3)),
        (True, True, ""),
        reference=lambda x, y, *_: _no_failure(x, np.linalg.solve(x, y[..., None])[..., 0]),
    ),
    Sample(
        "linalg_solve_ex",
        (_well(3, 3), normal(2, 4, 3)),
        (False, False, ""),
        reference=lambda x, y, *_: _no_failure(x, y @ np.linalg.inv(x)),
    ),
    Sample("linalg_solve_ex", (_well_complex(3, 3), complex_normal(3, 2)), (True, False, "")),
    # --- triangular systems and the Cholesky factor
    # The factor reads one triangle and its gradient is that of symmetric changes.
    Sample(
        "linalg_cholesky_ex",
        (_positive_definite(3),),
        (False, ""),
        varied={0: hermitian},
        reference=lambda x, *_: _no_failure(x, np.linalg.cholesky(x)),
    ),
    Sample(
        "cholesky",
        (_positive_definite(3),),
        (True,),
        varied={0: hermitian},
        reference=lambda x, _: np.linalg.cholesky(x).T,
    ),
    Sample(
        "linalg_solve_triangular",
        (_well(3, 3), normal(3, 2)),
        (True, True, False),
        reference=lambda x, y, *_: np.linalg.solve(np.triu(x), y),
    ),
    Sample("linalg_solve_triangular", (_well(2, 3, 3), normal(2, 3)), (False, False, False)),
    Sample("linalg_solve_triangular", (_well(3, 3), normal(2, 3, 1)), (False, True, True)),
    Sample(
        "triangular_solve",
        (normal(3, 2), _well(3, 3)),
        (True, False, False),
        reference=lambda y, x, *_: (np.linalg.solve(np.triu(x), y), x),
    ),
    Sample(
        "triangular_solve",
        (normal(3, 2), _well(3, 3)),
        (False, True, True),
        reference=lambda y, x, *_: (np.linalg.solve(_triangular(x, False, True).T, y), x),
    ),
    Sample("triangular_solve", (complex_normal(3, 2), _well_complex(3, 3)), (True, True, False)),
    Sample("cholesky_solve", (normal(3, 2), np.tril(_positive_definite(3))), (False,), varied={1: lower}),
    Sample(
        "cholesky_inverse",
        (np.tril(_positive_definite(3)),),
        (False,),
        varied={0: lower},
        reference=lambda x, _: np.linalg.inv(np.tril(x) @ np.tril(x).T),
    ),
    Sample("cholesky_inverse", (np.triu(_hermitian(3)),), (True,), varied={0: upper}),
    # --- determinants
    Sample("linalg_det", (_well(3, 3),), reference=np.linalg.det),
    Sample("linalg_det", (_well(2, 2, 2),), reference=np.linalg.det),
    Sample("linalg_det", (_THIN[:3],), traced=False, reference=np.linalg.det),
    Sample("linalg_det", (_well_complex(3, 3),), reference=np.linalg.det),
    Sample("cofactors", (normal(2, 3, 3),), reference=_cofactors),
    # Their second derivative is that of the singular vectors, which a singular matrix does not have.
    Sample("cofactors", (complex_normal(4, 2) @ complex_normal(2, 4),), second=False, reference=_cofactors),
    Sample("cofactors", (complex_normal(4, 3) @ complex_normal(3, 4),), second=False, reference=_cofactors),
    Sample("linalg_slogdet", (_well(2, 3, 3),), reference=np.linalg.slogdet),
    Sample("linalg_slogdet", (_well_complex(3, 3),), reference=np.linalg.slogdet),
    # --- eigenvalues and singular values
    # eigh reads a triangle too; vectors of complex matrices have no derivative but up to their phases.
    Sample("linalg_eigh", (_positive_definite(3),), ("L",), varied={0: hermitian}),
    Sample(
        "linalg_eig", (np.diag([1.0, 2.0, 4.0]) + normal(3, 3) * 0.1,), pulled=(0,), reference=np.linalg.eig
    ),
    Sample("linalg_svd", (normal(3, 3),), (False,)),
    Sample("linalg_svd", (normal(4, 2),), (False,)),
    Sample("linalg_svd", (normal(2, 2, 3),), (False,)),
    Sample("linalg_eigvalsh", (_positive_definite(3),), ("L",), varied={0: hermitian}),
    Sample("linalg_eigvals", (np.diag([1.0, 2.0, 4.0]) + normal(3, 3) * 0.1,)),
    Sample("linalg_svdvals", (normal(4, 2),)),
    Sample("linalg_svdvals", (normal(2, 2, 3),)),
    # --- orthogonal factors
    Sample("linalg_qr", (_well(3, 3),), ("reduced",)),
    Sample("linalg_qr", (normal(4, 2),), ("reduced",), reference=lambda x, _: tuple(np.linalg.qr(x))),
    Sample("linalg_qr", (normal(2, 2, 4),), ("reduced",)),
    Sample("linalg_qr", (complex_normal(3, 2),), ("reduced",)),
    Sample("linalg_qr", (complex_normal(2, 3),), ("reduced",)),
    Sample("geqrf", (normal(4, 3),), smooth=False, reference=lambda x: _linalg("qr", x, mode="raw")[0]),
    Sample("linalg_householder_product", (_A, _TAU), reference=lambda x, t: _product_of(x, t)[:, :3]),
    Sample("linalg_householder_product", (normal(2, 4, 3), normal(2, 2))),
    Sample("linalg_householder_product", (complex_normal(3, 2), complex_normal(2))),
    Sample("ormqr", (_A, _TAU, normal(4, 2)), (True, False), reference=_applied),
    Sample("ormqr", (_A, _TAU, normal(4, 2)), (True, True), reference=_applied),
    Sample("ormqr", (_A, _TAU, normal(2, 4)), (False, True), reference=_applied),
    Sample("ormqr", (complex_normal(3, 2), complex_normal(2), complex_normal(2, 3)), (False, False)),
    # --- LU and LDL
    Sample(
        "linalg_lu_factor_ex", (_well(3, 3),), ("",), reference=lambda x, _: _no_failure(x, *_lu_factors(x))
    ),
    Sample("linalg_lu_factor_ex", (normal(2, 4, 2),), ("",)),
    Sample("linalg_lu_factor_ex", (complex_normal(2, 4),), ("",)),
    Sample("lu_unpack", (_LU, _PIVOTS), (True, True)),
    Sample("lu_unpack", (_LU[:2], _PIVOTS[:2] * 0 + 2), (True, False)),
    Sample("linalg_lu", (normal(3, 3),), reference=lambda x: _linalg("lu", x)),
    Sample("linalg_lu", (normal(4, 2),), reference=lambda x: _linalg("lu", x)),
    Sample("linalg_lu", (complex_normal(2, 4),), reference=lambda x: _linalg("lu", x)),
    Sample(
        "linalg_lu_solve",
        (_LU, _PIVOTS, normal(3, 2)),
        (True, False),
        reference=lambda x, p, y, *_: _linalg("lu_solve", (x, p - 1), y),
    ),
    Sample("linalg_lu_solve", (_LU, _PIVOTS, normal(2, 3, 2)), (True, True)),
    Sample("linalg_lu_solve", (_LU, _PIVOTS, normal(2, 3)), (False, False)),
    Sample("linalg_lu_solve", (_LU + 0j, _PIVOTS, complex_normal(2, 3)), (False, True)),
    Sample(
        "linalg_ldl_factor_ex",
        (_positive_definite(3),),
        (False, ""),
        smooth=False,
        reference=lambda x, *_: _no_failure(x, *_ldl_factors(x)),
    ),
    Sample("linalg_ldl_factor_ex", (_hermitian(3),), (True, ""), smooth=False),
    Sample("linalg_ldl_solve", (_LD, _LD_PIVOTS, normal(3, 2)), (False,), smooth=False),
    # --- the pseudoinverse and least squares
    Sample(
        "linalg_pinv", (normal(4, 2), _NONE, _ROUNDING), (False,), reference=lambda x, *_: np.linalg.pinv(x)
    ),
    Sample("linalg_pinv", (complex_normal(2, 3), _NONE, _ROUNDING), (False,)),
    # Along changes that keep the rank; others have no derivative.
    Sample(
        "linalg_pinv",
        (_THIN, _NONE, _ROUNDING),
        (False,),
        smooth=False,
        reference=lambda x, *_: np.linalg.pinv(x, 1e-12),
    ),
    Sample(
        "linalg_pinv",
        (_positive_definite(3), _NONE, _ROUNDING),
        (True,),
        smooth=False,
        reference=lambda x, *_: np.linalg.pinv(x),
    ),
    *(
        Sample("linalg_lstsq", (normal(4, 2), normal(4, 3)), (1e-12, driver, False), known_shape=False)
        for driver in ("gelsy", "gels", "gelsd", "gelss")
    ),
    Sample("linalg_lstsq", (normal(2, 4, 2), normal(2, 4)), (1e-12, "gels", True)),
    Sample("linalg_lstsq", (complex_normal(2, 3), complex_normal(2, 1)), (1e-12, "gelsd", False)),
    # --- the exponential, distances, products
    Sample("linalg_matrix_exp", (normal(3, 3),), reference=lambda x: _linalg("expm", x)),
    Sample("linalg_matrix_exp", (normal(2, 3, 3) * 8,), reference=lambda x: _linalg("expm", x)),
    Sample("linalg_matrix_exp", (complex_normal(2, 2),), reference=lambda x: _linalg("expm", x)),
    *(
        Sample(
            "cdist",
            (normal(3, 2) + np.arange(3)[:, None] * 7, normal(2, 4, 2) - 7),
            (p,),
            reference=_distances,
        )
        for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, float("inf"))
    ),
    Sample("_euclidean_dist", (normal(3, 2), normal(4, 2)), reference=_distances),
    *(Sample("pdist", (normal(4, 3),), (p,)) for p in (1.0, 2.0, 2.5, float("inf"))),
]
