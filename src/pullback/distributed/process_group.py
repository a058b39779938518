"""A group of processes and what it can do, in the form in which torch's ProcessGroup objects offer it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from ..core.process_group import ProcessGroup, needed_group
from . import membership
from .communicator import Alone, Communicator

DEFAULT_TIMEOUT = timedelta(minutes=30)


class GroupMember:
    """What stands for a group in the processes that are not in it."""

    NON_GROUP_MEMBER = -100


class Group(ProcessGroup):
    """Processes that exchange tensors.

    Parameters
    ----------
    backend : str
    communicator : Communicator or Alone
    ranks : sequence of int
        The global ranks of the members, by their rank within the group.
    name : str
    timeout : timedelta
    """

    def __init__(
        self, backend: str, communicator: Communicator | Alone, ranks: Sequence[int], name: str,
        timeout: timedelta = DEFAULT_TIMEOUT, description: str = "undefined",
    ) -> None:  # fmt: skip
        super().__init__(backend)
        self.communicator: Any = communicator
        self.ranks = list(ranks)
        self.group_name = name
        self.group_desc = description
        self.timeout = timeout
        self.calls = 0

    def rank(self) -> int:
        return self.communicator.rank

    def size(self) -> int:
        return self.communicator.size

    def name(self) -> str:
        """Return the name of the backend."""
        return self.backend

    def free(self) -> None:
        """Give up the communicator."""
        self.communicator.free()

    def allreduce(self, tensors: Any, op: Any = None, timeout: Any = None) -> Any:
        """Begin to reduce a tensor, or the one of a list, over all processes; return the work."""
        from .collectives import all_reduce
        from .reduce_op import ReduceOp

        return all_reduce(_single(tensors), ReduceOp.SUM if op is None else op, self, async_op=True)

    def broadcast(self, tensors: Any, root: int, timeout: Any = None) -> Any:
        """Begin to put the value of process `root` of the group into a tensor of all; return the work."""
        from .collectives import broadcast

        return broadcast(_single(tensors), group=self, async_op=True, group_src=root)

    def allgather(self, output_tensors: Any, input_tensor: Any, timeout: Any = None) -> Any:
        """Begin to put the value of each process into the tensor of its rank; return the work."""
        from .collectives import all_gather

        nested = isinstance(input_tensor, (list, tuple))
        outputs = output_tensors[0] if nested else output_tensors
        return all_gather(outputs, _single(input_tensor), self, async_op=True)

    def began(self, name: str) -> int:
        """Count a collective that begins; return the how-manieth of the group it is."""
        self.calls += 1
        member = membership.current()
        if member is not None:
            member.calls[self.group_name] = (self.calls, name)
        return self.calls

    def number_of(self, rank: int, what: str = "rank") -> int:
        """Return the rank within the group of a global rank."""
        try:
            return self.ranks.index(rank)
        except ValueError:
            raise ValueError(f"Global rank {rank} is not part of group {self}") from None


def _single(tensors: Any) -> Any:
    """Return a tensor that is given as such or as the one of a list."""
    return tensors[0] if isinstance(tensors, (list, tuple)) else tensors


ProcessGroup.__module__ = Group.__module__ = "torch.distributed.distributed_c10d"
Group.__name__ = Group.__qualname__ = "ProcessGroup"


def resolve(group: Any) -> Group | None:
    """Return the group, or the default one; None where this process is not in it."""
    if group is None:
        return needed_group()  # type: ignore[return-value]  # every group that is made is one
    return None if group is GroupMember.NON_GROUP_MEMBER or isinstance(group, int) else group
