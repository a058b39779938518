"""torch.accelerator: there is none, so that what asks for the current one raises torch's error."""

from types import ModuleType
from typing import Any

from ..core.device import device as _device
from . import cpu, cuda, mps, mtia, xpu
from .absent_devices import answering, nothing, refusing

_HERE = "torch.accelerator"
_NONE = "Cannot access accelerator device when none is available."

globals().update({
    **answering("is_available", _HERE, bool),
    **answering("device_count", _HERE, int),
    **answering("current_accelerator", _HERE, nothing),
    **refusing(
        "current_device_idx current_device_index current_stream empty_cache empty_host_cache "
        "get_device_capability get_memory_info max_memory_allocated max_memory_reserved memory_allocated "
        "memory_reserved memory_stats reset_accumulated_memory_stats reset_peak_memory_stats set_device_idx "
        "set_device_index set_stream synchronize",
        _HERE, RuntimeError, _NONE,
    ),
})  # fmt: skip


class device_index:
    """A ``with`` block on the device of an index; None changes nothing, others are not there."""

    def __init__(self, device: int | None, /) -> None:
        self.idx = device

    def __enter__(self) -> Any:
        if self.idx is not None:
            raise RuntimeError(_NONE)

    def __exit__(self, *_: object) -> None:
        return None


_MODULES = {"cpu": cpu, "cuda": cuda, "mps": mps, "mtia": mtia, "xpu": xpu}


def module_of(kind: str) -> ModuleType:
    """Return torch's module for a kind of device, such as `torch.cpu`."""
    if kind not in _MODULES:
        raise RuntimeError(
            f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'."
        )
    return _MODULES[kind]


def get_device_module(device: Any = None) -> Any:
    """Return the module for a device's type, such as `torch.cuda`; that of the CPU where none is given.

    Parameters
    ----------
    device : device or str, optional
    """
    if isinstance(device, str):
        device = _device(device)
    elif device is not None and not isinstance(device, _device):
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    return module_of("cpu" if device is None else device.type)
