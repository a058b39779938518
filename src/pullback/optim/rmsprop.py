"""Define RMSprop: gradients divided by the root of their running square."""

from typing import Any

from ..tensor.creation import tensor
from ..tensor.creation_like import zeros_like
from .checks import add_ratio, add_scaled, check_lr, check_not_negative, number, stands, with_decay
from .optimizer import Optimizer


class RMSprop(Optimizer):
    """RMSprop (Hinton's lectures, 2012; centred: Graves 2013).

    With gradient g, learning rate γ, weight decay λ, momentum μ::

        g ← g + λ·p
        v ← α·v + (1 − α)·g²
        a ← α·a + (1 − α)·g,   ṽ = v − a²       (centred; else ṽ = v)
        p ← p − γ·g/(√ṽ + ε)
        b ← μ·b + g/(√ṽ + ε),  p ← p − γ·b      (with momentum)
    """

    _splits_complex = True
    _xla_is_named = (True, True)

    def __init__(
        self, params: Any, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        check_not_negative(eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable,
        })

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Step count 0, running values 0."""
        state = {"step": tensor(0.0), "square_avg": zeros_like(param)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(param)
        if group["centered"]:
            state["grad_avg"] = zeros_like(param)
        return state

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        alpha, lr = group["alpha"], number(group["lr"])
        state["step"] += 1
        grad = with_decay(param, grad, group["weight_decay"])
        square = state["square_avg"].mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, 1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root = root.add_(group["eps"])
        if stands(group["momentum"]) or group["momentum"] > 0:
            buffer = state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, root)
            add_scaled(param, buffer, -lr)
        else:
            add_ratio(param, grad, root, -lr)
