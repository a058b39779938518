"""torch._dynamo.utils: the one question that libraries ask there."""

from typing import Any

from ...core.device import device


def is_compile_supported(device_type: Any) -> bool:
    """Return whether programs for a device can be compiled: those for the CPU."""
    return device(device_type).type == "cpu"


__all__ = ["is_compile_supported"]
