"""Stacks of small matrices are solved, factored and turned by kernels that give what eager gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.compiler.lower.filling import Call

pytest.importorskip("llvmlite")


def _numbers(*shape: int, dtype: Any = np.float64) -> Any:
    return torch.tensor(np.random.default_rng(0).standard_normal(shape).astype(dtype))


def _positive(*shape: int) -> Any:
    x = _numbers(*shape)
    return x @ x.mT + torch.eye(shape[-1], dtype=x.dtype)


def _check(function: Callable[..., Any], *args: Any, tolerance: float = 1e-9) -> None:
    """Compare what is compiled with eager; no array kernel runs."""
    compiled = torch.compile(function)
    found, expected = compiled(*args), function(*args)
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, expected)), strict=True):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)
    (made,) = compiled._native.specializations
    assert not any(isinstance(node, Call) for node in made.forward.lowered.nodes)


@pytest.mark.parametrize(("size", "lead"), [(5, ()), (17, (2, 3)), (48, ())])
def test_systems_and_determinants(size: int, lead: tuple[int, ...]) -> None:
    a, b = _numbers(*lead, size, size), _numbers(*lead, size, 3)

    def both(a: Any, b: Any) -> Any:
        return torch.linalg.solve(a, b), torch.linalg.solve(a, b.mT, left=False), torch.linalg.inv(a)

    _check(both, a, b)
    _check(lambda a: (*torch.linalg.slogdet(a), torch.linalg.det(a)), a)


@pytest.mark.parametrize(("lead", "upper"), [((), True), ((2, 3), False)])
def test_cholesky_factors(lead: tuple[int, ...], upper: bool) -> None:
    _check(lambda a: torch.linalg.cholesky(a, upper=upper), _positive(*lead, 7, 7))


@pytest.mark.parametrize(
    ("shape", "mode"),
    [((3, 3), "reduced"), ((2, 9, 4), "reduced"), ((9, 4), "complete"), ((4, 9), "reduced")],
)
def test_orthogonal_factors(shape: tuple[int, ...], mode: str) -> None:
    _check(lambda a: tuple(torch.linalg.qr(a, mode)), _numbers(*shape))


@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_exponentials(scale: float) -> None:
    _check(torch.matrix_exp, scale * _numbers(3, 5, 5))


def test_vector_products() -> None:
    x, y = _numbers(4, 3, 5), _numbers(3, 5) * 2
    compiled = torch.compile(lambda x, y: torch.linalg.cross(x, y, dim=1))
    assert torch.equal(compiled(x, y[None]), torch.linalg.cross(x, y[None], dim=1))
    _check(lambda x: torch.linalg.cross(x, 2 * x.flip(0), dim=1), x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [2, 7])
def test_eigenvectors_have_eager_s_signs(size: int, dtype: Any) -> None:
    x = _numbers(30, size, size, dtype=dtype)
    spread = torch.diag(torch.arange(size, dtype=x.dtype))
    tolerance = 1e-3 if dtype == np.float32 else 1e-8
    matrices = torch.cat([x + x.mT, x @ x.mT, 0.1 * (x + x.mT) + spread])
    _check(lambda a: tuple(torch.linalg.eigh(a)), matrices, tolerance=tolerance)


@pytest.mark.parametrize(
    "matrix",
    [np.zeros((4, 4)), np.ones((4, 4)), np.kron(np.eye(2), [[2.0, 1], [1, 2]])],
    ids=["zero", "rank one", "blocks"],
)
def test_matrices_whose_eigenvalues_are_equal(matrix: Any) -> None:
    a = torch.tensor(matrix)
    values, vectors = torch.compile(lambda a: tuple(torch.linalg.eigh(a)))(a)
    torch.testing.assert_close(values, torch.linalg.eigvalsh(a), rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(vectors @ torch.diag(values) @ vectors.mT, a, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(vectors.mT @ vectors, torch.eye(len(a), dtype=a.dtype), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("function", "matrix"),
    [
        (torch.linalg.cholesky, -np.eye(6)),
        (torch.linalg.inv, np.ones((6, 6))),
        (torch.linalg.eigvalsh, np.full((6, 6), np.nan)),
    ],
    ids=["not positive", "singular", "not a number"],
)
def test_what_eager_refuses(function: Any, matrix: Any) -> None:
    with pytest.raises(torch.linalg.LinAlgError) as eager:
        function(torch.tensor(matrix))
    with pytest.raises(torch.linalg.LinAlgError) as compiled:
        torch.compile(lambda a: function(a))(torch.tensor(matrix))
    assert str(compiled.value) == str(eager.value)


def test_matrices_of_extreme_size_are_left_to_lapack() -> None:
    a = torch.tensor(np.diag([1e-200, 3e-200, 2e-200]) + 1e-201)
    torch.testing.assert_close(
        torch.compile(lambda a: torch.linalg.eigvalsh(a))(a), torch.linalg.eigvalsh(a), rtol=1e-12, atol=0
    )


@pytest.mark.parametrize("offset", [-2, 0, 1])
@pytest.mark.parametrize(("shape", "axes"), [((4, 6), (0, 1)), ((2, 5, 3), (2, 1))])
def test_the_pullback_of_a_diagonal(shape: tuple[int, ...], axes: tuple[int, int], offset: int) -> None:
    def slope(x: Any) -> Any:
        return torch.autograd.grad(torch.diagonal(x, offset, *axes).pow(3).sum(), x)[0]

    _check(slope, _numbers(*shape).requires_grad_())


@pytest.mark.parametrize("offset", [-2, 0, 1])
@pytest.mark.parametrize(("shape", "axes"), [((4,), (0, 1)), ((4,), (1, 0)), ((2, 5, 3), (0, -1))])
def test_rows_on_diagonals(shape: tuple[int, ...], axes: tuple[int, int], offset: int) -> None:
    def slope(x: Any) -> Any:
        whole = torch.diag_embed(x * 2, offset, *axes)
        return whole, torch.autograd.grad((whole + 1).pow(3).sum(), x)[0]

    _check(slope, _numbers(*shape).requires_grad_())
