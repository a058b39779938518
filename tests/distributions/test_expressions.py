"""Errors, constraints, transforms and helper functions as torch was recorded to have them."""

from __future__ import annotations

import warnings

import pullback
from tests.conftest import put_back
from tests.distributions.comparison import compare
from tests.distributions.expressions import EXPRESSIONS, evaluate
from tests.recorded import load

RECORDED = load("distribution_expressions")


def test_as_torch() -> None:
    differ = {}
    for expression in EXPRESSIONS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                compare(evaluate(expression, pullback), RECORDED[expression])
            except AssertionError as error:
                differ[expression] = error
        put_back()
    assert not differ
