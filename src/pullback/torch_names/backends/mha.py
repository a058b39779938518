"""torch.backends.mha: the switch of a fused path of attention, which this build does without."""

from __future__ import annotations

_fast = True


def get_fastpath_enabled() -> bool:
    """Return whether the fused path is allowed."""
    return _fast


def set_fastpath_enabled(value: bool) -> None:
    """Allow or forbid it."""
    global _fast
    _fast = value


__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]
