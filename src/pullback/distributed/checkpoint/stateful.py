"""torch.distributed.checkpoint.stateful: objects that stand for their state in a checkpoint."""

from typing import Any, Protocol, TypeVar, runtime_checkable


@runtime_checkable
class Stateful(Protocol):
    """Anything that gives its state for a checkpoint and takes it back."""

    def state_dict(self) -> dict[str, Any]:
        """Return what is saved."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what was saved."""
        ...


StatefulT = TypeVar("StatefulT", bound=Stateful)

__all__ = ["Stateful", "StatefulT"]
