"""torch.mtia in a build without MTIA: see `pullback.cuda`."""

from .absent_devices import answering, needing, nothing

_HERE = "torch.mtia"

globals().update({
    **answering("is_available is_initialized", _HERE, bool),
    **answering("device_count memory_allocated max_memory_allocated", _HERE, int),
    **answering("manual_seed manual_seed_all seed seed_all", _HERE, nothing),
    **needing("MTIA", "getCurrentDevice", "synchronize current_device"),
    **needing("MTIA", "emptyCache", "empty_cache"),
})  # fmt: skip


def is_bf16_supported() -> bool:
    """Return True: every such device computes in bfloat16."""
    return True
