"""Lines that pullback answers as torch did: what they give, warn of and raise (see `programs`)."""

from __future__ import annotations

import pytest

import pullback
from tests.conftest import put_back
from tests.tensor.programs import TOPICS, answer, cases, recorded


@pytest.mark.parametrize("topic", TOPICS)
def test_record_is_complete(topic: str) -> None:
    assert list(recorded(topic)) == cases(topic), "run python -m tools.record_programs"


@pytest.mark.parametrize("topic", TOPICS)
def test_as_torch(topic: str) -> None:
    # A test for each of 6,400 lines took pytest as long as the lines themselves.
    expected, found = recorded(topic), {}
    for line in expected:
        pullback.set_warn_always(True)
        found[line] = answer(line, pullback)
        put_back()
    assert found == expected
