"""Describe a parallel module: data about its buckets and iterations, and its lines in the log."""

import functools
import logging
import os
import sys
from typing import Any

from ..modules.batchnorm import SyncBatchNorm

logger = logging.getLogger("torch.nn.parallel.distributed")

#: The environment variables that are told.
_LOGGED = (
    "MASTER_ADDR", "MASTER_PORT", "CUDA_VISIBLE_DEVICES", "TORCH_DISTRIBUTED_DEBUG", "GLOO_SOCKET_IFNAME",
    "GLOO_DEVICE_TRANSPORT",
)  # fmt: skip

#: How torch's log calls dtypes.
_NAMES = {
    "torch.float32": "float", "torch.float64": "double", "torch.float16": "c10::Half",
    "torch.bfloat16": "c10::BFloat16",
}  # fmt: skip


def logging_data(ddp: Any) -> dict[str, Any]:
    """Return what programs ask about buckets, iterations and their times in nanoseconds."""
    buckets = ddp.reducer.buckets
    rebuilt = ddp.reducer.has_rebuilt
    parameters = ddp.reducer.parameters
    failed = {"has_error": 1, "error": ddp.reducer.error} if ddp.reducer.error else {}
    return {
        **failed,
        "backend_name": ddp.process_group.backend,
        "bucket_sizes": ", ".join(map(str, ddp.reducer.first_sizes)),
        "rebuilt_bucket_sizes": ", ".join(map(str, ddp.reducer.sizes())) if rebuilt else "",
        "rebuilt_per_bucket_param_indices": ", ".join(
            " ".join(map(str, b.numbers)) for b in buckets
        ) if rebuilt else "",
        "prev_iteration_grad_ready_order_indices": ", ".join(map(str, ddp.reducer.ready_order)),
        "module_name": type(ddp.module).__name__,
        "device_ids": "",
        "dtypes": ", ".join(dict.fromkeys(_NAMES.get(str(p.dtype), str(p.dtype)) for p in parameters)),
        "broadcast_buffers": int(ddp.forward_sync_buffers),
        "bucket_cap_bytes": ddp.bucket_bytes_cap,
        "find_unused_parameters": int(ddp.find_unused_parameters),
        "gradient_as_bucket_view": int(ddp.gradient_as_bucket_view),
        "static_graph": int(ddp.static_graph),
        "comm_hook": ddp._comm_hooks[0][0].__qualname__ if ddp._comm_hooks else "",
        "has_rebuilt_buckets": int(rebuilt),
        **ddp.reducer.times.data,
        "num_parameter_tensors": len(parameters),
        "total_parameter_size_bytes": sum(p.numel() * p.element_size() for p in parameters),
        "output_device": -1,
        "rank": ddp.process_group.rank(),
        "world_size": ddp.process_group.size(),
        "is_multi_device_module": 0,
        "has_sync_bn": int(any(isinstance(m, SyncBatchNorm) for m in ddp.module.modules())),
        "unused_parameter_size": sum(
            parameters[n].numel() * parameters[n].element_size() for n in ddp.reducer._unused
        ),
        "num_buckets_reduced": len(buckets),
        **{name.lower(): os.environ.get(name, "N/A") for name in _LOGGED},
        "gloo_num_threads": 2,
    }  # fmt: skip


#: The environment variables that `print_variables` prints.
_VARIABLES = (
    "RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_PORT", "MASTER_ADDR", "CUDA_VISIBLE_DEVICES",
    "GLOO_SOCKET_IFNAME", "GLOO_DEVICE_TRANSPORT", "NCCL_SOCKET_IFNAME", "NCCL_DEBUG",
    "NCCL_TOPO_DUMP_FILE", "TORCH_NCCL_BLOCKING_WAIT", "TORCH_NCCL_ASYNC_ERROR_HANDLING",
)  # fmt: skip


def print_variables() -> None:
    """Print the environment variables that parallel modules depend on."""
    sys.stdout.write("".join(f"env:{name}={os.environ.get(name, 'N/A')}\n" for name in _VARIABLES) + "\n")


@functools.cache
def say_none_unused() -> None:
    """Warn in the log, once, that a search for unused parameters found none."""
    logger.warning(
        "Warning: find_unused_parameters=True was specified in DDP constructor, but did not find any unused "
        "parameters in the forward pass. This flag results in an extra traversal of the autograd graph every "
        "iteration,  which can adversely affect performance. If your model indeed never has any unused "
        "parameters in the forward pass, consider turning this flag off. Note that this warning may be a "
        "false positive if your model has flow control causing later iterations to have unused parameters."
    )
