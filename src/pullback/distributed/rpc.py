"""torch.distributed.rpc: calls of functions in other processes, which are not there."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import with_note

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
    raise with_note(
        NotImplementedError("torch.distributed.rpc is not part of pullback"),
        "Processes exchange values by torch.distributed: send and recv, send_object_list, collectives. What "
        "is missing is to call functions and keep objects in other processes, and backward through that.",
    )


def shutdown(graceful: bool = True, timeout: float = 0) -> None:
    """Leave the processes that were joined: there are none."""
