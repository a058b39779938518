"""Systems of up to four equations are solved by loops: eager's numbers, and eager's errors."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")


def agree(function: Any, *args: torch.Tensor, kernels: bool = False) -> None:
    compiled = torch.compile(function)
    tolerance = 1e-3 if args[0].dtype == torch.float32 else 1e-9
    expected = function(*args)
    for _ in range(2):
        torch.testing.assert_close(compiled(*args), expected, rtol=tolerance, atol=tolerance)
    assert ("array kernel" in str(compiled.kernels)) == kernels


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("lead", [(), (5,), (2, 3)], ids=str)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_solutions_and_inverses(size: int, lead: tuple[int, ...], dtype: torch.dtype) -> None:
    torch.manual_seed(size)
    a = torch.randn(*lead, size, size, dtype=dtype).round(decimals=1) + 2 * torch.eye(size, dtype=dtype)
    b, v = torch.randn(*lead, size, 3, dtype=dtype), torch.randn(*lead, size, dtype=dtype)
    agree(lambda a, b: torch.linalg.solve(a, b) * 2, a, b)
    agree(lambda a, b: torch.linalg.solve(a, b.mT, left=False) * 2, a, b)
    agree(lambda a, v: torch.linalg.solve(a, v) * 2, a, v)
    agree(lambda a: torch.linalg.inv(a) * 2, a)


def test_larger_ones_stay_array_kernels() -> None:
    torch.manual_seed(0)
    agree(lambda a: torch.linalg.inv(a) * 2, torch.randn(3, 130, 130) + 40 * torch.eye(130), kernels=True)


def test_rows_are_exchanged() -> None:
    first, second = [[0.0, 1, 2], [1e-20, 0, 3], [4, 5, 6]], [[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]
    a = torch.tensor([first, second], dtype=torch.float64)
    agree(lambda a: torch.linalg.inv(a) * 2, a)


def test_gradients() -> None:
    torch.manual_seed(0)
    a, b = torch.randn(6, 3, 3, dtype=torch.float64), torch.randn(6, 3, 2, dtype=torch.float64)

    def gradients(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
        return torch.autograd.grad(torch.linalg.solve(a, b).sin().sum() + torch.linalg.inv(a).sum(), (a, b))

    agree(gradients, a, b)


def test_singular_ones_raise_as_eager() -> None:
    a, b = torch.eye(2).repeat(3, 1, 1), torch.ones(3, 2, 1)
    compiled = torch.compile(torch.linalg.solve)
    assert torch.equal(compiled(a, b), b)
    a[1] = 0
    for function in (compiled, torch.linalg.solve):
        with pytest.raises(torch.linalg.LinAlgError, match="element 1.*singular"):
            function(a, b)
    a[1] = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    assert torch.equal(compiled(a, b), b)
    inverse = torch.compile(torch.linalg.inv_ex)
    for matrix in (torch.eye(2), torch.zeros(2, 2), torch.eye(2)):
        assert torch.equal(inverse(matrix).info, torch.linalg.inv_ex(matrix).info)
