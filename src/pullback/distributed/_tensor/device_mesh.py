"""torch.distributed._tensor.device_mesh: the name that `torch.distributed.device_mesh` had before."""

from ..device_mesh import DeviceMesh, init_device_mesh

__all__ = ["DeviceMesh", "init_device_mesh"]
