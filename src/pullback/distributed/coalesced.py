"""Run collectives on several tensors at once: one exchange for all of a dtype."""

from functools import partial
from typing import Any

from ..core.process_group import ProcessGroup
from ..tensor.complex_parts import view_as_real
from .buffers import check_tensors, into, joined, readable
from .collectives import check_complex, kind_of, member, reduced, started
from .reductions import ReduceOp
from .work import Work


def all_reduce_coalesced(
    tensors: list[Any], op: Any = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Put the reductions over all processes into each of `tensors`, which have one dtype."""
    check_tensors(tensors, "tensor")
    if (found := member(group, "all_reduce_coalesced")) is None:
        return None
    check_complex(tensors, op)
    if len({tensor.dtype for tensor in tensors}) > 1:
        # complex numbers may come with others of the dtype of their parts
        parts = [view_as_real(tensor) if tensor.is_complex() else tensor for tensor in tensors]
        for one in parts:
            if one.dtype != parts[0].dtype:
                raise ValueError(
                    f"Invalid usage of tensors with different dtypesFound {parts[0].dtype} and  {one.dtype}"
                )
        return all_reduce_coalesced(parts, op, group, async_op)
    found.verify("ALLREDUCE_COALESCED", *tensors, reduction=op)
    array = joined([readable(tensor) for tensor in tensors])
    if len(tensors) == 1:
        array = array.copy()
    requests = found.communicator.all_reduce(array, kind_of(op, array))
    finish = partial(reduced, array, op, found.size(), into(tensors, array))
    return started(found, requests, finish, async_op, tensors, "all_reduce")


def all_gather_coalesced(
    output_tensor_lists: list[list[Any]], input_tensor_list: list[Any], group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Put the tensors of each process into the list of its rank in `output_tensor_lists`."""
    check_tensors(input_tensor_list, "tensor_list")
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    for one in output_tensor_lists:
        check_tensors(one, "output_tensor_lists")
    if (found := member(group, "all_gather_coalesced")) is None:
        return None
    found.verify("ALLGATHER_COALESCED", *input_tensor_list)
    array = joined([readable(tensor) for tensor in input_tensor_list])
    outputs = [tensor for one in output_tensor_lists for tensor in one]
    sizes = [sum(tensor.numel() for tensor in one) for one in output_tensor_lists]
    out = joined([array] * found.size()).copy()
    requests = found.communicator.all_gather_parts(out, array, sizes)
    put_back = into(outputs, out)
    return started(found, requests, put_back, async_op, outputs, "all_gather", input_tensor_list)
