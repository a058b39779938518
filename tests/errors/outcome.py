"""What a snippet does: the class and the text of its error, and its warnings."""

from __future__ import annotations

import re
import warnings
from typing import Any

from .cases import Case

#: Parts of messages that tell where torch's own sources are, or where an object lies in memory.
ELSEWHERE = (
    (re.compile(r" \(Triggered internally at .*?\)"), ""),
    (re.compile(r"Exception raised from .*", re.DOTALL), ""),
    (re.compile(r"0x[0-9a-f]+"), "0x"),
    # Of a traceback, the innermost line only: the outer ones are the runner's.
    (re.compile(r"(Traceback of forward call that caused the error:).*\n +(.*)", re.DOTALL), r"\1 \2"),
)


def cleaned(text: str) -> str:
    for pattern, replacement in ELSEWHERE:
        text = pattern.sub(replacement, text)
    return text.strip()


def outcome(case: Case, module: Any) -> dict[str, Any]:
    """Run a snippet under a module."""
    error: Exception | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            case(module)
        except Exception as raised:  # noqa: BLE001  # the class is part of what is compared
            error = raised
    return {
        "error": None if error is None else type(error).__name__,
        "text": None if error is None else cleaned(str(error)),
        "warnings": [[item.category.__name__, cleaned(str(item.message))] for item in caught],
    }
