"""Shard the parameters of a module: each process keeps a part.

Between uses a parameter is a distributed tensor, sharded along its first axis: what optimizers and states
see. For forward the shards of all processes are gathered in one exchange, and the module holds whole
parameters; after it they are given up. What a graph has saved of them is gathered again when backward asks
for it. When all their gradients are there, these are reduced in one exchange of which each process gets its
shard.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy import ndarray

from ...autograd.grad_mode import no_grad
from ...core.backward_task import in_backward, queue_callback
from ...core.modes import modes
from ...nn.modules.module import Module
from ...nn.parameter import Parameter
from ...tensor.creation import zeros
from ...tensor.join import cat
from ..collectives import all_gather_into_tensor, all_reduce, reduce_scatter_tensor
from ..device_mesh import DeviceMesh
from ..tensor.api import DTensor
from ..tensor.layout import Layout, moved, part, part_sizes
from ..tensor.placement_types import Placement, Replicate, Shard, _StridedShard
from .api import MixedPrecisionPolicy


class ShardedParameter:
    """One parameter: its shard, and the whole one while there is one.

    It stands in several places, its `owners`, where modules share it. One that tensor parallelism has divided
    among the processes of another mesh is sharded further, along an `axis`. The mesh has one dimension, along
    which it is sharded, or two, the first of which has copies.
    """

    def __init__(self, owners: list[tuple[Module, str]], whole: Any, mesh: DeviceMesh, axis: int = 0) -> None:
        self.owners = owners
        if not whole.dim():
            raise ValueError(
                f"fully_shard doesn't support scalar parameters. Change {owners[0][1]} to a 1D tensor with "
                "numel equal to 1."
            )
        if getattr(whole, "_is_sharded", False):
            raise ValueError(
                f"Parameter '{owners[0][1]}' is shared with a parameter already managed by another FSDP "
                "group. For shared/tied parameters, use fully_shard([module_a, module_b]) to place them in "
                "the same FSDP group."
            )
        whole._is_sharded = True
        self.axis = axis = axis % whole.dim()
        local = local_of(whole.detach())
        #: How this process's part of it lies among others, where something else has divided it.
        self.inner: Layout | None = whole._layout if isinstance(whole, DTensor) else None
        self.count = mesh.size(mesh.ndim - 1)
        if axis and local.shape[axis] % self.count:
            raise NotImplementedError(
                f"FSDP does not support uneven sharding on dim {axis}: {local.size()} "
                f"(world size: {self.count})"
            )
        layout = sharded_layout(whole, mesh, axis)
        shard = part(local, axis, mesh.get_local_rank(mesh.ndim - 1), self.count)
        self.sharded: Any = Parameter(
            DTensor(shard.clone().contiguous(), layout), requires_grad=whole.requires_grad
        )
        #: The shape of the whole with the axis in front, along which processes follow each other.
        self.front = tuple(local.movedim(axis, 0).shape)
        self.each = part_sizes(self.front[0], self.count)[0]
        self.row = self.each * (local.numel() // max(1, self.front[0]))
        self.leaf: Any = None
        self.kept: Any = None  # a gradient that waits for the next reduction

    def set(self, value: Any) -> None:
        """Put a parameter where modules find it."""
        for module, name in self.owners:
            module._parameters[name] = value

    def follow(self) -> None:
        """Take the shard that modules have now: `to_empty` and assigned states put others in its place."""
        module, name = self.owners[0]
        if (current := module._parameters[name]) is not self.sharded and isinstance(current, DTensor):
            self.sharded = current
            self.set(current)

    def padded(self, dtype: Any) -> Any:
        """Return this process's shard as a vector, as long as the longest."""
        local = self.sharded._local_tensor.detach().movedim(self.axis, 0).reshape(-1).to(dtype)
        missing = self.row - local.numel()
        return cat([local, zeros(missing, dtype=dtype)]) if missing else local

    def whole_of(self, rows: Any) -> Any:
        """Return what modules compute with, of the rows that the processes gave."""
        whole = rows.reshape(self.each * self.count, *self.front[1:])[: self.front[0]]
        return self.laid_out(whole.movedim(0, self.axis).contiguous())

    def nothing(self) -> Any:
        """Return one element that has the shape of the parameter."""
        return self.laid_out(zeros(1, dtype=self.leaf.dtype).expand(self.front).movedim(0, self.axis))

    def laid_out(self, local: Any) -> Any:
        """Return a tensor as what it is among the processes that divide it otherwise."""
        return local if self.inner is None else DTensor(local, self.inner)

    def rows_of(self, grad: Any, dtype: Any) -> Any:
        """Return a gradient as a row for each process; zeros where there is none."""
        padded = zeros(self.each * self.count, *self.front[1:], dtype=dtype)
        if grad is not None:
            padded[: self.front[0]].copy_(grad.movedim(self.axis, 0))
        return padded.reshape(self.count, self.row)

    def take_gradient(self) -> Any:
        """Return the gradient of what modules compute with, and take it away."""
        grad, self.leaf.grad = self.leaf.grad, None
        if isinstance(grad, DTensor) and self.inner is not None:
            return moved(grad._local_tensor, grad._layout, self.inner)
        return grad


