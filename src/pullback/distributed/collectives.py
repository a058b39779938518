"""Exchange tensors among the processes of a group.

Each function starts its exchange, and waits for it unless `async_op` asks for the work instead. Results are
written into the tensors given; no collective is part of the graph (`distributed.nn.functional` has those that
are). A process that is not in the group is warned and does nothing.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy import ndarray

from ..autograd.grad_mode import no_grad
from ..core.process_group import ProcessGroup, exchange_in_place
from ..core.warn import warn
from ..errors import with_note
from ..nn.parallel.synchronization import all_reduced_sparse
from .backend import supports_complex
from .buffers import check_tensor, check_tensors, into, joined, nothing, readable, writable
from .collective_checks import scalar
from .process_group import Group, resolve
from .reductions import ReduceOp
from .work import Work, progress


def member(group: Any, name: str) -> Group | None:
    """Return the group, or None with a warning where this process is not in it."""
    if (found := resolve(group)) is None:
        from .initialization import global_rank

        warn(f"Running {name} on global rank {global_rank()} which does not belong to the given group.")
    return found


def started(
    group: Group, requests: list[Any], finish: Callable[[], None], async_op: bool, result: Any, name: str,
    inputs: Sequence[Any] | None = None,
) -> Work | None:  # fmt: skip
    """Return the work of an exchange, or wait for it; profiles tell its inputs, or else its result."""
    work = Work(requests, group, name, finish, result, group.began(name))
    work.recorded(name, result if inputs is None else inputs)
    if async_op:
        return work if work._advance() else progress.follow(work)
    work.wait()
    return None


def root_of(group: Group, name: str, root: int | None, group_root: int | None, argument: str) -> int:
    """Return the rank within the group of a root that is given by its global rank, or by this."""
    if group_root is not None:
        if root is not None:
            raise ValueError(f"Can't specify both group_{argument} and {argument}")
        found = group_root
    elif root is None:
        if name not in ("gather", "scatter"):
            raise ValueError(f"Must specify {argument} or group_{argument}")
        found = 0
    else:
        found = group.ranks.index(root) if root in group.ranks else root
    if not 0 <= found < group.size():
        raise RuntimeError(f"ProcessGroupGloo::{name}: invalid root rank: {found}")
    return found


def kind_of(op: Any, array: ndarray) -> ReduceOp:
    """Return the operation that does the work, of a mean the sum; torch's error for a mean of integers."""
    if op is ReduceOp.SUM:
        return op
    if (op := ReduceOp(op)) is ReduceOp.AVG and array.dtype.kind in "iub":
        raise with_note(
            RuntimeError(f"result type Float can't be cast to the desired output type {scalar(array)}"),
            "A mean of integers is not an integer: reduce a floating point tensor, or divide the sum.",
        )
    return ReduceOp.SUM if op is ReduceOp.AVG else op


def reduced(array: ndarray, op: Any, size: int, put_back: Callable[[], None]) -> None:
    """Divide sums by the number of processes where their mean is asked for, and bring them into tensors."""
    if op == ReduceOp.AVG:
        np.divide(array, np.asarray(size).astype(array.dtype), out=array)
    put_back()


def check_alike(name: str, tensors: Sequence[Any], tensor: Any) -> None:
    """Raise torch's error for a list whose tensors are not of the dtype and shape of another."""
    for one in tensors:
        if one.dtype != tensor.dtype:
            raise ValueError(
                f"Invalid usage of tensors with different dtypesFound {one.dtype} and  {tensor.dtype}"
            )
    for index, one in enumerate(tensors):
        if one.shape != tensor.shape:
            expected, found = (", ".join(map(str, shape)) for shape in (tensor.shape, one.shape))
            raise RuntimeError(
                f"ProcessGroupGloo::{name}: invalid tensor size at index {index} (expected ({expected}), got "
                f"({found}))"
            )


