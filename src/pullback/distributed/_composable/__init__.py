"""torch.distributed._composable: the place by which libraries still import `fsdp`."""

from __future__ import annotations

from .. import fsdp

__all__ = ["fsdp"]
