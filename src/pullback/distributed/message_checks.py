"""Begin to send and receive messages, and check at TORCH_DISTRIBUTED_DEBUG=DETAIL that the two ends agree.

What this module must do:

- at DETAIL, send ahead of each message what it is, so that the receiver can compare it with what it expects;
- compare each message with what was told of it, in whatever order several of them end;
- take in a message that is not what was expected, too: its sender must not wait for ever.

A sender goes on as soon as MPI has its message, as it does without the check: it does not learn what the
receiver found.
"""

import json
from typing import Any

import numpy as np
from numpy import ndarray

from . import mpi
from .collective_checks import scalar
from .process_group import Group

#: Bytes that are sent ahead at most: the longest are 64 axes of 20 digits each.
LONGEST = 2048
#: So many tags MPI has at least.
TAGS = 32768


def described(tensor: Any) -> str:
    """Return what the ends of a message must agree on of a tensor."""
    return f"a tensor of TensorShape={list(tensor.shape)}, TensorDtypes={scalar(tensor)}"


def begin_send(group: Group, array: ndarray, what: str, to: int, tag: int) -> list[Any]:
    """Begin to send an array, which the receiver must expect as `what`, to a rank; return MPI's requests."""
    if group.control is None:
        return group.communicator.send(array, to, tag)
    # Under its own tag the array cannot be taken for another one, though it goes over another communicator
    # than what is told of it.
    number = next(group.messages) % TAGS
    told = json.dumps({"what": what, "bytes": array.nbytes, "number": number}).encode()
    ahead = group.communicator.send(np.frombuffer(told, np.uint8), to, tag)
    return [*ahead, *group.control.send(array, to, number)]


def begin_receive(group: Group, array: ndarray, what: str, source: int | None, tag: int) -> list[Any]:
    """Begin to receive an array from a rank of the group, or from any; return MPI's requests."""
    if group.control is None:
        return group.communicator.receive(array, source, tag)
    return [CheckedReceive(group, array, what, source, tag)]


class CheckedReceive:
    """A message that is received after what is told of it; it is asked for its end as MPI's requests are."""

    def __init__(self, group: Group, array: ndarray, what: str, source: int | None, tag: int) -> None:
        self._group = group
        self._array = array
        self._what = what
        self._source = mpi.library().Status()
        self._told = np.zeros(LONGEST, np.uint8)
        self._sent: dict[str, Any] = {}
        [self._request] = group.communicator.receive(self._told, source, tag)

    def Test(self, status: Any = None) -> bool:
        """Bring it on, and return whether it has ended; the status tells who sent it.

        Where it is not what was expected, a RuntimeError says what both ends have.
        """
        if not self._sent:
            if not self._request.Test(self._source):
                return False
            self._sent = json.loads(self._told[: self._source.Get_count(mpi.library().BYTE)].tobytes())
            fits = self._sent["what"] == self._what
            array = self._array if fits else np.empty(self._sent["bytes"], np.uint8)
            source, number = self._source.Get_source(), self._sent["number"]
            [self._request] = self._group.control.receive(array, source, number)
        if not self._request.Test(status):
            return False
        if self._sent["what"] != self._what:
            ranks = self._group.ranks
            raise RuntimeError(
                f"Detected mismatch between messages: rank {ranks[self._source.Get_source()]} sent "
                f"{self._sent['what']}, and rank {ranks[self._group.rank()]} expects {self._what}"
            )
        return True

    def Cancel(self) -> None:
        """Give it up."""
        self._request.Cancel()

    def Wait(self) -> None:
        """Wait for the end of what was given up."""
        self._request.Wait()
