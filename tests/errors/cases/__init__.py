"""Snippets that go wrong. Each is a function of the module that is or stands for torch.

`tools/record_errors.py` writes down what each does under torch; `tests/errors/test_messages.py` compares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.collect import functions

Case = Callable[[Any], object]


def cases() -> dict[str, Case]:
    """All snippets, by `theme.name`, in the order in which they are written."""
    return functions(__name__, __path__)
