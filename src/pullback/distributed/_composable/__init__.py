"""torch.distributed._composable: the place by which libraries still import `fsdp`."""

from .. import fsdp

__all__ = ["fsdp"]
