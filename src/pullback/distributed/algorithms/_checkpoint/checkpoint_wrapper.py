"""torch.distributed.algorithms._checkpoint.checkpoint_wrapper: modules that are computed again in backward.

A wrapper holds a module, and its call is a checkpoint. Names of parameters and states are those without it.
"""

from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from typing import Any

from ....autograd.graph import save_on_cpu
from ....nn.modules.module import Module
from ....utils.checkpoint import checkpoint
from ...fsdp.wrap import HoldsModule, lambda_auto_wrap_policy, wrapped_parts

_INNER = "_checkpoint_wrapped_module."


class CheckpointImpl(Enum):
    """Say in which form `torch.utils.checkpoint` is used."""

    REENTRANT = auto()
    NO_REENTRANT = auto()


class ActivationWrapper(HoldsModule):
    """A module that holds another, whose names it keeps."""

    _held = "_checkpoint_wrapped_module"

    def __init__(self, mod: Module) -> None:
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(_without_wrapper)
        self.register_load_state_dict_pre_hook(_with_wrapper)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the module gives; each kind of wrapper says how."""
        raise ValueError("Subclasses should implement forward().")


class OffloadWrapper(ActivationWrapper):
    """A module whose saved values are kept on the CPU."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the module gives."""
        with save_on_cpu(pin_memory=True):
            return self._checkpoint_wrapped_module(*args, **kwargs)


class CheckpointWrapper(ActivationWrapper):
    """A module that is computed again in backward.

    Parameters
    ----------
    mod : Module
    checkpoint_impl : CheckpointImpl
    checkpoint_fn : callable, optional
        In place of `torch.utils.checkpoint.checkpoint`.
    **checkpoint_fn_kwargs
        What it is given besides.
    """

    def __init__(
        self, mod: Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn: Callable[..., Any] | None = None, **checkpoint_fn_kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        if checkpoint_fn is None:
            reentrant = checkpoint_impl is CheckpointImpl.REENTRANT
            checkpoint_fn = partial(checkpoint, use_reentrant=reentrant)
        self.checkpoint_fn = partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the module gives."""
        if self.checkpoint_impl is not CheckpointImpl.REENTRANT or not kwargs:
            return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)
        # that form takes arguments by place alone
        count = len(args)

        def by_place(*inputs: Any) -> Any:
            named = dict(zip(kwargs, inputs[count:], strict=True))
            return self._checkpoint_wrapped_module(*inputs[:count], **named)

        return self.checkpoint_fn(by_place, *args, *kwargs.values())


def _renamed(state: dict[str, Any], old: str, new: str) -> None:
    for name in [name for name in state if name.startswith(old)]:
        state[new + name.removeprefix(old)] = state.pop(name)


def _without_wrapper(module: Any, state: dict[str, Any], prefix: str, *_: Any) -> dict[str, Any]:
    _renamed(state, prefix + _INNER, prefix)
    return state


def _with_wrapper(module: Any, state: dict[str, Any], prefix: str, *_: Any) -> None:
    _renamed(state, prefix, prefix + _INNER)


def offload_wrapper(module: Module) -> Module:
    """Return a module that keeps what backward needs on the CPU."""
    return OffloadWrapper(module)


def checkpoint_wrapper(
    module: Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn: Callable[..., Any] | None = None, **checkpoint_fn_kwargs: Any,
) -> Module:  # fmt: skip
    """Return a module that is computed again in backward; see `CheckpointWrapper`."""
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def apply_activation_checkpointing(
    model: Module, checkpoint_wrapper_fn: Callable[[Module], Module] = checkpoint_wrapper,
    check_fn: Callable[[Module], bool] = lambda _: True,
    auto_wrap_policy: Callable[..., Any] | None = None,
) -> None:  # fmt: skip
    """Wrap parts of a model, in place.

    Parameters
    ----------
    model : Module
        Is not wrapped itself.
    checkpoint_wrapper_fn : callable
        Given a part; gives what is in its place.
    check_fn : callable
        Says of a part whether it is wrapped.
    auto_wrap_policy : callable, optional
        In place of `check_fn`; see `torch.distributed.fsdp.wrap`.
    """
    policy = auto_wrap_policy or partial(lambda_auto_wrap_policy, lambda_fn=check_fn)
    for owner, name, part, overrides in wrapped_parts(model, policy, set()):
        setattr(owner, name, checkpoint_wrapper_fn(part, **overrides))


for _class in (ActivationWrapper, CheckpointImpl, CheckpointWrapper, OffloadWrapper):
    _class.__module__ = "torch.distributed.algorithms._checkpoint.checkpoint_wrapper"

__all__ = [
    "ActivationWrapper", "CheckpointImpl", "CheckpointWrapper", "OffloadWrapper",
    "apply_activation_checkpointing", "checkpoint_wrapper", "offload_wrapper",
]  # fmt: skip
