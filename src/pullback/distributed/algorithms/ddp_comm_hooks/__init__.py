"""torch.distributed.algorithms.ddp_comm_hooks: what reduces the gradients of a bucket, by name."""

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any

from . import debugging_hooks, default_hooks, powerSGD_hook


class _Registration(partial[None]):
    """Register a hook: ``value(model=…, state=…)``; of its own class, to be a member of an enumeration."""


def _register(comm_hook: Callable[..., Any], model: Any, state: Any) -> None:
    model.register_comm_hook(state, comm_hook)


def _register_power_sgd(
    comm_hook: Callable[..., Any], model: Any, state: Any, matrix_approximation_rank: int,
    start_powerSGD_iter: int = 1_000,
) -> None:  # fmt: skip
    kept = powerSGD_hook.PowerSGDState(state, matrix_approximation_rank, start_powerSGD_iter)
    model.register_comm_hook(kept, comm_hook)


def _power_sgd(hook: Callable[..., Any], rank: int) -> _Registration:
    return _Registration(_register_power_sgd, comm_hook=hook, matrix_approximation_rank=rank)


class DDPCommHookType(Enum):
    """Name what reduces the gradients of a bucket; ``.value(model=…, state=…)`` registers it."""

    ALLREDUCE = _Registration(_register, comm_hook=default_hooks.allreduce_hook)
    FP16_COMPRESS = _Registration(_register, comm_hook=default_hooks.fp16_compress_hook)
    BF16_COMPRESS = _Registration(_register, comm_hook=default_hooks.bf16_compress_hook)
    POWER_SGD = _power_sgd(powerSGD_hook.powerSGD_hook, 1)
    POWER_SGD_RANK2 = _power_sgd(powerSGD_hook.powerSGD_hook, 2)
    BATCHED_POWER_SGD = _power_sgd(powerSGD_hook.batched_powerSGD_hook, 1)
    BATCHED_POWER_SGD_RANK2 = _power_sgd(powerSGD_hook.batched_powerSGD_hook, 2)
    NOOP = _Registration(_register, comm_hook=debugging_hooks.noop_hook)


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Have a hook of this module reduce the gradients of a model.

    Parameters
    ----------
    comm_hook_type : DDPCommHookType
    model : DistributedDataParallel
    state : ProcessGroup, optional
    """
    comm_hook_type.value(model=model, state=state)


__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]
