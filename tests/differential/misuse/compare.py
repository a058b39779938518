"""Two modules' outcomes of the same calls, side by side."""

from __future__ import annotations

import re
from typing import Any

from . import foreign

#: Python's own messages that name classes of operands.
PYTHONS = re.compile(
    r"(unsupported operand|not supported between|object has no|object is not|has no len|argument must be).*|"
    r"^'torch.dtype' object .*|^object of type 'torch.dtype' .*|.*'torch.dtype'$"
)

#: In order of weight: how two outcomes differ.
KINDS = ("crash", "foreign", "accepts", "refuses", "class", "text", "result")


def _in_python(expected: Any) -> Any:
    """What torch says, with its class of dtypes called as a class in Python can be: without a dot."""
    if expected[0] != "error" or expected[1] not in ("TypeError", "AttributeError"):
        return expected
    text = PYTHONS.sub(lambda m: m[0].replace("'torch.dtype'", "'dtype'"), expected[2])
    return [*expected[:2], text]


def judged(expected: Any) -> bool:
    """Whether what torch says of a call is to be followed: it did not crash, nor report a bug of its own."""
    return expected[0] != "crash" and "INTERNAL ASSERT" not in str(expected)


def difference(expected: Any, found: Any) -> str | None:
    """How what pullback says differs from what torch says; None where it does not, or where torch crashed."""
    if _in_python(expected) == _in_python(found) or not judged(expected):
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
