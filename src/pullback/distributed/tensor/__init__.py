"""torch.distributed.tensor: the class by which libraries ask whether a tensor is spread over processes."""

from __future__ import annotations

from ...torch_names.absent_devices import uninstantiable
from ..device_mesh import DeviceMesh, init_device_mesh  # type: ignore[attr-defined]  # made there from a table
from . import experimental

globals().update(
    uninstantiable(
        ["DTensor"], "torch.distributed.tensor", "{} needs process groups, which pullback does not have."
    )
)

__all__ = ["DTensor", "DeviceMesh", "experimental", "init_device_mesh"]
