"""Define Adam."""

from typing import Any

from ..tensor.creation import tensor
from ..tensor.creation_like import zeros_like
from .checks import (
    add_ratio,
    approach,
    check_adam,
    check_tensor_options,
    decayed,
    number,
    root,
    without_axes,
)  # fmt: skip
from .optimizer import Optimizer, check_fused


class Adam(Optimizer):
    """Adam (Kingma & Ba 2015; AMSGrad: Reddi et al. 2018).

    With gradient g, step t, learning rate γ, weight decay λ::

        g ← g + λ·p
        m ← β₁·m + (1 − β₁)·g
        v ← β₂·v + (1 − β₂)·g²
        p ← p − γ / (1 − β₁ᵗ) · m / (√v / √(1 − β₂ᵗ) + ε)

    AMSGrad uses the largest v so far; with `decoupled_weight_decay` the decay is p ← p − γ·λ·p instead
    (AdamW).
    """

    _splits_complex = True

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
        fused: bool | None = None, decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        check_adam(lr, betas, eps, weight_decay=weight_decay)
        check_tensor_options(lr, betas, foreach, capturable)
        super().__init__(params, {
            "lr": lr, "betas": tuple(map(without_axes, betas)), "eps": eps,
            "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        })
        check_fused(fused, foreach, differentiable)

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Step count 0, moments 0."""
        state = {"step": tensor(0.0), "exp_avg": zeros_like(param), "exp_avg_sq": zeros_like(param)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(param)
        return state

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        beta1, beta2 = map(number, group["betas"])
        lr = number(group["lr"])
        state["step"] += 1
        step = number(state["step"])
        grad = decayed(param, grad, group, lr)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        approach(mean, grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            square = largest.copy_(largest.maximum(square))
        denominator = square.sqrt().div_(root(1 - beta2**step)).add_(group["eps"])
        add_ratio(param, mean, denominator, -lr / (1 - beta1**step))
