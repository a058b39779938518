"""torch.distributed.tensor.parallel.loss: losses of scores whose classes are divided among processes."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..experimental import implicit_replication


@contextmanager
def loss_parallel() -> Iterator[None]:
    """Let `cross_entropy` take distributed scores beside plain targets, forward and backward.

    The numbers are torch's. Scores are gathered for it, which torch saves the memory of.
    """
    with implicit_replication():
        yield


__all__ = ["loss_parallel"]
