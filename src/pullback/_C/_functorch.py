"""torch._C._functorch: what libraries ask of tensors inside transforms."""

from __future__ import annotations

from typing import Any

from ..core.batched import Batched
from ..core.value import TensorBase

__all__ = ["is_batchedtensor"]


def is_batchedtensor(tensor: Any) -> bool:
    """Whether `vmap` runs over a tensor, at the innermost transform."""
    return isinstance(tensor, TensorBase) and isinstance(tensor._value, Batched)
