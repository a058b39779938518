"""Large single matrices: what is asked of LAPACK."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import scipy_functions
from pullback.ops import linalg, spectral

pytestmark = pytest.mark.skipif(not scipy_functions.is_installed(), reason="calls LAPACK through SciPy")


def test_an_inverse_is_found_in_blocks(monkeypatch: Any) -> None:
    asked: dict[str, Any] = {}

    def lapack(name: str, x: Any) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            asked[name] = options
            return found(*args, **options)

        found = original(name, x)
        return call

    original = linalg.lapack
    monkeypatch.setattr(linalg, "lapack", lapack)
    monkeypatch.setattr(linalg, "inverse_triangle", lambda *given: None)  # no native kernel
    x = torch.randn(90, 90, dtype=torch.float64)
    torch.testing.assert_close(torch.linalg.inv(x) @ x, torch.eye(90, dtype=torch.float64))
    # LAPACK takes blocks of as many columns as the workspace has room for.
    assert asked["getri"]["lwork"] >= 32 * 90


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("change", ["nothing", "exchanged", "zero", "nan", "inf"])
def test_determinants_are_the_products_of_pivots(change: str, dtype: Any, monkeypatch: Any) -> None:
    x = np.random.default_rng(0).standard_normal((70, 70)) / 8
    x = (x + 1j * x[::-1] if np.dtype(dtype).kind == "c" else x).astype(dtype)
    if change == "exchanged":
        x = np.ascontiguousarray(x[[1, 0, *range(2, 70)]])
    elif change != "nothing":
        x[3] = {"zero": 0, "nan": np.nan, "inf": np.inf}[change]
    det, (sign, size) = torch.linalg.det(torch.from_numpy(x)), torch.linalg.slogdet(torch.from_numpy(x))
    # As stacks they stay NumPy's.
    monkeypatch.setattr(linalg, "_pivots", None)
    wanted, (turn, log) = (
        torch.linalg.det(torch.from_numpy(x[None])),
        torch.linalg.slogdet(torch.from_numpy(x[None])),
    )
    for found, expected in ((det, wanted), (sign, turn), (size, log)):
        torch.testing.assert_close(found, expected[0], equal_nan=True, rtol=1e-3, atol=1e-6)


def test_a_determinant_of_a_large_matrix_is_not_numpys(monkeypatch: Any) -> None:
    monkeypatch.setattr(linalg, "by_numpy", None)
    assert torch.linalg.det(torch.eye(80) * 2) == 2.0**80
    assert torch.linalg.slogdet(torch.eye(80)).logabsdet == 0


_VALUES = {"eigvalsh": "eigh", "eigvals": "eig", "svdvals": "svd"}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex128])
@pytest.mark.parametrize("name", _VALUES)
def test_vectors_are_not_computed_for_values_without_history(name: str, dtype: Any, monkeypatch: Any) -> None:
    x = torch.randn(2, 40, 40, dtype=dtype)
    x = x + x.mH if name == "eigvalsh" else x
    with_vectors, values = getattr(torch.linalg, _VALUES[name]), getattr(torch.linalg, name)
    expected = with_vectors(x)[1 if name == "svdvals" else 0]
    tracked = values(x.requires_grad_())
    monkeypatch.setattr(spectral, f"_{_VALUES[name]}", None)
    monkeypatch.setattr(spectral, _VALUES[name], None)
    # With a history the vectors were computed at once, for the pullback.
    (grad,) = torch.autograd.grad(tracked.abs().sum(), x)
    assert grad.isfinite().all()
    for stack in (x.detach(), x.detach()[0]):
        found = values(stack)
        wanted = expected.reshape(-1, 40)[: found.numel() // 40].reshape(found.shape)
        if name == "eigvals":
            found, wanted = found.abs().sort().values, wanted.abs().sort().values
        torch.testing.assert_close(found, wanted.detach(), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", _VALUES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("shape", [(40, 40), (2, 40, 40), (3, 3)])
def test_values_of_what_is_not_finite_are_as_with_vectors(name: str, value: float, shape: Any) -> None:
    x = torch.ones(shape, dtype=torch.float64)
    x[..., 1, 1] = value

    def outcome(function: Any) -> Any:
        try:
            return function(x)
        except RuntimeError as error:
            return str(error)

    found = outcome(getattr(torch.linalg, name))
    expected = outcome(getattr(torch.linalg, _VALUES[name]))
    if isinstance(expected, str):
        assert found == expected
    else:
        torch.testing.assert_close(found, expected[1 if name == "svdvals" else 0], equal_nan=True)
