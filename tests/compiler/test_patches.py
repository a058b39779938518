"""Convolutions whose windows lie side by side, with strides too large for a kernel, are products."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
F: Any = torch.nn.functional

#: Images, weights, stride.
CASES = [
    ((2, 3, 16, 16), (6, 3, 4, 4), (4, 4)),
    ((2, 4, 8, 15), (5, 4, 4, 5), (4, 5)),
    ((2, 3, 60), (7, 3, 12), (12,)),
    ((2, 3, 8, 8, 8), (5, 3, 4, 4, 4), (4, 4, 4)),
]


def agree(function: Any, *args: torch.Tensor) -> None:
    """Compare values and gradients with eager's; no array kernel runs."""

    def all_of_them(*args: torch.Tensor) -> tuple[torch.Tensor, ...]:
        result = function(*args)
        return result, *torch.autograd.grad(result.sin().sum(), args)

    given = [x.requires_grad_() for x in args]
    compiled = torch.compile(all_of_them)
    for found, expected in zip(compiled(*given), all_of_them(*given), strict=True):
        torch.testing.assert_close(found, expected)
        assert found.stride() == expected.stride()
    assert "array kernel" not in str(compiled.timeline())


@pytest.mark.parametrize(("image", "weight", "stride"), CASES, ids=str)
def test_patches(image: tuple[int, ...], weight: tuple[int, ...], stride: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    x, w, b = (torch.randn(shape, dtype=torch.float64) for shape in (image, weight, weight[:1]))
    convolved = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[len(stride)]
    agree(lambda x, w, b: convolved(2 * x, w, b, stride=stride), x, w, b)


def test_patches_of_a_transpose() -> None:
    torch.manual_seed(0)
    x, w, b = torch.randn(3, 6, 4, 4), torch.randn(6, 5, 4, 4), torch.randn(5)
    agree(lambda x, w, b: F.conv_transpose2d(2 * x, w, b, stride=4), x, w, b)


def test_what_patches_leave_uncovered() -> None:
    torch.manual_seed(0)
    x, w = torch.randn(1, 2, 8, 9), torch.randn(3, 2, 4, 4)
    compiled = torch.compile(lambda x, w: F.conv2d(2 * x, w, stride=4))
    torch.testing.assert_close(compiled(x, w), F.conv2d(2 * x, w, stride=4))
