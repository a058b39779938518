"""The op table by family. Each op is declared once: kernel, rules, kind."""

from __future__ import annotations

from typing import NoReturn


def load_library(path: str) -> NoReturn:
    """Refuse a compiled extension of torch's, as torch does one that it cannot load.

    Raises
    ------
    OSError
    """
    raise OSError(f"Could not load this library: {path}")
