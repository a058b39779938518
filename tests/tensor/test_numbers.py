"""Numbers at the edge of what a dtype holds are torch's."""

from __future__ import annotations

import enum

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


def test_members_of_enumerations_are_numbers() -> None:
    class Label(enum.IntEnum):
        CAT = 1
        DOG = 2

    assert pullback.tensor(Label.DOG).dtype == pullback.int64
    assert pullback.tensor([Label.DOG, 3]).tolist() == [2, 3]
    assert pullback.full((2,), Label.CAT).tolist() == [1, 1]


def test_a_number_beyond_halves_is_infinite_without_a_warning():
    x = pullback.ones(2, dtype=pullback.float16)
    assert (x * 1e20).tolist() == (x + 1e20).tolist() == x.mul_(1e20).tolist() == [float("inf")] * 2
