"""torch.utils.data._utils: where torch has the parts of its loader that libraries import."""

from . import collate, pin_memory, worker

#: Seconds between looks at the workers, in torch.
MP_STATUS_CHECK_INTERVAL = 5.0

__all__ = ["MP_STATUS_CHECK_INTERVAL", "collate", "pin_memory", "worker"]
