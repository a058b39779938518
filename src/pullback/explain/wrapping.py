"""Wraps functions of the library for as long as a program is watched, and puts them back as they were."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


class Wrappers:
    """Hold what was replaced, and by which name of which owner."""

    def __init__(self) -> None:
        self._held: list[tuple[Any, str, Any]] = []

    def wrap(self, owner: Any, name: str, told: Callable[..., Any]) -> None:
        """Let a function be called through ``told(function, frame of the caller, *args, **kwargs)``."""
        if isinstance(owner, type):
            owner = next(kind for kind in owner.__mro__ if name in vars(kind))
        held = vars(owner)[name]

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return told(held, sys._getframe(1), *args, **kwargs)

        wrapper.__name__ = name
        wrapper.__qualname__ = getattr(held, "__qualname__", name)
        wrapper.__doc__ = held.__doc__
        wrapper.__wrapped__ = held  # type: ignore[attr-defined]  # as functools.wraps does
        self.replace(owner, name, wrapper)

    def replace(self, owner: Any, name: str, by: Any) -> None:
        """Put something in the place of an attribute that the owner itself has."""
        self._held.append((owner, name, vars(owner)[name]))
        setattr(owner, name, by)

    def take_away(self) -> None:
        """Put all back, the last first."""
        for owner, name, held in reversed(self._held):
            setattr(owner, name, held)
        self._held = []
