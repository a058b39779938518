"""torch.nn.parallel.distributed: one module in several processes, which needs a group of them."""

from __future__ import annotations

from typing import Any

from ...errors import with_note
from ..modules.module import Module


class DistributedDataParallel(Module):
    """A module of which each process of a group has a copy; for `isinstance`, because no group can be made.

    Parameters
    ----------
    module : Module
        What the processes train together.
    *args, **kwargs
        Make no difference.

    Raises
    ------
    ValueError
        Always: as in torch where no process group was initialized.
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        raise with_note(
            ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            ),
            "pullback has no process groups: torch.distributed.is_available() is False. Train the module "
            "itself.",
        )


DistributedDataParallel.__module__ = "torch.nn.parallel.distributed"

__all__ = ["DistributedDataParallel"]
