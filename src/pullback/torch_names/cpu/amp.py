"""torch.cpu.amp: mixed precision on the CPU, under torch's older names."""

from ..amp.older_names import older_names

autocast, GradScaler = older_names("cpu", "the CPU")

__all__ = ["GradScaler", "autocast"]
