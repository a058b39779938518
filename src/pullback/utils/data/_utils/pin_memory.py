"""torch.utils.data._utils.pin_memory: batches in memory that an accelerator reads directly."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..collate import _rebuilt_mapping, _rebuilt_sequence


def pin_memory(data: Any, device: Any = None) -> Any:
    """Return nested containers with ``pin_memory()`` of each tensor, and of each object that has it.

    A tensor raises, as there is no accelerator.
    """
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return _rebuilt_mapping(data, {key: pin_memory(part, device) for key, part in data.items()})
    if isinstance(data, tuple):
        parts = [pin_memory(part, device) for part in data]
        return type(data)(*parts) if hasattr(data, "_fields") else type(data)(parts)
    if isinstance(data, Sequence):
        return _rebuilt_sequence(data, [pin_memory(part, device) for part in data])
    return data


__all__ = ["pin_memory"]
