"""What torch's top level has besides functions: dtypes, layouts, memory formats, numbers."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from .. import device as devices
from .. import dtypes
from ..errors import read_only_attribute
from ..size import Size
from . import printing, warn


class layout:
    """How elements are arranged in memory, as ``torch.layout``; here always `strided`."""

    __module__ = "torch"
    __slots__ = ("_name",)

    _name: str

    def __new__(cls, *args: object, **kwargs: object) -> layout:
        raise TypeError("cannot create 'torch.layout' instances")

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("type 'torch.layout' is not an acceptable base type")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise read_only_attribute(self, name)

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return constant, (self._name,)


class memory_format:
    """Which order of axes in memory an op is asked for, as ``torch.memory_format``."""

    __module__ = "torch"
    __slots__ = ("_name",)

    _name: str

    def __new__(cls, *args: object, **kwargs: object) -> memory_format:
        raise TypeError("cannot create 'torch.memory_format' instances")

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("type 'torch.memory_format' is not an acceptable base type")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise read_only_attribute(self, name)

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return constant, (self._name,)


def _named(cls: type, name: str) -> Any:
    new: Any = object.__new__(cls)
    object.__setattr__(new, "_name", name)
    return new


strided = _named(layout, "strided")
contiguous_format = _named(memory_format, "contiguous_format")
preserve_format = _named(memory_format, "preserve_format")
channels_last = _named(memory_format, "channels_last")
channels_last_3d = _named(memory_format, "channels_last_3d")

#: Name at torch's top level → object.
CONSTANTS: dict[str, Any] = {
    **{name: getattr(dtypes, name) for name in dtypes.BY_NAME},
    **{
        name: getattr(dtypes, name)
        for name in (
            "dtype", "finfo", "iinfo", "short", "int", "long", "half", "float", "double", "cfloat", "cdouble",
            "get_default_dtype", "set_default_dtype", "promote_types", "can_cast",
        )
    },
    "device": devices.device,
    "get_default_device": devices.get_default_device,
    "set_default_device": devices.set_default_device,
    "Size": Size,
    "layout": layout,
    "memory_format": memory_format,
    "strided": strided,
    "contiguous_format": contiguous_format,
    "legacy_contiguous_format": contiguous_format,
    "preserve_format": preserve_format,
    "channels_last": channels_last,
    "channels_last_3d": channels_last_3d,
    "set_printoptions": printing.set_printoptions,
    "set_warn_always": warn.set_warn_always,
    "is_warn_always_enabled": warn.is_warn_always_enabled,
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
    "newaxis": None,
}


def constant(name: str) -> Any:
    """The layout or memory format of that name (what unpickling calls)."""
    return CONSTANTS[name]
