"""torch.cuda.amp: mixed precision on CUDA, under torch's older names; there being no CUDA, all of
it is off.
"""

from __future__ import annotations

import functools
from typing import Any

from ....core.warn import warn
from ... import amp as _amp
from . import common
from .common import amp_definitely_not_available


def _deprecated(name: str) -> None:
    warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` "
        "instead.", FutureWarning
    )


class autocast(_amp.autocast):
    """`torch.amp.autocast` on CUDA."""

    __module__ = "torch.cuda.amp.autocast_mode"

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        _deprecated("autocast")
        super().__init__("cuda", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(_amp.GradScaler):
    """`torch.amp.GradScaler` on CUDA."""

    __module__ = "torch.cuda.amp.grad_scaler"

    def __init__(
        self, init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5,
        growth_interval: int = 2000, enabled: bool = True,
    ) -> None:
        _deprecated("GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


custom_fwd = functools.partial(_amp.custom_fwd, device_type="cuda")
custom_bwd = functools.partial(_amp.custom_bwd, device_type="cuda")

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "common", "custom_bwd", "custom_fwd"]
