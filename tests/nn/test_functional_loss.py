"""Losses against what torch gave."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functions import check, recorded


@pytest.mark.parametrize(("expression", "expected"), recorded("loss"))
def test_as_recorded_from_torch(expression: str, expected: dict[str, Any]) -> None:
    check(expression, expected)
