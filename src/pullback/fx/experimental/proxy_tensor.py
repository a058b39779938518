"""torch.fx.experimental.proxy_tensor: tracing into torch's own ops, of which there is none."""

from __future__ import annotations

__all__ = ["get_proxy_mode"]


def get_proxy_mode() -> None:
    """Return the mode of such a tracing: None."""
