"""torch.distributed.algorithms.model_averaging.hierarchical_model_averager: large groups average seldom."""

import logging
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from ....core.warn import warn
from ...groups import new_subgroups
from .averagers import NO_NEED, ModelAverager, check_warmup
from .utils import average_parameters_or_parameter_groups

logger = logging.getLogger(__name__)


class HierarchicalModelAverager(ModelAverager):
    """Average over groups of several sizes, each every so many steps.

    Of the periods that a step can be divided by, the longest counts.

    Parameters
    ----------
    period_group_size_dict : OrderedDict of int to int
        The number of processes that average, by the period, the shortest first. The last number is that of
        all processes of the group.
    warmup_steps : int
        How many steps come before the first average.
    process_group : ProcessGroup, optional
        By default the default group.
    """

    def __init__(
        self, period_group_size_dict: Any = None, warmup_steps: int = 0, process_group: Any = None
    ) -> None:
        super().__init__(process_group)
        if not period_group_size_dict:
            raise ValueError("Arg ``period_group_size_dict`` must not be empty.")
        self._periods = list(period_group_size_dict)
        if self._periods[0] <= 0:
            raise ValueError("The minimum period in arg ``period_group_size_dict`` must be a positive value.")
        if self._periods[-1] == 1:
            text = "When the maximum period in arg ``period_group_size_dict`` is 1, "
            warn(text + NO_NEED)
        whole, largest = self.process_group.size(), list(period_group_size_dict.values())[-1]
        if largest != whole:
            raise ValueError(
                f"The last value in arg ``period_group_size_dict`` {largest} must be equal to the size of "
                f"arg ``process_group`` {whole}."
            )
        self.period_process_group_dict: OrderedDict[int, Any] = OrderedDict()
        logger.info("Model averaging hierarchy:")
        for period, size in period_group_size_dict.items():
            logger.info(
                "\tEach group that has %s processes average parameters every %s iterations, if no "
                "higher-level averaging.", size, period,
            )  # fmt: skip
            group = self.process_group
            if size != whole:
                group, _ = new_subgroups(group_size=size, group=self.process_group)
            self.period_process_group_dict[period] = group
        self.warmup_steps = check_warmup(warmup_steps)

    def _find_process_group(self) -> Any:
        """Return the group that averages after this step; None where none does."""
        for period in reversed(self._periods):
            if self.step % period == 0:
                return self.period_process_group_dict[period]
        return None

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Count a step; average parameters, or those of an optimizer's groups, where it is time."""
        group = self._find_process_group() if self.step >= self.warmup_steps else None
        if group is not None:
            average_parameters_or_parameter_groups(params, group)
        self.step += 1


__all__ = ["HierarchicalModelAverager"]
