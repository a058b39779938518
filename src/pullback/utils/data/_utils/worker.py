"""torch.utils.data._utils.worker: what a worker process knows of itself, and its seeds."""

from ..worker import WorkerInfo, get_worker_info
from ..worker import numpy_seed as _generate_state

__all__ = ["WorkerInfo", "_generate_state", "get_worker_info"]
