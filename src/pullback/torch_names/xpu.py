"""torch.xpu in a build without XPU: see `pullback.cuda`."""

from collections import OrderedDict
from typing import Any

from . import absent_devices as _absent
from .absent_devices import answering, nothing, on_device, refusing, uninstantiable

_HERE = "torch.xpu"

globals().update({
    **refusing(
        "can_device_access_peer current_device current_stream get_device_capability get_device_name "
        "get_device_properties get_per_process_memory_fraction get_rng_state get_stream_from_external init "
        "initial_seed is_current_stream_capturing mem_get_info memory_snapshot make_graphed_callables "
        "reset_accumulated_memory_stats reset_peak_memory_stats set_device set_per_process_memory_fraction "
        "synchronize change_current_allocator graph_pool_handle graph clock_rate device_memory_used "
        "memory_usage power_draw temperature utilization",
        _HERE, AssertionError, "Torch not compiled with XPU enabled",
    ),
    **answering(
        "device_count max_memory_allocated max_memory_reserved memory_allocated memory_reserved", _HERE, int
    ),
    **answering("is_available is_bf16_supported is_initialized is_tf32_supported", _HERE, bool),
    **answering(
        "empty_cache manual_seed manual_seed_all seed seed_all set_rng_state set_rng_state_all set_stream",
        _HERE, nothing,
    ),
    **answering("get_arch_list get_rng_state_all", _HERE, list),
    **answering("memory_stats", _HERE, OrderedDict),
    **answering("memory_stats_as_nested_dict", _HERE, dict),
    **answering("get_gencode_flags", _HERE, str),
    **uninstantiable(["Stream", "Event", "XPUGraph", "MemPool", "XPUPluggableAllocator"], _HERE,
                     "Tried to instantiate dummy base class {}"),
})  # fmt: skip

default_generators: tuple[Any, ...] = ()
device, device_of = on_device("xpu", NotImplementedError)
StreamContext, stream = _absent.StreamContext, _absent.stream
