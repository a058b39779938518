"""Collectives that return their results and pull covectors back; in a group of one each is a copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.process_group import ProcessGroup
from ..groups import get_rank
from ..process_group import resolve
from ..reduce_op import ReduceOp


def joined(group: Any) -> None:
    """Check that there is a group."""
    get_rank(group)


def check_root(name: str, root: int) -> None:
    """Raise torch's error for a process that the group does not have."""
    found = resolve(None)
    if found is not None and not 0 <= root < found.size():
        raise RuntimeError(f"ProcessGroupGloo::{name}: invalid root rank: {root}")


def broadcast(tensor: Any, src: int, group: ProcessGroup | None = None) -> Any:
    """Return the value that process `src` has."""
    joined(group)
    check_root("broadcast", src)
    return tensor.clone()


def gather(tensor: Any, dst: int = 0, group: ProcessGroup | None = None) -> tuple[Any, ...]:
    """Return the values of all processes, in process `dst`."""
    joined(group)
    check_root("gather", dst)
    return (tensor.clone(),)


def scatter(tensors: Sequence[Any], src: int = 0, group: ProcessGroup | None = None) -> Any:
    """Return the tensor that process `src` has for this one in its `tensors`."""
    joined(group)
    check_root("scatter", src)
    return tensors[0].clone()


def reduce(
    tensor: Any, dst: int, op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None
) -> Any:
    """Return the reduction over all processes, in process `dst`."""
    joined(group)
    check_root("reduce", dst)
    return tensor.clone()


def reduce_scatter(
    output: Any, input_list: Sequence[Any], op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None
) -> Any:
    """Of `input_list` what is for this process, reduced over all; `output` gives its shape."""
    joined(group)
    return input_list[0].clone()


def all_gather(tensor: Any, group: ProcessGroup | None = None) -> tuple[Any, ...]:
    """Return the values of all processes."""
    joined(group)
    return (tensor.clone(),)


def all_to_all(
    output_tensor_list: Sequence[Any], input_tensor_list: Sequence[Any], group: ProcessGroup | None = None
) -> tuple[Any, ...]:
    """Return the tensor that each process has for this one; the first list gives shapes."""
    joined(group)
    return tuple(tensor.clone() for tensor in input_tensor_list)


def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None, group: ProcessGroup | None = None,
) -> Any:  # fmt: skip
    """Return the same of the parts of one tensor; `output` gives its shape."""
    joined(group)
    return input.clone()


def all_reduce(tensor: Any, op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None) -> Any:
    """Return the reduction over all processes."""
    joined(group)
    return tensor.clone()
