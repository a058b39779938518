"""torch.distributed.tensor.experimental: what programs switch on around operations on spread tensors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["implicit_replication"]


@contextmanager
def implicit_replication() -> Iterator[None]:
    """Let plain tensors stand beside spread ones; as no tensor is spread, nothing changes."""
    yield
