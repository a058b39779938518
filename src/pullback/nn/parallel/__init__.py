"""torch.nn.parallel: one module on several devices or in several processes, of which there is one here."""

from __future__ import annotations

from .data_parallel import DataParallel, data_parallel
from .devices import gather, parallel_apply, replicate, scatter
from .distributed import DistributedDataParallel

__all__ = [
    "DataParallel", "DistributedDataParallel", "data_parallel", "gather", "parallel_apply", "replicate",
    "scatter",
]
