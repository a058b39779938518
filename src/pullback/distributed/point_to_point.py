"""Send tensors from one process to another."""

from collections.abc import Callable
from typing import Any

from ..core.process_group import ProcessGroup
from .buffers import check_tensor, readable, writable
from .collectives import member
from .message_checks import begin_receive, begin_send, described
from .process_group import Group
from .work import Work, progress


def peer_of(group: Group, rank: int | None, group_rank: int | None, argument: str, what: str) -> int:
    """Return the rank within the group of the process at the other end."""
    if group_rank is not None:
        if rank is not None:
            raise ValueError(f"Can't specify both group_{argument} and {argument}")
        found = group_rank
    elif rank is None:
        raise ValueError(f"Must specify {argument} or group_{argument}")
    else:
        found = group.number_of(rank)
    if found == group.rank():
        raise ValueError(
            f"Invalid {what} rank: {what} rank should not be the same as the rank of the current process."
        )
    return found


def isend(
    tensor: Any, dst: int | None = None, group: ProcessGroup | None = None, tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Begin to send a tensor to the process of global rank `dst`; return the work.

    Parameters
    ----------
    tensor : Tensor
        Not to be changed until the work is complete.
    dst : int
    group : ProcessGroup, optional
    tag : int
        The receiver must ask for the same.
    group_dst : int, optional
        The rank within the group, instead of `dst`.
    """
    check_tensor(tensor, "tensor")
    if (found := member(group, "isend")) is None:
        return None
    to = peer_of(found, dst, group_dst, "dst", "destination")
    requests = begin_send(found, readable(tensor), described(tensor), to, tag)
    work = Work(requests, found, "send", peer=to).recorded("send", [tensor])
    return work if work._advance() else progress.follow(work)


def irecv(
    tensor: Any, src: int | None = None, group: ProcessGroup | None = None, tag: int = 0,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Begin to receive a tensor; return the work.

    Parameters
    ----------
    tensor : Tensor
        Where the elements go.
    src : int, optional
        The global rank of the sender; by default any.
    group : ProcessGroup, optional
    tag : int
    group_src : int, optional
        The rank within the group, instead of `src`.
    """
    check_tensor(tensor, "tensor")
    if (found := member(group, "irecv")) is None:
        return None
    work = _receiving(found, tensor, src, group_src, tag)
    return work if work._advance() else progress.follow(work)


def _receiving(group: Group, tensor: Any, src: int | None, group_src: int | None, tag: int) -> Work:
    source = None
    if src is not None or group_src is not None:
        source = peer_of(group, src, group_src, "src", "source")
    array, put_back = writable(tensor, read=False)
    requests = begin_receive(group, array, described(tensor), source, tag)
    work = Work(requests, group, "recv", put_back, [tensor], receives=True, peer=source)
    return work.recorded("recvAnySource" if source is None else "recv", [tensor])


def send(
    tensor: Any, dst: int | None = None, group: ProcessGroup | None = None, tag: int = 0,
    group_dst: int | None = None,
) -> None:  # fmt: skip
    """Send a tensor to the process of global rank `dst`."""
    if (work := isend(tensor, dst, group, tag, group_dst)) is not None:
        work.wait()


def recv(
    tensor: Any, src: int | None = None, group: ProcessGroup | None = None, tag: int = 0,
    group_src: int | None = None,
) -> int:  # fmt: skip
    """Receive a tensor.

    Returns
    -------
    int
        The global rank of the sender, -1 where this process is not in the group.
    """
    check_tensor(tensor, "tensor")
    if (found := member(group, "recv")) is None:
        return -1
    work = _receiving(found, tensor, src, group_src, tag)
    work.wait()
    return work.source_rank()


class P2POp:
    """A message to be sent or received by `batch_isend_irecv`.

    Parameters
    ----------
    op : callable
        `isend` or `irecv`.
    tensor : Tensor
    peer : int
        The global rank at the other end.
    group : ProcessGroup, optional
    tag : int
    group_peer : int, optional
        The rank within the group, instead of `peer`.
    """

    def __init__(
        self, op: Callable[..., Any], tensor: Any, peer: int | None = None,
        group: ProcessGroup | None = None, tag: int = 0, group_peer: int | None = None,
    ) -> None:  # fmt: skip
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        check_tensor(tensor, "tensor")
        self.op = op
        self.tensor = tensor
        self.peer = peer
        self.group = group
        self.tag = tag
        self.group_peer = group_peer


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begin to send and receive what a list says; return the works.

    Raises
    ------
    ValueError
        It is no list of P2POp, or they are of several groups.
    """
    if not isinstance(p2p_op_list, list) or not all(isinstance(one, P2POp) for one in p2p_op_list):
        raise ValueError(
            "Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``."
        )
    if any(one.group is not p2p_op_list[0].group for one in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    works = []
    for one in p2p_op_list:
        key = "group_dst" if one.op is isend else "group_src"
        peer = {key: one.group_peer} if one.group_peer is not None else {}
        if (work := one.op(one.tensor, one.peer, one.group, one.tag, **peer)) is not None:
            works.append(work)
    return works
