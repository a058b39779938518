"""Short rows are sorted by loops that give eager's values and places: ties, NaN, zeros and each axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch

pytest.importorskip("llvmlite")
from .agreement import array_kernels  # it needs llvmlite


def _rows(dtype: Any) -> Any:
    torch.manual_seed(0)
    x = torch.randint(-3, 4, (3, 11, 2)).to(dtype)
    if x.is_floating_point():
        x[0, 3], x[1, 5:7, 0], x[2, :, 1] = float("nan"), -0.0, float("inf")
    return x


FUNCTIONS = {
    "sort": lambda x: x.sort(1),
    "descending": lambda x: torch.sort(x, dim=-1, descending=True),
    "stable": lambda x: torch.sort(x, stable=True, dim=0, descending=True),
    "argsort": lambda x: (x.argsort(1), x[0, :, 0].argsort(descending=True)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.int32])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gives_what_eager_gives(name: str, dtype: Any) -> None:
    function, x = FUNCTIONS[name], _rows(dtype)
    compiled = torch.compile(lambda x: [v + 0 for v in function(x)], fullgraph=True)
    for found, expected in zip(compiled(x), function(x), strict=True):
        torch.testing.assert_close(found, expected + 0, rtol=0, atol=0, equal_nan=True)
    assert not any(hasattr(step, "op") for step in compiled._native.specializations[0].forward._run)


def test_gradients_go_to_the_places() -> None:
    mine = torch.randn(5, 7, requires_grad=True)
    theirs = mine.detach().clone().requires_grad_()

    def loss(x: Any) -> Any:
        return (x.sort(1)[0] * torch.arange(7)).sum() + x.sort(0, descending=True)[0][0].square().sum()

    torch.compile(loss)(mine).backward()
    loss(theirs).backward()
    torch.testing.assert_close(mine.grad, theirs.grad)


@pytest.mark.parametrize(
    ("shape", "k", "dim"), [((6, 40), 5, 1), ((3, 700), 4, 1), ((30, 4), 17, 0), ((7,), 7, 0)], ids=str
)
def test_the_first_few_are_those_that_torch_chooses_among_equals(shape, k, dim):
    def function(x: Any) -> tuple[Any, ...]:
        return (*torch.topk(x, k, dim), *torch.topk(x, k, dim, largest=False))

    draws = np.random.default_rng(0)
    for dtype in ("float64", "float32", "int64"):
        compiled = torch.compile(function)
        for bound in (2, 8, 1 << 20):
            numbers = draws.integers(-bound, bound, shape).astype(dtype)
            if dtype != "int64" and bound == 8:
                numbers.reshape(-1)[:6] = [np.nan, -0.0, 0.0, np.inf, -np.inf, np.nan]
            x = torch.tensor(numbers)
            for found, expected in zip(compiled(x), function(x), strict=True):
                torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
        assert array_kernels(compiled) == []
