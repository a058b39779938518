"""torch._guards: what libraries ask about tracing with tensors without numbers."""

from __future__ import annotations

__all__ = ["active_fake_mode"]


def active_fake_mode() -> None:
    """Return the mode in which new tensors have no numbers: None, there being no such mode."""
