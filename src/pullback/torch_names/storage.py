"""torch.storage: the memory below tensors."""

from ..tensor.typed_storage import TypedStorage
from ..tensor.untyped_storage import StorageBase, UntypedStorage

__all__ = ["StorageBase", "TypedStorage", "UntypedStorage"]
