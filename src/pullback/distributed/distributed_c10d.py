"""torch.distributed.distributed_c10d: the module by which libraries reach the functions of torch.distributed.

Its public names are those of `pullback.distributed`; the private ones are those that libraries use.
"""

import importlib
from typing import Any

from ..core.device import CPU
from ..core.process_group import needed_group
from . import membership
from .constants import default_pg_nccl_timeout, default_pg_timeout  # noqa: F401  # torch has them here, too
from .groups import group_of_name
from .process_group import resolve

_get_default_group, _resolve_process_group = needed_group, group_of_name


def _get_pg_config(group: Any = None) -> dict[str, Any]:
    """Return the name, backend, size and global ranks of a group."""
    found: Any = resolve(group)
    return {
        "pg_name": found.group_name, "pg_desc": found.group_desc, "backend_config": found.backend,
        "pg_size": found.size(), "ranks": list(found.ranks),
    }  # fmt: skip


def _get_default_store() -> Any:
    """Return the store by which the processes met."""
    needed_group()
    member = membership.current()
    return None if member is None else member.store


def _get_pg_default_device(group: Any = None) -> Any:
    """Return the device of a group's tensors: the CPU."""
    resolve(group)
    return CPU


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("..distributed", __package__), name)
