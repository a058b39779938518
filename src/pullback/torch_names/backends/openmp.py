"""torch.backends.openmp: not part of this build."""

from .switches import is_available

__all__ = ["is_available"]
