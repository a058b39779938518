"""torch.storage: the memory below tensors."""

from __future__ import annotations

from .tensor.storage import StorageBase, TypedStorage, UntypedStorage

__all__ = ["StorageBase", "TypedStorage", "UntypedStorage"]
