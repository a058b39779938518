"""torch.backends.kleidiai: not part of this build."""

from __future__ import annotations


def is_available() -> bool:
    """Return False."""
    return False


__all__ = ["is_available"]
