"""torch.nn.parallel: one module on several devices, of which there is one here."""

from __future__ import annotations

from .data_parallel import DataParallel, data_parallel
from .devices import gather, parallel_apply, replicate, scatter

__all__ = ["DataParallel", "data_parallel", "gather", "parallel_apply", "replicate", "scatter"]
