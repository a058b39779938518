"""torch.amp: mixed precision, which on the CPU is bfloat16 (or float16) beside float32."""

from ..exclusions import answer_for
from . import autocast_mode, grad_scaler
from .autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

__all__ = [
    "GradScaler", "autocast", "autocast_mode", "custom_bwd", "custom_fwd", "grad_scaler",
    "is_autocast_available",
]  # fmt: skip

answer_for(globals())
