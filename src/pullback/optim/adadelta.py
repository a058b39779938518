"""Define Adadelta: steps in the units of the parameter, from running squares of gradients and of steps."""

from typing import Any

from .checks import add_scaled, check_lr, check_not_negative, number, with_decay
from .optimizer import Optimizer


class Adadelta(Optimizer):
    """Adadelta (Zeiler 2012).

    With gradient g, learning rate γ, weight decay λ::

        g ← g + λ·p
        v ← ρ·v + (1 − ρ)·g²
        δ = √(u + ε)/√(v + ε)·g
        u ← ρ·u + (1 − ρ)·δ²
        p ← p − γ·δ
    """

    _splits_complex = True
    _xla_is_named = (False, False)
    _zeros = ("square_avg", "acc_delta")

    def __init__(
        self, params: Any, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
        foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative(eps=eps, weight_decay=weight_decay)
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        })

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        rho, eps = group["rho"], group["eps"]
        state["step"] += 1
        grad = with_decay(param, grad, group["weight_decay"])
        squares, steps = state["square_avg"], state["acc_delta"]
        squares.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        change = steps.add(eps).sqrt_().div_(squares.add(eps).sqrt_()).mul_(grad)
        steps.mul_(rho).addcmul_(change, change, value=1 - rho)
        add_scaled(param, change, -number(group["lr"]))
