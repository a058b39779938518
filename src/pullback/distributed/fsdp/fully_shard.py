"""torch.distributed.fsdp.fully_shard: a module whose parameters are sharded, in place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from ...autograd.graph import saved_tensors_hooks
from ...core.modes import modes
from ...core.process_group import needed_group
from ...core.tracer import refuse_exchange
from ...nn.modules.module import Module
from ...nn.parallel.reachable import tensors_in, with_tensors
from ..device_mesh import DeviceMesh, init_device_mesh
from ..tensor.placement_types import Shard
from .api import MixedPrecisionPolicy, OffloadPolicy
from .parameters import ParameterGroup, ShardedParameter, unpack

_CLASSES: dict[type, type] = {}


class FSDPModule:
    """Hold what a module can do besides, once it is sharded."""

    _fsdp_state: _State

    def unshard(self, async_op: bool = False) -> Any:
        """Gather the module's whole parameters."""
        if self._fsdp_state.group is not None:
            self._fsdp_state.group.unshard()
        return UnshardHandle() if async_op else None

    def reshard(self) -> None:
        """Give up the module's whole parameters."""
        if self._fsdp_state.group is not None:
            self._fsdp_state.group.reshard()

    def _groups(self, recurse: bool) -> list[ParameterGroup]:
        modules: Any = self.modules() if recurse else [self]  # type: ignore[attr-defined]  # of the module
        states = [m._fsdp_state for m in modules if isinstance(m, FSDPModule)]
        return [state.group for state in states if state.group is not None]

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Say whether backward reduces gradients, or keeps whole ones for a later one."""
        for group in self._groups(recurse):
            group.reduces = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Say whether backward also sums over the copies of a mesh of two dimensions."""
        for group in self._groups(recurse):
            group.reduces_copies = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Say whether whole parameters are given up after forward."""
        for group in self._groups(recurse):
            group.gives_up = reshard_after_forward

    def set_reshard_after_backward(self, reshard_after_backward: bool, *, recurse: bool = True) -> None:
        """Take what torch takes: whole parameters are given up after backward always."""

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Take what torch takes: every backward is complete when it returns."""

    def set_gradient_divide_factor(self, factor: float) -> None:
        """Say by what sums of gradients are divided, in place of the number of processes."""
        for group in self._groups(False):
            group.divisor = factor

    set_reduce_scatter_divide_factor = set_gradient_divide_factor

    def set_modules_to_forward_prefetch(self, modules: list[Any]) -> None:
        """Take what torch takes: parameters are gathered where they are needed."""

    set_modules_to_backward_prefetch = set_modules_to_forward_prefetch

    def set_unshard_in_backward(self, unshard_in_backward: bool) -> None:
        """Take what torch takes: parameters are gathered where they are needed."""


class UnshardHandle:
    """A gathering of parameters, which is complete."""

    def wait(self) -> None:
        """Return at once."""


