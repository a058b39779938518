"""Make groups of some of the processes, one or several at once, and answer questions about groups."""

import os
import zlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from ..core.process_group import ProcessGroup, default_group, needed_group, set_default_group
from .backend import checked_backend
from .communicator import Alone, Communicator
from .group_methods import TensorGroup
from .process_group import DefaultGroup, Group, GroupMember, resolve
from .work import Work

#: The groups there are besides the default one, by name.
_others: dict[str, Group] = {}
_made = 0
#: How many of them had been made when the default group was.
_made_before = 0
#: The tag of the messages by which members of a new group find that all are here.
TAG = 32766


def destroy_process_group(group: Any = None) -> None:
    """Undo `init_process_group`, or `new_group` where its group is given."""
    if group is GroupMember.NON_GROUP_MEMBER:
        return
    assert group is not None or default_group() is not None, "Process group cannot be None"
    global _made_before
    if group is None or group is default_group():
        _made_before = _made
        for other in _others.values():
            other.free()
        _others.clear()
        default: Any = default_group()
        default.free()
        set_default_group(None)
        return
    if _others.pop(group.group_name, None) is None:
        raise ValueError("Invalid process group specified")
    group.free()


def new_group(
    ranks: Sequence[int] | None = None, timeout: timedelta | None = None, backend: str | None = None,
    pg_options: Any = None, use_local_synchronization: bool = False, group_desc: str | None = None,
    device_id: Any = None,
) -> Any:  # fmt: skip
    """Return a group of some of the processes.

    All processes must call it, with the same ranks and in the same order, unless
    `use_local_synchronization` says that only the members do.

    Parameters
    ----------
    ranks : sequence of int, optional
        Global ranks; by default all.
    timeout : timedelta, optional
        For how long its collectives wait; by default as long as those of the default group.
    backend : str, optional
        By default that of the default group.
    pg_options, device_id
        Taken for torch's sake.
    use_local_synchronization : bool
        Whether only members call this.
    group_desc : str, optional
        A name for messages.

    Returns
    -------
    ProcessGroup or int
        ``GroupMember.NON_GROUP_MEMBER`` in a process that is not in it.

    Raises
    ------
    ValueError
        There is no default group.
    RuntimeError
        A rank is not there, or there twice.
    """
    global _made
    world: Any = needed_group()
    name = checked_backend(backend) if backend is not None else world.backend
    members = list(world.ranks) if ranks is None else sorted(ranks)
    _check_members(members, world.size())
    _made += 1
    if use_local_synchronization:
        title = f"{zlib.crc32(repr(members).encode()):08x}_{_made}"
    else:
        title = str(_made)
    if world.rank() not in members:
        return GroupMember.NON_GROUP_MEMBER
    made = TensorGroup(
        name, _communicator_of(world, members, _made), members, title, timeout or world.timeout,
        group_desc or "undefined",
    )  # fmt: skip
    _others[title] = made
    return made


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


def _check_members(members: list[int], size: int) -> None:
    if len(members) > size:
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    for rank in members:
        if not 0 <= rank < size:
            raise ValueError(
                f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})"
            )
    if len(set(members)) != len(members):
        raise ValueError("the ranks of a new group are each to be given once")


def _communicator_of(world: Group, members: Sequence[int], number: int) -> Communicator | Alone:
    """Return a communicator of members, which only they need to ask for."""
    if len(members) == 1:
        return Alone()
    _gather_members(world, members)
    comm = world.communicator.settle()
    everybody = comm.Get_group()
    chosen = everybody.Incl(list(members))
    try:
        # The tag keeps apart groups that share members and are made at the same time.
        made = comm.Create_group(chosen, number % 32768)
    finally:
        chosen.Free()
        everybody.Free()
    return Communicator(made)


def _gather_members(world: Group, members: Sequence[int]) -> None:
    """Wait until all members are here: making a communicator could not be given up."""
    first, others = members[0], [rank for rank in members if rank != members[0]]
    told = np.zeros(1, np.uint8)
    peers = others if world.rank() == first else [first]
    communicator = world.communicator
    steps = [communicator.receive, communicator.send]
    for step in steps if world.rank() == first else reversed(steps):
        for rank in peers:
            Work(step(told, rank, TAG), world, "new_group").wait()


def get_rank(group: Any = None) -> int:
    """Return the number of this process within a group, -1 where it is not in it."""
    found = resolve(group)
    return -1 if found is None else found.rank()


def get_world_size(group: Any = None) -> int:
    """Return the number of processes in the group, -1 where this one is not in it."""
    found = resolve(group)
    return -1 if found is None else found.size()


def get_backend(group: Any = None) -> str:
    """Return the backend that was named when the group was made."""
    if (found := resolve(group)) is None:
        raise ValueError("Invalid process group specified")
    return found.backend


def get_backend_config(group: Any = None) -> str:
    """Return which backend serves which device."""
    return f"cpu:{get_backend(group)},cuda:{get_backend(group)}"


def get_process_group_ranks(group: Any = None) -> list[int]:
    """Return the global ranks of the members, by their rank within the group."""
    found = resolve(group)
    return [] if found is None else list(found.ranks)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """Return the rank within a group of a global rank.

    Raises
    ------
    ValueError
        It is not in the group.
    """
    if (found := resolve(group)) is None:
        raise ValueError(
            f"Group {group} is not registered, please create group with torch.distributed.new_group API"
        )
    return found.number_of(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """Return the global rank of a rank within a group.

    Raises
    ------
    ValueError
        The group has no such rank.
    """
    if (found := resolve(group)) is None or not 0 <= group_rank < found.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return found.ranks[group_rank]


def group_of_name(name: str) -> Group:
    """Return the group of a name; RuntimeError where there is none."""
    default: Any = default_group()
    if default is not None and default.group_name == name:
        return default
    if name not in _others:
        raise RuntimeError(f"Could not resolve the process group registered under the name {name}")
    return _others[name]


def get_pg_count() -> int:
    """Return how many groups have been made with the default group, which is one of them."""
    return 0 if default_group() is None else _made - _made_before + 1


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the number of this process among those on its machine, as the launcher told it.

    Raises
    ------
    RuntimeError
        It told none, and there is no `fallback_rank`.
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` "
        "to work, assuming you are not running in a multi-device context and want the code to run locally "
        "instead."
    )


class group(metaclass=DefaultGroup):
    """The groups there are: ``group.WORLD`` is the default one, or None."""
