"""torch.distributed: process groups are not part of this build, and it says so where programs ask first."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether process groups can be made: False, as in a torch that was built without them."""
    return False
