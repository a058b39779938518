"""torch.backends.openmp: not part of this build."""

from __future__ import annotations

from .switches import is_available

__all__ = ["is_available"]
