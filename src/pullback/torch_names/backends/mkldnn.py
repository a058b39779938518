"""torch.backends.mkldnn: not part of this build."""

from contextlib import AbstractContextManager

from .mkl import VERBOSE_OFF, VERBOSE_ON, verbose
from .switches import is_available, switched

VERBOSE_ON_CREATION = 2
enabled = True
deterministic = False
allow_tf32: bool | None = None
fp32_precision = "none"


def flags(
    enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = "none"
) -> AbstractContextManager[None]:
    """Set the switches for a ``with`` block."""
    return switched(
        globals(), enabled=enabled, deterministic=deterministic, allow_tf32=allow_tf32,
        fp32_precision=fp32_precision,
    )


__all__ = [
    "VERBOSE_OFF", "VERBOSE_ON", "VERBOSE_ON_CREATION", "allow_tf32", "deterministic", "enabled", "flags",
    "fp32_precision", "is_available", "verbose",
]  # fmt: skip
