"""The parameters of a module, of which each process keeps a shard.

Between uses a parameter is a distributed tensor, sharded along its first axis: what optimizers and states
see. For forward the shards of all processes are gathered in one exchange, and the module holds whole
parameters; after it they are given up. What a graph has saved of them is gathered again when backward asks
for it. When all their gradients are there, these are reduced in one exchange of which each process gets its
shard.
"""

from __future__ import annotations

from collections.abc import Callable
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
from ..tensor.api import DTensor, distribute_tensor
from ..tensor.layout import Layout, part_sizes
from ..tensor.placement_types import Placement, Replicate, Shard
from .api import MixedPrecisionPolicy


class ShardedParameter:
    """One parameter: its shard, and the whole one while there is one.

    Parameters
    ----------
    owners : list of (Module, str)
        Where the parameter stands; in several places where modules share it.
    whole : Parameter
    mesh : DeviceMesh
        Of one dimension, along which it is sharded, or two, the first of which has copies.
    """

    def __init__(self, owners: list[tuple[Module, str]], whole: Any, mesh: DeviceMesh) -> None:
        self.owners = owners
        self.shape = tuple(whole.shape)
        placements: list[Placement] = [Replicate()] * (mesh.ndim - 1) + [Shard(0)]
        as_shards = whole if whole.dim() else whole.detach().reshape(1)
        if not whole.dim():
            raise ValueError(
                f"fully_shard doesn't support scalar parameters. Change {owners[0][1]} to a 1D tensor with "
                "numel equal to 1."
            )
        self.sharded: Any = Parameter(
            distribute_tensor(as_shards.detach(), mesh, placements, src_data_rank=None),
            requires_grad=whole.requires_grad,
        )
        self.count = mesh.size(mesh.ndim - 1)
        self.each = part_sizes(self.shape[0], self.count)[0]
        self.row = self.each * (whole.numel() // max(1, self.shape[0]))
        self.leaf: Any = None
        self.kept: Any = None  # a gradient that waits for the next reduction

    def set(self, value: Any) -> None:
        """Put a parameter where modules find it."""
        for module, name in self.owners:
            module._parameters[name] = value

    def follow(self) -> None:
        """Take the shard that modules have now: `to_empty` and assigned states put others in its place."""
        module, name = self.owners[0]
        current = module._parameters[name]
        if current is not self.sharded and isinstance(current, DTensor):
            self.sharded = current
            self.set(current)

    def padded(self, dtype: Any) -> Any:
        """Return this process's shard as a vector, as long as the longest."""
        local = self.sharded._local_tensor.detach().reshape(-1).to(dtype)
        missing = self.row - local.numel()
        return cat([local, zeros(missing, dtype=dtype)]) if missing else local

    def whole_of(self, rows: Any) -> Any:
        """Return the parameter of the rows that the processes gave."""
        size = max(1, self.shape[0])
        return rows.reshape(self.each * self.count, *self.shape[1:])[:size].contiguous()

    def rows_of(self, grad: Any, dtype: Any) -> Any:
        """Return a gradient as a row for each process; zeros where there is none."""
        padded = zeros(self.each * self.count, *self.shape[1:], dtype=dtype)
        if grad is not None:
            padded[: self.shape[0]].copy_(grad)
        return padded.reshape(self.count, self.row)


class ParameterGroup:
    """Parameters that are gathered, and whose gradients are reduced, at once.

    Parameters
    ----------
    parameters : list of ShardedParameter
    mesh : DeviceMesh
    policy : MixedPrecisionPolicy
    gives_up : bool
        Whether whole parameters are given up after forward, rather than after backward.
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
                self._fill(p, p.whole_of(rows[:, start : start + p.row]).view(p.shape))
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
            p.leaf.data = zeros(1, dtype=p.leaf.dtype).expand(p.shape)
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
                    return _Saved(self, p, tuple(value.shape), tuple(value.stride()))
            for outer_pack, outer_unpack in outside:
                return _Passed(outer_pack(value), outer_unpack)
            return value

        return pack

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
            grad, p.leaf.grad = p.leaf.grad, None
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
            grad = own[start : start + local.numel()].view(local.shape).to(local.dtype)
            start += p.row
            if not used:
                continue
            if p.sharded.grad is None:
                layout: Layout = p.sharded._layout
                p.sharded.grad = DTensor(grad.clone(), layout)
            else:
                p.sharded.grad._local_tensor.add_(grad)


class _Saved:
    """A part of a parameter that a graph has saved: gathered again where it is asked for."""

    def __init__(
        self, group: ParameterGroup, parameter: ShardedParameter, shape: tuple[int, ...],
        strides: tuple[int, ...],
    ) -> None:  # fmt: skip
        self.group = group
        self.parameter = parameter
        self.shape = shape
        self.strides = strides

    def value(self) -> Any:
        """Return the part."""
        self.group.unshard()
        if in_backward():
            self.group.begin_backward()
        return self.parameter.leaf.detach().as_strided(self.shape, self.strides, 0)


class _Passed:
    """A value that the hooks outside of a module have packed."""

    def __init__(self, packed: Any, unpack: Callable[[Any], Any]) -> None:
        self.packed = packed
        self.unpack = unpack

    def value(self) -> Any:
        """Return the value."""
        return self.unpack(self.packed)


def _address(tensor: Any) -> int | None:
    """Return where the memory of a tensor begins, None where it has none: `data_ptr` counts as a write."""
    array = tensor._value
    return array.__array_interface__["data"][0] if type(array) is ndarray and array.size else None


def unpack(value: Any) -> Any:
    """Return what a graph has saved."""
    return value.value() if isinstance(value, (_Saved, _Passed)) else value


__all__ = ["ParameterGroup", "ShardedParameter", "unpack"]
