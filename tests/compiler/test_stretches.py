"""Compiled sums over rows are as near to the numbers as eager ones, however many rows there are."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as torch
from pullback.array.threads import get_num_threads, set_num_threads

pytest.importorskip("llvmlite")


def _error(found: torch.Tensor, expected: np.ndarray) -> float:
    return float(np.abs(found.numpy() / expected - 1).max())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", [(20_000, 3), (5_003, 10), (2_000, 64), (129, 300), (40, 50, 7)])
def test_error_does_not_grow_with_the_number_of_rows(shape: tuple[int, ...], threads: int) -> None:
    x = np.random.default_rng(0).random(shape, np.float32)
    dims = tuple(range(len(shape) - 1))
    compiled = torch.compile(lambda x: ((x * 1.5).sum(dims), (x * x).sum(dims)))
    before = get_num_threads()
    set_num_threads(threads)
    try:
        once, squares = compiled(torch.from_numpy(x))
    finally:
        set_num_threads(before)
    wide = x.astype(np.float64)
    assert _error(once, (wide * 1.5).sum(dims)) < 4e-7
    assert _error(squares, (wide * wide).sum(dims)) < 4e-7


def test_gradient_of_a_bias() -> None:
    bias = torch.zeros(7, requires_grad=True)
    x = torch.from_numpy(np.random.default_rng(0).random((20_000, 7), np.float32))
    torch.compile(lambda bias: ((x + bias) * x).sum().backward())(bias)
    assert bias.grad is not None
    assert _error(bias.grad, x.numpy().astype(np.float64).sum(0)) < 4e-7
