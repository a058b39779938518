"""Distances between rows in compiled programs are loops, forward and backward."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
from pullback.compiler.lower.filling import Call


def _check(step: Any, *args: Any, kernels: int = 0) -> None:
    compiled = torch.compile(step)
    for found, expected in zip(compiled(*args), step(*args), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5, equal_nan=True)
    (made,) = compiled._native.specializations
    assert sum(isinstance(node, Call) for node in made.forward.lowered.nodes) == kernels


@pytest.mark.parametrize("p", [1.0, 2.0, inf])
@pytest.mark.parametrize("shapes", [((3, 5), (4, 5)), ((2, 1, 30, 3), (3, 26, 3)), ((30, 7), (2, 28, 7))])
def test_between_two_sets(shapes: tuple[Any, Any], p: float) -> None:
    torch.manual_seed(0)
    x, y = (torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes)

    def step(x: Any, y: Any) -> Any:
        d = torch.cdist(x * 2, y, p)
        return d, *torch.autograd.grad((d * d.sin()).sum(), (x, y))

    _check(step, x, y)


@pytest.mark.parametrize("p", [1.0, 2.0, inf])
def test_among_one_set(p: float) -> None:
    torch.manual_seed(0)
    x = torch.randn(9, 4, dtype=torch.float64, requires_grad=True)

    def step(x: Any) -> Any:
        d = torch.pdist(x * 2, p)
        return d, *torch.autograd.grad((d * d.sin()).sum(), x)

    _check(step, x)


def test_other_norms_stay_with_the_array_kernel() -> None:
    x, y = torch.randn(3, 5), torch.randn(4, 5)
    _check(lambda x, y: (torch.cdist(x, y, 3.0),), x, y, kernels=1)


def test_what_is_no_number_stays_so() -> None:
    x, y = (torch.randn(n, 3, dtype=torch.float64) for n in (30, 28))
    x[2, 1], y[3, 0], x[4] = float("nan"), inf, y[5]
    for p in (1.0, 2.0, inf):
        _check(lambda x, y, p=p: (torch.cdist(x, y, p).nan_to_num(-1.0, posinf=-2.0),), x, y)
