"""Define RAdam: Adam with a rectified adaptive learning rate."""

from typing import Any

from .checks import approach, check_adam, chosen, decayed, number
from .optimizer import Optimizer


class RAdam(Optimizer):
    """RAdam (Liu et al. 2020).

    With gradient g, step t, learning rate γ, weight decay λ::

        g ← g + λ·p
        m ← β₁·m + (1 − β₁)·g
        v ← β₂·v + (1 − β₂)·g²
        m̂ = m/(1 − β₁ᵗ),   ρ∞ = 2/(1 − β₂) − 1,   ρ = ρ∞ − 2·t·β₂ᵗ/(1 − β₂ᵗ)
        p ← p − γ·m̂·r·√(1 − β₂ᵗ)/(√v + ε)     where ρ > 5, r² = (ρ−4)(ρ−2)ρ∞ / ((ρ∞−4)(ρ∞−2)ρ)
        p ← p − γ·m̂                            else

    With `decoupled_weight_decay` the decay is p ← p − γ·λ·p instead.
    """

    _splits_complex = True
    _zeros = ("exp_avg", "exp_avg_sq")

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_adam(lr, betas, eps, weight_decay=weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable,
        })

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        beta1, beta2 = group["betas"]
        lr = number(group["lr"])
        state["step"] += 1
        step = number(state["step"])
        grad = decayed(param, grad, group, lr)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        approach(mean, grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        rest = 1 - beta2**step
        change = mean / (1 - beta1**step) * lr
        limit = 2 / (1 - beta2) - 1
        length = limit - 2 * step * beta2**step / rest
        reliable = length > 5.0
        if reliable is not False:
            squared = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
            rectified = change * (rest**0.5 / square.sqrt().add_(group["eps"])) * squared**0.5
            change = chosen(reliable, rectified, change)
        param.add_(change, alpha=-1.0)
