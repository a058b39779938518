"""What tests of programs whose state changes share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def programs_are_compiled_in_haste(in_haste: None) -> None:
    """Machine code is as good as it must be: what is asked is which program stands for a function."""
