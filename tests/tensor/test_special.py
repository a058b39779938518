"""Special functions and windows."""

from __future__ import annotations

import pytest

import pullback
from tests.tensor.programs import answer, cases, recorded

TOPICS = ("special", "windows")
RECORDED = {(topic, line): text for topic in TOPICS for line, text in recorded(topic).items()}


def test_record_is_complete() -> None:
    assert [line for _, line in RECORDED] == [line for topic in TOPICS for line in cases(topic)], (
        "run python -m tools.record_programs"
    )


@pytest.mark.parametrize(("topic", "line"), RECORDED)
def test_as_torch(topic: str, line: str) -> None:
    pullback.set_warn_always(True)
    assert answer(line, pullback) == RECORDED[topic, line]
