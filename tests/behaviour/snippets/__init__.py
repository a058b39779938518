"""Snippets that print. Each is a function of the module that is or stands for torch; a file holds one theme.

`tools/record_behaviour.py` writes down what each prints under torch; `test_behaviour.py` compares.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
import re
import warnings
from collections.abc import Callable
from typing import Any

Snippet = Callable[[Any], None]

ADDRESS = re.compile(r"0x[0-9a-f]+")


def snippets() -> dict[str, Snippet]:
    """All snippets, by `theme.name`, in the order in which they are written."""
    found: dict[str, Snippet] = {}
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


def printed(snippet: Snippet, module: Any) -> list[str]:
    """The lines that a snippet prints, without addresses in memory."""
    out = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        snippet(module)
    return ADDRESS.sub("0x", out.getvalue()).splitlines()
