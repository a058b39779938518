"""torch.Stream and torch.Event: on the CPU, where all work is done at once."""

from __future__ import annotations

from typing import Any, NoReturn

from ..core.device import device as as_device
from ..errors import with_note


def _cpu(device: Any) -> Any:
    place = as_device(device) if isinstance(device, str) else device
    if place is not None and place.type != "cpu":
        raise with_note(
            RuntimeError(f"PyTorch is not linked with support for {place.type} devices"),
            "pullback computes on the CPU.",
        )
    return as_device("cpu")


class Stream:
    """A queue of the CPU, whose work is done as soon as it is put in.

    Parameters
    ----------
    device : device or str, optional
        The CPU.
    priority : int
        Taken for torch's sake.
    """

    __module__ = "torch"

    device_index = -1
    device_type = 0
    stream_id = 0

    def __init__(self, device: Any = None, *, priority: int = 0) -> None:
        self.device = _cpu(device)

    def query(self) -> bool:
        """Return True: all work is done."""
        return True

    def synchronize(self) -> None:
        """Do nothing."""

    def wait_stream(self, other: Any) -> None:
        """Do nothing."""

    def wait_event(self, event: Any) -> NoReturn:
        """Refuse as torch does: the CPU has no events."""
        raise RuntimeError("cpu backend doesn't support events.")

    def record_event(self, event: Any = None) -> NoReturn:
        """Refuse as torch does: the CPU has no events."""
        raise RuntimeError("cpu backend doesn't support events.")

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) or NotImplemented

    def __hash__(self) -> int:
        return hash((self.device_type, self.device_index, self.stream_id))

    def __repr__(self) -> str:
        return "torch.Stream device_type=cpu, device_index=-1, stream_id=0"


class Event:
    """A place in a queue, which the CPU does not support: it can be made and not recorded.

    Parameters
    ----------
    device : device or str, optional
        The CPU.
    enable_timing, blocking, interprocess : bool
        Taken for torch's sake.
    """

    __module__ = "torch"

    event_id = 0

    def __init__(
        self, device: Any = None, *, enable_timing: bool = False, blocking: bool = False,
        interprocess: bool = False,
    ) -> None:
        self.device = _cpu(device)

    def record(self, stream: Any = None) -> NoReturn:
        """Refuse as torch does."""
        raise RuntimeError("cpu backend doesn't support events.")

    def query(self) -> bool:
        """Return True: nothing was recorded."""
        return True

    def synchronize(self) -> None:
        """Do nothing."""

    def wait(self, stream: Any = None) -> None:
        """Do nothing."""

    def __repr__(self) -> str:
        return "torch.Event device_type=cpu, device_index=-1, event_flag=0, event_id=0"
