"""Making and asking for the group of processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core import process_group
from ..core.process_group import ProcessGroup, default_group, needed_group


def is_available() -> bool:
    """Return whether groups of several processes can be made: False, as in a torch that was built without
    them.
    """
    return False


def is_gloo_available() -> bool:
    """Return whether processes can work together by gloo: False."""
    return False


def is_mpi_available() -> bool:
    """Return whether processes can work together by MPI: False."""
    return False


def is_nccl_available() -> bool:
    """Return whether processes can work together by NCCL: False."""
    return False


def is_backend_available(backend: str) -> bool:
    """Return whether processes can work together by `backend`: False."""
    return False


def is_torchelastic_launched() -> bool:
    """Return whether torchrun started this process: False."""
    return False


def is_initialized() -> bool:
    """Return whether `init_process_group` was called, and `destroy_process_group` not since."""
    return default_group() is not None


def init_process_group(
    backend: str | None = None, init_method: str | None = None, timeout: Any = None, world_size: int = -1,
    rank: int = -1, store: Any = None, group_name: str = "", pg_options: Any = None, device_id: Any = None,
) -> None:  # fmt: skip
    """Make the default group, which here has one process.

    Parameters
    ----------
    backend : str, optional
        Kept for `get_backend`; by default ``"gloo"``.
    init_method : str, optional
        Where processes would meet. ``"env://"``, the default, reads RANK and WORLD_SIZE from the environment
        where they are not given.
    timeout, store, group_name, pg_options, device_id
        Make no difference: there is nobody to wait for.
    world_size, rank : int
        How many processes there are, and which of them this is: 1 and 0.

    Raises
    ------
    ValueError
        When there is a group already, or rank and size are not told.
    RuntimeError
        When more than one process is asked for.
    """
    # torch reads the environment when neither a store nor a meeting place is given.
    place = init_method or ("env://" if store is None and -1 in (rank, world_size) else "")
    process_group.start((backend or "gloo").lower(), place, world_size, rank)


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Undo `init_process_group`."""
    if group is None or group is default_group():
        process_group.end()


def new_group(ranks: Sequence[int] | None = None, *args: Any, **kwargs: Any) -> ProcessGroup:
    """Return a group of some of the processes: of the one there is."""
    return ProcessGroup(needed_group().backend)


def get_rank(group: ProcessGroup | None = None) -> int:
    """Return the number of this process: 0 once a group is made."""
    return (group or needed_group()).rank()


def get_world_size(group: ProcessGroup | None = None) -> int:
    """Return the number of processes in the group: 1 once it is made."""
    return (group or needed_group()).size()


def get_backend(group: ProcessGroup | None = None) -> str:
    """Return the backend that was named when the group was made."""
    return (group or needed_group()).backend


class _Groups(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        return default_group()


class group(metaclass=_Groups):
    """The groups there are: ``group.WORLD`` is the default one, or None."""
