"""torch.backends.cudnn: not part of this build; its switches are there because programs set them."""

from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any

from .switches import is_available, switched  # noqa: F401  # torch has both questions here

enabled = True
benchmark = False
benchmark_limit: int | None = None
deterministic = False
allow_tf32 = True
fp32_precision = "none"
conv = SimpleNamespace(fp32_precision="tf32")
rnn = SimpleNamespace(fp32_precision="tf32")


def version() -> None:
    """Return None."""


def is_acceptable(tensor: Any) -> bool:
    """Return False: no tensor is on a CUDA device."""
    return False


def flags(
    enabled: bool = False, benchmark: bool = False, benchmark_limit: int = 10, deterministic: bool = False,
    allow_tf32: bool = True, fp32_precision: str = "none",
) -> AbstractContextManager[None]:
    """Set the switches for a ``with`` block."""
    return switched(
        globals(), enabled=enabled, benchmark=benchmark, benchmark_limit=benchmark_limit,
        deterministic=deterministic, allow_tf32=allow_tf32, fp32_precision=fp32_precision,
    )
