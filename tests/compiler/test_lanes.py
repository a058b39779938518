"""Reductions over axes in the middle, whose kept axes behind them are lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch

pytest.importorskip("llvmlite")

from pullback.compiler.emit.codegen import Code
from pullback.compiler.emit.writer import Writer
from pullback.compiler.lower.domain import TERMS, in_lanes, reduced, split
from pullback.compiler.runtime import engine

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
    assert in_lanes((2, TERMS + 1, 16), (1,)) is None
    assert in_lanes((2, 3, 1, 16), (0, 2)) is None
    apart = in_lanes((2, 3, 9, 16), (0, 2))
    assert apart is not None
    assert (apart.rows, apart.lanes, apart.inner) == (3, 16, ((0,), (2,), (3,)))


def test_sums_over_axes_apart_of_what_repeats():
    x, g = torch.randn(5, 6, 7, 9, dtype=torch.float64), torch.rand(5, 1, 7, 1, dtype=torch.float64)

    def function(x: Any, g: Any) -> tuple[Any, ...]:
        y = x * g
        z = y - y.mean((0, 2), keepdim=True)
        sums = y.sum((0, 2)), z.sum(1), (z * z).sum(), y.std(1), y.logsumexp((0, 2))
        return (*sums, z.amax((0, 2)), y.amin(1))

    for found, expected in zip(torch.compile(function)(x, g), function(x, g), strict=True):
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.int32], ids=str)
def test_short_axes_in_registers(dtype):
    numbers = np.random.default_rng(0).integers(-3, 4, (3, 7, 11)).astype(str(dtype)[6:])
    if dtype.is_floating_point:
        numbers[0, 2, 1] = numbers[0, 5, 1] = numbers[1, 0, 3] = numbers[2, 6, 4] = np.nan
        numbers[1, :, 5] = -np.inf
    x = torch.tensor(numbers)

    def function(x: Any, row: Any) -> tuple[Any, ...]:
        y = x + row[:, None]
        found = [*y.max(1), *y.min(1), y.argmax(1), y.argmin(1), y.amax(1), y.sum(1), (y * 2).prod(1)]
        return (*found, y.logsumexp(1), y.amin(0)) if x.is_floating_point() else tuple(found)

    row = torch.tensor([1, 0, 2, 0, 1, 0, 0], dtype=dtype)
    compiled = torch.compile(function)
    for found, expected in zip(compiled(x, row), function(x, row), strict=True):
        torch.testing.assert_close(found, expected, equal_nan=True)
    assert "array kernel" not in str(compiled.kernels)


def test_what_repeats_along_the_last_axis_is_added_up_in_lanes():
    x, y = torch.randn(20, 9, 8, dtype=torch.float64), torch.randn(20, 8, dtype=torch.float64)

    def function(x: Any, y: Any) -> tuple[Any, ...]:
        raised = (x - y[:, None]).exp()
        return raised.sum(0), raised.sum(), raised.sum((0, 1)), raised.amax(0)

    for found, expected in zip(torch.compile(function)(x, y), function(x, y), strict=True):
        torch.testing.assert_close(found, expected)


def test_costly_functions_of_rows_stand_in_a_loop_of_their_own():
    x, w = torch.randn(200, 6, dtype=torch.float64) / 4, torch.randn(6, dtype=torch.float64)

    def function(x: Any, w: Any) -> tuple[Any, ...]:
        rate = (x @ w).exp()
        terms = torch.lgamma(rate + 1) - rate.log1p()
        return terms, terms.mean(), x * terms[:, None], torch.digamma(rate) + x.logsumexp(1)

    for found, expected in zip(torch.compile(function)(x, w), function(x, w), strict=True):
        torch.testing.assert_close(found, expected)


ONES = [((4096, 64, 1), (0, 2)), ((1, 4096, 64), (1,)), ((4096, 1, 64), (0, 1))]


@pytest.mark.parametrize("shape, axes", ONES)
def test_axes_of_one_element_do_not_count(shape: tuple[int, ...], axes: Any) -> None:
    space = reduced(shape, axes)
    assert space.key() == split(shape, max(a for a in axes if shape[a] > 1) + 1).key()
    assert (space.rows, space.columns) == (4096, 64)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("columns", [3, 4, 7, 9, 12, 15, 21, 30, 33, 40])
def test_exponentials_of_short_rows(columns: int, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    x = 5 * torch.randn(70, columns, dtype=dtype)
    x[3, 1], x[4] = -torch.inf, 1e30

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.softmax(1), x.logsumexp(1), (x - x.amax(1, keepdim=True)).exp().sum(1)

    for found, expected in zip(torch.compile(function)(x), function(x), strict=True):
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("columns", [5, 7])
@pytest.mark.parametrize("real", ["float", "double"])
def test_short_rows_call_functions_of_whole_registers(
    monkeypatch: pytest.MonkeyPatch, columns: int, real: str
) -> None:
    made: list[Code] = []
    real_code = Writer.code
    monkeypatch.setattr(Writer, "code", lambda self: made.append(real_code(self)) or made[-1])
    x = torch.randn(640, columns, dtype=torch.float32 if real == "float" else torch.float64)
    found = torch.compile(lambda x: x.softmax(1))(x)
    torch.testing.assert_close(found, x.softmax(1))
    lanes = engine.register_bytes() // (4 if real == "float" else 8)
    assert f"pullback_exp_{real}_{lanes}" in made[0].called


@pytest.mark.parametrize("rows", [15, 16, 37])
def test_what_a_row_keeps_for_its_later_loops(rows: int) -> None:
    """It lies on the stack where a row is a lane: numbers, truth values, and complex ones in memory."""
    x = 3 * torch.randn(rows, 11, dtype=torch.float64)

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        raised = (x - x.amax(1, keepdim=True)).exp()
        few = raised < raised.mean(1, keepdim=True)
        turned = torch.polar(raised, x)
        return (
            torch.where(few & few.any(1, keepdim=True), raised / raised.sum(1, keepdim=True), x),
            (turned * turned.sum(1, keepdim=True).conj()).real,
        )

    for found, expected in zip(torch.compile(function)(x), function(x), strict=True):
        torch.testing.assert_close(found, expected)
