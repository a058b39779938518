"""torch.distributed.distributed_c10d: the module by which libraries reach the functions of torch.distributed.

Its public names are those of `pullback.distributed`; the private ones are those that libraries use.
"""

from __future__ import annotations

import importlib
from typing import Any

from ..core.process_group import ProcessGroup, needed_group
from .process_group import DEFAULT_TIMEOUT, GroupMember, resolve

default_pg_timeout = DEFAULT_TIMEOUT
default_pg_nccl_timeout = None


def _get_default_group() -> ProcessGroup:
    """Return the default group."""
    return needed_group()


def _rank_not_in_group(group: Any) -> bool:
    """Return whether this process is not in a group."""
    return group is GroupMember.NON_GROUP_MEMBER


def _get_default_store() -> Any:
    """Return the store by which the processes met."""
    from . import membership

    needed_group()
    member = membership.current()
    return None if member is None else member.store


def _get_pg_default_device(group: Any = None) -> Any:
    """Return the device of a group's tensors: the CPU."""
    from ..core.device import CPU

    resolve(group)
    return CPU


def _resolve_process_group(group_name: str) -> Any:
    """Return the group of a name."""
    from .groups import group_of_name

    return group_of_name(group_name)


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("..distributed", __package__), name)
