"""torch.cuda.nccl in a build without NCCL."""

from __future__ import annotations

import warnings
from typing import Any

from ..absent_devices import refusing


def is_available(tensors: Any) -> bool:
    """Return False with torch's warning."""
    warnings.warn("PyTorch is not compiled with NCCL support", stacklevel=2)
    return False


globals().update(
    refusing("version unique_id init_rank all_reduce reduce broadcast all_gather reduce_scatter",
             "torch.cuda.nccl", RuntimeError, "PyTorch is not compiled with NCCL support")
)  # fmt: skip
