"""torch.cuda.nccl in a build without NCCL."""

from typing import Any

from ...core.warn import warn
from ..absent_devices import refusing


def is_available(tensors: Any) -> bool:
    """Return False with torch's warning."""
    warn("PyTorch is not compiled with NCCL support")
    return False


globals().update(
    refusing("version unique_id init_rank all_reduce reduce broadcast all_gather reduce_scatter",
             "torch.cuda.nccl", RuntimeError, "PyTorch is not compiled with NCCL support")
)  # fmt: skip
