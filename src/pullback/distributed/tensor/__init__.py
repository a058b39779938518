"""torch.distributed.tensor: tensors whose parts are in several processes."""

from ..device_mesh import DeviceMesh, init_device_mesh
from . import experimental, parallel, placement_types
from .api import DTensor, distribute_module, distribute_tensor, empty, full, ones, rand, randn, zeros
from .placement_types import Partial, Placement, Replicate, Shard

__all__ = [
    "DTensor", "DeviceMesh", "Partial", "Placement", "Replicate", "Shard", "distribute_module",
    "distribute_tensor", "empty", "experimental", "full", "init_device_mesh", "ones", "parallel",
    "placement_types", "rand", "randn", "zeros",
]  # fmt: skip
