"""pullback prints what torch prints."""

from __future__ import annotations

import pytest

import pullback
from tests.known import marked
from tests.recorded import load

from .snippets import printed, snippets

SNIPPETS = snippets()
RECORD = load("behaviour")


def test_record_is_complete() -> None:
    assert list(SNIPPETS) == list(RECORD), "run python -m tools.record_behaviour"


@pytest.mark.parametrize("name", marked("behaviour", RECORD))
def test_prints_the_same(name: str) -> None:
    assert printed(SNIPPETS[name], pullback) == RECORD[name]
