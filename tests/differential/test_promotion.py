"""Functions of two operands promote, and refuse, as torch was recorded to; values are compared live."""

from __future__ import annotations

import pytest

import pullback
from tests.recorded import load

from .promotion import FUNCTIONS, compared_with_record, difference, outcome, pairs

DATA = load("two_operands")

#: The shares that may differ.
WRONG, WORDED = 0.001, 0.002


def test_record_is_complete() -> None:
    assert list(DATA["functions"]) == list(FUNCTIONS), "run python -m tests.differential.promotion --record"


def test_as_recorded() -> None:
    count, wrong, worded = compared_with_record(pullback, DATA)
    assert len(wrong) <= WRONG * count, "\n".join(wrong)
    assert len(worded) <= WORDED * count, "\n".join(worded)


def test_values_as_in_torch() -> None:
    torch = pytest.importorskip("torch")
    found = []
    for name in FUNCTIONS:
        for a, b in list(pairs(name))[::7]:
            expected, here = outcome(name, a, b, torch), outcome(name, a, b, pullback)
            assert expected is not None
            assert here is not None
            if difference(expected, here) == "values":
                found.append(f"{name} of {a} and {b}: {expected}, here {here}")
    assert not found, "\n".join(found)
