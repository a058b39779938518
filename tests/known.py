"""Where pullback is known to differ from what was recorded from torch: each case with the reason, marked to
fail.

The marks are strict: a case that comes to agree fails the suite until it is taken off the list, so the list
only shrinks by being mended. Nothing may be added to it to make a change pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from .recorded import load

KNOWN: dict[str, dict[str, str]] = load("known_differences")


def marked(suite: str, names: Iterable[str]) -> list[Any]:
    """The names as parameters, those that are known to differ marked with their reason."""
    known = KNOWN.get(suite, {})
    return [
        pytest.param(name, marks=pytest.mark.xfail(reason=known[name], strict=True))
        if name in known
        else name
        for name in names
    ]
