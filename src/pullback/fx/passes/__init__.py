"""torch.fx.passes: `shape_prop` notes the shapes of a graph's values."""

from . import shape_prop

__all__ = ["shape_prop"]
