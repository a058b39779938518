"""torch.distributed.device_mesh: how processes are laid out in a grid, of which there is none."""

from __future__ import annotations

from ..torch_names.absent_devices import refusing, uninstantiable

_TEXT = "{} needs process groups, which pullback does not have."

globals().update(uninstantiable(["DeviceMesh"], "torch.distributed.device_mesh", _TEXT))
globals().update(
    refusing(
        "init_device_mesh", "torch.distributed.device_mesh", RuntimeError, _TEXT.format("init_device_mesh")
    )
)

__all__ = ["DeviceMesh", "init_device_mesh"]  # noqa: F822  # made above