def check_list_of_root(name: str, tensors: Any, tensor: Any, group: Group, is_root: bool) -> None:
    """Raise torch's errors for the list of `gather` or `scatter`, which only the root has to give."""
    role, way = ("destination", "output") if name == "gather" else ("source", "input")
    if not is_root:
        if tensors:
            raise ValueError(f"Argument ``{name}_list`` must NOT be specified on non-{role} ranks.")
        return
    if not tensors:
        raise ValueError(f"Argument ``{name}_list`` must be specified on {role} rank.")
    check_tensors(tensors, f"{name}_list")
    if len(tensors) != group.size():
        raise RuntimeError(
            f"ProcessGroupGloo::{name}: Incorrect {way} list size {len(tensors)}. {way.capitalize()} list "
            f"size should be {group.size()}, same as size of the process group."
        )
    check_alike(name, tensors, tensor)


def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Wait until all processes of the group are here."""
    if (found := member(group, "barrier")) is None:
        return None
    found.verify("BARRIER")
    return started(found, found.communicator.barrier(), nothing, async_op, [], "barrier")


def all_reduce(
    tensor: Any, op: Any = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Put the reduction over all processes into `tensor` of each.

    Parameters
    ----------
    tensor : Tensor
        Of the same shape and dtype in all processes; sparse ones are added.
    op : ReduceOp
    group : ProcessGroup, optional
        By default the default group, as everywhere here.
    async_op : bool
        Whether to return the work instead of waiting for it.
    """
    check_tensor(tensor, "tensor", sparse=True)
    check_complex([tensor], op)
    if (found := member(group, "all_reduce")) is None:
        return None
    if not (async_op or tensor._sparse) and exchange_in_place(tensor, ("all_reduce", op), found):
        return None
    if tensor._sparse:
        found.verify("ALLREDUCE", tensor, layout=tensor.layout, reduction=op)
        return _all_reduce_sparse(tensor, op, found, async_op)
    array, put_back = writable(tensor)
    return all_reduce_array(array, tensor, op, found, async_op, put_back)


def all_reduce_array(
    array: ndarray, tensor: Any, op: Any, group: Group, async_op: bool,
    put_back: Callable[[], None] = nothing,
) -> Work | None:  # fmt: skip
    """Reduce the memory of a tensor, or what `put_back` brings into it."""
    group.verify("ALLREDUCE", tensor, layout=tensor.layout, reduction=op)
    requests = group.communicator.all_reduce(array, kind_of(op, array))
    finish = partial(reduced, array, op, group.size(), put_back)
    return started(group, requests, finish, async_op, [tensor], "all_reduce")


def check_complex(tensors: Sequence[Any], op: Any) -> None:
    """Raise torch's error for a reduction that has no meaning on complex numbers."""
    if not supports_complex(op) and any(tensor.is_complex() for tensor in tensors):
        raise ValueError(f"all_reduce does not support {op} on complex tensors")


def check_complex_parts(name: str, tensor: Any, op: Any) -> None:
    """Raise the error of torch's C++ for such a reduction, which writes its number as a character."""
    if tensor.is_complex() and not supports_complex(op):
        raise RuntimeError(f"{name} does not support{chr(op)}on complex tensors")


def _all_reduce_sparse(tensor: Any, op: Any, group: Group, async_op: bool) -> Work | None:
    """Put the sum of sparse tensors into each, at once; their entries may be at different places."""
    if op != ReduceOp.SUM:
        raise RuntimeError(
            "ProcessGroupGloo::allreduce: unsupported reduction operation (allreduce of sparse tensors only "
            "works with ReduceOp.SUM)"
        )
    with no_grad():
        tensor.copy_(all_reduced_sparse(group, tensor))
    return Work([], group, "all_reduce", result=[tensor]) if async_op else None


