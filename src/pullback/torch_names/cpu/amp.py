"""torch.cpu.amp: mixed precision on the CPU, under torch's older names."""

from __future__ import annotations

from typing import Any

from ...core.warn import warn
from .. import amp as _amp


def _deprecated(name: str) -> None:
    warn(
        f"`torch.cpu.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cpu', args...)` "
        "instead.", FutureWarning
    )


class autocast(_amp.autocast):
    """`torch.amp.autocast` on the CPU."""

    __module__ = "torch.cpu.amp.autocast_mode"

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        _deprecated("autocast")
        super().__init__("cpu", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(_amp.GradScaler):
    """`torch.amp.GradScaler` on the CPU."""

    __module__ = "torch.cpu.amp.grad_scaler"

    def __init__(
        self, init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5,
        growth_interval: int = 2000, enabled: bool = True,
    ) -> None:
        _deprecated("GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


__all__ = ["GradScaler", "autocast"]
