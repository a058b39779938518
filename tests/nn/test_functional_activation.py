"""Activations against what torch gave."""

from __future__ import annotations

from typing import Any

import pytest

import pullback
from pullback.nn import functional as F
from tests.functions import check, recorded


@pytest.mark.parametrize(("expression", "expected"), recorded("activation"))
def test_as_recorded_from_torch(expression: str, expected: dict[str, Any]) -> None:
    check(expression, expected)


@pytest.mark.parametrize("function", [F.relu, F.relu6, F.hardtanh])
def test_a_covector_passes_nan_as_in_torch(function: Any) -> None:
    x = pullback.tensor([float("nan"), -2.0, 0.5, 9.0], requires_grad=True)
    function(x).sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 1.0, 1.0 if function is F.relu else 0.0]


def test_native_dropout_trains_unless_told_not_to() -> None:
    pullback.manual_seed(0)
    trained = pullback.native_dropout(pullback.ones(64), 0.5, True)
    pullback.manual_seed(0)
    undecided = pullback.native_dropout(pullback.ones(64), 0.5, None)
    assert pullback.equal(trained[0], undecided[0]) and pullback.equal(trained[1], undecided[1])


def test_rrelu_draws_between_bounds_of_float32():
    """A third is another number in float32: as float64, one slope in five is off by its last bit."""
    pullback.manual_seed(0)
    # torch's numbers.
    expected = [-0.3270943760871887, -0.27246248722076416, -0.22070477902889252, -0.31682243943214417]
    assert F.rrelu(-pullback.ones(4), training=True).tolist() == expected
