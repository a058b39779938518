"""Exchange picklable objects among the processes of a group: as bytes, whose lengths go first."""

import pickle
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.process_group import ProcessGroup
from .collectives import member, root_of
from .message_checks import begin_receive, begin_send
from .point_to_point import peer_of
from .process_group import Group
from .work import Work

#: What the second message of a list of objects is.
CONTENTS = "the contents of objects"


def _listed(values: list[Any]) -> str:
    return f"a list of {len(values)} objects"


def _pickled(value: Any) -> ndarray:
    return np.frombuffer(pickle.dumps(value), np.uint8)


def _wait(group: Group, requests: list[Any], name: str) -> None:
    Work(requests, group, name, number=group.began(name)).wait()


def _unpickled(data: ndarray, sizes: Any) -> list[Any]:
    ends = np.cumsum(sizes)
    return [pickle.loads(data[end - size : end].data) for size, end in zip(sizes, ends, strict=True)]


def _sizes(group: Group, communicator: Any, size: int) -> ndarray:
    """Return the numbers of bytes that all processes have."""
    sizes = np.empty(group.size(), np.int64)
    _wait(group, communicator.all_gather(sizes, np.array([size], np.int64)), "all_gather")
    return sizes


def gathered(group: Group, communicator: Any, value: Any) -> list[Any]:
    """Return the values of all processes, over a communicator of the group."""
    data = _pickled(value)
    sizes = _sizes(group, communicator, data.size)
    out = np.empty(int(sizes.sum()), np.uint8)
    _wait(group, communicator.all_gather_parts(out, data, sizes.tolist()), "all_gather")
    return _unpickled(out, sizes)


def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Put the object of each process into `object_list`."""
    if (found := member(group, "all_gather_object")) is None:
        return
    found.verify("ALLGATHER", np.empty(1, np.int64), objects="all_gather_object")
    for index, value in enumerate(gathered(found, found.communicator, obj)):
        object_list[index] = value


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int | None = None,
    group: ProcessGroup | None = None, group_dst: int | None = None,
) -> None:  # fmt: skip
    """Put the object of each process into `object_gather_list` of the process of global rank `dst`."""
    if (found := member(group, "gather_object")) is None:
        return
    root = root_of(found, "gather", dst, group_dst, "dst")
    is_root = found.rank() == root
    if is_root and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if not is_root and object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    data = _pickled(obj)
    found.verify("ALLGATHER", np.empty(1, np.int64), objects="gather_object", root=root)
    sizes = _sizes(found, found.communicator, data.size)
    out = np.empty(int(sizes.sum()), np.uint8) if is_root else None
    _wait(found, found.communicator.gather_parts(out, data, sizes.tolist(), root), "gather")
    if object_gather_list and out is not None:
        for index, value in enumerate(_unpickled(out, sizes)):
            object_gather_list[index] = value


def broadcast_object_list(
    object_list: list[Any], src: int | None = None, group: ProcessGroup | None = None, device: Any = None,
    group_src: int | None = None,
) -> None:  # fmt: skip
    """Put the objects of the process of global rank `src` into the list of all."""
    if (found := member(group, "broadcast_object_list")) is None:
        return
    if src is None and group_src is None:
        src = 0
    root = root_of(found, "broadcast", src, group_src, "src")
    is_root = found.rank() == root
    parts = [_pickled(value) for value in object_list] if is_root else []
    sizes = np.array([part.size for part in parts] if is_root else [0] * len(object_list), np.int64)
    found.verify("BROADCAST", sizes, objects="broadcast_object_list", root=root)
    _wait(found, found.communicator.broadcast(sizes, root), "broadcast")
    data = np.concatenate(parts) if parts else np.empty(int(sizes.sum()), np.uint8)
    _wait(found, found.communicator.broadcast(data, root), "broadcast")
    if not is_root:
        object_list[:] = _unpickled(data, sizes)


def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None,
    src: int | None = None, group: ProcessGroup | None = None, group_src: int | None = None,
) -> None:  # fmt: skip
    """Give each process its object of the list of the process of global rank `src`."""
    if (found := member(group, "scatter_object_list")) is None:
        return
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = root_of(found, "scatter", src, group_src, "src")
    parts: list[ndarray] = []
    if found.rank() == root:
        if scatter_object_input_list is None:
            raise ValueError("source rank must provide non-None scatter_object_input_list")
        parts = [_pickled(value) for value in scatter_object_input_list]
    sizes = np.array([part.size for part in parts] or [0] * found.size(), np.int64)
    found.verify("BROADCAST", np.empty(1, np.int64), objects="scatter_object_list", root=root)
    _wait(found, found.communicator.broadcast(sizes, root), "broadcast")
    # Every process has a share of equal size, which needs no message of its own about sizes.
    width = int(sizes.max())
    out = np.empty(width, np.uint8)
    padded = None
    if parts:
        table = np.zeros((len(parts), width), np.uint8)
        for row, part in zip(table, parts, strict=True):
            row[: part.size] = part
        padded = table.reshape(-1)
    _wait(found, found.communicator.scatter(out, padded, root), "scatter")
    scatter_object_output_list[0] = pickle.loads(out[: sizes[found.rank()]].data)


def send_object_list(
    object_list: list[Any], dst: int | None = None, group: ProcessGroup | None = None, device: Any = None,
    group_dst: int | None = None, use_batch: bool = False,
) -> None:  # fmt: skip
    """Send objects to the process of global rank `dst`."""
    if (found := member(group, "send_object_list")) is None:
        return
    to = peer_of(found, dst, group_dst, "dst", "destination")
    parts = [_pickled(value) for value in object_list]
    sizes = np.array([part.size for part in parts], np.int64)
    for data, what in ((sizes, _listed(parts)), (np.concatenate(parts), CONTENTS)):
        Work(begin_send(found, data, what, to, 0), found, "send").wait()


def recv_object_list(
    object_list: list[Any], src: int | None = None, group: ProcessGroup | None = None, device: Any = None,
    group_src: int | None = None, use_batch: bool = False,
) -> int:  # fmt: skip
    """Receive objects, as many as the list has, and put them into it.

    Returns
    -------
    int
        The global rank of the sender, -1 where this process is not in the group.
    """
    if (found := member(group, "recv_object_list")) is None:
        return -1
    any_source = src is None and group_src is None
    source = None if any_source else peer_of(found, src, group_src, "src", "source")
    sizes = np.empty(len(object_list), np.int64)
    work = Work(begin_receive(found, sizes, _listed(object_list), source, 0), found, "recv", receives=True)
    work.wait()
    sender = work.source_rank()
    data = np.empty(int(sizes.sum()), np.uint8)
    Work(begin_receive(found, data, CONTENTS, found.number_of(sender), 0), found, "recv").wait()
    object_list[:] = _unpickled(data, sizes)
    return sender
