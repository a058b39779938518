"""Reductions against what torch gave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from tests.functions import check, recorded


@pytest.mark.parametrize(("expression", "expected"), recorded("reductions"))
def test_as_recorded_from_torch(expression: str, expected: dict[str, Any]) -> None:
    check(expression, expected)


NAN = float("nan")


@pytest.mark.parametrize(
    ("reduce", "expected"),
    [
        (lambda x: x.amax(0), [[NAN, 1.0, 0.5], [NAN, 0.0, 0.5]]),
        (lambda x: x.amin((0, 1)), [[NAN] * 3, [NAN] * 3]),
        (lambda x: x.aminmax(dim=0)[1], [[NAN, 1.0, 0.5], [NAN, 0.0, 0.5]]),
        (lambda x: x.max(), [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
    ],
)
def test_extremes_of_nan_pull_back_as_in_torch(reduce: Any, expected: Any) -> None:
    x = torch.tensor([[NAN, 1.0, 3.0], [2.0, -1.0, 3.0]], requires_grad=True)
    reduce(x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.float32(expected))
