"""torch.distributed._functional_collectives: collectives that return their result and leave their input.

Here a result is complete when it is returned, so `wait_tensor` gives it back as it is.
"""

from collections.abc import Sequence
from typing import Any

from ..autograd.grad_mode import no_grad
from ..tensor.join import cat
from ..tensor.tensor import Tensor
from .device_mesh import DeviceMesh
from .groups import group_of_name, new_group
from .nn import functional
from .process_group import Group
from .reductions import ReduceOp


class AsyncCollectiveTensor(Tensor):
    """The class of results that are not complete yet; there are none."""


def _resolved(group: Any) -> Group:
    """Return the group that a group, its name, ranks, a mesh, or a mesh and one of its dimensions means."""
    if isinstance(group, str):
        return group_of_name(group)
    if isinstance(group, DeviceMesh):
        return group.get_group()
    if isinstance(group, tuple) and len(group) == 2 and isinstance(group[0], DeviceMesh):
        return group[0].get_group(group[1])
    if isinstance(group, (list, tuple)):
        group = new_group(list(group))
    return functional.member_of(group)


def _operation(name: str) -> ReduceOp:
    return ReduceOp[name.upper()]


def wait_tensor(tensor: Any) -> Any:
    """Return a result, which is complete."""
    return tensor


@no_grad()
def broadcast(self: Any, src: int, group: Any, tag: str = "") -> Any:
    """Return the elements that the process of global rank `src` has."""
    return functional.broadcast(self, src, _resolved(group))


@no_grad()
def all_reduce(self: Any, reduceOp: str, group: Any, tag: str = "") -> Any:
    """Return the reduction over all processes, by the operation's name (``"sum"``, ``"avg"`` …)."""
    return functional.all_reduce(self, _operation(reduceOp), _resolved(group))


def all_gather_tensor_autograd(self: Any, gather_dim: int, group: Any, tag: str = "") -> Any:
    """Return the tensors of all processes, joined along an axis, with a history."""
    return cat(list(functional.all_gather(self, _resolved(group))), gather_dim)


def reduce_scatter_tensor_autograd(
    self: Any, reduceOp: str, scatter_dim: int, group: Any, tag: str = ""
) -> Any:
    """Return this process' part, along an axis, of the reduction over all, with a history."""
    found = _resolved(group)
    if self.shape[scatter_dim] % found.size():
        raise AssertionError(
            f"input dimension {scatter_dim} ({self.size(scatter_dim)}) must be a multiple of group_size "
            f"{found.size()}"
        )
    parts = self.chunk(found.size(), scatter_dim)
    return functional.reduce_scatter(parts[0], parts, _operation(reduceOp), found)


def all_to_all_single_autograd(
    self: Any, output_split_sizes: Sequence[int] | None, input_split_sizes: Sequence[int] | None, group: Any,
    tag: str = "",
) -> Any:  # fmt: skip
    """Return the rows that each process has for this one, with a history."""
    rows = self.shape[0] if output_split_sizes is None else sum(output_split_sizes)
    place = self.new_empty((rows, *self.shape[1:]))
    return functional.all_to_all_single(place, self, output_split_sizes, input_split_sizes, _resolved(group))


@no_grad()
def all_gather_tensor(self: Any, gather_dim: int, group: Any, tag: str = "") -> Any:
    """Return the tensors of all processes, joined along an axis."""
    return all_gather_tensor_autograd(self, gather_dim, group)


@no_grad()
def reduce_scatter_tensor(self: Any, reduceOp: str, scatter_dim: int, group: Any, tag: str = "") -> Any:
    """Return this process' part, along an axis, of the reduction over all."""
    return reduce_scatter_tensor_autograd(self, reduceOp, scatter_dim, group)


@no_grad()
def all_to_all_single(
    self: Any, output_split_sizes: Sequence[int] | None, input_split_sizes: Sequence[int] | None, group: Any,
    tag: str = "",
) -> Any:  # fmt: skip
    """Return the rows that each process has for this one."""
    return all_to_all_single_autograd(self, output_split_sizes, input_split_sizes, group)


@no_grad()
def all_reduce_coalesced(self: Sequence[Any], reduceOp: str, group: Any, tag: str = "") -> list[Any]:
    """Return the reductions of several tensors over all processes."""
    return [all_reduce(one, reduceOp, group) for one in self]


def permute_tensor(self: Any, src_dst: Sequence[int], group: Any, tag: str = "") -> Any:
    """Return the tensor that another process sends here; rank k sends to ``src_dst[k]``."""
    found = _resolved(group)
    sizes = [0] * found.size(), [0] * found.size()
    sizes[0][list(src_dst).index(found.rank())] = self.numel()
    sizes[1][src_dst[found.rank()]] = self.numel()
    flat = all_to_all_single(self.reshape(-1), *sizes, found)
    return flat.reshape(self.shape)


all_gather_single, reduce_scatter_single = all_gather_tensor, reduce_scatter_tensor
all_gather_single_autograd = all_gather_tensor_autograd
reduce_scatter_single_autograd = reduce_scatter_tensor_autograd

__all__ = [
    "AsyncCollectiveTensor", "all_gather_single", "all_gather_single_autograd", "all_gather_tensor",
    "all_gather_tensor_autograd", "all_reduce", "all_reduce_coalesced", "all_to_all_single",
    "all_to_all_single_autograd", "broadcast", "permute_tensor", "reduce_scatter_single",
    "reduce_scatter_single_autograd", "reduce_scatter_tensor", "reduce_scatter_tensor_autograd",
    "wait_tensor",
]  # fmt: skip
