"""torch.distributed.checkpoint.staging: copies of a state, which are written while the program goes on."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from ...autograd.grad_mode import no_grad
from ...tensor.tensor import Tensor
from ..tensor.api import DTensor


@runtime_checkable
class AsyncStager(Protocol):
    """Anything that copies a state for `async_save`."""

    _synchronize_after_execute: bool = True

    @property
    def should_synchronize_after_execute(self) -> bool:
        """Return whether `synchronize_staging` is called once writing has begun."""
        return self._synchronize_after_execute

    def stage(self, state_dict: dict[str, Any]) -> Any:
        """Return a copy of a state, or the future of one."""
        raise NotImplementedError(f"{type(self).__name__} must implement stage method")

    def synchronize_staging(self) -> None:
        """Wait until the state may change again."""

    def close(self) -> None:
        """Give up what copying has needed."""


class BlockingAsyncStager(AsyncStager):
    """Copy a state at once.

    Parameters
    ----------
    cache_staged_state_dict, type_check : bool
        Not used: each copy has memory of its own.
    """

    _synchronize_after_execute = False

    def __init__(self, cache_staged_state_dict: bool = False, type_check: bool = False) -> None:
        self.cache_staged_state_dict = cache_staged_state_dict
        self.type_check = type_check

    def stage(self, state_dict: dict[str, Any]) -> dict[str, Any]:
        """Return a copy of a state."""
        copied: dict[str, Any] = _copied(state_dict)
        return copied

    def synchronize_staging(self) -> None:
        """Do nothing: the copy is made."""

    def close(self) -> None:
        """Do nothing: there is nothing to give up."""


@no_grad()
def _copied(value: Any) -> Any:
    """Return nested values with tensors copied."""
    if isinstance(value, DTensor):
        return DTensor(value._local_tensor.detach().clone(), value._layout)
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_copied(part) for part in value)
    return value


__all__ = ["AsyncStager", "BlockingAsyncStager"]
