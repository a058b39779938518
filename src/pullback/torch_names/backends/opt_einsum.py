"""torch.backends.opt_einsum: pullback finds the order of an einsum's products itself."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from .switches import switched

enabled = False
strategy: str | None = None


def is_available() -> bool:
    """Return False: the package opt_einsum is not asked."""
    return False


def get_opt_einsum() -> Any:
    """Return None, where torch returns the package."""
    return None


def flags(enabled: bool | None = None, strategy: str | None = None) -> AbstractContextManager[None]:
    """Set the switches for a ``with`` block."""
    return switched(globals(), enabled=enabled, strategy=strategy)
