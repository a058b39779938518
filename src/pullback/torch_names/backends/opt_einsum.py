"""torch.backends.opt_einsum: pullback finds the order of an einsum's products itself."""

from contextlib import AbstractContextManager
from typing import Any

from .switches import is_available, switched  # noqa: F401  # torch has the question here

enabled = False
strategy: str | None = None


def get_opt_einsum() -> Any:
    """Return None, where torch returns the package."""
    return None


def flags(enabled: bool | None = None, strategy: str | None = None) -> AbstractContextManager[None]:
    """Set the switches for a ``with`` block."""
    return switched(globals(), enabled=enabled, strategy=strategy)
