"""Define the class of distributed tensors: each process has a part, and an op is done on all of them.

What this module must do:

- hold this process's part and the layout, and be a tensor of the whole shape without memory of its own, whose
  ops are computed on the parts (`propagation.py`);
- make distributed tensors of parts and parts of them, and change layouts, with gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.function import Function
from ...autograd.grad_mode import no_grad
from ...core.modes import modes
from ...core.process_group import default_group
from ...core.versions import bump
from ...core.wrapper import Wrapped
from ...nn.modules.module import Module
from ...nn.parameter import Parameter
from ...tensor.creation import full as full_tensor
from ...tensor.random import rand as random_uniform
from ...tensor.random import randn as random_normal
from ...tensor.tensor import Tensor
from ...tensor.wrappers import _make_wrapper_subclass
from .. import broadcast, get_global_rank
from ..device_mesh import DeviceMesh, current_mesh, init_device_mesh
from .layout import Layout, cut, moved, normalised, without_summands
from .placement_types import Partial, Placement, Replicate, Shard


class DTensor(Tensor):
    """A tensor whose parts, summands or copies are in the processes of a mesh.

    Parameters
    ----------
    local_tensor : Tensor
        What this process has.
    layout : Layout
    requires_grad : bool
    """

    _local_tensor: Any
    _layout: Layout

    @staticmethod
    def __new__(cls, local_tensor: Any, layout: Layout, *, requires_grad: bool = False) -> Any:
        made = _make_wrapper_subclass(
            cls, layout.shape, dtype=local_tensor.dtype, device=local_tensor.device,
            requires_grad=requires_grad,
        )  # fmt: skip
        made._local_tensor, made._layout = local_tensor, layout
        return made

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        from .propagation import computed

        return computed(func, args, kwargs or {})

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        local: Any = self._local_tensor
        text = str(local.item()) if not local.dim() else repr(local)
        mesh, placements = self._layout.mesh, self._layout.placements
        return f"DTensor(local_tensor={text}, device_mesh={mesh}, placements={placements})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuilt, (self._local_tensor, self._layout, self.requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> DTensor:
        return DTensor(self._local_tensor.clone(), self._layout, requires_grad=self.requires_grad)

    @property
    def data(self) -> Any:
        """Return the tensor without its history; setting it takes over another's part and layout."""
        return self.detach()

    @data.setter
    def data(self, other: Any) -> None:
        if not isinstance(other, DTensor):
            raise TypeError("the data of a distributed tensor is a distributed tensor")
        self._local_tensor, self._layout = other._local_tensor, other._layout
        self._value = Wrapped(self, other.shape, other._value.dtype, None, 0, other.device)

    @property
    def device_mesh(self) -> DeviceMesh:
        """Return the mesh of processes."""
        return self._layout.mesh

    @property
    def placements(self) -> tuple[Placement, ...]:
        """Return what the processes along each dimension of the mesh have."""
        return self._layout.placements

    @staticmethod
    def from_local(
        local_tensor: Any, device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None, *, run_check: bool = False, shape: Any = None,
        stride: Any = None,
    ) -> DTensor:  # fmt: skip
        """Return the tensor of which each process has `local_tensor`.

        Parameters
        ----------
        local_tensor : Tensor
        device_mesh : DeviceMesh, optional
        placements : sequence of Placement, optional
            By default `Replicate` everywhere.
        run_check : bool
            Whether copies are made those of the first process.
        shape : tuple of int, optional
            Of the whole; by default parts are taken to be equally large.
        stride : Any
            Not used.
        """
        mesh = _mesh(device_mesh)
        found = normalised(placements, mesh, local_tensor.dim())
        whole = list(local_tensor.shape)
        for axis, placement in enumerate(found):
            if isinstance(placement, Shard):
                whole[placement.dim] *= mesh.size(axis)
            elif run_check and isinstance(placement, Replicate):
                group = mesh.get_group(axis)
                broadcast(local_tensor.detach(), get_global_rank(group, 0), group=group)
        return _FromLocal.apply(local_tensor, Layout(mesh, found, tuple(shape or whole)))

    def _step_in_parts(self, grad: Any, state: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return what this process has of a parameter, its gradient and an optimizer's state; where they do
        not lie alike, or a mode looks at each op, return them as they are.

        An op on a distributed tensor takes 0.2 ms, and a step of Adam has a dozen for each parameter.
        """
        layout = self._layout

        def lies_alike(value: Any) -> bool:
            if isinstance(value, DTensor):
                return bool(value._layout == layout)
            return not isinstance(value, Tensor) or not value.dim()

        summed = any(isinstance(placement, Partial) for placement in layout.placements)
        if summed or modes().dispatch_modes or not isinstance(grad, DTensor):
            return self, grad, state
        if not all(map(lies_alike, (grad, *state.values()))):
            return self, grad, state
        bump(self)
        parts = {name: mapped(value, lambda tensor: tensor._local_tensor) for name, value in state.items()}
        return self._local_tensor, grad._local_tensor, parts

    def to_local(self, *, grad_placements: Sequence[Placement] | None = None) -> Any:
        """Return what this process has.

        Parameters
        ----------
        grad_placements : sequence of Placement, optional
            How the covector that comes back is laid out; by default as this tensor, where summands stand for
            copies.
        """
        return _ToLocal.apply(self, None if grad_placements is None else tuple(grad_placements))

    def redistribute(
        self, device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None,
        *, async_op: bool = False, forward_dtype: Any = None, backward_dtype: Any = None,
    ) -> DTensor:  # fmt: skip
        """Return the same tensor in another layout of the same mesh."""
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        return _Redistribute.apply(self, normalised(placements, self._layout.mesh, self.dim()))

    def full_tensor(self, *, grad_placements: Sequence[Placement] | None = None) -> Any:
        """Return the whole tensor, in every process."""
        whole = self.redistribute(placements=[Replicate()] * self._layout.mesh.ndim)
        return whole.to_local(grad_placements=grad_placements)


DTensor.__module__ = "torch.distributed.tensor"


def mapped(value: Any, change: Callable[[Any], Any], kind: type = DTensor) -> Any:
    """Return nested values with the tensors of a class changed."""
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(part, change, kind) for part in value)
    if isinstance(value, dict):
        return {key: mapped(part, change, kind) for key, part in value.items()}
    return value


def _rebuilt(local: Any, layout: Layout, requires_grad: bool) -> DTensor:
    return DTensor(local, layout, requires_grad=requires_grad)


def _mesh(mesh: DeviceMesh | None) -> DeviceMesh:
    if mesh is not None:
        return mesh
    if (present := current_mesh()) is None:
        group = default_group()
        present = init_device_mesh("cpu", (1 if group is None else group.size(),))
    return present


def as_covector(grad: Any, layout: Layout) -> Any:
    """Return the covector of a distributed tensor in its layout, where a summand's is the whole."""
    to = Layout(layout.mesh, without_summands(layout.placements), layout.shape)
    if isinstance(grad, DTensor):
        return DTensor(moved(grad._local_tensor, grad._layout, to), to)
    return DTensor(cut(grad, to), to)


class _FromLocal(Function):
    @staticmethod
    def forward(ctx: Any, local: Any, layout: Layout) -> Any:
        ctx.layout = layout
        return DTensor(local.detach(), layout)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return as_covector(grad, ctx.layout)._local_tensor, None


class _ToLocal(Function):
    @staticmethod
    def forward(ctx: Any, whole: Any, placements: Any) -> Any:
        ctx.layout, ctx.placements = whole._layout, placements
        return whole._local_tensor.detach()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        layout = ctx.layout
        given = ctx.placements or without_summands(layout.placements)
        found = DTensor(grad, Layout(layout.mesh, given, layout.shape))
        return as_covector(found, layout), None


class _Redistribute(Function):
    @staticmethod
    def forward(ctx: Any, whole: Any, placements: Any) -> Any:
        old = ctx.layout = whole._layout
        new = Layout(old.mesh, placements, old.shape)
        return DTensor(moved(whole._local_tensor.detach(), old, new), new)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return as_covector(grad, ctx.layout), None


@no_grad()
def distribute_tensor(
    tensor: Any, device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None,
    *, src_data_rank: int | None = 0,
) -> DTensor:  # fmt: skip
    """Return a distributed tensor with the values that the first process has.

    Parameters
    ----------
    tensor : Tensor
        A leaf, of the same shape in all processes.
    device_mesh : DeviceMesh, optional
    placements : sequence of Placement, optional
        By default `Replicate` everywhere.
    src_data_rank : int, optional
        Whose values are taken; None: each process takes its own.
    """
    if not tensor.is_leaf:
        raise RuntimeError(
            "`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!"
        )
    mesh = _mesh(device_mesh)
    layout = Layout(mesh, normalised(placements, mesh, tensor.dim()), tuple(tensor.shape))
    whole = tensor.detach()
    if src_data_rank is not None:
        whole = whole.clone()
        for axis in range(mesh.ndim):
            group = mesh.get_group(axis)
            broadcast(whole, get_global_rank(group, src_data_rank), group=group)
    local = cut(whole, layout).clone().contiguous()
    return DTensor(local, layout, requires_grad=tensor.requires_grad)


def distribute_module(
    module: Module, device_mesh: DeviceMesh | None = None, partition_fn: Any = None, input_fn: Any = None,
    output_fn: Any = None,
) -> Module:  # fmt: skip
    """Make the parameters of a module distributed tensors, in place.

    Parameters
    ----------
    module : Module
    device_mesh : DeviceMesh, optional
    partition_fn : callable, optional
        ``partition_fn(name, submodule, mesh)`` distributes what it wants to; the rest is copied everywhere.
    input_fn, output_fn : callable, optional
        ``input_fn(module, inputs, mesh)`` and ``output_fn(module, outputs, mesh)`` around forward.
    """
    mesh = _mesh(device_mesh)
    for name, owner in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, owner, mesh)
        for key, value in list(owner._parameters.items()):
            if value is not None and not isinstance(value, DTensor):
                owner.register_parameter(
                    key, Parameter(distribute_tensor(value, mesh), requires_grad=value.requires_grad)
                )
    if input_fn is not None:
        module.register_forward_pre_hook(lambda owner, inputs: input_fn(owner, inputs, mesh))
    if output_fn is not None:
        module.register_forward_hook(lambda owner, inputs, outputs: output_fn(owner, outputs, mesh))
    return module


def _filled(maker: Any) -> Any:
    def make(
        *size: Any, dtype: Any = None, layout: Any = None, requires_grad: bool = False,
        device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None, **more: Any,
    ) -> DTensor:  # fmt: skip
        shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)
        whole = maker(shape, dtype=dtype, **more)
        return distribute_tensor(whole.requires_grad_(requires_grad), device_mesh, placements)

    return make


ones = _filled(lambda shape, dtype: full_tensor(shape, 1.0, dtype=dtype))
zeros = empty = _filled(lambda shape, dtype: full_tensor(shape, 0.0, dtype=dtype))
rand = _filled(lambda shape, dtype: random_uniform(shape, dtype=dtype))
randn = _filled(lambda shape, dtype: random_normal(shape, dtype=dtype))


def full(size: Any, fill_value: Any, **options: Any) -> DTensor:
    """Return a distributed tensor of one value; options as of `zeros`."""
    return _filled(lambda shape, dtype: full_tensor(shape, fill_value, dtype=dtype))(size, **options)
