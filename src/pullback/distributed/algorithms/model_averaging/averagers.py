"""torch.distributed.algorithms.model_averaging.averagers: average the parameters every few steps."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from ....core.process_group import needed_group
from ....core.warn import warn
from . import utils

NO_NEED = (
    "no need to use model averaging because the communication cost of all-reducing parameters will be no "
    "less than the cost of all-reducing gradients by DistributedDataParallel in the backward pass. "
    "Therefore, only DistributedDataParallel should be used for this case."
)


class ModelAverager(ABC):
    """Count steps, and average parameters after some of them.

    Parameters
    ----------
    process_group : ProcessGroup, optional
        By default the default group.
    """

    def __init__(self, process_group: Any = None) -> None:
        self.process_group = process_group if process_group is not None else needed_group()
        self.step = 0

    @abstractmethod
    def average_parameters(self, params: Iterable[Any]) -> None:
        """Count a step; average parameters, or those of an optimizer's groups, where it is time."""
        raise NotImplementedError


def check_warmup(warmup_steps: int) -> int:
    """Return a number of first steps; raise where it is none."""
    if warmup_steps < 0:
        raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
    return warmup_steps


class PeriodicModelAverager(ModelAverager):
    """Average every `period` steps.

    Parameters
    ----------
    period : int
    warmup_steps : int
        How many steps come before the first average.
    process_group : ProcessGroup, optional
        By default the default group.
    """

    def __init__(self, period: int, warmup_steps: int = 0, process_group: Any = None) -> None:
        super().__init__(process_group)
        self.warmup_steps = check_warmup(warmup_steps)
        if period < 1:
            raise ValueError("Arg ``period`` must be a positive value.")
        if period == 1:
            warn(f"When period is 1, {NO_NEED}")
        self.period = period

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Count a step; average parameters, or those of an optimizer's groups, where it is time."""
        if (since := self.step - self.warmup_steps) >= 0 and since % self.period == 0:
            utils.average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1


__all__ = ["ModelAverager", "PeriodicModelAverager"]
