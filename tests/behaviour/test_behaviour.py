"""pullback prints what torch prints."""

from __future__ import annotations

import pytest

import pullback
from tests.conftest import put_back
from tests.known import by_theme
from tests.recorded import load

from .snippets import printed, snippets

SNIPPETS = snippets()
RECORD = load("behaviour")


def test_record_is_complete() -> None:
    assert list(SNIPPETS) == list(RECORD), "run python -m tools.record_behaviour"


@pytest.mark.parametrize("names", by_theme("behaviour", RECORD))
def test_prints_the_same(names: list[str]) -> None:
    found = {}
    for name in names:
        found[name] = printed(SNIPPETS[name], pullback)
        put_back()
    assert found == {name: RECORD[name] for name in names}
