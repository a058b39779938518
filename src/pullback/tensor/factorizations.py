"""Eigenvalues, singular values and orthogonal factors under torch's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array.deferred_import import import_later
from ..array.dtype_words import type_word
from ..core import inplace
from ..core.modes import modes
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from .api import with_signature
from .matrix_checks import check_floating, check_matrix, check_square, last_size
from .matrix_deprecations import superseded
from .return_types import return_type

orthogonal = import_later("..ops.orthogonal", __package__)
spectral = import_later("..ops.spectral", __package__)

# --- eigenvalues --------------------------------------------------------------------------------------------


def _has_history(x: Any) -> bool:
    """Return whether vectors will be read by the pullback of values."""
    return modes().grad and isinstance(x, TensorBase) and inplace.requires_grad(x)


def _check_general(input: Any, name: str) -> None:
    check_square(input, name)
    if dtype_of(input).kind in "biu":
        raise RuntimeError(f"Unknown Complex ScalarType for {type_word(dtype_of(input))}")


@with_signature()
def linalg_eig(input: Any) -> Any:
    """Return eigenvalues, in no order, and eigenvectors of norm 1: ``A V = V diag(L)``.

    Parameters
    ----------
    input : tensor (…, n, n)

    Returns
    -------
    (eigenvalues, eigenvectors)
        Complex, (…, n) and (…, n, n). Gradients through the vectors need distinct eigenvalues and a loss that
        does not depend on the vectors' phases.
    """
    _check_general(input, "linalg.eig")
    return return_type("linalg_eig", "eigenvalues", "eigenvectors")(spectral.eig(input))


@with_signature()
def linalg_eigvals(input: Any) -> Any:
    """Return eigenvalues, complex, in no order: (…, n, n) -> (…, n)."""
    _check_general(input, "linalg.eigvals")
    return spectral.eig(input)[0] if _has_history(input) else spectral.eigvals(input)


def _checked_triangle(A: Any, UPLO: str) -> str:
    check_square(A, "linalg.eigh")
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return UPLO.upper()


@with_signature()
def linalg_eigh(input: Any, UPLO: str = "L") -> Any:
    """Return eigenvalues, ascending, and eigenvectors of Hermitian matrices: ``A = Q diag(L) Qᴴ``.

    Parameters
    ----------
    input : tensor (…, n, n)
    UPLO : {"L", "U"}
        Which triangle is read.

    Returns
    -------
    (eigenvalues, eigenvectors)
        (…, n), real, and (…, n, n).
    """
    return return_type("linalg_eigh", "eigenvalues", "eigenvectors")(
        spectral.eigh(input, _checked_triangle(input, UPLO))
    )


@with_signature()
def linalg_eigvalsh(input: Any, UPLO: str = "L") -> Any:
    """Return eigenvalues, ascending, of Hermitian matrices: (…, n, n) -> (…, n)."""
    triangle = _checked_triangle(input, UPLO)
    return spectral.eigh(input, triangle)[0] if _has_history(input) else spectral.eigvalsh(input, triangle)


# --- singular values ----------------------------------------------------------------------------------------


def _check_driver(driver: str | None) -> None:
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER "
            "backend."
        )


def singular(A: Any, full: bool, name: str) -> tuple[Any, Any, Any]:
    """Return U, S and Vᴴ after torch's checks."""
    check_matrix(A, name)
    check_floating(A, name, halves=True)
    return spectral.svd(A, full)


def singular_values(A: Any) -> Any:
    """Return S after torch's checks."""
    if _has_history(A):
        return singular(A, False, "linalg.svd")[1]
    check_matrix(A, "linalg.svd")
    check_floating(A, "linalg.svd", halves=True)
    return spectral.svdvals(A)


@with_signature()
def linalg_svd(A: Any, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """Return the singular values, descending, and vectors: ``A = U diag(S) Vh``.

    Parameters
    ----------
    A : tensor (…, m, n)
    full_matrices : bool
        Whether U and Vh are square; else they have k = min(m, n) columns and rows.
    driver : None

    Returns
    -------
    (U, S, Vh)
        (…, m, k), (…, k), real, and (…, k, n). Gradients through U and Vh need distinct singular values, and
        for complex A a loss that does not depend on the vectors' phases.
    """
    _check_driver(driver)
    return return_type("linalg_svd", "U", "S", "Vh")(singular(A, full_matrices, "linalg.svd"))


@with_signature()
def linalg_svdvals(A: Any, *, driver: str | None = None) -> Any:
    """Return the singular values, descending: (…, m, n) -> (…, min(m, n))."""
    _check_driver(driver)
    return singular_values(A)


@with_signature()
def svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """Return ``input = U diag(S) Vᴴ``, with V itself as third result.

    Parameters
    ----------
    input : tensor (…, m, n)
    some : bool
        Whether U and V have min(m, n) columns.
    compute_uv : bool
        Whether U and V are asked for; else they are zeros.

    Returns
    -------
    (U, S, V)
    """
    if len(shape_of(input)) < 2:
        raise RuntimeError("linalg.svd: input should have at least 2 dimensions, but has "
                           f"{len(shape_of(input))} dimensions instead")
    u, s, vh = singular(input, not some and compute_uv, "linalg.svd")
    if not compute_uv:
        rows, columns = shape_of(input)[-2:]
        lead, dtype = shape_of(input)[:-2], dtype_of(input)
        u, v = (wrap(np.zeros((*lead, n, n), dtype)) for n in (rows, columns))
        return return_type("svd", "U", "S", "V")((u, s, v.mT))
    return return_type("svd", "U", "S", "V")((u, s, vh.mH))


# --- orthogonal factors -------------------------------------------------------------------------------------


def orthonormal(A: Any, mode: str = "reduced") -> tuple[Any, Any]:
    """Return Q and R after torch's checks."""
    check_matrix(A, "linalg.qr")
    check_floating(A, "linalg.qr", halves=True)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
            "'complete'"
        )
    return orthogonal.qr(A, mode)


