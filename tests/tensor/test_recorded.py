"""Lines that pullback answers as torch did: what they give, warn of and raise (see `programs`)."""

from __future__ import annotations

import pytest

import pullback
from tests.tensor.programs import TOPICS, answer, cases, recorded

RECORDED = {(topic, line): text for topic in TOPICS for line, text in recorded(topic).items()}


@pytest.mark.parametrize("topic", TOPICS)
def test_record_is_complete(topic: str) -> None:
    assert list(recorded(topic)) == cases(topic), "run python -m tools.record_programs"


@pytest.mark.parametrize(("topic", "line"), RECORDED)
def test_as_torch(topic: str, line: str) -> None:
    pullback.set_warn_always(True)
    assert answer(line, pullback) == RECORDED[topic, line]
