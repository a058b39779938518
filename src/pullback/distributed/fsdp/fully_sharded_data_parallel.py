"""torch.distributed.fsdp.FullyShardedDataParallel: a module that holds another, whose parameters it shards.

It gathers and reduces as `fully_shard` does. Parameters keep their shapes (torch's ``use_orig_params=True``):
they are distributed tensors rather than parts of one flat parameter.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.process_group import needed_group
from ...nn.modules.module import Module
from ...nn.parallel.synchronization import sync_module_states as synchronised
from ...nn.utils.clip_grad import clip_grad_norm_
from ..checkpoint.state_dict import (
    get_optimizer_state_dict,
    like_parameter,
    set_optimizer_state_dict,
    whole,
)
from ..device_mesh import DeviceMesh
from ..groups import get_process_group_ranks
from .api import (
    BackwardPrefetch,
    CPUOffload,
    FullStateDictConfig,
    LocalStateDictConfig,
    MixedPrecision,
    MixedPrecisionPolicy,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictSettings,
    StateDictType,
)
from .fully_shard import FSDPModule, _State, _unsharded
from .parameters import ParameterGroup, ShardedParameter
from .wrap import wrapped_parts

_INNER = "_fsdp_wrapped_module."


class OptimStateKeyType(Enum):
    """Say by what an optimizer's state names parameters."""

    PARAM_NAME = auto()
    PARAM_ID = auto()


class FullyShardedDataParallel(Module, FSDPModule):
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
    cpu_offload, backward_prefetch, param_init_fn, device_id, forward_prefetch, limit_all_gathers, \
    use_orig_params, ignored_states, param_dtype
        Make no difference on the CPU.
    """

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
        if sync_module_states:
            synchronised(module, group, set(), buffers=True)
        strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        if device_mesh is None:
            ranks = get_process_group_ranks(group)
            if strategy is ShardingStrategy.NO_SHARD:
                device_mesh = DeviceMesh("cpu", [[rank] for rank in ranks])
            else:
                device_mesh = DeviceMesh("cpu", ranks)
        ignored = set(ignored_modules or ())
        if auto_wrap_policy is not None:
            for owner, name, part in wrapped_parts(module, auto_wrap_policy, ignored):
                inner = FullyShardedDataParallel(
                    part, process_group, sharding_strategy, mixed_precision=mixed_precision,
                    ignored_modules=ignored, device_mesh=device_mesh,
                )  # fmt: skip
                setattr(owner, name, inner)
        self._fsdp_wrapped_module = module
        self.process_group = group
        self.sharding_strategy = strategy
        self.mixed_precision = mixed_precision
        policy = MixedPrecisionPolicy()
        if mixed_precision is not None:
            policy = MixedPrecisionPolicy(
                mixed_precision.param_dtype, mixed_precision.reduce_dtype or mixed_precision.param_dtype
            )
            if mixed_precision.buffer_dtype is not None:
                for buffer in module.buffers():
                    if buffer.is_floating_point():
                        buffer.data = buffer.data.to(mixed_precision.buffer_dtype)
        left_out = {id(p) for part in ignored for p in part.parameters()}
        found: dict[Any, list[tuple[Module, str]]] = {}
        for owner, name, p in _unsharded(module):
            if id(p) not in left_out:
                found.setdefault(p, []).append((owner, name))
        parameters = [ShardedParameter(owners, p, device_mesh) for p, owners in found.items()]
        gives_up = strategy in (ShardingStrategy.FULL_SHARD, ShardingStrategy.HYBRID_SHARD)
        made = ParameterGroup(parameters, device_mesh, policy, gives_up) if parameters else None
        self._fsdp_state = _State(self, made, policy)
        self._settings = StateDictSettings(StateDictType.FULL_STATE_DICT, FullStateDictConfig(), None)
        self._register_state_dict_hook(_after_state)
        self._register_load_state_dict_pre_hook(_before_load, with_module=True)

    @property
    def module(self) -> Module:
        """Return the module that is held."""
        return self._fsdp_wrapped_module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the module gives."""
        return self._fsdp_wrapped_module(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("_fsdp_wrapped_module"), name)

    def __getitem__(self, key: Any) -> Any:
        return self._fsdp_wrapped_module[key]  # type: ignore[index]  # a container

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Any]]:
        """Yield parameters under the names that they have without wrappers."""
        for name, p in super().named_parameters(*args, **kwargs):
            yield name.replace(_INNER, ""), p

    @staticmethod
    def fsdp_modules(module: Module, root_only: bool = False) -> list[Any]:
        """Return the wrappers in a module."""
        found = [m for m in module.modules() if isinstance(m, FullyShardedDataParallel)]
        if not root_only:
            return found
        inner = {id(part) for m in found for part in m.modules() if part is not m}
        return [m for m in found if id(m) not in inner]

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

    # ------------------------------------------------------------------------------ states

    @staticmethod
    def set_state_dict_type(
        module: Module, state_dict_type: StateDictType, state_dict_config: Any = None,
        optim_state_dict_config: Any = None,
    ) -> StateDictSettings:  # fmt: skip
        """Say how the states of a module's wrappers are made; return how they were."""
        found = FullyShardedDataParallel.fsdp_modules(module)
        before = found[0]._settings
        for m in found:
            m._settings = StateDictSettings(
                state_dict_type, state_dict_config or FullStateDictConfig(), optim_state_dict_config
            )
        return before

    @staticmethod
    @contextmanager
    def state_dict_type(
        module: Module, state_dict_type: StateDictType, state_dict_config: Any = None,
        optim_state_dict_config: Any = None,
    ) -> Iterator[None]:  # fmt: skip
        """Make the states of a module's wrappers so within the block."""
        cls = FullyShardedDataParallel
        before = cls.set_state_dict_type(module, state_dict_type, state_dict_config, optim_state_dict_config)
        try:
            yield
        finally:
            for m in cls.fsdp_modules(module):
                m._settings = before

    @staticmethod
    def optim_state_dict(model: Module, optim: Any, optim_state_dict: Any = None, group: Any = None) -> Any:
        """Return the state of an optimizer by names, whole or in shards as states are made."""
        found = FullyShardedDataParallel.fsdp_modules(model)
        state = get_optimizer_state_dict(model, optim)
        if found and found[0]._settings.state_dict_type is StateDictType.FULL_STATE_DICT:
            state = whole(state)
            config = found[0]._settings.optim_state_dict_config
            if getattr(config, "rank0_only", False) and needed_group().rank() != 0:
                return {}
        return state

    @staticmethod
    def full_optim_state_dict(
        model: Module, optim: Any, optim_input: Any = None, rank0_only: bool = True, group: Any = None
    ) -> Any:
        """Return the whole state of an optimizer by names, in the first process or in all."""
        state = whole(get_optimizer_state_dict(model, optim))
        return {} if rank0_only and needed_group().rank() != 0 else state

    @staticmethod
    def optim_state_dict_to_load(
        model: Module, optim: Any, optim_state_dict: Any, is_named_optimizer: bool = False,
        load_directly: bool = False, group: Any = None,
    ) -> Any:  # fmt: skip
        """Return a state by names in the form in which the optimizer's `load_state_dict` takes it."""
        set_optimizer_state_dict(model, optim, optim_state_dict)
        return optim.state_dict()


