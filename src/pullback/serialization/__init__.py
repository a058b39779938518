"""torch.serialization: checkpoints in torch's format, both ways."""

from __future__ import annotations

from .allowed import (
    _get_layout,
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    get_unsafe_globals_in_checkpoint,
    safe_globals,
)
from .load import load
from .save import save

__all__ = [
    "_get_layout",
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "safe_globals",
    "save",
]
