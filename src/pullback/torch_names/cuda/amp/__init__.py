"""torch.cuda.amp: mixed precision on CUDA, under torch's older names; there being no CUDA, all of
it is off.
"""

import functools

from ... import amp as _amp
from ...amp.older_names import older_names
from . import common
from .common import amp_definitely_not_available

autocast, GradScaler = older_names("cuda", "CUDA")
custom_fwd = functools.partial(_amp.custom_fwd, device_type="cuda")
custom_bwd = functools.partial(_amp.custom_bwd, device_type="cuda")

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "common", "custom_bwd", "custom_fwd"]
