"""torch.distributed.tensor.parallel: layers whose weights are divided among processes."""

from . import style
from .api import parallelize_module
from .loss import loss_parallel
from .style import *  # noqa: F403  # as torch has them

__all__ = ["loss_parallel", "parallelize_module"]
__all__ += style.__all__
