"""Reductions over axes in the middle, whose kept axes behind them are lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch

pytest.importorskip("llvmlite")

from pullback.compiler.lower.domain import TERMS, in_lanes

from .agreement import agree

SHAPES = [(3, 5, 8), (1, 5, 40), (2, 7, 3, 4), (2, 3, 5000), (2, 4, 3, 33)]

FUNCTIONS = {
    "softmax": lambda x: x.softmax(1),
    "logsumexp": lambda x: x.logsumexp(1),
    "largest": lambda x: x.max(1).values * 2,
    "deviation": lambda x: (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1),
    "sums of products": lambda x: (x * x.exp()).sum(1, keepdim=True) * x,
    "product": lambda x: (x * 0.5).prod(1).tanh(),
    "a loss over classes": lambda x: -x.log_softmax(1)[:, 0].mean(),
    "norm": lambda x: x / (1 + torch.linalg.vector_norm(x, 3, 1, keepdim=True)),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gives_what_eager_gives(name: str, shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    if name == "product":
        # The gradient of a product goes through running products, which are an array kernel.
        compiled = torch.compile(FUNCTIONS[name])
        x = torch.randn(shape)
        torch.testing.assert_close(compiled(x), FUNCTIONS[name](x))
        return
    agree(FUNCTIONS[name], torch.randn(shape), tolerance=3e-5)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["softmax", "logsumexp", "largest"])
def test_numbers_that_are_none(name: str, bad: float) -> None:
    x = torch.randn(2, 3, 16)
    x[0, 1, 3:9] = bad
    x[1, :, 4] = bad
    expected = FUNCTIONS[name](x)
    found = torch.compile(FUNCTIONS[name])(x)
    torch.testing.assert_close(found, expected, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int32, torch.bool, torch.float64])
def test_other_dtypes(dtype: Any) -> None:
    x = (torch.randn(2, 3, 16) * 3).to(dtype)
    for function in (lambda x: x.sum(1), lambda x: x.amax(1), lambda x: x.any(1)):
        torch.testing.assert_close(torch.compile(function)(x), function(x))


def test_where_a_row_has_lanes() -> None:
    found = in_lanes((2, 3, 4, 5), (1,))
    assert found is not None
    assert (found.rows, found.lanes) == (2, 20)
    assert in_lanes((2, 3, 4), (2,)) is None
    assert in_lanes((2, 3, 4), (0,)) is None
    assert in_lanes((2, 3, 4), (1,)) is None
    assert in_lanes((2, 3, 9, 16), (0, 2)) is None
    assert in_lanes((2, TERMS + 1, 16), (1,)) is None
