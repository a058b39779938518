"""The op table by family. Each op is declared once: kernel, rules, kind."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NoReturn

from . import kernel_words as kernel_words  # before the ops are declared


def __getattr__(name: str) -> Any:
    """Load torch's own names when a program asks for them."""
    if name != "aten":
        raise AttributeError(f"module 'pullback.ops' has no attribute '{name}'")
    return import_module(f"{__name__}.aten")


def load_library(path: str) -> NoReturn:
    """Refuse a compiled extension of torch's, as torch does one that it cannot load.

    Raises
    ------
    OSError
    """
    raise OSError(f"Could not load this library: {path}")
