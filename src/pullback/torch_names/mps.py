"""torch.mps in a build without Metal: see `pullback.cuda`."""

from .absent_devices import answering, needing, nothing, refusing, uninstantiable

_HERE = "torch.mps"

globals().update({
    **answering("is_available", _HERE, bool),
    **answering("device_count", _HERE, int),
    **answering("manual_seed", _HERE, nothing),
    **needing("MPS", "deviceSynchronize", "synchronize"),
    **needing("MPS", "emptyCache", "empty_cache"),
    **needing("MPS", "getDefaultGenerator", "seed get_rng_state set_rng_state"),
    **needing("MPS", "getCurrentAllocatedMemory", "current_allocated_memory"),
    **needing("MPS", "getDriverAllocatedMemory", "driver_allocated_memory"),
    **needing("MPS", "getRecommendedMaxMemory", "recommended_max_memory"),
    **needing("MPS", "setMemoryFraction", "set_per_process_memory_fraction"),
    **refusing("compile_shader load_metallib", _HERE, RuntimeError, "MPS is not available"),
    **uninstantiable(["Event"], "torch.mps.event", "Cannot execute acquireEvent() without MPS backend."),
})  # fmt: skip
