"""torch.distributed.constants: how long collectives wait."""

from .process_group import DEFAULT_TIMEOUT

default_pg_timeout = DEFAULT_TIMEOUT
default_pg_nccl_timeout = None

__all__ = ["default_pg_nccl_timeout", "default_pg_timeout"]
