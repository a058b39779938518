"""Modules, their hooks, state and helpers print what torch prints."""

from __future__ import annotations

import pytest

import pullback
from tests.recorded import load

from .snippets import printed, snippets

SNIPPETS = snippets()
RECORD = load("modules")


def test_record_is_complete() -> None:
    assert list(SNIPPETS) == list(RECORD), "run python -m tools.record_modules"


@pytest.mark.parametrize("name", RECORD)
def test_prints_the_same(name: str) -> None:
    assert printed(SNIPPETS[name], pullback) == RECORD[name]
