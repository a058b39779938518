"""torch.distributed.elastic: programs of several processes that are started anew where one fails.

pullback starts none; what programs decorate their functions with is there.
"""

from . import multiprocessing

__all__ = ["multiprocessing"]
