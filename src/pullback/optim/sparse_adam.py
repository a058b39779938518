"""SparseAdam: Adam for sparse gradients, which pullback does not have; it refuses dense ones as
torch does.
"""

from __future__ import annotations

from typing import Any

from .checks import check_betas
from .optimizer import Optimizer


class SparseAdam(Optimizer):
    """Adam that touches only the rows that a sparse gradient names.

    pullback has no sparse tensors, so every step ends in torch's error about dense gradients. Programs that
    build this optimizer beside others and never step it run.
    """

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:  # fmt: skip
        if not lr > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        places = [
            [number, place]
            for number, group in enumerate(self.param_groups)
            for place, param in enumerate(group["params"])
            if param.is_complex()
        ]
        if places:
            raise ValueError(
                f"Complex params at indices {places}: SparseAdam does not support complex parameters"
            )

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Nothing: there is no step."""
        return {}

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Refuse the dense gradient."""
        raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")


SparseAdam.__module__ = "torch.optim.sparse_adam"
