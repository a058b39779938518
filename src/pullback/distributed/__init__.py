"""torch.distributed: several processes that work together, through MPI.

A group of one process needs no MPI: programs made for several also run as one.
"""

from typing import TYPE_CHECKING

from ..core.process_group import ProcessGroup
from ..nn.parallel import buckets, synchronization
from ..nn.parallel.buckets import GradBucket
from ..nn.parallel.reducer import Reducer as Reducer
from ..torch_names.exclusions import answer_for
from .backend import (
    Backend,
    BackendConfig,
    get_default_backend_for_device,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_mpi_available,
    is_nccl_available,
    is_ucc_available,
    is_xccl_available,
    supports_complex,
)
from .barriers import monitored_barrier
from .coalesced import all_gather_coalesced, all_reduce_coalesced
from .collective_checks import DebugLevel, get_debug_level, set_debug_level, set_debug_level_from_env
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
    get_node_local_rank,
    get_pg_count,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    new_group,
    new_subgroups,
    new_subgroups_by_enumeration,
    split_group,
)
from .initialization import init_process_group, is_initialized, is_torchelastic_launched
from .objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from .options import (
    AllreduceCoalescedOptions,
    AllreduceOptions,
    AllToAllOptions,
    BarrierOptions,
    BroadcastOptions,
    GatherOptions,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
)
from .point_to_point import P2POp, batch_isend_irecv, irecv, isend, recv, send
from .process_group import DEFAULT_TIMEOUT as default_pg_timeout
from .process_group import GroupMember, rank_not_in_group
from .reductions import ReduceOp
from .rendezvous import register_rendezvous_handler
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

all_gather_single = all_gather_into_tensor
reduce_scatter_single = reduce_scatter_tensor

if TYPE_CHECKING:
    from . import _composable as _composable
    from . import _tensor as _tensor
    from . import algorithms as algorithms
    from . import autograd as autograd
    from . import checkpoint as checkpoint
    from . import constants as constants
    from . import device_mesh as device_mesh
    from . import distributed_c10d as distributed_c10d
    from . import elastic as elastic
    from . import fsdp as fsdp
    from . import launch as launch
    from . import nn as nn
    from . import optim as optim
    from . import rpc as rpc
    from . import run as run
    from . import tensor as tensor

__all__ = [
    "AllToAllOptions", "AllreduceCoalescedOptions", "AllreduceOptions", "Backend", "BackendConfig",
    "BarrierOptions", "BroadcastOptions", "DebugLevel", "DistBackendError", "DistError",
    "DistNetworkError", "DistStoreError", "FileStore", "GatherOptions", "GradBucket",
    "GroupMember", "HashStore", "P2POp", "PrefixStore", "ProcessGroup", "QueueEmptyError",
    "ReduceOp", "ReduceOptions",
    "ReduceScatterOptions", "ScatterOptions", "Store", "TCPStore", "Work", "all_gather",
    "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object", "all_gather_single",
    "all_reduce", "all_reduce_coalesced", "all_to_all", "all_to_all_single", "barrier",
    "batch_isend_irecv", "broadcast", "broadcast_object_list", "default_pg_timeout",
    "destroy_process_group", "gather", "gather_object", "get_backend", "get_backend_config",
    "get_debug_level", "get_default_backend_for_device", "get_global_rank", "get_group_rank",
    "get_node_local_rank", "get_pg_count", "get_process_group_ranks", "get_rank", "get_world_size",
    "group", "init_process_group", "irecv", "is_available", "is_backend_available", "is_gloo_available",
    "is_initialized", "is_mpi_available", "is_nccl_available", "is_torchelastic_launched",
    "is_ucc_available", "is_xccl_available", "isend", "monitored_barrier", "new_group", "new_subgroups",
    "new_subgroups_by_enumeration", "recv", "recv_object_list", "reduce", "reduce_scatter",
    "reduce_scatter_single", "reduce_scatter_tensor", "register_rendezvous_handler", "scatter",
    "scatter_object_list", "send", "send_object_list", "set_debug_level", "set_debug_level_from_env",
    "split_group", "supports_complex",
]  # fmt: skip

# what programs and libraries use under torch's names for the inside of data parallelism
_compute_bucket_assignment_by_size = buckets.compute_bucket_assignment_by_size
_broadcast_coalesced = synchronization.broadcast_coalesced
_rank_not_in_group = rank_not_in_group
_verify_params_across_processes = synchronization.verify_params_across_processes

answer_for(
    globals(), "_composable", "_tensor", "algorithms", "autograd", "checkpoint", "constants", "device_mesh",
    "distributed_c10d", "elastic", "fsdp", "launch", "nn", "optim", "rpc", "run", "tensor",
)  # fmt: skip
