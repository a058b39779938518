"""Run collectives that return their results and pull covectors back.

Each pullback is the collective that is its transpose: of a broadcast the sum at its source, of a gather the
scatter, of a reduction to all the reduction of the covectors of all.
"""

from collections.abc import Sequence
from typing import Any

from ...autograd import Function
from ...core.process_group import ProcessGroup
from .. import collectives
from ..process_group import Group, resolve
from ..reductions import ReduceOp


def member_of(group: Any) -> Group:
    """Return a group; refuse one that this process is not in."""
    if (found := resolve(group)) is None:
        raise ValueError("this process is not in the group")
    return found


def _rank_in(group: Group, rank: int, name: str) -> int:
    return collectives.root_of(group, name, rank, None, "src")


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Group, tensor: Any) -> Any:
        ctx.src, ctx.group = src, group
        result = tensor.clone()
        collectives.broadcast(result, group=group, group_src=src)
        return result

    @staticmethod
    def backward(ctx: Any, covector: Any) -> tuple[Any, ...]:
        total = _Reduce.apply(ctx.src, ReduceOp.SUM, ctx.group, covector)
        # What the other processes gave was not used.
        return None, None, total if ctx.group.rank() == ctx.src else total * 0


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, group: Group, tensor: Any) -> tuple[Any, ...]:
        ctx.dst, ctx.group = dst, group
        tensor = tensor.contiguous()
        found = [tensor.new_zeros(tensor.shape) for _ in range(group.size())]
        is_root = group.rank() == dst
        collectives.gather(tensor, found if is_root else None, group=group, group_dst=dst)
        return tuple(found)

    @staticmethod
    def backward(ctx: Any, *covectors: Any) -> tuple[Any, ...]:
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *covectors)


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Group, *tensors: Any) -> Any:
        ctx.src, ctx.group = src, group
        result = tensors[0].new_zeros(tensors[0].shape)
        given = [tensor.contiguous() for tensor in tensors] if group.rank() == src else None
        collectives.scatter(result, given, group=group, group_src=src)
        return result

    @staticmethod
    def backward(ctx: Any, covector: Any) -> tuple[Any, ...]:
        return None, None, *_Gather.apply(ctx.src, ctx.group, covector)


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, op: ReduceOp, group: Group, tensor: Any) -> Any:
        ctx.dst, ctx.group = dst, group
        result = tensor.clone()
        collectives.reduce(result, None, op, group, group_dst=dst)
        return result

    @staticmethod
    def backward(ctx: Any, covector: Any) -> tuple[Any, ...]:
        return None, None, None, _Broadcast.apply(ctx.dst, ctx.group, covector)


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, op: ReduceOp, group: Group, tensor: Any) -> Any:
        ctx.op, ctx.group = op, group
        result = tensor.clone()
        collectives.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, covector: Any) -> tuple[Any, ...]:
        return None, None, _AllReduce.apply(ctx.op, ctx.group, covector)


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx: Any, op: ReduceOp, group: Group, output: Any, *tensors: Any) -> Any:
        ctx.group = group
        result = output.new_empty(output.shape)
        collectives.reduce_scatter(result, [tensor.contiguous() for tensor in tensors], op, group)
        return result

    @staticmethod
    def backward(ctx: Any, covector: Any) -> tuple[Any, ...]:
        return None, None, None, *_AllGather.apply(ctx.group, covector)


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, group: Group, tensor: Any) -> tuple[Any, ...]:
        ctx.group = group
        tensor = tensor.contiguous()
        found = [tensor.new_empty(tensor.shape) for _ in range(group.size())]
        collectives.all_gather(found, tensor, group)
        return tuple(found)

    @staticmethod
    def backward(ctx: Any, *covectors: Any) -> tuple[Any, ...]:
        received = _AllToAll.apply(ctx.group, [one.new_empty(one.shape) for one in covectors], *covectors)
        return None, sum(received[1:], received[0])


