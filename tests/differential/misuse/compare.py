"""Two modules' outcomes of the same calls, side by side."""

from __future__ import annotations

from typing import Any

from . import foreign

#: In order of weight: how two outcomes differ.
KINDS = ("crash", "foreign", "accepts", "refuses", "class", "text", "result")


def judged(expected: Any) -> bool:
    """Whether what torch says of a call is to be followed: it did not crash, nor report a bug of its own."""
    return expected[0] != "crash" and "INTERNAL ASSERT" not in str(expected)


def difference(expected: Any, found: Any) -> str | None:
    """How what pullback says differs from what torch says; None where it does not, or where torch crashed."""
    if expected == found or not judged(expected):
        return None
    if found[0] == "crash":
        return "crash"
    if found[0] == "error":
        if foreign.is_numpys(*found[1:]) or foreign.is_pythons(*found[1:]):
            return "foreign"
        if expected[0] == "value":
            return "refuses"
        return "class" if expected[1] != found[1] else "text"
    return "accepts" if expected[0] == "error" else "result"
