"""Say in which dtypes sharded modules compute, and what torch calls its other settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from ...nn.modules.batchnorm import _BatchNorm


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """Say in which dtypes a module of `fully_shard` computes and its gradients are summed."""

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Keep shards where they are: the CPU."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Keep shards on the CPU, where they are anyway."""

    pin_memory: bool = True


@dataclass
class CPUOffload:
    """Say whether shards are kept on the CPU, where they are anyway."""

    offload_params: bool = False


@dataclass(frozen=True)
class MixedPrecision:
    """Say in which dtypes a module of `FullyShardedDataParallel` computes and its gradients are summed.

    With an `auto_wrap_policy`, modules of `_module_classes_to_ignore` compute in float32.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Sequence[type] = (_BatchNorm,)


class ShardingStrategy(Enum):
    """Say what is divided among processes, and whether parameters are gathered again for backward."""

    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """Say when torch gathers the next parameters in backward; makes no difference."""

    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


class StateDictType(Enum):
    """Say whether states have whole tensors or each process's shards."""

    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


@dataclass
class StateDictConfig:
    """Say how a state is made."""

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """Whole tensors; with `rank0_only` in the first process alone."""

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """Shards."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """Shards that know the whole: distributed tensors, always."""

    _use_dtensor: bool = False


@dataclass
class OptimStateDictConfig:
    """Say how the state of an optimizer is made."""

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """Whole tensors; with `rank0_only` in the first process alone."""

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """Shards."""

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """Shards that know the whole: distributed tensors, always."""

    _use_dtensor: bool = False


@dataclass
class StateDictSettings:
    """Say how states are made: the kind and what goes with it."""

    state_dict_type: StateDictType
    state_dict_config: Any
    optim_state_dict_config: Any


for _class in list(vars().values()):
    if isinstance(_class, type) and _class.__module__ == __name__:
        _class.__module__ = "torch.distributed.fsdp"

__all__ = [
    "BackwardPrefetch", "CPUOffload", "CPUOffloadPolicy", "FullOptimStateDictConfig", "FullStateDictConfig",
    "LocalOptimStateDictConfig", "LocalStateDictConfig", "MixedPrecision", "MixedPrecisionPolicy",
    "OffloadPolicy", "OptimStateDictConfig", "ShardedOptimStateDictConfig", "ShardedStateDictConfig",
    "ShardingStrategy", "StateDictConfig", "StateDictSettings", "StateDictType",
]  # fmt: skip
