"""Exchange tensors among the processes of a group; in a group of one each is a copy, or nothing at all."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ..core.process_group import ProcessGroup, needed_group


class ReduceOp(Enum):
    """Name the operation that makes one value of those of all processes."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8


class Work:
    """A collective under way: done at once."""

    def wait(self, timeout: Any = None) -> bool:
        """Wait for the end; True."""
        return True

    def is_completed(self) -> bool:
        """Return whether it is at its end."""
        return True


def _done(async_op: bool) -> Work | None:
    return Work() if async_op else None


def joined(group: ProcessGroup | None) -> ProcessGroup:
    """Return the group, or the one that there is; an error where there is none."""
    return group or needed_group()


def check_root(name: str, root: int | None) -> None:
    """Raise torch's error for a process that a group of one does not have."""
    if root not in (None, 0):
        raise RuntimeError(f"ProcessGroupGloo::{name}: invalid root rank: {root}")


def _copy(to: Any, value: Any) -> None:
    # As torch does: a collective is no part of the graph.
    to.detach().copy_(value.detach())


def barrier(group: ProcessGroup | None = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Wait until all processes are here."""
    joined(group)
    return _done(async_op)


def all_reduce(
    tensor: Any, op: Any = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Put the reduction over all processes into `tensor`: of one, it is what it was."""
    joined(group)
    return _done(async_op)


def reduce(
    tensor: Any, dst: int | None = None, op: Any = ReduceOp.SUM, group: ProcessGroup | None = None,
    async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Put the reduction over all processes into `tensor` of process `dst`."""
    joined(group)
    check_root("reduce", dst)
    return _done(async_op)


def broadcast(
    tensor: Any, src: int | None = None, group: ProcessGroup | None = None, async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Put the value that process `src` has into `tensor` of all."""
    joined(group)
    check_root("broadcast", src)
    return _done(async_op)


def all_gather(
    tensor_list: list[Any], tensor: Any, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Put the value of each process into the tensor of its number in `tensor_list`."""
    joined(group)
    if len(tensor_list) != 1:
        raise RuntimeError(
            "ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected length 1, got "
            f"{len(tensor_list)})"
        )
    _copy(tensor_list[0], tensor)
    return _done(async_op)


def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Put the values of all processes into one tensor, one after the other."""
    joined(group)
    _copy(output_tensor, input_tensor.reshape(output_tensor.shape))
    return _done(async_op)


def gather(
    tensor: Any, gather_list: list[Any] | None = None, dst: int | None = None,
    group: ProcessGroup | None = None, async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Put the value of each process into `gather_list` of process `dst`."""
    joined(group)
    check_root("gather", dst)
    if not gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    _copy(gather_list[0], tensor)
    return _done(async_op)


def scatter(
    tensor: Any, scatter_list: list[Any] | None = None, src: int | None = None,
    group: ProcessGroup | None = None, async_op: bool = False, group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Put what `scatter_list` of process `src` has for each process into its `tensor`."""
    joined(group)
    check_root("scatter", src)
    if not scatter_list:
        raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
    _copy(tensor, scatter_list[0])
    return _done(async_op)


def reduce_scatter(
    output: Any, input_list: list[Any], op: Any = ReduceOp.SUM, group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Reduce each of `input_list` over all processes and give each process its own."""
    joined(group)
    _copy(output, input_list[0])
    return _done(async_op)


def reduce_scatter_tensor(
    output: Any, input: Any, op: Any = ReduceOp.SUM, group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Reduce `input` over all processes and give each process its part."""
    joined(group)
    _copy(output, input.reshape(output.shape))
    return _done(async_op)


def all_to_all(
    output_tensor_list: list[Any], input_tensor_list: list[Any], group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Give each process what every other has for it."""
    joined(group)
    _copy(output_tensor_list[0], input_tensor_list[0])
    return _done(async_op)


def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Put the object of each process into `object_list`."""
    joined(group)
    object_list[0] = obj


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int | None = None,
    group: ProcessGroup | None = None, group_dst: int | None = None,
) -> None:  # fmt: skip
    """Put the object of each process into `object_gather_list` of process `dst`."""
    joined(group)
    check_root("gather", dst)
    if not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    object_gather_list[0] = obj


def broadcast_object_list(
    object_list: list[Any], src: int | None = None, group: ProcessGroup | None = None, device: Any = None,
    group_src: int | None = None,
) -> None:  # fmt: skip
    """Put the objects of process `src` into the list of all."""
    joined(group)
    check_root("broadcast", src)


def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None,
    src: int | None = None, group: ProcessGroup | None = None, group_src: int | None = None,
) -> None:  # fmt: skip
    """Give each process its object of the list of process `src`."""
    joined(group)
    check_root("scatter", src)
    if not scatter_object_input_list:
        raise ValueError("source rank must provide non-None scatter_object_input_list")
    scatter_object_output_list[0] = scatter_object_input_list[0]


def send(tensor: Any, dst: int | None = None, group: ProcessGroup | None = None, tag: int = 0) -> None:
    """Send `tensor` to another process, of which there is none."""
    joined(group)
    raise ValueError(
        "Invalid destination rank: destination rank should not be the same as the rank of the current "
        "process."
    )


def recv(tensor: Any, src: int | None = None, group: ProcessGroup | None = None, tag: int = 0) -> int:
    """Receive `tensor` from another process, of which there is none."""
    joined(group)
    raise ValueError(
        "Invalid source rank: source rank should not be the same as the rank of the current process."
    )


#: Without another process there is nothing to wait for.
isend = send
irecv = recv
