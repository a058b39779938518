"""functorch.einops: transposing, splitting and merging axes by a pattern."""

from ...func.rearrange import rearrange

__all__ = ["rearrange"]
