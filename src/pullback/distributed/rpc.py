"""torch.distributed.rpc: calls of functions in other processes; with one process there is nobody to call."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["init_rpc", "is_available", "shutdown"]


def is_available() -> bool:
    """Return whether other processes can be called: False."""
    return False


def init_rpc(name: str, *_: Any, **__: Any) -> NoReturn:
    """Refuse to join processes that call each other.

    Raises
    ------
    NotImplementedError
    """
    raise NotImplementedError("torch.distributed.rpc is not part of pullback: programs run in one process")


def shutdown(graceful: bool = True, timeout: float = 0) -> None:
    """Leave the processes that were joined: there are none."""
