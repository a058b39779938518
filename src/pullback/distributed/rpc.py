"""torch.distributed.rpc: calls of functions in other processes, which are not there."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import with_note

__all__ = [
    "RRef", "get_worker_info", "init_rpc", "is_available", "remote", "rpc_async", "rpc_sync", "shutdown",
]  # fmt: skip


def is_available() -> bool:
    """Return whether other processes can be called: False."""
    return False


def init_rpc(name: str, *_: Any, **__: Any) -> NoReturn:
    """Refuse to join processes that call each other.

    Raises
    ------
    NotImplementedError
    """
    raise _refusal("init_rpc")


def rpc_sync(to: Any, func: Any, *_: Any, **__: Any) -> NoReturn:
    """Refuse to call a function in another process.

    Raises
    ------
    NotImplementedError
    """
    raise _refusal("rpc_sync")


def rpc_async(to: Any, func: Any, *_: Any, **__: Any) -> NoReturn:
    """Refuse to begin a call in another process.

    Raises
    ------
    NotImplementedError
    """
    raise _refusal("rpc_async")


def remote(to: Any, func: Any, *_: Any, **__: Any) -> NoReturn:
    """Refuse to make an object in another process.

    Raises
    ------
    NotImplementedError
    """
    raise _refusal("remote")


def get_worker_info(worker_name: str | None = None) -> NoReturn:
    """Refuse to tell of a process by its name.

    Raises
    ------
    NotImplementedError
    """
    raise _refusal("get_worker_info")


class RRef:
    """A reference to an object in another process, which cannot be made.

    Raises
    ------
    NotImplementedError
    """

    def __new__(cls, *_: Any, **__: Any) -> NoReturn:
        raise _refusal("RRef")


def _refusal(name: str) -> NotImplementedError:
    """Return the error of a name of this module, which says what else there is."""
    return with_note(
        NotImplementedError(f"torch.distributed.rpc.{name} is not part of pullback"),
        "Processes exchange values by torch.distributed: send and recv, send_object_list, collectives. What "
        "is missing is to call functions and keep objects in other processes, and backward through that. "
        "pipelining has stages in several processes, ZeroRedundancyOptimizer and fully_shard have parameters "
        "in parts.",
    )


def shutdown(graceful: bool = True, timeout: float = 0) -> None:
    """Leave the processes that were joined: there are none."""
