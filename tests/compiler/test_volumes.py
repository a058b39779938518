"""Convolutions and maximum pools of volumes are loops and kernels that give eager's numbers."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch
from pullback.nn import functional as F

pytest.importorskip("llvmlite")


def agree(function: Any, *given: Any) -> None:
    """Compare values and gradients with eager's; nothing is an array kernel."""

    def gradients(*xs: Any) -> list[Any]:
        xs = tuple(x.detach().requires_grad_() for x in xs)
        y = function(*xs)
        weights = torch.arange(y.numel(), dtype=y.dtype).view(y.shape).sin()
        return [y.detach(), *torch.autograd.grad((y * weights).sum(), xs)]

    compiled = torch.compile(gradients, fullgraph=True)
    for found, expected in zip(compiled(*given), gradients(*given), strict=True):
        torch.testing.assert_close(found, expected)
    assert "array kernel" not in str(compiled.kernels)


@pytest.mark.parametrize(
    ("kernel", "stride", "padding", "dilation", "groups"),
    [((3, 3, 3), 1, 1, 1, 1), ((2, 1, 3), (3, 2, 1), (2, 0, 1), (2, 1, 1), 2), ((1, 2, 2), 2, 0, 1, 1)],
)
def test_convolutions(kernel, stride, padding, dilation, groups):
    w = torch.randn(4, 4 // groups, *kernel, dtype=torch.float64)
    x, b = torch.randn(2, 4, 7, 6, 5, dtype=torch.float64), torch.randn(4, dtype=torch.float64)
    agree(lambda x, w, b: F.conv3d(x, w, b, stride, padding, dilation, groups), x, w, b)
    y = torch.randn(2, 4, 3, 4, 3, dtype=torch.float64)
    agree(lambda y, w: F.conv_transpose3d(y, w, None, stride, padding, 0, groups, dilation), y, w)


@pytest.mark.parametrize(("kernel", "stride"), [((2, 2, 2), (2, 2, 2)), ((3, 2, 1), (2, 1, 2))])
def test_maximum_pools(kernel, stride):
    agree(lambda x: F.max_pool3d(x, kernel, stride), torch.randn(2, 3, 5, 6, 7))
    x = torch.randint(0, 2, (1, 2, 5, 6, 7)).float()
    x[0, 0, 1, 1], x[0, 1, 3:] = torch.nan, -torch.inf
    pool = lambda x: F.max_pool3d(x, kernel, stride, return_indices=True)
    found, expected = torch.compile(pool)(x), pool(x)
    torch.testing.assert_close(found, expected, equal_nan=True)
