"""Define a group of processes and what it can do, as torch's ProcessGroup objects offer it."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import count
from typing import Any

from ..core.process_group import ProcessGroup, default_group, needed_group, set_default_group
from . import membership
from .collective_checks import DebugLevel, get_debug_level, verify
from .communicator import Alone, Communicator

DEFAULT_TIMEOUT = timedelta(minutes=30)


class DefaultGroup(type):
    """Give a class the default group as an attribute."""

    @property
    def WORLD(cls) -> ProcessGroup | None:
        """Return the default group, or None; setting it puts another in its place."""
        return default_group()

    @WORLD.setter
    def WORLD(cls, made: ProcessGroup | None) -> None:
        set_default_group(made)


class GroupMember(metaclass=DefaultGroup):
    """Hold the default group, and what stands for a group in the processes that are not in it."""

    NON_GROUP_MEMBER = -100


def rank_not_in_group(group: Any) -> bool:
    """Return whether this process is not in a group."""
    return group is GroupMember.NON_GROUP_MEMBER


class Group(ProcessGroup):
    """Processes that exchange tensors; `ranks` are the global ones, by their rank within the group."""

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
        #: At DETAIL: over what collectives are compared before they run, how many were, and the numbers of
        #: messages that are compared.
        self.control: Any = None
        self.checks = 0
        self.messages = count()
        if isinstance(communicator, Communicator) and get_debug_level() is DebugLevel.DETAIL:
            self.control = communicator.twin()

    def rank(self) -> int:
        return self.communicator.rank

    def size(self) -> int:
        return self.communicator.size

    def name(self) -> str:
        """Return the name of the backend."""
        return self.backend

    def free(self) -> None:
        """Give up the communicators."""
        self.communicator.free()
        if self.control is not None:
            self.control.free()

    def verify(self, name: str, *tensors: Any, routes: Any = None, **how: Any) -> None:
        """Check at DETAIL that all processes are about to run the same collective, on tensors of the same
        shapes and dtypes.

        `routes` has what each process sends and how many elements to each, and the same of what it receives;
        `how` what else all must agree on: the root, the reduction, what a tensor is made of.
        """
        if self.control is not None:
            agreed = {"tensors": len(tensors), **how}
            verify(self, name, tensors, routes, {word: str(value) for word, value in agreed.items()})

    def began(self, name: str) -> int:
        """Count a collective that begins; return the how-manieth of the group it is."""
        self.calls += 1
        if (member := membership.current()) is not None:
            member.calls[self.group_name] = (self.calls, name)
        return self.calls

    def number_of(self, rank: int, what: str = "rank") -> int:
        """Return the rank within the group of a global rank."""
        try:
            return self.ranks.index(rank)
        except ValueError:
            raise ValueError(f"Global rank {rank} is not part of group {self}") from None


ProcessGroup.__module__ = "torch.distributed.distributed_c10d"


def resolve(group: Any) -> Group | None:
    """Return the group, or the default one; None where this process is not in it."""
    if group is None:
        return needed_group()  # type: ignore[return-value]  # every group that is made is one
    return None if group is GroupMember.NON_GROUP_MEMBER or isinstance(group, int) else group
