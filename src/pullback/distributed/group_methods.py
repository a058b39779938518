"""Define the methods by which torch's ProcessGroup objects offer their collectives; each returns the work.

Ranks in them are ranks within the group. Each is the function of `collectives` that does the same.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from numpy import ndarray

from ..core.value import wrap
from . import collectives, point_to_point
from .barriers import monitored_barrier
from .options import AllreduceOptions, BroadcastOptions, GatherOptions, ReduceOptions, ScatterOptions
from .process_group import Group
from .reductions import ReduceOp
from .work import Work


def _one(tensors: Any) -> Any:
    """Return the tensor of a list of one, which is how torch's C++ takes it."""
    if not isinstance(tensors, (list, tuple)):
        return tensors
    if len(tensors) != 1:
        raise RuntimeError("a list of one tensor is expected")
    return tensors[0]


def _several(tensors: Any) -> list[Any]:
    """Return a list, or the only one in a list, which is how torch's C++ takes it."""
    nested = bool(tensors) and isinstance(tensors[0], (list, tuple))
    return list(tensors[0] if nested else tensors)


def _op(opts: Any) -> Any:
    return getattr(opts, "reduceOp", ReduceOp.SUM if opts is None else opts)


def _root(opts: Any) -> int:
    return getattr(opts, "rootRank", 0 if opts is None else opts)


class TensorGroup(Group):
    """A group as programs hold it: with the methods of torch's ProcessGroup."""

    def allreduce(self, tensors: Any, opts: AllreduceOptions | ReduceOp | None = None) -> Work | None:
        """Reduce a tensor, or a list of one."""
        return collectives.all_reduce(_one(tensors), _op(opts), self, async_op=True)

    def broadcast(self, tensors: Any, opts: BroadcastOptions | int | None = None) -> Work | None:
        """Spread a tensor, or a list of one."""
        return collectives.broadcast(_one(tensors), group=self, async_op=True, group_src=_root(opts))

    def exchange(self, array: ndarray, how: tuple[str, Any]) -> None:
        self._exchange(array, *how, False)

    def begin_exchange(self, array: ndarray, how: tuple[str, Any]) -> Work | None:
        return self._exchange(array, *how, True)

    def _exchange(self, array: ndarray, kind: str, detail: Any, async_op: bool) -> Work | None:
        # After native code has had the caches, each Python function on the way takes microseconds.
        if kind == "broadcast":
            return collectives.broadcast_array(array, wrap(array), detail, self, async_op)
        op = ReduceOp.SUM if detail is None else detail
        return collectives.all_reduce_array(array, wrap(array), op, self, async_op)

    def reduce(
        self, tensors: Any, opts: ReduceOptions | int | None = None, op: ReduceOp = ReduceOp.SUM
    ) -> Work | None:
        """Reduce a tensor, or a list of one, in one process."""
        how = op if isinstance(opts, int) else _op(opts)
        return collectives.reduce(_one(tensors), None, how, self, async_op=True, group_dst=_root(opts))

    def allgather(self, output_tensors: Any, input_tensors: Any, opts: Any = None) -> Work | None:
        """Gather a tensor from all, into a list or a list of one list."""
        outputs = _several(output_tensors)
        return collectives.all_gather(outputs, _one(input_tensors), self, async_op=True)

    def _allgather_base(self, output: Any, input: Any, opts: Any = None) -> Work | None:
        """Gather a tensor from all into one."""
        return collectives.all_gather_into_tensor(output, input, self, async_op=True)

    def gather(
        self, output_tensors: Any, input_tensors: Any, opts: GatherOptions | int | None = None
    ) -> Work | None:
        """Gather a tensor in one process."""
        outputs = _several(output_tensors) or None
        root = _root(opts)
        return collectives.gather(_one(input_tensors), outputs, group=self, async_op=True, group_dst=root)

    def scatter(
        self, output_tensors: Any, input_tensors: Any, opts: ScatterOptions | int | None = None
    ) -> Work | None:
        """Give each process its tensor."""
        inputs = _several(input_tensors) or None
        root = _root(opts)
        return collectives.scatter(_one(output_tensors), inputs, group=self, async_op=True, group_src=root)

    def reduce_scatter(self, output_tensors: Any, input_tensors: Any, opts: Any = None) -> Work | None:
        """Reduce, and give each process its tensor."""
        inputs = _several(input_tensors)
        return collectives.reduce_scatter(_one(output_tensors), inputs, _op(opts), self, async_op=True)

    def _reduce_scatter_base(self, output: Any, input: Any, opts: Any = None) -> Work | None:
        """Reduce one tensor, and give each process its part."""
        return collectives.reduce_scatter_tensor(output, input, _op(opts), self, async_op=True)

    def alltoall(self, output_tensors: Any, input_tensors: Any, opts: Any = None) -> Work | None:
        """Give each process what every other has for it."""
        return collectives.all_to_all(list(output_tensors), list(input_tensors), self, async_op=True)

    def alltoall_base(
        self, output: Any, input: Any, output_split_sizes: Sequence[int],
        input_split_sizes: Sequence[int], opts: Any = None,
    ) -> Work | None:  # fmt: skip
        """Give each process its rows."""
        sizes = list(output_split_sizes), list(input_split_sizes)
        return collectives.all_to_all_single(output, input, *sizes, self, async_op=True)

    def barrier(self, opts: Any = None) -> Work | None:
        """Wait for all."""
        return collectives.barrier(self, async_op=True)

    def monitored_barrier(
        self, timeout: timedelta | float | None = None, wait_all_ranks: bool = False
    ) -> None:
        """Wait for all, and tell who did not come."""
        monitored_barrier(self, timeout, wait_all_ranks)

    def send(self, tensors: Any, dst_rank: int, tag: int = 0) -> Work | None:
        """Send a tensor."""
        return point_to_point.isend(_one(tensors), None, self, tag, group_dst=dst_rank)

    def recv(self, tensors: Any, src_rank: int, tag: int = 0) -> Work | None:
        """Receive a tensor."""
        return point_to_point.irecv(_one(tensors), None, self, tag, group_src=src_rank)

    def recv_anysource(self, tensors: Any, tag: int = 0) -> Work | None:
        """Receive a tensor from any process."""
        return point_to_point.irecv(_one(tensors), None, self, tag)


TensorGroup.__module__ = "torch.distributed.distributed_c10d"
TensorGroup.__name__ = TensorGroup.__qualname__ = "ProcessGroup"
