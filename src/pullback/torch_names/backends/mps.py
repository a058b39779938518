"""torch.backends.mps: not part of this build."""

from __future__ import annotations

from ..absent_devices import refusing


def is_built() -> bool:
    """Return False."""
    return False


def is_available() -> bool:
    """Return False."""
    return False


globals().update(
    refusing("is_macos_or_newer is_macos13_or_newer", "torch.backends.mps", RuntimeError,
             "Cannot execute isOnMacOSorNewer() without MPS backend.")
)  # fmt: skip
