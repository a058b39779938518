"""torch.distributed: several processes that work together, through MPI.

A group of one process needs no MPI: programs made for several also run as one.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..core.process_group import ProcessGroup
from ..nn.parallel import buckets, synchronization
from ..nn.parallel.buckets import GradBucket
from ..nn.parallel.reducer import Reducer as Reducer
from ..torch_names.exclusions import no_attribute
from .backend import (
    Backend,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_mpi_available,
    is_nccl_available,
    is_ucc_available,
    is_xccl_available,
)
from .collectives import (
    all_gather,
    all_gather_into_tensor,
    all_reduce,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
)
from .groups import (
    destroy_process_group,
    get_backend,
    get_backend_config,
    get_global_rank,
    get_group_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    new_group,
)
from .initialization import init_process_group, is_initialized, is_torchelastic_launched
from .objects import all_gather_object, broadcast_object_list, gather_object, scatter_object_list
from .point_to_point import P2POp, batch_isend_irecv, irecv, isend, recv, send
from .process_group import GroupMember
from .reduce_op import ReduceOp
from .store import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    FileStore,
    HashStore,
    PrefixStore,
    QueueEmptyError,
    Store,
)
from .tcp_store import TCPStore
from .work import Work

if TYPE_CHECKING:
    from . import _composable as _composable
    from . import algorithms as algorithms
    from . import autograd as autograd
    from . import checkpoint as checkpoint
    from . import device_mesh as device_mesh
    from . import elastic as elastic
    from . import fsdp as fsdp
    from . import nn as nn
    from . import optim as optim
    from . import rpc as rpc
    from . import tensor as tensor

__all__ = [
    "Backend", "DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "FileStore",
    "GradBucket", "GroupMember", "HashStore", "P2POp", "PrefixStore", "ProcessGroup", "QueueEmptyError",
    "ReduceOp", "Store", "TCPStore", "Work", "all_gather", "all_gather_into_tensor", "all_gather_object",
    "all_reduce", "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast",
    "broadcast_object_list", "destroy_process_group", "gather", "gather_object", "get_backend",
    "get_backend_config", "get_global_rank", "get_group_rank", "get_process_group_ranks", "get_rank",
    "get_world_size", "group", "init_process_group", "irecv", "is_available", "is_backend_available",
    "is_gloo_available", "is_initialized", "is_mpi_available", "is_nccl_available",
    "is_torchelastic_launched", "is_ucc_available", "is_xccl_available", "isend", "new_group", "recv",
    "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter", "scatter_object_list", "send",
]  # fmt: skip

# what programs and libraries use under torch's names for the inside of data parallelism
_compute_bucket_assignment_by_size = buckets.compute_bucket_assignment_by_size
_broadcast_coalesced = synchronization.broadcast_coalesced
_verify_params_across_processes = synchronization.verify_params_across_processes

_LAZY = (
    "_composable", "algorithms", "autograd", "checkpoint", "device_mesh", "elastic", "fsdp", "nn", "optim",
    "rpc", "tensor",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "_tensor":  # as `tensor` was called before
        return importlib.import_module(f"{__name__}.tensor")
    raise no_attribute("module 'torch.distributed'", "torch.distributed", name, globals())
