"""Make the default group: who takes part, and how their processes find each other.

What this module must do:

- take rank and size from arguments, from torchrun's environment or from mpiexec's, whichever tells them;
- join the MPI world where there are several processes, and need no MPI where there is one;
- refuse, with torch's text, what cannot be: a second default group, a missing rank, NCCL.
"""

import os
import socket
from datetime import timedelta
from typing import Any

from ..array import threads
from ..core.process_group import default_group, needed_group, set_default_group
from ..errors import with_note
from . import membership, mpi, program_end
from .backend import checked_backend
from .communicator import Alone, Communicator
from .group_methods import TensorGroup
from .process_group import DEFAULT_TIMEOUT, Group
from .rendezvous import (
    address_of,
    meet,
    numbers,
    registered,
    rendezvous,
    start_coordinator,
    start_mpi,
    store_of,
    under_mpiexec,
)
from .store import Store
from .work import Work


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
    url = init_method or "env://"
    if store is None:
        if registered(url):
            store, rank, world_size = next(rendezvous(url, rank, world_size, timeout or DEFAULT_TIMEOUT))
        else:
            rank, world_size = numbers(url, rank, world_size)
    timeout = timeout or DEFAULT_TIMEOUT
    communicator: Communicator | Alone = Alone()
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of a group of {world_size} processes")
    if world_size > 1:
        world = joined_world(rank, world_size, store or url, timeout)
        # None goes on before all are here.
        Work([world.Ibarrier()], Group(name, communicator, range(world_size), "0", timeout), "barrier").wait()
        mpi.forget_shared_memory()
        # Ranks as the program numbers them need not be those of MPI.
        communicator = Communicator(world.Split(0, rank))
        share_processors()
    set_default_group(TensorGroup(name, communicator, range(world_size), "0", timeout, "default_pg"))


def joined_world(rank: int, world_size: int, place: Store | str, timeout: timedelta) -> Any:
    """Return MPI's communicator of all processes, after joining them at `place` where they are not yet."""
    if (member := membership.current()) is not None and member.owner == os.getpid():
        if member.size != world_size:
            raise with_note(
                RuntimeError(
                    f"this process has joined {member.size} processes before, and is now to join {world_size}"
                ),
                "An MPI world is made once in the life of a process. Make a group of some of its processes "
                "with new_group.",
            )
        return mpi.library().COMM_WORLD
    if (told := under_mpiexec()) is not None and told[1] == world_size:
        return world_of_mpiexec(rank, world_size)
    mpi.library(start=False)
    store = place if isinstance(place, Store) else store_of(place, rank, world_size, timeout)
    address = meet(store, rank)
    member = membership.Membership(rank, world_size)
    member.store = store
    member.join(address, timeout.total_seconds())
    world = start_mpi(address, rank)
    program_end.begin(member)
    return world


def world_of_mpiexec(rank: int, world_size: int) -> Any:
    """Return the communicator of all processes that mpiexec started, each told of the loss of others."""
    world = mpi.library().COMM_WORLD
    member = membership.Membership(rank, world_size)
    member.under_mpiexec = True
    told = start_coordinator(local=False, report=True) if world.Get_rank() == 0 else None
    member.join(address_of(world.bcast(told), None), DEFAULT_TIMEOUT.total_seconds())
    program_end.begin(member)
    return world


def share_processors() -> None:
    """Divide the machine's processors among its processes, unless the program has set its threads."""
    member = membership.current()
    assert member is not None
    if "OMP_NUM_THREADS" in os.environ or threads.were_set():
        return
    here = member.hosts.count(socket.gethostname())
    threads.set_num_threads(max(1, threads.processors() // here))


def global_rank() -> int:
    """Return the rank of this process in the default group."""
    group: Any = needed_group()
    return group.rank()


def is_torchelastic_launched() -> bool:
    """Return whether torchrun, or pullback's in its place, started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ
