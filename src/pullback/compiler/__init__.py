"""Tracing whole steps to programs; native code from programs is a later layer of this package."""

from __future__ import annotations

from .program import Program, ProgramError
from .trace import Traced, trace

__all__ = ["Program", "ProgramError", "Traced", "trace"]
