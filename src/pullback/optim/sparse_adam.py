"""Define SparseAdam: Adam for sparse gradients; it refuses dense ones as torch does."""

import math
from typing import Any

from ..tensor.creation_like import zeros_like
from ..tensor.tensor import Tensor
from .checks import check_betas, number
from .optimizer import Optimizer


class SparseAdam(Optimizer):
    """Adam that touches only the elements that a sparse gradient names.

    With gradient g at the places that it has, step t and learning rate γ::

        m ← m + (1 − β₁)·(g − m)
        v ← v + (1 − β₂)·(g² − v)
        p ← p − γ·√(1 − β₂ᵗ)/(1 − β₁ᵗ)·m/(√v + ε)

    at those places only; the step is counted for the whole parameter.
    """

    _takes_sparse = True

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 < lr <= math.inf:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps <= math.inf:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        places = [
            ([index, place], param)
            for index, group in enumerate(self.param_groups)
            for place, param in enumerate(group["params"])
        ]
        wrong = [place for place, param in places if param.is_sparse]
        if wrong:
            raise ValueError(f"Sparse params at indices {wrong}: SparseAdam requires dense parameter tensors")
        wrong = [place for place, param in places if param.is_complex()]
        if wrong:
            raise ValueError(
                f"Complex params at indices {wrong}: SparseAdam does not support complex parameters"
            )

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Step count 0 and averages at zero, if the gradient is sparse."""
        if not param.grad.is_sparse:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        return {"step": 0, "exp_avg": zeros_like(param), "exp_avg_sq": zeros_like(param)}

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        if not grad.is_sparse:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        state["step"] += 1
        grad = grad.coalesce()
        if not grad._nnz():
            return
        beta1, beta2 = group["betas"]
        places, g = tuple(grad.indices()), grad.values()
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        m, v = mean[places], square[places]
        m = (g - m).mul_(1 - beta1).add_(m)
        v = g.pow(2).sub_(v).mul_(1 - beta2).add_(v)
        mean[places], square[places] = m, v
        rate = number(group["lr"]) * math.sqrt(1 - beta2 ** state["step"]) / (1 - beta1 ** state["step"])
        param[places] += m.div(v.sqrt().add_(group["eps"])).mul_(-rate)
