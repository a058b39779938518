"""Define Adamax: Adam with the infinity norm."""

from typing import Any

from .checks import add_ratio, approach, check_adam, number, with_decay
from .optimizer import Optimizer


class Adamax(Optimizer):
    """Adamax (Kingma & Ba 2015, section 7.1).

    With gradient g, step t, learning rate γ, weight decay λ::

        g ← g + λ·p
        m ← β₁·m + (1 − β₁)·g
        u ← max(β₂·u, |g| + ε)
        p ← p − γ/(1 − β₁ᵗ)·m/u
    """

    _splits_complex = True
    _zeros = ("exp_avg", "exp_inf")

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False,
        differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        check_adam(lr, betas, eps, weight_decay=weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        })

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        beta1, beta2 = group["betas"]
        state["step"] += 1
        grad = with_decay(param, grad, group["weight_decay"])
        mean, norm = state["exp_avg"], state["exp_inf"]
        approach(mean, grad, 1 - beta1)
        norm.mul_(beta2).copy_(norm.maximum(grad.abs().add_(group["eps"])))
        rate = number(group["lr"]) / (1 - beta1 ** number(state["step"]))
        add_ratio(param, mean, norm, -rate)
