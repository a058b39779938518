"""Storages, offsets, set_, resize_."""

from __future__ import annotations

import pytest

import pullback
from tests.tensor.programs import answer, cases, recorded

TOPIC = "storage"
RECORDED = recorded(TOPIC)


def test_record_is_complete() -> None:
    assert list(RECORDED) == cases(TOPIC), "run python -m tools.record_programs"


@pytest.mark.parametrize("line", RECORDED)
def test_as_torch(line: str) -> None:
    pullback.set_warn_always(True)
    assert answer(line, pullback) == RECORDED[line]
