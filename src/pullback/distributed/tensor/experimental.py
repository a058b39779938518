"""torch.distributed.tensor.experimental: what programs switch on around operations on distributed tensors."""

from collections.abc import Iterator
from contextlib import contextmanager

from .propagation import plain_is_replicated

__all__ = ["implicit_replication"]


@contextmanager
def implicit_replication() -> Iterator[None]:
    """Use plain tensors beside distributed ones, as if every process had a copy."""
    token = plain_is_replicated.set(True)
    try:
        yield
    finally:
        plain_is_replicated.reset(token)
