"""torch.serialization: checkpoints in torch's format, both ways."""

from .allowed import (
    _get_layout,
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    get_unsafe_globals_in_checkpoint,
    safe_globals,
)
from .load import (
    DEFAULT_PROTOCOL,
    MAP_LOCATION,
    STORAGE,
    LoadEndianness,
    SourceChangeWarning,
    default_restore_location,
    load,
    location_tag,
)
from .save import save

__all__ = [
    "DEFAULT_PROTOCOL", "MAP_LOCATION", "STORAGE", "LoadEndianness", "SourceChangeWarning", "_get_layout",
    "add_safe_globals", "clear_safe_globals", "default_restore_location", "get_safe_globals",
    "get_unsafe_globals_in_checkpoint", "load", "location_tag", "safe_globals", "save",
]