@with_signature()
def linalg_qr(A: Any, mode: str = "reduced") -> Any:
    """Return ``A = Q R`` with orthonormal columns of Q and an upper triangle R.

    Parameters
    ----------
    A : tensor (…, m, n)
    mode : {"reduced", "complete", "r"}
        Q has k = min(m, n) columns; or m; or is not asked for.

    Returns
    -------
    (Q, R)
        (…, m, k) and (…, k, n).
    """
    return return_type("linalg_qr", "Q", "R")(orthonormal(A, mode))


@with_signature()
def qr(input: Any, some: bool = True) -> Any:
    """Return ``input = Q R`` (see `torch.linalg.qr`)."""
    superseded("qr")
    return return_type("qr", "Q", "R")(orthonormal(input, "reduced" if some else "complete"))


@with_signature()
def geqrf(input: Any) -> Any:
    """Return QR as LAPACK's geqrf leaves it.

    Parameters
    ----------
    input : tensor (…, m, n)

    Returns
    -------
    (a, tau)
        R in the upper triangle of a (…, m, n) and below it the vectors vᵢ of the reflectors
        ``I − τᵢ vᵢ vᵢᴴ``, whose product is Q; tau (…, min(m, n)).
    """
    if len(shape_of(input)) < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    return return_type("geqrf", "a", "tau")(orthogonal.geqrf(input))


def _reflectors(input: Any, tau: Any) -> Any:
    name = "torch.linalg.householder_product"
    a, t = shape_of(input), shape_of(tau)
    if len(a) < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if a[-2] < a[-1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if a[-1] < last_size(tau):
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if len(a) - len(t) != 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {len(t)} "
            f"and input.ndim is equal to {len(a)}"
        )
    if t[:-1] != a[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(t[:-1])}"
        )
    if dtype_of(tau) != dtype_of(input):
        raise RuntimeError(
            f"{name}: tau dtype {type_word(dtype_of(tau))} does not match input dtype "
            f"{type_word(dtype_of(input))}"
        )
    return orthogonal.householder_product(input, tau)


@with_signature()
def linalg_householder_product(input: Any, tau: Any) -> Any:
    """Return the first n columns of the product of the reflectors ``I − τᵢ vᵢ vᵢᴴ``.

    Parameters
    ----------
    input : tensor (…, m, n)
        The vectors below the diagonal, as `torch.geqrf` leaves them; m ≥ n.
    tau : tensor (…, k)
        k ≤ n.

    Returns
    -------
    tensor (…, m, n)
    """
    return _reflectors(input, tau)


@with_signature()
def orgqr(input: Any, input2: Any) -> Any:
    """Return the first columns of a product of reflectors (see `torch.linalg.householder_product`)."""
    return _reflectors(input, input2)


@with_signature()
def ormqr(input: Any, input2: Any, input3: Any, left: bool = True, transpose: bool = False) -> Any:
    """Return the product of Q, given by reflectors, with a matrix C: ``Q C`` (``Qᴴ C``), or ``C Q``.

    Parameters
    ----------
    input : tensor (…, m, k)
        The reflectors' vectors, as `torch.geqrf` leaves them; Q is (m, m).
    input2 : tensor (…, k)
        Their factors τ.
    input3 : tensor (…, m, n), or (…, n, m) where not `left`
        C.
    left, transpose : bool

    Returns
    -------
    tensor
        In the shape of C.
    """
    name = "torch.ormqr"
    a, t, c = shape_of(input), shape_of(input2), shape_of(input3)
    if len(a) < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if len(c) < 2:
        raise RuntimeError(f"{name}: other must have at least 2 dimensions.")
    side = -2 if left else -1
    if c[side] != a[-2]:
        raise RuntimeError(f"{name}: other.shape[{side}] must be equal to input.shape[-2]")
    if last_size(input2) != min(c[side], a[-1]):
        raise RuntimeError(
            f"{name}: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])"
        )
    if len(a) - len(t) != 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {len(t)} "
            f"and input.ndim is equal to {len(a)}"
        )
    if len(a) != len(c):
        raise RuntimeError(
            f"{name}: Expected other to have the same number of dimensions as input, but got other.ndim "
            f"equal to {len(c)} and input.ndim is equal to {len(a)}"
        )
    for word, lead in (("tau", t[:-1]), ("other", c[:-2])):
        if lead != a[:-2]:
            raise RuntimeError(
                f"{name}: Expected batch dimensions of {word} to be equal to input.shape[:-2], but got "
                f"{list(lead)}"
            )
    for word, x in (("tau", input2), ("other", input3)):
        if dtype_of(x) != dtype_of(input):
            raise RuntimeError(
                f"{name}: Expected input and {word} to have the same dtype, but input has dtype"
                f"{type_word(dtype_of(input))} and {word} has dtype {type_word(dtype_of(x))}"
            )
    return orthogonal.ormqr(input, input2, input3, left, transpose)
