"""torch.distributed.fsdp.FullyShardedDataParallel: a module that holds another, whose parameters it shards.

It gathers and reduces as `fully_shard` does. Parameters keep their shapes (torch's ``use_orig_params=True``):
they are distributed tensors rather than parts of one flat parameter.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from ...array.dtypes import float32
from ...autograd.grad_mode import no_grad
from ...core.process_group import needed_group
from ...core.warn import warn
from ...nn.modules.module import Module
from ...nn.parallel.reachable import tensors_in
from ...nn.parallel.synchronization import broadcast_coalesced
from ...nn.utils.clip_grad import clip_grad_norm_
from ..checkpoint.state_dict import like_parameter, whole
from ..device_mesh import DeviceMesh
from ..groups import get_process_group_ranks
from .api import (
    BackwardPrefetch,
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalOptimStateDictConfig,
    LocalStateDictConfig,
    MixedPrecision,
    MixedPrecisionPolicy,
    OptimStateDictConfig,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)
from .fully_shard import FSDPModule, _State, _unsharded, cast_floating, group_of
from .wrap import HoldsModule, as_function, wrapped_parts
from .wrapper_states import OptimStateKeyType, WrapperStates


class FullyShardedDataParallel(WrapperStates, HoldsModule, FSDPModule):
    """A module that holds another, whose parameters it shards over the processes of a group.

    Parameters
    ----------
    module : Module
    process_group : ProcessGroup, optional
        By default all processes.
    sharding_strategy : ShardingStrategy, optional
        ``FULL_SHARD`` gives whole parameters up after forward, ``SHARD_GRAD_OP`` after backward; with
        ``NO_SHARD`` every process keeps all.
    auto_wrap_policy : callable or policy, optional
        Which parts are held by a wrapper of their own.
    mixed_precision : MixedPrecision, optional
    ignored_modules : iterable of Module, optional
        What is not sharded.
    sync_module_states : bool
        Whether to start from the values of the first process.
    device_mesh : DeviceMesh, optional
    ignored_states : iterable of Parameter or Module, optional
        What is not sharded, in place of `ignored_modules`.
    param_init_fn : callable, optional
        Gives a module without memory (of the meta device) its memory and values; by default `to_empty` and
        its `reset_parameters` do.
    cpu_offload, backward_prefetch, device_id, forward_prefetch, limit_all_gathers, use_orig_params
        Make no difference on the CPU.
    """

    _held = "_fsdp_wrapped_module"

    def __init__(
        self, module: Module, process_group: Any = None, sharding_strategy: Any = None,
        cpu_offload: Any = None, auto_wrap_policy: Any = None, backward_prefetch: Any = None,
        mixed_precision: Any = None, ignored_modules: Any = None, param_init_fn: Any = None,
        device_id: Any = None, sync_module_states: bool = False, forward_prefetch: bool = False,
        limit_all_gathers: bool = True, use_orig_params: bool = False, ignored_states: Any = None,
        device_mesh: DeviceMesh | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        group = process_group or needed_group()
        ignored, left_out = _ignored(ignored_modules, ignored_states)
        strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        if device_mesh is None:
            ranks: Any = get_process_group_ranks(group)
            apart = strategy is ShardingStrategy.NO_SHARD
            device_mesh = DeviceMesh("cpu", [[rank] for rank in ranks] if apart else ranks)
        if auto_wrap_policy is not None:
            if mixed_precision is not None:
                kept = tuple(mixed_precision._module_classes_to_ignore)
                auto_wrap_policy = partial(_or_single, policy=as_function(auto_wrap_policy), single=kept)
                _keep_precision(module, kept)
            for owner, name, part, overrides in wrapped_parts(module, auto_wrap_policy, ignored):
                options = {
                    "process_group": process_group, "sharding_strategy": sharding_strategy,
                    "mixed_precision": mixed_precision, "ignored_modules": ignored_modules,
                    "ignored_states": ignored_states, "device_mesh": device_mesh,
                    "param_init_fn": param_init_fn, "sync_module_states": sync_module_states, **overrides,
                }  # fmt: skip
                setattr(owner, name, FullyShardedDataParallel(part, **options))
        self._fsdp_wrapped_module = module
        self.process_group = group
        self.sharding_strategy = strategy
        self.mixed_precision = mixed_precision
        policy = _policy_of(mixed_precision, module)
        _materialised(module, ignored, param_init_fn)
        if sync_module_states:
            own = {id(p): p for _, _, p in _unsharded(module) if p not in left_out}
            with no_grad():
                broadcast_coalesced(group, [*own.values(), *module.buffers()])
        gives_up = strategy in (ShardingStrategy.FULL_SHARD, ShardingStrategy.HYBRID_SHARD)
        made = group_of([module], left_out, device_mesh, policy, gives_up)
        self._fsdp_state = _State(self, made, policy)
        for inner in FullyShardedDataParallel.fsdp_modules(module):
            settings = inner.mixed_precision
            inner._fsdp_state.policy = replace(
                inner._fsdp_state.policy,
                cast_forward_inputs=settings is not None and settings.cast_forward_inputs,
            )
        self._begin_states()

    @property
    def module(self) -> Module:
        """Return the module that is held."""
        return self._fsdp_wrapped_module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the module gives."""
        return self._fsdp_wrapped_module(*args, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Let whole gradients accumulate in each process within the block, unreduced."""
        self.set_requires_gradient_sync(False)
        try:
            yield
        finally:
            self.set_requires_gradient_sync(True)

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Any:
        """Clip all gradients by their common norm; return it, a whole tensor."""
        return whole(clip_grad_norm_(self.parameters(), max_norm, norm_type))

    @staticmethod
    @contextmanager
    def summon_full_params(
        module: Module, recurse: bool = True, writeback: bool = True, rank0_only: bool = False,
        offload_to_cpu: bool = False, with_grads: bool = False,
    ) -> Iterator[None]:  # fmt: skip
        """Give modules whole parameters within the block; what is written to them is kept."""
        found = FullyShardedDataParallel.fsdp_modules(module)
        states = [m._fsdp_state.group for m in (found if recurse else found[:1])]
        groups = [group for group in states if group is not None]
        for group in groups:
            group.unshard()
        try:
            yield
        finally:
            for group in groups:
                if writeback:
                    with no_grad():
                        for p in group.parameters:
                            p.sharded._local_tensor.copy_(
                                like_parameter(p.leaf.detach(), p.sharded)._local_tensor
                            )
                group.reshard()


def _policy_of(precision: Any, module: Module) -> MixedPrecisionPolicy:
    """Return the policy that settings of precision are, and cast the buffers of a module as they say."""
    if precision is None:
        return MixedPrecisionPolicy()
    if precision.buffer_dtype is not None:
        for buffer in module.buffers():
            if buffer.is_floating_point():
                buffer.data = buffer.data.to(precision.buffer_dtype)
    return MixedPrecisionPolicy(
        precision.param_dtype, precision.reduce_dtype or precision.param_dtype,
        cast_forward_inputs=precision.cast_root_forward_inputs,
    )  # fmt: skip


def _ignored(modules: Any, states: Any) -> tuple[set[Module], set[Any]]:
    """Return the modules and the parameters that are not sharded."""
    if modules is not None and states is not None:
        raise ValueError(
            "Cannot pass both ignored_modules and ignored_states at the same time. Please just pass "
            "ignored_states."
        )
    given = list(modules or states or ())
    parts = {one for one in given if isinstance(one, Module)}
    if len(parts) not in (0, len(given)):
        raise ValueError(
            "ignored_states expects all nn.Parameter or all nn.Module list elements but got types "
            f"{sorted({type(one) for one in given}, key=repr)}"
        )
    return parts, {p for part in parts for p in part.parameters()} or set(given) - parts


def _or_single(module: Module, recurse: bool, nonwrapped_numel: int, policy: Any, single: Any) -> Any:
    """Wrap what a policy wraps, and modules of some classes alone, without mixed precision."""
    if not recurse and isinstance(module, single):
        return {"mixed_precision": None}
    return policy(module=module, recurse=recurse, nonwrapped_numel=nonwrapped_numel) or (
        recurse and any(isinstance(part, single) for part in module.modules())
    )


def _keep_precision(module: Module, kept: tuple[type, ...]) -> None:
    """Let modules of some classes compute in float32, and give what they were given."""

    def widen(part: Any, args: Any) -> Any:
        part._given_dtype = next((t.dtype for t in tensors_in(args) if t.is_floating_point()), None)
        return cast_floating(args, float32)

    def narrow(part: Any, args: Any, output: Any) -> Any:
        return output if part._given_dtype is None else cast_floating(output, part._given_dtype)

    found = [part for part in module.modules() if isinstance(part, kept)]
    if found:
        warn(
            "Both mixed precision and an auto_wrap_policy were specified to FSDP, where the wrapped module "
            f"has submodules of type:\n{ {type(part) for part in found} }\nThese modules will be wrapped as "
            "separate FSDP instacnes with mixed precision disabled."
        )
    for part in found:
        part.register_forward_pre_hook(widen)
        part.register_forward_hook(narrow)


@no_grad()
def _materialised(module: Module, ignored: set[Module], make: Callable[[Module], None] | None) -> None:
    """Give the parts of a module that have no memory, and no wrapper, memory and values."""
    own = [p for _, _, p in _unsharded(module)]
    if not any(p.is_meta for p in own):
        return
    parts = [module]
    for part in parts:
        if make is not None:
            make(part)
        elif part._parameters or part._buffers:
            part.to_empty(device="cpu", recurse=False)
            part.reset_parameters()
        parts += [
            one for one in part.children()
            if one not in ignored and one not in parts and not isinstance(one, FSDPModule)
        ]  # fmt: skip


for _class in (FullyShardedDataParallel, OptimStateKeyType):
    _class.__module__ = "torch.distributed.fsdp"

__all__ = [
    "BackwardPrefetch", "CPUOffload", "FullOptimStateDictConfig", "FullStateDictConfig",
    "FullyShardedDataParallel", "LocalOptimStateDictConfig", "LocalStateDictConfig", "MixedPrecision",
    "OptimStateDictConfig", "OptimStateKeyType", "ShardedOptimStateDictConfig", "ShardedStateDictConfig",
    "ShardingStrategy", "StateDictConfig", "StateDictSettings", "StateDictType",
]  # fmt: skip
