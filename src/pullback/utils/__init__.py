"""torch.utils: checkpointing and helpers."""

from __future__ import annotations

from . import checkpoint, dlpack, hooks

__all__ = ["checkpoint", "dlpack", "hooks"]
