"""torch.distributed._tensor: the name that `torch.distributed.tensor` had before."""

from ..tensor import (
    DeviceMesh,
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_module,
    distribute_tensor,
    empty,
    full,
    init_device_mesh,
    ones,
    rand,
    randn,
    zeros,
)
from . import device_mesh

__all__ = [
    "DTensor", "DeviceMesh", "Partial", "Replicate", "Shard", "device_mesh", "distribute_module",
    "distribute_tensor", "empty", "full", "init_device_mesh", "ones", "rand", "randn", "zeros",
]  # fmt: skip
