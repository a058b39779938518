"""Define NAdam: Adam with Nesterov momentum."""

from typing import Any

from ..tensor.creation import tensor
from ..tensor.creation_like import zeros_like
from .checks import add_ratio, approach, check_adam, decayed, number
from .optimizer import Optimizer


class NAdam(Optimizer):
    """NAdam (Dozat 2016).

    With gradient g, step t, learning rate γ, weight decay λ, momentum decay ψ::

        g  ← g + λ·p
        μₜ = β₁·(1 − ½·0.96^(t·ψ)),   Π ← Π·μₜ
        m  ← β₁·m + (1 − β₁)·g
        v  ← β₂·v + (1 − β₂)·g²
        p  ← p − γ·((1 − μₜ)/(1 − Π)·g + μₜ₊₁/(1 − Π·μₜ₊₁)·m) / (√(v/(1 − β₂ᵗ)) + ε)

    With `decoupled_weight_decay` the decay is p ← p − γ·λ·p instead.
    """

    _splits_complex = True
    _checked_state = (", mu_products", ", mu_products,")

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_adam(lr, betas, eps, weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable,
        })

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Step count 0, the product of momenta 1, moments 0."""
        return {
            "step": tensor(0.0),
            "mu_product": tensor(1.0),
            "exp_avg": zeros_like(param),
            "exp_avg_sq": zeros_like(param),
        }

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        beta1, beta2 = group["betas"]
        lr, psi = number(group["lr"]), group["momentum_decay"]
        state["step"] += 1
        step = number(state["step"])
        grad = decayed(param, grad, group, lr)
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * psi))
        next_mu = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * psi))
        state["mu_product"] *= mu
        product = number(state["mu_product"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        approach(mean, grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        denominator = square.div(1 - beta2**step).sqrt().add_(group["eps"])
        add_ratio(param, grad, denominator, -lr * (1.0 - mu) / (1.0 - product))
        add_ratio(param, mean, denominator, (-lr * next_mu) / (1.0 - product * next_mu))
