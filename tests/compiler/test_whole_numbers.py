"""Quotients and remainders of whole numbers, and places of what is not 0, are loops with eager's numbers."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")


def _kernels(compiled: Any) -> set[str]:
    forward = compiled._native.specializations[0].forward
    return {step.op for step in forward._run if hasattr(step, "op")}


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("number", [1, 2, 7, 50, 2**31 - 1])
def test_quotients_and_remainders(dtype: Any, number: int) -> None:
    end = torch.iinfo(dtype)
    x = torch.tensor([end.min, end.min + 1, -51, -50, -49, -1, 0, 1, 49, 50, 51, end.max], dtype=dtype)

    def function(x: Any) -> Any:
        return x // number, x % number, torch.div(x, number, rounding_mode="floor") * 2

    compiled = torch.compile(function, fullgraph=True)
    for found, expected in zip(compiled(x), function(x), strict=True):
        assert found.dtype == expected.dtype and torch.equal(found, expected)
    assert not _kernels(compiled)


def test_others_are_eagers() -> None:
    x = torch.arange(-5, 5)
    by_others = (lambda x: x // -3, lambda x: x % -3, lambda x: x // torch.tensor(3), lambda x: x % 2.5)
    for function in by_others:
        assert torch.equal(torch.compile(function)(x), function(x))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        torch.compile(lambda x: x // 0)(x)


@pytest.mark.parametrize("shape", [(9,), (3, 4), (2, 3, 5), (1, 1)])
def test_places(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    for kind in (torch.bool, torch.int64):
        x = torch.randint(0, 2, shape).to(kind)
        x.view(-1)[-1] = 1
        compiled = torch.compile(lambda x: torch.nonzero(x) + 0)
        for turned in (x, x.flip(0)):
            assert torch.equal(compiled(turned), torch.nonzero(turned))
        assert not _kernels(compiled)
