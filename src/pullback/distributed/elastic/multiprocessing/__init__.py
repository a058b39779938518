"""torch.distributed.elastic.multiprocessing: what the processes of such a program use."""

from __future__ import annotations

from . import errors

__all__ = ["errors"]
