"""torch.utils.dlpack: exchange of tensors with other libraries without a copy."""

from ..tensor.interchange import DLDeviceType, from_dlpack, to_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]
