"""torch.distributed.optim.post_localSGD_optimizer: each process steps alone, and averages now and then."""

from typing import Any

from ...core.warn import warn
from ...optim import Optimizer
from ..algorithms.model_averaging.averagers import ModelAverager


class PostLocalSGDOptimizer(Optimizer):
    """An optimizer after whose steps an averager may average the parameters.

    Parameters
    ----------
    optim : Optimizer
        Does the steps.
    averager : ModelAverager
        Decides after which steps the processes average, and among which of them.
    """

    def __init__(self, optim: Optimizer, averager: ModelAverager) -> None:
        self.optim = optim
        self.param_groups = optim.param_groups
        self.averager = averager

    @property
    def state(self) -> Any:  # type: ignore[override]
        """Return the state of the optimizer that does the steps."""
        return self.optim.state

    def __repr__(self) -> str:
        return repr(self.optim)

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the optimizer, with the averager's number of steps as ``"step"``."""
        return {**self.optim.state_dict(), "step": self.averager.step}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take up a state, the averager's number of steps included."""
        self.optim.load_state_dict(state_dict)
        if "step" not in state_dict:
            warn(
                "Loaded state dict does not contain a step counter for an averager. Setting step counter to "
                "0."
            )
        self.averager.step = state_dict.get("step", 0)

    def step(self) -> None:  # type: ignore[override]
        """Do a step, and average where the averager's period is over."""
        self.optim.step()
        self.averager.average_parameters(self.param_groups)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        self.optim.zero_grad(set_to_none=set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of further parameters."""
        self.optim.add_param_group(param_group)


__all__ = ["PostLocalSGDOptimizer"]
