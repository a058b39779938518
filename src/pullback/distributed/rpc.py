"""torch.distributed.rpc: calls of functions in other processes, which are not there."""

from collections.abc import Callable
from typing import Any, NoReturn

from ..errors import with_name, with_note

__all__ = [
    "RRef", "get_worker_info", "init_rpc", "is_available", "remote", "rpc_async", "rpc_sync", "shutdown",
]  # fmt: skip


def is_available() -> bool:
    """Return whether other processes can be called: False."""
    return False


def _refusing(name: str) -> Callable[..., NoReturn]:
    """Return a function of a name of this module, whose error says what else there is."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise with_note(
            NotImplementedError(f"torch.distributed.rpc.{name} is not part of pullback"),
            "Processes exchange values by torch.distributed: send and recv, send_object_list, collectives. "
            "What is missing is to call functions and keep objects in other processes, and backward through "
            "that. pipelining has stages in several processes, ZeroRedundancyOptimizer and fully_shard have "
            "parameters in parts.",
        )

    return with_name(refuse, name, "Raise NotImplementedError: other processes cannot be called.")


init_rpc = _refusing("init_rpc")
rpc_sync = _refusing("rpc_sync")
rpc_async = _refusing("rpc_async")
remote = _refusing("remote")
get_worker_info = _refusing("get_worker_info")


class RRef:
    """A reference to an object in another process, which cannot be made.

    Raises
    ------
    NotImplementedError
    """

    __new__ = _refusing("RRef")


def shutdown(graceful: bool = True, timeout: float = 0) -> None:
    """Leave the processes that were joined: there are none."""
