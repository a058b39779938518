"""torch.distributed.fsdp: modules whose parameters are sharded over the processes."""

from . import api
from .api import *  # noqa: F403  # as torch has them
from .fully_shard import FSDPModule, UnshardHandle, fully_shard, register_fsdp_forward_method
from .fully_sharded_data_parallel import FullyShardedDataParallel, OptimStateKeyType

__all__ = [
    "FSDPModule", "FullyShardedDataParallel", "OptimStateKeyType", "UnshardHandle", "fully_shard",
    "register_fsdp_forward_method",
]  # fmt: skip
__all__ += api.__all__
