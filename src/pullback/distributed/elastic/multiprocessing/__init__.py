"""torch.distributed.elastic.multiprocessing: what the processes of such a program use."""

from . import errors

__all__ = ["errors"]