def _after_state(module: Any, state: Any, prefix: str, metadata: Any) -> Any:
    """Name parameters as without wrappers, and gather them where whole states are asked for."""
    settings = module._settings
    gathers = settings.state_dict_type is StateDictType.FULL_STATE_DICT
    drops = gathers and getattr(settings.state_dict_config, "rank0_only", False)
    inner = prefix + _INNER
    for name in [name for name in state if name.startswith(inner)]:
        value = state.pop(name)
        value = whole(value) if gathers else value
        if not drops or module.process_group.rank() == 0:
            state[prefix + name.removeprefix(inner)] = value
    return state


def _before_load(module: Any, state: Any, prefix: str, *_: Any) -> None:
    """Name parameters as they are within the wrapper, and cut whole ones."""
    own = dict(Module.named_parameters(module))
    for name in [name for name in state if name.startswith(prefix)]:
        rest = name.removeprefix(prefix)
        value = state.pop(name)
        rest = rest if rest.startswith(_INNER) else _INNER + rest
        state[prefix + rest] = like_parameter(value, own.get(rest))


for _class in (FullyShardedDataParallel, OptimStateKeyType):
    _class.__module__ = "torch.distributed.fsdp"

__all__ = [
    "BackwardPrefetch", "CPUOffload", "FullStateDictConfig", "FullyShardedDataParallel",
    "LocalStateDictConfig", "MixedPrecision", "OptimStateKeyType", "ShardedStateDictConfig",
    "ShardingStrategy", "StateDictSettings", "StateDictType",
]  # fmt: skip
