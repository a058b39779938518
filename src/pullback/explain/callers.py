"""Find the program's own position from a frame of the library's outward, and wrap functions meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from .trace import is_foreign

At = tuple[CodeType, int]


def position_of(frame: FrameType | None) -> At | None:
    """Return the program's position from a frame outward; None where it is pullback's all through."""
    while frame is not None and is_foreign(frame.f_code.co_filename):
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti)


def deepcopied() -> Any:
    """Return what the program gives to the call of `copy.deepcopy` that is running."""
    frame: FrameType | None = sys._getframe(1)
    found = None
    while frame is not None and is_foreign(frame.f_code.co_filename):
        if frame.f_code.co_name == "deepcopy" and "memo" in frame.f_locals:
            found = frame.f_locals.get("x")
        frame = frame.f_back
    return found


def making(frame: FrameType | None, module: Any) -> At | None:
    """Return the position that makes a module: outside the constructors that run for it."""
    while frame is not None:
        code = frame.f_code
        own = code.co_name == "__init__" and frame.f_locals.get(code.co_varnames[0]) is module
        if not own and not is_foreign(code.co_filename):
            return code, frame.f_lasti
        frame = frame.f_back
    return None


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
