"""torch.distributed.checkpoint.staging: copies of a state, which are written while the program goes on."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ...autograd.grad_mode import no_grad
from ...errors import with_note
from ...tensor.tensor import Tensor
from ..tensor.api import DTensor, mapped


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

    def stage(self, state_dict: dict[str, Any]) -> Any:
        """Return a copy of a state."""
        return _copied(state_dict)

    def synchronize_staging(self) -> None:
        """Do nothing: the copy is made."""

    def close(self) -> None:
        """Do nothing: there is nothing to give up."""


@dataclass
class StagingOptions:
    """Say how `DefaultStager` copies.

    Parameters
    ----------
    use_pinned_memory, use_shared_memory : bool
        Make no difference on the CPU.
    use_async_staging : bool
        Whether a thread copies while the program goes on.
    use_non_blocking_copy : bool
        Needs an accelerator.
    """

    use_pinned_memory: bool = True
    use_shared_memory: bool = True
    use_async_staging: bool = True
    use_non_blocking_copy: bool = True


class DefaultStager(AsyncStager):
    """Copy a state in a thread, or at once.

    Parameters
    ----------
    config : StagingOptions, optional
        Without an accelerator its `use_non_blocking_copy` must be False.

    Raises
    ------
    AssertionError
        It asks for what needs an accelerator.
    """

    def __init__(self, config: StagingOptions | None = None) -> None:
        self._config = StagingOptions() if config is None else config
        if self._config.use_non_blocking_copy:
            raise with_note(
                AssertionError("Non-blocking copy requires that the current accelerator is available."),
                "on the CPU: DefaultStager(StagingOptions(use_non_blocking_copy=False))",
            )
        self._executor = ThreadPoolExecutor(max_workers=1) if self._config.use_async_staging else None
        self._staging_future: Future[dict[str, Any]] | None = None

    def stage(self, state_dict: dict[str, Any], **kwargs: Any) -> Any:
        """Return a copy of a state, or the future of one where a thread makes it."""
        if self._executor is None:
            return _copied(state_dict)
        self._staging_future = self._executor.submit(_copied, state_dict)
        return self._staging_future

    def synchronize_staging(self) -> None:
        """Wait until the copy is made."""
        if self._staging_future is not None:
            self._staging_future.result()

    def close(self) -> None:
        """End the thread."""
        if self._executor is not None:
            self._executor.shutdown()


@no_grad()
def _copied(value: Any) -> Any:
    """Return nested values with tensors copied."""

    def copy(tensor: Any) -> Any:
        if isinstance(tensor, DTensor):
            return DTensor(tensor._local_tensor.detach().clone(), tensor._layout)
        return tensor.detach().clone()

    return mapped(value, copy, Tensor)


__all__ = ["AsyncStager", "BlockingAsyncStager", "DefaultStager", "StagingOptions"]
