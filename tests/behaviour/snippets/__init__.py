"""Snippets that print. Each is a function of the module that is or stands for torch; a file holds one theme.

`tools/record_behaviour.py` writes down what each prints under torch; `test_behaviour.py` compares.
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
    """The lines that a snippet prints, without addresses in memory."""
    out = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        snippet(module)
    return ADDRESS.sub("0x", out.getvalue()).splitlines()
