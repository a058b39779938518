"""Shapes, strides, nodes and errors of views and joins, as recorded from torch."""

from __future__ import annotations

import pytest

import pullback
from tests.recorded import load, outcome

RECORDED = load("shapes")


@pytest.mark.parametrize("expression", RECORDED)
def test_as_recorded(expression: str) -> None:
    want = RECORDED[expression]
    got = outcome(expression, pullback)
    assert got == want
