"""torch.cuda in a build without CUDA: `is_available()` is False, and what needs a device raises torch's
error.

Functions that torch lets every program call (seeding, emptying caches, counting devices and bytes) do nothing
or count none.
"""

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ...core.device import device as _device
from ...tensor.legacy import CUDA_TYPES
from .. import absent_devices as _absent
from ..absent_devices import answering, nothing, on_device, refusing, uninstantiable
from ..exclusions import answer_for

_HERE = "torch.cuda"
_NO_CUDA = "Torch not compiled with CUDA enabled"
#: Whether a program has begun to use CUDA; libraries look at it before they start processes.
_initialized = False
_NO_NVML = "nvidia-ml-py does not seem to be installed or it can't be imported."

_REFUSED = refusing(
    "can_device_access_peer cudart current_blas_handle current_device current_stream default_stream "
    "get_device_capability get_device_name get_device_properties get_per_process_memory_fraction "
    "get_rng_state get_stream_from_external get_sync_debug_mode init initial_seed ipc_collect mem_get_info "
    "set_per_process_memory_fraction set_sync_debug_mode synchronize current_solver_handle _lazy_init",
    _HERE, AssertionError, _NO_CUDA,
)  # fmt: skip
_UNMEASURED = refusing(
    "clock_rate device_memory_used memory_usage power_draw temperature utilization",
    _HERE, ModuleNotFoundError, _NO_NVML,
)  # fmt: skip
_UNMANAGED = refusing(
    "caching_allocator_alloc caching_allocator_delete caching_allocator_enable change_current_allocator "
    "get_allocator_backend make_graphed_callables memory_snapshot reset_accumulated_memory_stats "
    "reset_max_memory_allocated reset_max_memory_cached reset_peak_memory_stats "
    "reset_accumulated_host_memory_stats reset_peak_host_memory_stats memory_summary",
    _HERE, AssertionError, _NO_CUDA,
)  # fmt: skip
_COUNTED = answering(
    "device_count max_memory_allocated max_memory_cached max_memory_reserved memory_allocated memory_cached "
    "memory_reserved",
    _HERE, int,
)  # fmt: skip
_DENIED = answering(
    "is_available is_bf16_supported is_initialized is_tf32_supported _is_in_bad_fork", _HERE, bool
)
_DONE = answering(
    "empty_cache manual_seed manual_seed_all seed seed_all set_rng_state set_rng_state_all set_stream",
    _HERE, nothing,
)  # fmt: skip
_EMPTY = {
    **answering("get_arch_list get_rng_state_all", _HERE, list),
    **answering("host_memory_stats memory_stats", _HERE, OrderedDict),
    **answering("host_memory_stats_as_nested_dict memory_stats_as_nested_dict", _HERE, dict),
    **answering("get_gencode_flags", _HERE, str),
}
_CLASSES = {
    **uninstantiable(["Stream", "ExternalStream"], "torch.cuda.streams", "torch.cuda.Stream requires CUDA "
                                                                         "support"),
    **uninstantiable(["Event"], "torch.cuda.streams", "Tried to instantiate dummy base class {}"),
    **uninstantiable(["CUDAGraph"], "torch.cuda.graphs", "Tried to instantiate dummy base class {}"),
    **uninstantiable(
        ["CUDAPluggableAllocator", "MemPool"], "torch.cuda.memory", "Tried to instantiate dummy base class {}"
    ),
}  # fmt: skip
_GRAPHS = refusing("graph", "torch.cuda.graphs", RuntimeError, "torch.cuda.Stream requires CUDA support")
_CAPTURING = {
    **refusing("is_current_stream_capturing", _HERE, RuntimeError,
               "Tried to instantiate dummy base class _cuda_isCurrentStreamCapturing"),
    **refusing("graph_pool_handle", _HERE, RuntimeError,
               "Tried to instantiate dummy base class _graph_pool_handle"),
}  # fmt: skip

globals().update(
    {**_REFUSED, **_UNMEASURED, **_UNMANAGED, **_COUNTED, **_DENIED, **_DONE, **_EMPTY, **_CLASSES, **_GRAPHS,
     **_CAPTURING, **CUDA_TYPES}
)  # fmt: skip

default_generators: tuple[Any, ...] = ()
has_half = True
has_magma = False


class OutOfMemoryError(RuntimeError):
    """Raised where a device has no memory left, which programs catch."""

    __module__ = "torch"


class AcceleratorError(RuntimeError):
    """Raised where a device fails."""

    __module__ = "torch"


class CudaError(RuntimeError):
    """Raised where a call of the CUDA library fails."""


class DeferredCudaCallError(Exception):
    """Raised where a call that waited for CUDA fails."""


device, device_of = on_device("cuda", RuntimeError)
StreamContext, stream = _absent.StreamContext, _absent.stream


def set_device(device: Any) -> None:
    """Choose the device; a negative index changes nothing, others are not there."""
    index = _device(device).index if isinstance(device, str) else getattr(device, "index", device)
    if index is None or index >= 0:
        raise AssertionError(_NO_CUDA)


def list_gpu_processes(device: Any = None) -> str:
    """Say why nothing is known of the processes on a device."""
    return "pynvml module not found, please install nvidia-ml-py"


if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


answer_for(globals(), "amp", "graphs", "memory", "nccl", "nvtx", "profiler", "random", "streams")
