"""Images at the places of a grid are loops, with eager's numbers and gradients."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
from pullback.compiler.lower.filling import Call  # it needs llvmlite
from pullback.compiler.lower.lowered import Routine

F = torch.nn.functional


def kernels(compiled: Any) -> list[str]:
    return [s.op for s in compiled._native.specializations[-1].forward.steps if isinstance(s, Call)]


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("size", [((2, 3, 5, 6), (4, 7)), ((2, 1, 4, 3, 5), (2, 3, 4))])
def test_values_and_gradients_are_eagers(size, mode, padding_mode, align_corners):
    shape, places = size
    options = {"mode": mode, "padding_mode": padding_mode, "align_corners": align_corners}

    def step(x: Any, grid: Any) -> Any:
        y = F.grid_sample(x, grid, **options)
        return y.detach(), *torch.autograd.grad((y * y).sum(), (x, grid))

    x = torch.randn(*shape, requires_grad=True)
    grid = torch.randn(2, *places, len(places), requires_grad=True)
    compiled = torch.compile(step)
    for expected, found in zip(step(x, grid), compiled(x, grid), strict=True):
        assert torch.allclose(expected, found, rtol=1e-4, atol=1e-5)
    assert not kernels(compiled)


def test_all_pixels_around_a_place_are_added_to_in_one_loop():
    def step(x: Any, grid: Any) -> Any:
        return torch.autograd.grad(F.grid_sample(x, grid, align_corners=False).sum(), x)[0]

    x, grid = torch.randn(2, 1, 5, 6, requires_grad=True), torch.rand(2, 4, 7, 2)
    compiled = torch.compile(step)
    torch.testing.assert_close(compiled(x, grid), step(x, grid))
    nodes = compiled._native.specializations[-1].forward.lowered.nodes
    assert sum(isinstance(node, Routine) for node in nodes) == 1


def test_places_that_are_no_numbers():
    special = [float("nan"), float("inf"), float("-inf"), 0.0, 2.0, 1e30]
    grid = torch.tensor(special).reshape(1, 6, 1, 1).expand(1, 6, 1, 2).contiguous()
    x = torch.randn(1, 1, 3, 3)
    for padding_mode in ("zeros", "border", "reflection"):
        compiled = torch.compile(
            lambda x, grid, how=padding_mode: F.grid_sample(x, grid, padding_mode=how, align_corners=False)
        )
        expected = F.grid_sample(x, grid, padding_mode=padding_mode, align_corners=False)
        assert torch.allclose(compiled(x, grid), expected, equal_nan=True)


@pytest.mark.parametrize("size", [(3, 2, 5, 7), (3, 2, 4, 5, 6)])
def test_grids_of_affine_maps(size):
    rank = len(size) - 2

    def step(theta: Any) -> Any:
        grid = F.affine_grid(theta, size, align_corners=False)
        return grid.detach(), *torch.autograd.grad((grid * grid).sum(), theta)

    theta = torch.randn(3, rank, rank + 1, requires_grad=True)
    compiled = torch.compile(step)
    for expected, found in zip(step(theta), compiled(theta), strict=True):
        assert torch.allclose(expected, found, rtol=1e-5, atol=1e-5)
    assert not kernels(compiled)
