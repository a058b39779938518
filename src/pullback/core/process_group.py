"""The group of processes that work together: here none, or one that has this process alone.

A program made for several processes also runs as one: it asks for its rank, averages over the group, saves in
the process of rank 0. A group of one answers all of this; a larger one is refused when it is asked for.
"""

from __future__ import annotations

import os
from typing import Any

from ..errors import with_note


class ProcessGroup:
    """A group that has this process alone.

    Parameters
    ----------
    backend : str
        By what name a program knows the means of communication: ``"gloo"``, ``"mpi"`` or ``"nccl"``.
    """

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def rank(self) -> int:
        """Return the number of this process: 0."""
        return 0

    def size(self) -> int:
        """Return the number of processes in the group: 1."""
        return 1

    def allreduce(self, tensor: Any) -> Any:
        """Begin to put the sum over all processes into `tensor`."""
        return Done()

    def broadcast(self, tensor: Any, root: int) -> Any:
        """Begin to put the value of process `root` into `tensor`."""
        return Done()

    def allgather(self, tensors: list[Any], tensor: Any) -> Any:
        """Begin to put the value of each process into `tensors`."""
        tensors[0].copy_(tensor)
        return Done()


class Done:
    """A collective of one process."""

    def wait(self) -> bool:
        """Return at once."""
        return True


_default: ProcessGroup | None = None


def default_group() -> ProcessGroup | None:
    """Return the group that `start` made, if any."""
    return _default


def needed_group() -> ProcessGroup:
    """Return the group that `start` made.

    Raises
    ------
    ValueError
        When there is none.
    """
    if _default is None:
        raise ValueError(
            "Default process group has not been initialized, please make sure to call init_process_group."
        )
    return _default


def start(backend: str, init_method: str, world_size: int, rank: int) -> None:
    """Make the group; see `pullback.distributed.init_process_group`."""
    global _default
    if _default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if init_method.startswith("env://"):
        rank = _from_environment("RANK", rank)
        world_size = _from_environment("WORLD_SIZE", world_size)
    if world_size > 1:
        raise with_note(
            RuntimeError(f"pullback has no groups of several processes, and {world_size} were asked for"),
            "A group of one process can be made: rank=0, world_size=1, or RANK=0 and WORLD_SIZE=1 in the "
            "environment.",
        )
    if world_size != 1 or rank != 0:
        raise ValueError(f"a group of one process has rank 0 and size 1, not {rank} and {world_size}")
    _default = ProcessGroup(backend)


def _from_environment(name: str, given: int) -> int:
    if given != -1:
        return given
    if name not in os.environ:
        raise ValueError(
            f"Error initializing torch.distributed using env:// rendezvous: environment variable {name} "
            "expected, but not set"
        )
    return int(os.environ[name])


def end() -> None:
    """Undo `start`."""
    global _default
    assert _default is not None, "Process group cannot be None"
    _default = None
