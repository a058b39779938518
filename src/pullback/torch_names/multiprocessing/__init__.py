"""torch.multiprocessing: Python's multiprocessing, with `spawn` and with tensors whose memory is shared.

A tensor after `share_memory_` is the same memory in a process that gets it when it is started, by any start
method; through a queue, and without `share_memory_`, a process gets a copy.
"""

import multiprocessing
import sys
from multiprocessing import *  # noqa: F403  # torch has all of it under this name
from typing import Any

from ...core.settings import SETTINGS
from . import reductions
from .spawn import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

reductions.init_reductions()

_STRATEGIES = {"file_descriptor", "file_system"} if sys.platform == "linux" else {"file_system"}


def get_all_sharing_strategies() -> set[str]:
    """Return the names of torch's ways to share memory; which is chosen changes nothing."""
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """Return the one chosen."""
    return SETTINGS.sharing


def set_sharing_strategy(new_strategy: str) -> None:
    """Choose one."""
    if new_strategy not in _STRATEGIES:
        raise AssertionError(f"Unsupported sharing strategy: {new_strategy}")
    SETTINGS.sharing = new_strategy


def __getattr__(name: str) -> Any:
    return getattr(multiprocessing, name)


__all__ = [  # noqa: PLE0604  # names of a module that is there
    *multiprocessing.__all__, "ProcessContext", "ProcessException", "ProcessExitedException",
    "ProcessRaisedException", "SpawnContext", "get_all_sharing_strategies", "get_sharing_strategy",
    "set_sharing_strategy", "spawn", "start_processes",
]  # fmt: skip
