"""Make the classes of mixed precision on one device, under torch's older names."""

from typing import Any

from ...core.warn import warn
from .autocast_mode import autocast
from .grad_scaler import GradScaler


def older_names(device: str, place: str) -> tuple[type[autocast], type[GradScaler]]:
    """Return `autocast` and `GradScaler` on a device: they warn, and are those of `torch.amp`."""

    def deprecated(name: str) -> None:
        warn(
            f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('{device}', "
            "args...)` instead.", FutureWarning
        )

    class Autocast(autocast):
        def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
            deprecated("autocast")
            super().__init__(device, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    class Scaler(GradScaler):
        def __init__(
            self, init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5,
            growth_interval: int = 2000, enabled: bool = True,
        ) -> None:
            deprecated("GradScaler")
            super().__init__(device, init_scale, growth_factor, backoff_factor, growth_interval, enabled)

    for cls, name, module in ((Autocast, "autocast", "autocast_mode"), (Scaler, "GradScaler", "grad_scaler")):
        cls.__name__ = cls.__qualname__ = name
        cls.__module__ = f"torch.{device}.amp.{module}"
        cls.__doc__ = f"`torch.amp.{name}` on {place}."
    return Autocast, Scaler
