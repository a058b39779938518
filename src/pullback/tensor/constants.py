"""Hold what torch's top level has besides functions: dtypes, layouts, memory formats, numbers."""

from __future__ import annotations

import math
from typing import Any, NoReturn, Self

from ..array import dtype_limits, dtypes
from ..core import device as devices
from ..core import warn
from ..core.size import Size
from ..errors import read_only_attribute


class _Constant:
    """A class of torch's whose few instances are there from the start."""

    __slots__ = ("_name",)

    _name: str

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        raise TypeError(f"cannot create 'torch.{cls.__name__}' instances")

    def __init_subclass__(cls) -> None:
        if (base := cls.__bases__[0]) is not _Constant:
            raise TypeError(f"type 'torch.{base.__name__}' is not an acceptable base type")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise read_only_attribute(self, name)

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return constant, (self._name,)


class layout(_Constant):
    """Name how elements are arranged in memory, as ``torch.layout``; tensors here are `strided`, the other
    names are there to be asked for.
    """

    __module__ = "torch"
    __slots__ = ()


class memory_format(_Constant):
    """Name the order of axes in memory that an op is asked for, as ``torch.memory_format``."""

    __module__ = "torch"
    __slots__ = ()


def _named(cls: type, name: str) -> Any:
    new: Any = object.__new__(cls)
    object.__setattr__(new, "_name", name)
    return new


strided = _named(layout, "strided")
SPARSE = tuple(_named(layout, f"sparse_{kind}") for kind in ("coo", "csr", "csc", "bsr", "bsc"))
contiguous_format = _named(memory_format, "contiguous_format")
preserve_format = _named(memory_format, "preserve_format")
channels_last = _named(memory_format, "channels_last")
channels_last_3d = _named(memory_format, "channels_last_3d")


def layout_title(layout: Any) -> str:
    """Return what torch's errors call a layout, such as ``SparseCsr``."""
    words = str(layout).removeprefix("torch.").removesuffix("_coo").split("_")
    return "".join(word.capitalize() for word in words)


#: Name at torch's top level → object.
CONSTANTS: dict[str, Any] = {
    **{name: getattr(dtypes, name) for name in dtypes.BY_NAME},
    **dtypes.NAMES,
    "bit": dtypes.NAMES["uint1"],
    **{
        name: getattr(dtypes, name)
        for name in (
            "dtype", "short", "int", "long", "half", "float", "double", "cfloat", "cdouble", "chalf",
            "get_default_dtype", "set_default_dtype", "promote_types", "can_cast",
        )
    },
    **{
        call.__name__: call
        for call in (
            dtype_limits.finfo, dtype_limits.iinfo, devices.device, devices.get_default_device,
            devices.set_default_device, warn.set_warn_always, warn.is_warn_always_enabled, Size, layout,
            memory_format,
        )
    },
    **{item._name: item for item in (strided, *SPARSE)},
    **{item._name: item for item in (contiguous_format, preserve_format, channels_last, channels_last_3d)},
    "legacy_contiguous_format": contiguous_format,
    "pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None,
}  # fmt: skip


def constant(name: str) -> Any:
    """Return the layout or memory format of that name (what unpickling calls)."""
    return CONSTANTS[name]
