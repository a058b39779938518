"""torch.onnx.symbolic_helper: what libraries declare their exported ops with; none of them runs here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_Function = Callable[..., Any]


def parse_args(*arg_descriptors: str) -> Callable[[_Function], _Function]:
    """Decorate a function that says how an op is exported; it is returned as it is."""
    return lambda fn: fn


__all__ = ["parse_args"]
