"""Make several groups at once: equally large ones, or those that a list gives."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from ..core.process_group import ProcessGroup, needed_group
from .groups import new_group
from .process_group import GroupMember


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]], timeout: timedelta | None = None,
    backend: str | None = None, pg_options: Any = None, group_desc: str | None = None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Make a group of each list of global ranks, which have no rank in common.

    Returns
    -------
    (ProcessGroup or None, list)
        That of this process, and all.

    Raises
    ------
    ValueError
        The list is empty, or a rank is in two of its lists.
    """
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    world: Any = needed_group()
    home: dict[int, Any] = {}
    groups: list[Any] = []
    mine = None
    for ranks in ranks_per_subgroup_list:
        made = new_group(ranks, timeout, backend, pg_options, group_desc=group_desc)
        groups.append(made)
        for rank in ranks:
            if rank in home:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {home[rank]} and {ranks}")
            home[rank] = ranks
            if rank == world.rank():
                mine = made
    return mine, groups


def new_subgroups(
    group_size: int | None = None, group: ProcessGroup | None = None, timeout: timedelta | None = None,
    backend: str | None = None, pg_options: Any = None, group_desc: str | None = None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Make groups of consecutive ranks of a group.

    Parameters
    ----------
    group_size : int, optional
        By default that of `group`.
    group : ProcessGroup, optional
    timeout, backend, pg_options, group_desc
        As for `new_group`.

    Returns
    -------
    (ProcessGroup, list)
        That of this process, and all.

    Raises
    ------
    ValueError
        The size does not divide the number of processes.
    """
    parent: Any = needed_group() if group is None else group
    count = parent.size()
    if group_size is None:
        group_size = count
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if count < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({count})")
    if count % group_size:
        raise ValueError(f"The world size ({count}) must be divisible by 'group_size={group_size}'")
    lists = [parent.ranks[first : first + group_size] for first in range(0, count, group_size)]
    return new_subgroups_by_enumeration(lists, timeout, backend, pg_options, group_desc)


def split_group(
    parent_pg: ProcessGroup | None = None, split_ranks: Sequence[Sequence[int]] | None = None,
    timeout: timedelta | None = None, pg_options: Any = None, group_desc: str | None = None,
) -> Any:  # fmt: skip
    """Split a group into those that a list of ranks within it gives; return that of this process, or None.

    Raises
    ------
    ValueError
        The list is missing.
    """
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    parent: Any = needed_group() if parent_pg is None else parent_pg
    lists = [[parent.ranks[rank] for rank in ranks] for ranks in split_ranks]
    mine, _ = new_subgroups_by_enumeration(lists, timeout, parent.backend, pg_options, group_desc)
    return None if mine is GroupMember.NON_GROUP_MEMBER else mine
