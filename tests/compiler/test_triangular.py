"""Triangular systems are solved by loops with eager's numbers and strides."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")

SIZES = [(2, 3, (4,)), (7, 7, (2, 3)), (40, 12, ()), (2, 1, ()), (70, 1, (2,))]


def matrix(rows: int, lead: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    torch.manual_seed(rows)
    return torch.randn(*lead, rows, rows, dtype=dtype) / rows + torch.eye(rows, dtype=dtype)


def agree(function: Any, *args: torch.Tensor) -> None:
    compiled = torch.compile(function)
    expected, tolerance = function(*args), 1e-4 if args[0].dtype == torch.float32 else 1e-10
    for _ in range(2):
        found = compiled(*args)
        torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)
        # Eager lays columns out one after another, of which there may be one.
        assert 1 in expected.shape or found.stride() == expected.stride()
    assert "array kernel" not in str(compiled.kernels)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_solutions(size: tuple[int, int, tuple[int, ...]], dtype: torch.dtype) -> None:
    rows, sides, lead = size
    a = matrix(rows, lead, dtype)
    for upper, left, unit in itertools.product((True, False), repeat=3):
        b = torch.randn(*lead, *((rows, sides) if left else (sides, rows)), dtype=dtype)
        options = {"upper": upper, "left": left, "unitriangular": unit}
        agree(lambda a, b, o=options: torch.linalg.solve_triangular(a, b, **o), a, b)
    for upper in (True, False):
        b = torch.randn(*lead, rows, sides, dtype=dtype)
        agree(lambda b, a, upper=upper: torch.cholesky_solve(b, a, upper=upper), b, a)


def test_factors_that_a_stack_shares() -> None:
    a, b = matrix(3, (), torch.float64), torch.randn(5, 3, 2, dtype=torch.float64)
    agree(lambda a, b: torch.linalg.solve_triangular(a, b, upper=True), a, b)


def test_gradients() -> None:
    a, b = matrix(6, (), torch.float64), torch.randn(6, 4, dtype=torch.float64)

    def gradients(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
        loss = torch.linalg.solve_triangular(a, b, upper=False).square().sum()
        return torch.autograd.grad(loss + torch.cholesky_solve(b, a).sum(), (a, b))

    compiled = torch.compile(gradients)
    for found, expected in zip(compiled(a, b), gradients(a, b), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 2)])
def test_short_sums(axes: tuple[int, ...]) -> None:
    x = torch.randn(2, 3, 2, 50, dtype=torch.float64)
    compiled = torch.compile(lambda x: torch.exp(-(x * x).sum(axes)))
    for _ in range(2):
        torch.testing.assert_close(compiled(x), torch.exp(-(x * x).sum(axes)))
