"""torch.utils.hooks: the handle that removes a hook."""

from ..core.hooks import RemovableHandle

__all__ = ["RemovableHandle"]