def sharded_layout(whole: Any, mesh: DeviceMesh, axis: int) -> Layout:
    """Return how a parameter lies when it is sharded along an axis, over a mesh or also over it."""
    placements: list[Placement] = [Replicate()] * (mesh.ndim - 1)
    if not isinstance(whole, DTensor):
        return Layout(mesh, (*placements, Shard(axis)), tuple(whole.shape))
    inner = whole._layout
    stretches = 1
    for number, placement in enumerate(inner.placements):
        if placement.is_shard(axis):
            stretches *= inner.mesh.size(number)
    if whole.shape[axis] % stretches:
        raise NotImplementedError(
            "fully_shard of a parameter that tensor parallelism divides along this axis needs equal parts: "
            f"{whole.shape[axis]} is not divisible by {stretches}"
        )
    own = _StridedShard(axis, split_factor=stretches) if stretches > 1 else Shard(axis)
    return Layout(mesh.joined(inner.mesh), (*placements, own, *inner.placements), tuple(whole.shape))


def local_of(tensor: Any) -> Any:
    """Return what this process has of a tensor."""
    return tensor._local_tensor if isinstance(tensor, DTensor) else tensor


class ParameterGroup:
    """Parameters that are gathered, and whose gradients are reduced, at once.

    Where the group `gives_up`, whole parameters go after forward, rather than after backward.
    """

    def __init__(
        self, parameters: list[ShardedParameter], mesh: DeviceMesh, policy: MixedPrecisionPolicy,
        gives_up: bool,
    ) -> None:  # fmt: skip
        self.parameters = parameters
        self.policy = policy
        self.gives_up = gives_up
        self.reduces = True
        self.reduces_copies = True
        self.group = mesh.get_group(mesh.ndim - 1)
        self.copies = mesh.get_group(0) if mesh.ndim == 2 else None
        self.mesh = mesh
        self.divisor: float | None = None
        self.is_whole = False
        self._versions: list[int] = []
        self._waiting: set[int] = set()
        self._queued = False
        for p in parameters:
            p.set(p.sharded)

    def _dtype(self, p: ShardedParameter) -> Any:
        dtype = p.sharded.dtype
        return self.policy.param_dtype if self.policy.param_dtype and dtype.is_floating_point else dtype

    # ------------------------------------------------------------------------------ whole parameters

    @no_grad()
    def unshard(self) -> None:
        """Gather whole parameters, unless they are there."""
        for p in () if self.is_whole else self.parameters:
            p.follow()
        versions = [p.sharded._local_tensor._version for p in self.parameters]
        if self.is_whole and versions == self._versions:
            return
        self.is_whole, self._versions = True, versions
        kinds: dict[Any, list[ShardedParameter]] = {}
        for p in self.parameters:
            kinds.setdefault(self._dtype(p), []).append(p)
        for dtype, ps in kinds.items():
            own = cat([p.padded(dtype) for p in ps])
            count = ps[0].count
            every = own if count == 1 else zeros(count * own.numel(), dtype=dtype)
            if count > 1:
                all_gather_into_tensor(every, own, group=self.group)
            rows = every.view(count, own.numel())
            start = 0
            for p in ps:
                self._fill(p, p.whole_of(rows[:, start : start + p.row]))
                start += p.row

    def _fill(self, p: ShardedParameter, value: Any) -> None:
        if p.leaf is None:
            p.leaf = Parameter(value, requires_grad=p.sharded.requires_grad)
            if p.sharded.requires_grad:
                p.leaf.register_post_accumulate_grad_hook(self._came)
        else:
            p.leaf.data = value
            p.leaf.requires_grad_(p.sharded.requires_grad)
        p.set(p.leaf)

    @no_grad()
    def reshard(self) -> None:
        """Give up whole parameters; a graph that has them as leaves keeps their shapes alone."""
        if not self.is_whole:
            return
        self.is_whole = False
        for p in self.parameters:
            p.leaf.data = p.nothing()
            p.set(p.sharded)

    def packing(self) -> Callable[[Any], Any]:
        """Return what packs a value that a graph saves: a part of a parameter is kept as where it is.

        Other values go through the hooks outside of the module, as those of checkpoints.
        """
        outside = modes().saved_hooks[-1:]

        def pack(value: Any) -> Any:
            address = _address(value)
            for p in self.parameters:
                if address is not None and address == _address(p.leaf) and value.dtype == p.leaf.dtype:
                    local = local_of(value)
                    layout = value._layout if isinstance(value, DTensor) else None
                    return partial(self._saved, p, tuple(local.shape), tuple(local.stride()), layout)
            for outer_pack, outer_unpack in outside:
                return partial(outer_unpack, outer_pack(value))
            return value

        return pack

    def _saved(self, p: ShardedParameter, shape: Any, strides: Any, layout: Layout | None) -> Any:
        """Return a part of a parameter that a graph has saved, which is gathered again."""
        self.unshard()
        if in_backward():
            self.begin_backward()
        local = local_of(p.leaf.detach()).as_strided(shape, strides, 0)
        return local if layout is None else DTensor(local, layout)

    # ------------------------------------------------------------------------------ gradients

    def begin_backward(self) -> None:
        """Wait for gradients, and see to it that whole parameters are given up at the end of backward."""
        if not self._queued:
            self._queued = True
            self._waiting = {id(p.leaf) for p in self.parameters if p.sharded.requires_grad}
            queue_callback(self._end)

    def _came(self, leaf: Any) -> None:
        """Reduce when the last gradient of the group is there."""
        self.begin_backward()
        self._waiting.discard(id(leaf))
        if not self._waiting:
            self._finish()

    def _end(self) -> None:
        """Reduce at the end of backward where parameters had no part in it."""
        self._queued = False
        if self._waiting or self.is_whole:
            self._finish()

    def _finish(self) -> None:
        self._waiting = set()
        self.reduce()
        self.reshard()

    @no_grad()
    def reduce(self) -> None:
        """Sum gradients over the processes and keep the shard of the mean."""
        kinds: dict[Any, list[ShardedParameter]] = {}
        for p in self.parameters:
            if p.leaf is None or not p.sharded.requires_grad:
                continue
            grad = p.take_gradient()
            if p.kept is not None:
                grad = p.kept if grad is None else p.kept + grad
            p.kept = grad
            kinds.setdefault(self.policy.reduce_dtype or self._dtype(p), []).append(p)
        if not self.reduces:
            return
        for dtype, ps in kinds.items():
            if all(p.kept is None for p in ps):
                continue
            self._reduce(dtype, ps)

    def _reduce(self, dtype: Any, ps: list[ShardedParameter]) -> None:
        count = ps[0].count
        rows = cat([p.rows_of(p.kept, dtype) for p in ps], 1).contiguous()
        own = rows.view(-1)
        if count > 1:
            own = zeros(rows.shape[1], dtype=dtype)
            reduce_scatter_tensor(own, rows.view(-1), group=self.group)
        total = count
        if self.copies is not None and self.reduces_copies:
            all_reduce(own, group=self.copies)
            total *= self.copies.size()
        own.div_(self.divisor or total)
        start = 0
        for p in ps:
            local: Any = p.sharded._local_tensor
            used, p.kept = p.kept is not None, None
            front = local.movedim(p.axis, 0).shape
            grad = own[start : start + local.numel()].view(front).movedim(0, p.axis).to(local.dtype)
            start += p.row
            if not used:
                continue
            if p.sharded.grad is None:
                layout: Layout = p.sharded._layout
                p.sharded.grad = DTensor(grad.contiguous().clone(), layout)
            else:
                p.sharded.grad._local_tensor.add_(grad)


def _address(tensor: Any) -> int | None:
    """Return where the memory of a tensor begins, None where it has none: `data_ptr` counts as a write."""
    array = local_of(tensor)._value
    return array.__array_interface__["data"][0] if type(array) is ndarray and array.size else None


def unpack(value: Any) -> Any:
    """Return what a graph has saved."""
    return value() if isinstance(value, partial) else value
