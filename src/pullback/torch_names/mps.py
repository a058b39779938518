"""torch.mps in a build without Metal: see `pullback.cuda`."""

from __future__ import annotations

from .absent_devices import answering, nothing, refusing, uninstantiable

_HERE = "torch.mps"


def _needs(internal: str, names: str) -> dict[str, object]:
    text = f"Cannot execute {internal}() without MPS backend."
    return dict(refusing(names, _HERE, RuntimeError, text))


globals().update({
    **answering("is_available", _HERE, bool),
    **answering("device_count", _HERE, int),
    **answering("manual_seed", _HERE, nothing),
    **_needs("deviceSynchronize", "synchronize"),
    **_needs("emptyCache", "empty_cache"),
    **_needs("getDefaultGenerator", "seed get_rng_state set_rng_state"),
    **_needs("getCurrentAllocatedMemory", "current_allocated_memory"),
    **_needs("getDriverAllocatedMemory", "driver_allocated_memory"),
    **_needs("getRecommendedMaxMemory", "recommended_max_memory"),
    **_needs("setMemoryFraction", "set_per_process_memory_fraction"),
    **refusing("compile_shader load_metallib", _HERE, RuntimeError, "MPS is not available"),
    **uninstantiable(["Event"], "torch.mps.event", "Cannot execute acquireEvent() without MPS backend."),
})  # fmt: skip
