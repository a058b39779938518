"""torch.device and the default device.

What this module must do:

- parse, print, compare and pickle device names as torch does, whether or not such a device exists here;
- turn whatever a caller gives as ``device=`` into a device that has tensors, the CPU or ``meta``, and refuse
  every other one as a torch built for the CPU alone refuses it;
- keep the default device per thread, set by ``set_default_device`` or by using a device as a context manager.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, NoReturn

import numpy as np

from ..array.dtypes import check_long
from ..errors import argument_type, invalid_combination, read_only_attribute, with_note
from .settings import SETTINGS

TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla",
    "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)

DEVICE_STRING = r"([A-Za-z_]+)(?::(0|[1-9][0-9]*))?"
LARGEST_INDEX = 2**31 - 1


class device:
    """Name where a tensor is: a type such as ``'cpu'``, and an index or None.

    ``device('cuda:1')`` and ``device('cuda', 1)`` are the same. ``with device(...):`` makes it the default.
    """

    __module__ = "torch"
    __slots__ = ("index", "type")

    index: int | None
    type: str

    def __new__(cls, *args: object, **kwargs: object) -> device:
        return _construct(args, kwargs)

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("type 'torch.device' is not an acceptable base type")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise read_only_attribute(self, name)

    def __delattr__(self, name: str) -> NoReturn:
        raise read_only_attribute(self, name)

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        if type(other) is not device:
            return NotImplemented
        return self.type == other.type and self.index == other.index

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[Callable[[str, int | None], device], tuple[str, int | None]]:
        return _make, (self.type, self.index)

    def __enter__(self) -> device:
        _put((*_defaults.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _put(_defaults.get()[:-1])


#: Where no device is a default: always this object, so that `is` finds it.
NO_DEVICES: tuple[device | None, ...] = (None,)
# The device of set_default_device, then those of the `with` blocks entered and not left, innermost last.
_defaults: ContextVar[tuple[device | None, ...]] = ContextVar("default devices", default=NO_DEVICES)
#: Returns the defaults now in force (a C method).
default_devices = _defaults.get


def _put(devices: tuple[device | None, ...]) -> None:
    if not SETTINGS.chooses_devices:
        SETTINGS.chooses_devices = True
    _defaults.set(NO_DEVICES if devices == NO_DEVICES else devices)


def _make(type_: str, index: int | None) -> device:
    new = object.__new__(device)
    object.__setattr__(new, "type", type_)
    object.__setattr__(new, "index", index)
    return new


CPU = _make("cpu", None)
#: Where tensors have a shape and a dtype and no memory.
META = _make("meta", None)


def _is_index(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


SIGNATURES = {
    "(torch.device device)": (
        ("device", lambda value: isinstance(value, device | str) or _is_index(value)),
    ),
    "(str type, int index = -1)": (
        ("type", lambda value: isinstance(value, str)),
        ("index", _is_index),
    ),
}


def _construct(args: tuple[Any, ...], kwargs: dict[str, Any]) -> device:
    if (count := len(args) + len(kwargs)) == 1:
        name, value = ("device", args[0]) if args else next(iter(kwargs.items()))
        if name == "device" and isinstance(value, device):
            return value
        if name == "device" and isinstance(value, str):
            return _parse(value)
        if name == "type" and isinstance(value, str):
            return _with_index(args, kwargs)
        if name == "device" and _is_index(value):
            return _accelerator(int(value))
    elif count == 2:
        return _with_index(args, kwargs)
    raise invalid_combination("device", args, kwargs, SIGNATURES)


def _with_index(args: tuple[Any, ...], kwargs: dict[str, Any]) -> device:
    if not args and "type" not in kwargs:
        raise TypeError('device() missing 1 required positional arguments: "type"')
    type_ = args[0] if args else kwargs["type"]
    if not isinstance(type_, str):
        raise argument_type("device", "type", 1 if args else None, "str", type_)
    for name in kwargs:
        if name not in ("type", "index"):
            raise TypeError(f"device() got an unexpected keyword argument '{name}'")
        if name == "type" and args:
            raise TypeError("device() got multiple values for argument 'type'")
    index = args[1] if len(args) == 2 else kwargs.get("index")
    if (parsed := _parse(type_)).index is not None:
        raise RuntimeError(
            f"type (string) must not include an index because index was passed explicitly: {type_}"
        )
    if index is None:
        return parsed
    if not _is_index(index):
        raise argument_type("device", "index", 2 if len(args) == 2 else None, "int", index)
    check_long(int(index))
    if index < 0:
        raise RuntimeError("Device index must not be negative")
    return _make(parsed.type, int(index))


# 'cpu' takes 0.1 µs instead of 0.9 µs to read again.
@lru_cache(maxsize=256)
def _parse(text: str) -> device:
    if not text:
        raise RuntimeError("Device string must not be empty")
    if (match := re.fullmatch(DEVICE_STRING, text)) is None:
        raise RuntimeError(f"Invalid device string: '{text}'")
    type_, index = match.groups()
    if index is not None and int(index) > LARGEST_INDEX:
        raise RuntimeError(f"Could not parse device index '{index}' in device string '{text}'")
    if type_ not in TYPES:
        raise RuntimeError(
            f"Expected one of {', '.join(TYPES)} device type at start of device string: {type_}"
        )
    return _make(type_, None if index is None else int(index))


def _accelerator(index: int) -> NoReturn:
    check_long(index)
    if index < 0:
        raise RuntimeError("Device index must not be negative")
    raise with_note(
        RuntimeError("Cannot access accelerator device when none is available."),
        "A bare number names an accelerator; the CPU is 'cpu'.",
    )


def as_device(value: Any, function: str = "to") -> device:
    """Return the device on which to put a tensor, the CPU or ``meta``, from what a caller of `function` gave
    as ``device=``: None for the default device, a device, a string or an index.
    """
    if value is None:
        if (value := _defaults.get()[-1]) is None:
            return CPU
    elif type(value) is not device:
        if isinstance(value, str):
            value = _parse(value)
        elif _is_index(value):
            _accelerator(int(value))
        else:
            raise argument_type(function, "device", None, "torch.device", value)
    if value.type == "cpu":
        return CPU
    if value.type == "meta":
        return META
    note = "pullback computes on the CPU; use device='cpu' or leave the device out."
    if value.type in ("cuda", "xpu"):
        raise with_note(AssertionError(f"Torch not compiled with {value.type.upper()} enabled"), note)
    raise with_note(RuntimeError(f"PyTorch is not linked with support for {value.type} devices"), note)


def has_default() -> bool:
    """Return whether another device than the CPU may be this thread's default."""
    return _defaults.get()[-1] is not None


def default_name() -> str | None:
    """Return the name of this thread's default device, None where none was chosen."""
    chosen = _defaults.get()[-1]
    return None if chosen is None else str(chosen)


def get_default_device() -> device:
    """Return the device on which tensors are made when none is given."""
    current = _defaults.get()[-1]
    return current if current is not None and current.index is not None else as_device(None)


def set_default_device(device: Any) -> None:
    """Make ``device`` this thread's default, None for the CPU; that of a ``with`` block goes before it."""
    _put((None if device is None else _construct((device,), {}), *_defaults.get()[1:]))
