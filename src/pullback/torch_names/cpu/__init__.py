"""torch.cpu: the one device there is, in the words of those with queues; all of its work is done at once."""

from typing import TYPE_CHECKING, Any

from ..exclusions import answer_for


def is_available() -> bool:
    """Return True."""
    return True


def is_initialized() -> bool:
    """Return True."""
    return True


def device_count() -> int:
    """Return 1."""
    return 1


def current_device() -> str:
    """Return ``"cpu"``."""
    return "cpu"


def set_device(device: Any) -> None:
    """Do nothing: there is one device."""


def synchronize(device: Any = None) -> None:
    """Do nothing: no work is outstanding."""


class Stream:
    """A queue of work that is done as soon as it is put in."""

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """Do nothing."""

    def record_event(self) -> None:
        """Do nothing."""

    def wait_event(self, event: Any) -> None:
        """Do nothing."""


class Event:
    """A place in a queue, always reached."""

    def query(self) -> bool:
        """Return True."""
        return True

    def record(self, stream: Any = None) -> None:
        """Do nothing."""

    def synchronize(self) -> None:
        """Do nothing."""

    def wait(self, stream: Any = None) -> None:
        """Do nothing."""


_default = Stream()


def current_stream(device: Any = None) -> Stream:
    """Return the stream in use."""
    return _current[-1]


_current = [_default]


class StreamContext:
    """A ``with`` block on a stream; None changes nothing."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            _current.append(self.stream)

    def __exit__(self, *_: object) -> None:
        if self.stream is not None:
            _current.pop()


def stream(stream: Any) -> StreamContext:
    """Return a ``with`` block on a stream."""
    return StreamContext(stream)


__all__ = [
    "Event", "Stream", "StreamContext", "current_device", "current_stream", "device_count", "is_available",
    "is_initialized", "set_device", "stream", "synchronize",
]  # fmt: skip

if TYPE_CHECKING:
    from . import amp as amp

answer_for(globals(), "amp")
