"""functorch.einops: transposing, splitting and merging axes by a pattern."""

from __future__ import annotations

from ...func.rearrange import rearrange

__all__ = ["rearrange"]