class _State:
    """Hold what a sharded module has besides: its parameters, and how a call of it is prepared."""

    def __init__(self, module: Module, group: ParameterGroup | None, policy: MixedPrecisionPolicy) -> None:
        self.group = group
        self.policy = policy
        self._saving: list[Any] = []
        module.register_forward_pre_hook(self.before, prepend=True, with_kwargs=True)
        module.register_forward_hook(self.after, prepend=False, always_call=True)
        module.register_state_dict_pre_hook(self.before_state)

    def before(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Gather parameters, and cast inputs."""
        refuse_exchange("a sharded module exchanges parameters between processes")
        if self.group is not None:
            self.group.unshard()
            saving = modes().grad and self.group.gives_up
            context = saved_tensors_hooks(self.group.packing(), unpack) if saving else None
            if context is not None:
                context.__enter__()
            self._saving.append(context)
        if (dtype := self.policy.param_dtype) is None or not self.policy.cast_forward_inputs:
            return None
        return cast_floating(args, dtype), cast_floating(kwargs, dtype)

    def after(self, module: Module, args: Any, output: Any) -> Any:
        """Give parameters up, and cast outputs."""
        if self.group is not None:
            if (context := self._saving.pop()) is not None:
                context.__exit__(None, None, None)
            if self.group.gives_up or not modes().grad:
                self.group.reshard()
            if modes().grad:
                # what is computed again in backward needs parameters that no graph has saved
                for one in tensors_in(output):
                    if one.requires_grad:
                        one.register_hook(self._before_backward)
        return output if self.policy.output_dtype is None else cast_floating(output, self.policy.output_dtype)

    def _before_backward(self, grad: Any) -> None:
        """Gather parameters when backward reaches the module."""
        if self.group is not None:
            self.group.unshard()
            self.group.begin_backward()

    def before_state(self, module: Module, prefix: str, keep_vars: bool) -> None:
        """Let states have shards."""
        if self.group is not None:
            self.group.reshard()


def cast_floating(value: Any, dtype: Any) -> Any:
    """Return nested values with floating point tensors in a dtype."""
    return with_tensors(value, lambda t: t.to(dtype) if t.is_floating_point() else t)


def fully_shard(
    module: Any, *, mesh: DeviceMesh | None = None, reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Any = None, mp_policy: MixedPrecisionPolicy | None = None,
    offload_policy: OffloadPolicy | None = None, ignored_params: set[Any] | None = None, **options: Any,
) -> Any:  # fmt: skip
    """Shard the parameters of a module over the processes of a mesh, in place.

    Parameters
    ----------
    module : Module or list of Module
        Parameters that a part of it already shards are left alone: call this for parts first, then for the
        whole. Those of one call are gathered at once.
    mesh : DeviceMesh, optional
        Of one dimension, by default all processes; or of two: copies along the first, shards along the
        second.
    reshard_after_forward : bool, optional
        Whether whole parameters are given up after forward and gathered again for backward: True by
        default, also for the outermost module, whose parameters torch keeps.
    shard_placement_fn : callable, optional
        What gives the `Shard` of a parameter, or None for its first axis.
    mp_policy : MixedPrecisionPolicy, optional
    offload_policy : OffloadPolicy, optional
        Makes no difference on the CPU.
    ignored_params : set of Parameter, optional
        What is not sharded, and not reduced.

    Returns
    -------
    Module
        `module`, now also an `FSDPModule`.
    """
    modules = module if isinstance(module, (list, tuple)) else [module]
    if mesh is None:
        mesh = init_device_mesh("cpu", (needed_group().size(),))
    policy = mp_policy or MixedPrecisionPolicy()
    gives_up = True if reshard_after_forward is None else bool(reshard_after_forward)
    group = group_of(modules, set(ignored_params or ()), mesh, policy, gives_up, shard_placement_fn)
    for number, part in enumerate(modules):
        part._fsdp_state = _State(part, group if number == 0 else None, policy)
        part.__class__ = _sharded_class(type(part))
    if len(modules) > 1 and group is not None:
        for part in modules[1:]:
            part._fsdp_state.group = group
    return module


def group_of(
    modules: Iterable[Module], left_out: Collection[Any], mesh: DeviceMesh, policy: MixedPrecisionPolicy,
    gives_up: bool, choose: Callable[[Any], Any] | None = None,
) -> ParameterGroup | None:  # fmt: skip
    """Return the parameters of modules, but for some, as what is gathered at once; None for none."""
    found: dict[Any, list[tuple[Module, str]]] = {}
    for part in modules:
        for owner, name, p in _unsharded(part):
            if p not in left_out:
                found.setdefault(p, []).append((owner, name))
    parameters = [ShardedParameter(owners, p, mesh, _axis(p, choose)) for p, owners in found.items()]
    return ParameterGroup(parameters, mesh, policy, gives_up) if parameters else None


def _axis(parameter: Any, choose: Callable[[Any], Any] | None) -> int:
    """Return along which axis a parameter is sharded."""
    chosen = None if choose is None else choose(parameter)
    if chosen is not None and not isinstance(chosen, Shard):
        raise NotImplementedError(
            f"shard_placement_fn of fully_shard gave {type(chosen).__name__}: a mesh of its own for each "
            "parameter is not part of pullback. Give a Shard or None."
        )
    return 0 if chosen is None else chosen.dim


def _unsharded(module: Module) -> Any:
    """Yield owner, name and parameter of all that no part shards."""
    stack = [module]
    while stack:
        owner = stack.pop(0)
        if isinstance(owner, FSDPModule) and owner is not module:
            continue
        for name, p in owner._parameters.items():
            if p is not None:
                yield owner, name, p
        stack += [child for child in owner._modules.values() if child is not None]


def _sharded_class(kind: type) -> type:
    if issubclass(kind, FSDPModule):
        return kind
    if kind not in _CLASSES:
        _CLASSES[kind] = type(f"FSDP{kind.__name__}", (FSDPModule, kind), {"__doc__": kind.__doc__})
    return _CLASSES[kind]


def register_fsdp_forward_method(module: Module, method_name: str) -> None:
    """Let a method prepare parameters as forward does."""
    if not isinstance(module, FSDPModule):
        return
    method: Callable[..., Any] = getattr(module, method_name)
    state = module._fsdp_state

    def prepared(*args: Any, **kwargs: Any) -> Any:
        changed = state.before(module, args, kwargs)
        args, kwargs = (args, kwargs) if changed is None else changed
        output = None
        try:
            output = method(*args, **kwargs)
        finally:
            output = state.after(module, args, output)
        return output

    setattr(module, method_name, prepared)


for _class in (FSDPModule, UnshardHandle):
    _class.__module__ = "torch.distributed.fsdp"

__all__ = ["FSDPModule", "UnshardHandle", "fully_shard", "register_fsdp_forward_method"]
