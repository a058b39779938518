"""Snippets about modules that print. Each is a function of the module that is or stands for torch; a file
holds one theme.

`tools/record_modules.py` writes down what each prints under torch; `test_modules_as_printed.py` compares.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable
from typing import Any

from tests.collect import functions

Snippet = Callable[[Any], None]

ADDRESS = re.compile(r"0x[0-9a-f]+")


def snippets() -> dict[str, Snippet]:
    """All snippets, by `theme.name`, in the order in which they are written."""
    return functions(__name__, __path__)


def printed(snippet: Snippet, module: Any) -> list[str]:
    """The lines that a snippet prints, without addresses in memory, and then its warnings."""
    out = io.StringIO()
    module.manual_seed(0)
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        snippet(module)
    told = [f"{w.category.__name__}: {w.message}" for w in caught]
    return ADDRESS.sub("0x", out.getvalue()).splitlines() + told


def attempt(function: Callable[[], Any]) -> None:
    """Print what a call gives, or the error that it raises."""
    try:
        print(function())
    except Exception as error:  # noqa: BLE001  # any error is a result here
        print(f"{type(error).__name__}: {error}")
