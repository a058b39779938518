"""torch.utils.hooks: the handle that removes a hook."""

from __future__ import annotations

from ..core.hooks import RemovableHandle

__all__ = ["RemovableHandle"]
