"""Errors, constraints, transforms and helper functions as torch was recorded to have them."""

from __future__ import annotations

import warnings

import pytest

import pullback
from tests.distributions.comparison import compare
from tests.distributions.expressions import EXPRESSIONS, evaluate
from tests.recorded import load

RECORDED = load("distribution_expressions")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_as_torch(expression: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        compare(evaluate(expression, pullback), RECORDED[expression])
