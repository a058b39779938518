"""Making the default group: who takes part, and how their processes find each other.

What this module must do:

- take rank and size from arguments, from torchrun's environment or from mpiexec's, whichever tells them;
- join the MPI world where there are several processes, and need no MPI where there is one;
- refuse, with torch's text, what cannot be: a second default group, a missing rank, NCCL.
"""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

from ..core.process_group import default_group, needed_group, set_default_group
from ..errors import with_note
from . import mpi
from .backend import checked_backend
from .communicator import Alone, Communicator
from .process_group import DEFAULT_TIMEOUT, Group

#: By what names mpiexec tells a process its rank and their number: MPICH's and Intel's, Open MPI's, Slurm's.
LAUNCHED = (("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))


def under_mpiexec() -> tuple[int, int] | None:
    """Return rank and size as mpiexec told this process, None where it was not started so."""
    for rank, size in LAUNCHED:
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return None


def is_initialized() -> bool:
    """Return whether `init_process_group` was called, and `destroy_process_group` not since."""
    return default_group() is not None


def init_process_group(
    backend: str | None = None, init_method: str | None = None, timeout: timedelta | None = None,
    world_size: int = -1, rank: int = -1, store: Any = None, group_name: str = "", pg_options: Any = None,
    device_id: Any = None,
) -> None:  # fmt: skip
    """Make the default group.

    Parameters
    ----------
    backend : str, optional
        ``"gloo"`` (the default) or ``"mpi"``, which both are MPI.
    init_method : str, optional
        Where processes meet. ``"env://"``, the default, reads RANK and WORLD_SIZE from the environment where
        they are not given.
    timeout : timedelta, optional
        For how long a collective waits for the other processes: 30 minutes by default.
    world_size, rank : int
        How many processes there are, and which of them this is.
    store : Store, optional
        Where processes meet, instead of `init_method`.
    group_name, pg_options, device_id
        Taken for torch's sake.

    Raises
    ------
    ValueError
        When there is a group already, or rank and size are not told.
    RuntimeError
        When MPI is missing, or the processes cannot join.
    """
    if default_group() is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if timeout is not None and not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    name = checked_backend(backend)
    if store is not None:
        if world_size < 1:
            raise AssertionError("world_size must be positive if using store")
        if rank < 0:
            raise AssertionError("rank must be non-negative if using store")
    elif init_method in (None, "env://") and -1 in (rank, world_size):
        rank, world_size = from_environment(rank, world_size)
    group = Group(
        name, joined_world(rank, world_size), range(world_size), "0", timeout or DEFAULT_TIMEOUT, "default_pg"
    )
    set_default_group(group)


def from_environment(rank: int, world_size: int) -> tuple[int, int]:
    """Return rank and size with what was not given read from the environment."""
    told = under_mpiexec()
    found = []
    for name, given, launched in (("RANK", rank, 0), ("WORLD_SIZE", world_size, 1)):
        if given != -1:
            found.append(given)
        elif name in os.environ:
            found.append(int(os.environ[name]))
        elif told is not None:
            found.append(told[launched])
        else:
            raise ValueError(
                "Error initializing torch.distributed using env:// rendezvous: environment variable "
                f"{name} expected, but not set"
            )
    return found[0], found[1]


def joined_world(rank: int, world_size: int) -> Communicator | Alone:
    """Return the communicator of all processes, this one at its rank."""
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of a group of {world_size} processes")
    if world_size == 1:
        return Alone()
    world = mpi.library().COMM_WORLD
    if world.Get_size() != world_size:
        raise with_note(
            RuntimeError(
                f"a group of {world_size} processes was asked for, and MPI started {world.Get_size()}"
            ),
            f"Start the program with mpiexec -n {world_size} or python -m pullback.distributed.run "
            f"--nproc-per-node {world_size}.",
        )
    # Ranks as the program numbers them need not be those of MPI.
    return Communicator(world.Split(0, rank))


def global_rank() -> int:
    """Return the rank of this process in the default group."""
    group: Any = needed_group()
    return group.rank()


def is_torchelastic_launched() -> bool:
    """Return whether torchrun, or pullback's in its place, started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ
