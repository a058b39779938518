"""Running sums and products, recurrences and searches as loops, against eager's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch

pytest.importorskip("llvmlite")

FUNCTIONS = {
    "cumsum": lambda x, d: (x * 2).cumsum(d).sin(),
    "cumsum from the end": lambda x, d: x.flip(d).cumsum(d).flip(d) * x,
    "cumprod": lambda x, d: x.cumprod(d) * x,
    "logcumsumexp": lambda x, d: (x * 3).logcumsumexp(d) * x,
    "cumprod of a sum": lambda x, d: (1 - x.exp()).cumprod(d).cumsum(d),
}
SHAPES: list[tuple[tuple[int, ...], int, Any]] = [
    ((7,), 0, torch.float32), ((3, 5), 1, torch.float32), ((2, 4, 6), 1, torch.float64),
    ((1, 4), 0, torch.float32),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "dim", "dtype"), SHAPES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients(name: str, shape: tuple[int, ...], dim: int, dtype: Any) -> None:
    torch.manual_seed(0)
    x = torch.randn(shape, dtype=dtype, requires_grad=True)
    mine = x.detach().clone().requires_grad_()
    function = FUNCTIONS[name]
    compiled = torch.compile(lambda x: function(x, dim), fullgraph=True)
    expected, found = function(x, dim), compiled(mine)
    torch.testing.assert_close(found, expected)
    covector = torch.randn(shape, dtype=dtype)
    expected.backward(covector)
    found.backward(covector)
    torch.testing.assert_close(mine.grad, x.grad)
    assert "array kernel" not in str(compiled.timeline())  # type: ignore[attr-defined]  # a compiled function


def test_what_runs_is_kept_in_float64() -> None:
    x = torch.full((100_000,), 0.1)
    torch.testing.assert_close(torch.compile(lambda x: x.cumsum(0))(x), x.cumsum(0), rtol=0, atol=0)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("length", [1, 2, 3, 8, 9, 31])
@pytest.mark.parametrize("nan", [False, True])
def test_searches(length: int, right: bool, nan: bool) -> None:
    torch.manual_seed(0)
    rows = torch.randn(50, length).sort(-1)[0]
    if nan:
        rows[:, -1] = torch.nan
    values = torch.cat([rows[:, :1], rows[:, -1:], torch.randn(50, 2)], 1)
    side: Any = "right" if right else "left"
    expected = [np.searchsorted(r, v, side) for r, v in zip(rows.numpy(), values.numpy(), strict=True)]
    compiled = torch.compile(lambda r, v: torch.searchsorted(r, v, right=right), fullgraph=True)
    for function in (compiled, compiled._torchdynamo_orig_callable):  # type: ignore[attr-defined]
        np.testing.assert_array_equal(function(rows, values).numpy(), expected)
        np.testing.assert_array_equal(function(rows[:3], values[:3]).numpy(), expected[:3])
    bounds = rows[0].contiguous()
    bucketed = torch.compile(lambda v: torch.bucketize(v, bounds, right=right, out_int32=True))(values)
    torch.testing.assert_close(bucketed, torch.bucketize(values, bounds, right=right, out_int32=True))


def test_running_sums_in_logarithms_of_infinities() -> None:
    inf, nan = torch.inf, torch.nan
    x = torch.tensor([[-inf, -inf, 2.0, -inf, 1e30], [0.0, inf, 1.0, -inf, inf], [1.0, nan, 2.0, inf, 0.0]])
    compiled = torch.compile(lambda x: x.logcumsumexp(1), fullgraph=True)
    torch.testing.assert_close(compiled(x), x.logcumsumexp(1), equal_nan=True)
    assert "array kernel" not in str(compiled.timeline())
