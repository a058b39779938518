"""torch.distributed.tensor.parallel: layers whose weights are divided among processes."""

from __future__ import annotations

from .api import parallelize_module
from .style import ColwiseParallel, ParallelStyle, RowwiseParallel

__all__ = ["ColwiseParallel", "ParallelStyle", "RowwiseParallel", "parallelize_module"]
