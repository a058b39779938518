"""torch.utils: checkpointing and helpers."""

from __future__ import annotations

from . import checkpoint, hooks

__all__ = ["checkpoint", "hooks"]
