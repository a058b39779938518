"""pullback refuses what torch refuses, with torch's class and text, and warns where torch warns."""

from __future__ import annotations

import pytest

import pullback
from tests.conftest import put_back
from tests.known import by_theme
from tests.recorded import load

from .cases import cases
from .outcome import outcome

CASES = cases()
RECORD = load("errors")


def test_record_is_complete() -> None:
    assert list(CASES) == list(RECORD), "run python -m tools.record_errors"


@pytest.mark.parametrize("names", by_theme("errors", RECORD))
def test_messages_and_warnings(names: list[str]) -> None:
    found = {}
    for name in names:
        found[name] = outcome(CASES[name], pullback)
        put_back()
    assert found == {name: RECORD[name] for name in names}
