"""The pullback of a Cholesky factor, block by block, against the rule that is differentiated again."""

from __future__ import annotations

import pytest

import pullback as torch


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_factor_in_blocks(dtype: torch.dtype, upper: bool) -> None:
    torch.manual_seed(0)
    a = torch.randn(150, 150, dtype=dtype)
    matrix = (a @ a.T / 150 + torch.eye(150, dtype=dtype)).requires_grad_()
    factor, g = torch.linalg.cholesky(matrix, upper=upper), torch.randn(150, 150, dtype=dtype)
    (found,) = torch.autograd.grad(factor, matrix, g, retain_graph=True)
    (expected,) = torch.autograd.grad(factor, matrix, g, create_graph=True)
    assert expected.requires_grad
    torch.testing.assert_close(found, expected.detach())
    assert found.stride() == (1, 150)
