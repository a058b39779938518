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


def by_theme(suite: str, names: Iterable[str]) -> list[Any]:
    """The names of each theme as one parameter, and by itself each that is known to differ, marked."""
    known = KNOWN.get(suite, {})
    themes: dict[str, list[str]] = {}
    for name in names:
        themes.setdefault(name if name in known else name.partition(".")[0], []).append(name)
    return [
        pytest.param(
            group,
            id=theme,
            marks=[pytest.mark.xfail(reason=known[theme], strict=True)] if theme in known else [],
        )
        for theme, group in themes.items()
    ]
