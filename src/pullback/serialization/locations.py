"""Place the storages of a checkpoint: torch's names for it, where the only device is the CPU."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from ..core.device import device
from ..tensor.typed_storage import TypedStorage
from ..tensor.untyped_storage import UntypedStorage

#: What `load` takes as `map_location`.
MAP_LOCATION = Callable[[Any, str], Any] | device | str | dict[str, str] | None
STORAGE = TypedStorage | UntypedStorage
DEFAULT_PROTOCOL = 2
LONG_SIZE, INT_SIZE, SHORT_SIZE = 8, 4, 2

NO_CUDA = (
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
    "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
    "storages to the CPU."
)


class LoadEndianness(Enum):
    """The order of bytes in a file that does not say it."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class SourceChangeWarning(Warning):
    """Warn that the source of a saved class has changed."""


def location_tag(storage: Any) -> str:
    """Return the name of the place of a storage: always ``"cpu"``."""
    return "cpu"


def default_restore_location(storage: Any, location: str) -> Any:
    """Return a storage in the place that a checkpoint names.

    Raises
    ------
    RuntimeError
        For every place but the CPU.
    """
    if location.startswith("cuda"):
        raise RuntimeError(NO_CUDA)
    if location != "cpu":
        raise RuntimeError(
            "don't know how to restore data location of torch.storage.UntypedStorage (tagged with "
            f"{location})"
        )
    return storage


LoadEndianness.__module__ = SourceChangeWarning.__module__ = "torch.serialization"

__all__ = [
    "DEFAULT_PROTOCOL", "INT_SIZE", "LONG_SIZE", "MAP_LOCATION", "SHORT_SIZE", "STORAGE", "LoadEndianness",
    "SourceChangeWarning", "default_restore_location", "location_tag",
]  # fmt: skip
