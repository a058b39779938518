"""pullback refuses what torch refuses, with torch's class and text, and warns where torch warns."""

from __future__ import annotations

import pytest

import pullback
from tests.known import marked
from tests.recorded import load

from .cases import cases
from .outcome import outcome

CASES = cases()
RECORD = load("errors")


def test_record_is_complete() -> None:
    assert list(CASES) == list(RECORD), "run python -m tools.record_errors"


@pytest.mark.parametrize("name", marked("errors", RECORD))
def test_message(name: str) -> None:
    expected, found = RECORD[name], outcome(CASES[name], pullback)
    assert found["error"] == expected["error"], f"{found['error']}: {found['text']}, not {expected['text']}"
    assert found["text"] == expected["text"]


@pytest.mark.parametrize("name", marked("warnings", (n for n, item in RECORD.items() if item["warnings"])))
def test_warning(name: str) -> None:
    assert outcome(CASES[name], pullback)["warnings"] == RECORD[name]["warnings"]
