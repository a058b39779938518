"""torch.distributed.fsdp.sharded_grad_scaler: scaled losses where gradients are in shards."""

from typing import Any

from ...core.process_group import needed_group
from ...tensor.creation import tensor
from ...torch_names.amp.grad_scaler import GradScaler


class ShardedGradScaler(GradScaler):
    """Scale as `torch.amp.GradScaler` does; a step is left out where any process has gradients that overflow.

    Parameters
    ----------
    device : str
    init_scale, backoff_factor, growth_factor : float
    growth_interval : int
    enabled : bool
        As of `torch.amp.GradScaler`.
    process_group : ProcessGroup, optional
        The processes that have shards; by default all.
    """

    def __init__(
        self, device: str = "cuda", init_scale: float = 2.0**16, backoff_factor: float = 0.5,
        growth_factor: float = 2.0, growth_interval: int = 2000, enabled: bool = True,
        process_group: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(device, init_scale, growth_factor, backoff_factor, growth_interval, enabled)
        self.process_group = process_group

    def unscale_(self, optimizer: Any) -> None:
        """Divide an optimizer's gradients by the factor and note whether all are finite in all processes."""
        super().unscale_(optimizer)
        if not self._enabled:
            return
        state = self._per_optimizer_states[optimizer]
        found = tensor([float(bool(state["found_inf_per_device"].get("cpu")))])
        (self.process_group or needed_group()).allreduce(found).wait()
        state["found_inf_per_device"] = {"cpu": found[0] > 0}


ShardedGradScaler.__module__ = "torch.distributed.fsdp.sharded_grad_scaler"

__all__ = ["ShardedGradScaler"]
