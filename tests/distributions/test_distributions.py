"""Every distribution against what torch was recorded to do: values, draws, gradients, shapes, errors."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

import pullback
from tests.distributions.comparison import compare
from tests.distributions.draws import EXACT, draws
from tests.distributions.observe import DISTRIBUTIONS, observe
from tests.recorded import load

RECORDED: dict[str, dict[str, Any]] = load("distributions")
DRAWS: dict[str, str] = load("distribution_draws")


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_as_torch(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch warns of Wishart's singular samples, too
        got = observe(DISTRIBUTIONS[name], pullback)
    expected = RECORDED[name]
    assert got.keys() == expected.keys()
    for what, value in expected.items():
        if "modified by an inplace operation" in str(value):
            # torch's Wishart writes into a mask that its own history needs; here there is a gradient.
            assert got[what][0] == "slopes"
            continue
        try:
            compare(got[what], value)
        except AssertionError as error:
            raise AssertionError(f"{what}: {got[what]} instead of {value}\n{error}") from None


@pytest.mark.parametrize("expression", EXACT)
def test_draws_to_the_last_bit(expression: str) -> None:
    assert draws(expression, pullback) == json.loads(DRAWS[expression])
