"""Snippets that go wrong. Each is a function of the module that is or stands for torch.

`tools/record_errors.py` writes down what each does under torch; `tests/errors/test_messages.py` compares.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

Case = Callable[[Any], object]


def cases() -> dict[str, Case]:
    """All snippets, by `theme.name`, in the order in which they are written."""
    found: dict[str, Case] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for name, value in vars(module).items():
            if (
                callable(value)
                and not name.startswith("_")
                and getattr(value, "__module__", "") == module.__name__
            ):
                found[f"{info.name}.{name}"] = value
    return found
