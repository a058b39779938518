"""Every distribution against what torch was recorded to do: values, draws, gradients, shapes, errors."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

import pullback
from tests.distributions.observe import DISTRIBUTIONS, observe
from tests.recorded import load

RECORDED: dict[str, dict[str, Any]] = load("distributions")

#: torch's incomplete gamma function is right to 9 digits.
TOLERANCES = {"float64": 1e-9, "float32": 2e-6, "int64": 0.0}


def compare(got: Any, expected: Any) -> None:
    """Texts must be equal, numbers agree to rounding."""
    if isinstance(expected, list) and len(expected) == 2 and expected[0] in TOLERANCES:
        assert got[0] == expected[0]
        compare_numbers(json.loads(got[1]), json.loads(expected[1]), TOLERANCES[expected[0]])
    elif isinstance(expected, list):
        assert isinstance(got, list)
        assert len(got) == len(expected), got
        for mine, other in zip(got, expected):
            compare(mine, other)
    else:
        assert got == expected


def compare_numbers(got: Any, expected: Any, tolerance: float) -> None:
    if isinstance(expected, list):
        assert len(got) == len(expected)
        for mine, other in zip(got, expected):
            compare_numbers(mine, other, tolerance)
    elif expected is None:
        assert got is None
    else:
        np.testing.assert_allclose(got, expected, tolerance, tolerance)


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
            assert got[what][0] == "float64"
            continue
        try:
            compare(got[what], value)
        except AssertionError as error:
            raise AssertionError(f"{what}: {got[what]} instead of {value}\n{error}") from None
