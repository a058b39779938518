"""Give layers below the compiler a way to load it, which the package tells them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_load: Callable[[], Callable[..., Any]] | None = None


def provide(load: Callable[[], Callable[..., Any]]) -> None:
    """Take the function that loads `compile`; the first function to be compiled runs it."""
    global _load
    _load = load


def compiled(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return ``torch.compile(function, *args, **kwargs)``."""
    if _load is None:
        raise RuntimeError("no compiler was provided: import pullback first")
    return _load()(function, *args, **kwargs)
