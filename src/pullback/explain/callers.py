"""Find the program's own position from a frame of the library's outward."""

from __future__ import annotations

import sys
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
