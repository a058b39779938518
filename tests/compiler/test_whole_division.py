"""Whole numbers are divided by a number of the program as in eager, without array kernels."""

from __future__ import annotations

import pytest

import pullback as torch

pytest.importorskip("llvmlite")

DTYPES = [torch.int8, torch.int16, torch.int32, torch.int64]


def divided(x: torch.Tensor, by: int) -> list[torch.Tensor]:
    by_name = torch.div(x, by, rounding_mode="floor"), torch.floor_divide(x, by), x.remainder(by)
    return [x // by, x % by, *by_name]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("by", [1, 2, 3, 7, 64, -2, -7])
def test_quotients_are_those_of_eager(dtype: torch.dtype, by: int) -> None:
    limits = torch.iinfo(dtype)
    x = torch.tensor([limits.min, limits.min + 1, -7, -1, 0, 1, 6, 7, 8, 100, limits.max], dtype=dtype)
    compiled = torch.compile(divided)
    for _ in range(2):
        for found, expected in zip(compiled(x, by), divided(x, by), strict=True):
            assert found.dtype == expected.dtype
            assert found.tolist() == expected.tolist()
    if by > 0 and dtype in (torch.int32, torch.int64):
        assert "array kernel" not in str(compiled.kernels)


@pytest.mark.parametrize("by", [0, -1])
def test_what_may_fail_is_left_to_the_array_kernel(by: int) -> None:
    x = torch.tensor([-5, 0, 5])
    compiled = torch.compile(lambda t: t // by)
    for _ in range(2):
        if by == 0:
            with pytest.raises(RuntimeError, match="ZeroDivisionError"):
                compiled(x)
        else:
            assert compiled(x).tolist() == [5, 0, -5]
