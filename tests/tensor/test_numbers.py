"""Numbers at the edge of what a dtype holds are torch's."""

from __future__ import annotations

import pytest

import pullback
from tests.recorded import load, outcome

from .number_cases import EXPRESSIONS

RECORD = load("edge_numbers")


def test_record_is_complete() -> None:
    assert list(RECORD) == EXPRESSIONS, "run python -m tools.record_numbers"


@pytest.mark.parametrize("expression", RECORD)
def test_as_torch(expression: str) -> None:
    assert outcome(expression, pullback) == RECORD[expression]
