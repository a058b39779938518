"""Resampling in compiled programs is loops over tables of places, forward and backward."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch
from pullback.nn import functional as F

pytest.importorskip("llvmlite")
from pullback.compiler.lower.filling import Call

WAYS: dict[str, Any] = {
    "nearest": ((2, 3, 5, 6), lambda x: F.interpolate(x, scale_factor=2)),
    "nearest, uneven": ((2, 3, 5), lambda x: F.interpolate(x, size=13)),
    "nearest, smaller": ((2, 2, 8, 9), lambda x: F.interpolate(x, size=(3, 4), mode="nearest-exact")),
    "bilinear": ((2, 3, 5, 6), lambda x: F.interpolate(x, scale_factor=2, mode="bilinear")),
    "bilinear, smaller": (
        (1, 2, 9, 8), lambda x: F.interpolate(x, size=(4, 5), mode="bilinear", align_corners=True),
    ),
    "bicubic": ((2, 1, 6, 5), lambda x: F.interpolate(x, size=(11, 4), mode="bicubic")),
    "filtered": ((1, 2, 20, 9), lambda x: F.interpolate(x, size=(7, 5), mode="bilinear", antialias=True)),
    "trilinear": ((1, 2, 3, 4, 5), lambda x: F.interpolate(x, scale_factor=2, mode="trilinear")),
    "averages of uneven parts": ((2, 3, 7, 9), lambda x: F.adaptive_avg_pool2d(x, (3, 4))),
    "averages, more than there are": ((2, 3, 4, 4), lambda x: F.adaptive_avg_pool2d(x, (6, 7))),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_loops_give_what_array_kernels_give(way: str, dtype: torch.dtype) -> None:
    shape, function = WAYS[way]
    torch.manual_seed(0)
    x = torch.randn(shape, dtype=dtype, requires_grad=True)

    def slope(x: Any) -> Any:
        y = function(x * 2)
        return y, torch.autograd.grad((y * y).sum(), x)[0]

    compiled = torch.compile(slope)
    for found, expected in zip(compiled(x), slope(x), strict=True):
        torch.testing.assert_close(found, expected)
    (made,) = compiled._native.specializations
    assert not any(isinstance(node, Call) for node in made.forward.lowered.nodes)


def test_rows_of_fewer_terms_read_nothing_else() -> None:
    x = torch.ones(1, 1, 1, 5)
    x[0, 0, 0, 2] = float("inf")
    found = torch.compile(lambda x: F.adaptive_avg_pool2d(x * 1, (1, 4)))(x)
    assert found.tolist() == [[[[1, float("inf"), float("inf"), 1]]]]
    # Each element of the pullback is the sum of one or two covectors.
    g = torch.tensor([[[[float("inf"), 1.0, 1.0, 1.0]]]])

    def back(x: Any, g: Any) -> Any:
        return torch.autograd.grad(F.adaptive_avg_pool2d(x, (1, 4)), x, g)[0]

    x = torch.ones(1, 1, 1, 5, requires_grad=True)
    assert torch.compile(back)(x, g).tolist() == back(x, g).tolist()


@pytest.mark.parametrize("shape", [(2, 8, 3, 5), (12, 2, 2), (0, 4, 2, 3)])
def test_channels_go_into_the_plane_and_back(shape: tuple[int, ...]) -> None:
    x = torch.arange(float(torch.Size(shape).numel())).view(shape).requires_grad_()

    def both(x: Any) -> Any:
        wide = F.pixel_shuffle(x * 2, 2)
        return wide, F.pixel_unshuffle(wide + 1, 2), torch.autograd.grad((wide * wide).sum(), x)[0]

    compiled = torch.compile(both)
    for found, expected in zip(compiled(x), both(x), strict=True):
        assert found.shape == expected.shape
        assert found.tolist() == expected.tolist()
    (made,) = compiled._native.specializations
    assert 0 in shape or not any(isinstance(node, Call) for node in made.forward.lowered.nodes)
