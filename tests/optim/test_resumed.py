"""Optimizers go on from a checkpoint as torch's do."""

from __future__ import annotations

import pytest

import pullback
from tests.recorded import load

from .resumed_cases import OPTIMIZERS, resumed

RECORD = load("resumed")


def test_record_is_complete() -> None:
    assert list(OPTIMIZERS) == list(RECORD), "run python -m tools.record_resumed"


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_as_torch(name: str) -> None:
    assert resumed(pullback, name) == pytest.approx(RECORD[name], rel=1e-12, abs=1e-13)
