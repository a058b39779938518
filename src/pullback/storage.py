"""torch.storage: the memory below tensors."""

from __future__ import annotations

from .tensor.storage import TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]
