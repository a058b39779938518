"""Short rows are sorted by loops that give eager's values and places: ties, NaN, zeros and each axis."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")


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


@pytest.mark.parametrize(("length", "k"), [(300, 4), (300, 16), (300, 60), (19, 7), (5, 5), (1, 1)])
def test_the_first_few_are_those_that_eager_chooses_among_equals(length: int, k: int) -> None:
    torch.manual_seed(length)
    few = torch.compile(lambda x, largest: x.topk(k, 1, largest), fullgraph=True)
    for n, dtype in enumerate((torch.float32, torch.int64, torch.float64)):
        x = torch.randint(-4, 5, (6, length, 2)).to(dtype)
        if x.is_floating_point():
            x = torch.where(x == 0, torch.tensor(-0.0, dtype=dtype), x)
            x[0] = float("nan")
            x[1, ::3], x[2, 1::2] = float("-inf"), float("nan")
        x[3], x[4] = x[3].sort(0)[0], x[4].sort(0, descending=True)[0]
        for found, expected in zip(few(x, n != 1), x.topk(k, 1, n != 1), strict=True):
            torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
            assert not found.is_floating_point() or bool((found.signbit() == expected.signbit()).all())
    assert len(few._native.specializations) == 3
    assert not any(hasattr(step, "op") for s in few._native.specializations for step in s.forward._run)


@pytest.mark.parametrize("k", [1, 7, 16])
def test_the_first_few_where_most_differ(k: int) -> None:
    few = torch.compile(lambda x, largest: x.topk(k, 1, largest), fullgraph=True)
    end = torch.iinfo(torch.int64).max
    x = torch.randperm(8 * 600).view(8, 600)
    x[1], x[2] = x[1].sort()[0], x[2].sort(descending=True)[0]
    x[3, ::50] = x[3].min()
    x[4, 5:598], x[5, 3:], x[6, 7:400] = end, end, -end - 1
    for values in (x, x.double()):
        for largest in (True, False):
            for found, expected in zip(few(values, largest), values.topk(k, 1, largest), strict=True):
                assert torch.equal(found, expected)