class _AllToAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Group, outputs: Sequence[Any], *tensors: Any) -> tuple[Any, ...]:
        ctx.group = group
        ctx.shapes = [tensor.shape for tensor in tensors]
        received = [one.new_empty(one.shape) for one in outputs]
        collectives.all_to_all(received, [tensor.contiguous() for tensor in tensors], group)
        return tuple(received)

    @staticmethod
    def backward(ctx: Any, *covectors: Any) -> tuple[Any, ...]:
        places = [covectors[0].new_empty(shape) for shape in ctx.shapes]
        return None, None, *_AllToAll.apply(ctx.group, places, *covectors)


class _AllToAllSingle(Function):
    @staticmethod
    def forward(
        ctx: Any, group: Group, output: Any, received: Sequence[int] | None, sent: Sequence[int] | None,
        tensor: Any,
    ) -> Any:  # fmt: skip
        ctx.group, ctx.shape, ctx.received, ctx.sent = group, tensor.shape, received, sent
        result = output.new_empty(output.shape)
        rows = [None if one is None else list(one) for one in (received, sent)]
        collectives.all_to_all_single(result, tensor.contiguous(), rows[0], rows[1], group)
        return result

    @staticmethod
    def backward(ctx: Any, covector: Any) -> tuple[Any, ...]:
        place = covector.new_empty(ctx.shape)
        back = _AllToAllSingle.apply(ctx.group, place, ctx.sent, ctx.received, covector.contiguous())
        return None, None, None, None, back


def broadcast(tensor: Any, src: int, group: ProcessGroup | None = None) -> Any:
    """Return the elements that the process of global rank `src` has."""
    found = member_of(group)
    return _Broadcast.apply(_rank_in(found, src, "broadcast"), found, tensor)


def gather(tensor: Any, dst: int = 0, group: ProcessGroup | None = None) -> tuple[Any, ...]:
    """Return the tensors of all processes in the process of global rank `dst`, zeros in others."""
    found = member_of(group)
    return _Gather.apply(_rank_in(found, dst, "gather"), found, tensor)


def scatter(tensors: Sequence[Any], src: int = 0, group: ProcessGroup | None = None) -> Any:
    """Return the tensor that the process of global rank `src` has for this one in its `tensors`."""
    found = member_of(group)
    return _Scatter.apply(_rank_in(found, src, "scatter"), found, *tensors)


def reduce(tensor: Any, dst: int, op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None) -> Any:
    """Return the reduction over all processes, in the process of global rank `dst`."""
    found = member_of(group)
    return _Reduce.apply(_rank_in(found, dst, "reduce"), op, found, tensor)


def reduce_scatter(
    output: Any, input_list: Sequence[Any], op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None
) -> Any:
    """Return the reduction of what all have for this process in `input_list`; `output` gives its shape."""
    return _ReduceScatter.apply(op, member_of(group), output, *input_list)


def all_gather(tensor: Any, group: ProcessGroup | None = None) -> tuple[Any, ...]:
    """Return the tensors of all processes."""
    return _AllGather.apply(member_of(group), tensor)


def all_to_all(
    output_tensor_list: Sequence[Any], input_tensor_list: Sequence[Any], group: ProcessGroup | None = None
) -> tuple[Any, ...]:
    """Return the tensor that each process has for this one; the first list gives shapes."""
    return _AllToAll.apply(member_of(group), output_tensor_list, *input_tensor_list)


def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None, group: ProcessGroup | None = None,
) -> Any:  # fmt: skip
    """Return the rows that each process has for this one; `output` gives the shape."""
    return _AllToAllSingle.apply(member_of(group), output, output_split_sizes, input_split_sizes, input)


def all_reduce(tensor: Any, op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None) -> Any:
    """Return the reduction over all processes."""
    return _AllReduce.apply(op, member_of(group), tensor)