def reduce(
    tensor: Any, dst: int | None = None, op: Any = ReduceOp.SUM, group: ProcessGroup | None = None,
    async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Put the reduction over all processes into `tensor` of the process of global rank `dst`."""
    check_tensor(tensor, "tensor")
    if (found := member(group, "reduce")) is None:
        return None
    check_complex_parts("reduce", tensor, op)
    root = root_of(found, "reduce", dst, group_dst, "dst")
    is_root = found.rank() == root
    found.verify("REDUCE", tensor, root=root, reduction=op)
    array, put_back = writable(tensor) if is_root else (readable(tensor), nothing)
    requests = found.communicator.reduce(array, kind_of(op, array), root)
    finish = partial(reduced, array, op, found.size(), put_back) if is_root else nothing
    return started(found, requests, finish, async_op, [tensor], "reduce")


def broadcast(
    tensor: Any, src: int | None = None, group: ProcessGroup | None = None, async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Put the elements that the process of global rank `src` has into `tensor` of all."""
    check_tensor(tensor, "tensor")
    if (found := member(group, "broadcast")) is None:
        return None
    root = root_of(found, "broadcast", src, group_src, "src")
    if not async_op and exchange_in_place(tensor, ("broadcast", root), found):
        return None
    array, put_back = (readable(tensor), nothing) if found.rank() == root else writable(tensor, read=False)
    return broadcast_array(array, tensor, root, found, async_op, put_back)


def broadcast_array(
    array: ndarray, tensor: Any, root: int, group: Group, async_op: bool,
    put_back: Callable[[], None] = nothing,
) -> Work | None:  # fmt: skip
    """Spread the memory of a tensor, or write to what `put_back` brings into it."""
    group.verify("BROADCAST", tensor, root=root)
    requests = group.communicator.broadcast(array, root)
    return started(group, requests, put_back, async_op, [tensor], "broadcast")


def all_gather(
    tensor_list: list[Any], tensor: Any, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Put the tensor of each process into that of its rank in `tensor_list`."""
    check_tensors(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    if (found := member(group, "all_gather")) is None:
        return None
    if len(tensor_list) != found.size():
        raise RuntimeError(
            "ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected length "
            f"{found.size()}, got {len(tensor_list)})"
        )
    check_alike("allgather", tensor_list, tensor)
    found.verify("ALLGATHER", tensor)
    array = readable(tensor)
    sizes = [one.numel() for one in tensor_list]
    out = np.empty(sum(sizes), array.dtype)
    requests = found.communicator.all_gather_parts(out, array, sizes)
    return started(found, requests, into(tensor_list, out), async_op, [tensor_list], "all_gather", [tensor])


def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Put the tensors of all processes into one, one behind the other or stacked."""
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    if (found := member(group, "all_gather_into_tensor")) is None:
        return None
    if output_tensor.numel() != input_tensor.numel() * found.size():
        raise ValueError("output tensor size must be equal to world_size times input tensor size")
    found.verify("_ALLGATHER_BASE", input_tensor)
    out, put_back = writable(output_tensor, read=False)
    array = readable(input_tensor)
    if np.shares_memory(out, array):
        array = array.copy()
    requests = found.communicator.all_gather(out, array)
    return started(found, requests, put_back, async_op, [output_tensor], "all_gather", [input_tensor])


def gather(
    tensor: Any, gather_list: list[Any] | None = None, dst: int | None = None,
    group: ProcessGroup | None = None, async_op: bool = False, group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Put the tensor of each process into `gather_list` of the process of global rank `dst`."""
    check_tensor(tensor, "tensor")
    if (found := member(group, "gather")) is None:
        return None
    root = root_of(found, "gather", dst, group_dst, "dst")
    array = readable(tensor)
    found.verify("GATHER", tensor, root=root)
    check_list_of_root("gather", gather_list, tensor, found, found.rank() == root)
    if not gather_list:
        requests = found.communicator.gather_parts(None, array, [], root)
        return started(found, requests, nothing, async_op, [], "gather", [tensor])
    sizes = [one.numel() for one in gather_list]
    out = np.empty(sum(sizes), array.dtype)
    requests = found.communicator.gather_parts(out, array, sizes, root)
    return started(found, requests, into(gather_list, out), async_op, [gather_list], "gather", [tensor])


def scatter(
    tensor: Any, scatter_list: list[Any] | None = None, src: int | None = None,
    group: ProcessGroup | None = None, async_op: bool = False, group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Put what `scatter_list` of the process of global rank `src` has for each process into its `tensor`."""
    check_tensor(tensor, "tensor")
    if (found := member(group, "scatter")) is None:
        return None
    root = root_of(found, "scatter", src, group_src, "src")
    found.verify("SCATTER", tensor, root=root)
    check_list_of_root("scatter", scatter_list, tensor, found, found.rank() == root)
    array = joined([readable(one) for one in scatter_list]) if scatter_list else None
    out, put_back = writable(tensor, read=False)
    requests = found.communicator.scatter(out, array, root)
    return started(found, requests, put_back, async_op, [tensor], "scatter", scatter_list or [tensor])


def reduce_scatter(
    output: Any, input_list: list[Any], op: Any = ReduceOp.SUM, group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Reduce each of `input_list` over all processes and give each process that of its rank."""
    check_tensor(output, "output")
    check_tensors(input_list, "input_list")
    if (found := member(group, "reduce_scatter")) is None:
        return None
    if len(input_list) != found.size():
        raise ValueError("reduce_scatter: the list must have a tensor for each process of the group")
    found.verify("REDUCE_SCATTER", *input_list, reduction=op)
    array = joined([readable(one) for one in input_list])
    sizes = [one.numel() for one in input_list]
    return _reduce_scattered(found, output, array, sizes, op, async_op, input_list)


def reduce_scatter_tensor(
    output: Any, input: Any, op: Any = ReduceOp.SUM, group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Reduce `input` over all processes and give each process its part."""
    check_tensor(output, "output")
    check_tensor(input, "input")
    if (found := member(group, "reduce_scatter_tensor")) is None:
        return None
    if input.numel() != output.numel() * found.size():
        raise ValueError("input tensor must be the same size as output size times world size")
    found.verify("_REDUCE_SCATTER_BASE", input, reduction=op)
    sizes = [output.numel()] * found.size()
    return _reduce_scattered(found, output, readable(input), sizes, op, async_op, [input])


def _reduce_scattered(
    group: Group, output: Any, array: ndarray, sizes: list[int], op: Any, async_op: bool, inputs: list[Any]
) -> Work | None:
    check_complex_parts("all_reduce", output, op)
    out, put_back = writable(output, read=False)
    if np.shares_memory(out, array):
        array = array.copy()
    requests = group.communicator.reduce_scatter(out, array, sizes, kind_of(op, array))
    finish = partial(reduced, out, op, group.size(), put_back)
    return started(group, requests, finish, async_op, [output], "reduce_scatter", inputs)


def all_to_all(
    output_tensor_list: list[Any], input_tensor_list: list[Any], group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Give each process what every other has for it."""
    check_tensors(output_tensor_list, "output_tensor_list")
    check_tensors(input_tensor_list, "input_tensor_list")
    if (found := member(group, "all_to_all")) is None:
        return None
    if not len(input_tensor_list) == len(output_tensor_list) == found.size():
        raise ValueError("all_to_all: each list must have a tensor for each process of the group")
    sent = [one.numel() for one in input_tensor_list]
    received = [one.numel() for one in output_tensor_list]
    found.verify("ALLTOALL", routes=(input_tensor_list[0], sent, output_tensor_list[0], received))
    array = joined([readable(one) for one in input_tensor_list])
    out = np.empty(sum(received), array.dtype)
    requests = found.communicator.all_to_all(out, array, received, sent)
    put_back = into(output_tensor_list, out)
    return started(found, requests, put_back, async_op, output_tensor_list, "all_to_all", input_tensor_list)


def all_to_all_single(
    output: Any, input: Any, output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None, group: ProcessGroup | None = None, async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Give each process its rows of `input`, and put the rows from all into `output`.

    Parameters
    ----------
    output, input : Tensor
    output_split_sizes, input_split_sizes : list of int, optional
        How many rows go between this process and each; by default equally many.
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    if (found := member(group, "all_to_all_single")) is None:
        return None
    received = rows(output, output_split_sizes, found.size())
    sent = rows(input, input_split_sizes, found.size())
    found.verify("ALLTOALL_BASE", routes=(input, sent, output, received))
    array = readable(input)
    out, put_back = writable(output, read=False)
    if np.shares_memory(out, array):
        array = array.copy()
    requests = found.communicator.all_to_all(out, array, received, sent)
    return started(found, requests, put_back, async_op, [output], "all_to_all", [input])


def rows(tensor: Any, sizes: list[int] | None, count: int) -> list[int]:
    """Return how many elements go to each process."""
    length = tensor.shape[0] if tensor.dim() else 1
    if not sizes:
        if length % count:
            raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
        return [tensor.numel() // count] * count
    if len(sizes) != count:
        raise RuntimeError("Number of tensor splits not equal to group size")
    if sum(sizes) != length:
        raise RuntimeError("Split sizes doesn't match total dim 0 size")
    width = tensor.numel() // length if length else 0
    return [size * width for size in sizes]
