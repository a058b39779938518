"""Define Adagrad: rates divided by the root of all squared gradients so far."""

from typing import Any

from ..tensor.creation import tensor
from ..tensor.creation_like import full_like
from .checks import add_ratio, check_lr, check_not_negative, number, with_decay
from .optimizer import Optimizer, check_fused


class Adagrad(Optimizer):
    """Adagrad (Duchi, Hazan & Singer 2011).

    With gradient g, step t, learning rate γ, its decay η, weight decay λ::

        g ← g + λ·p
        s ← s + g²
        p ← p − γ/(1 + (t − 1)·η)·g/(√s + ε)

    The sums exist from the beginning, filled with `initial_accumulator_value`. A sparse gradient changes the
    sums and the parameter at the places that it has.
    """

    _splits_complex = True
    _takes_sparse = True

    def __init__(
        self, params: Any, lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_lr(lr)
        check_not_negative(
            lr_decay=lr_decay, weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value, eps=eps,
        )  # fmt: skip
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "fused": fused,
        })
        check_fused(fused, foreach, differentiable)
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param] = self.init(param, group)

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Step count 0, sums at the initial value that the constructor was given, as in torch."""
        start = self.defaults["initial_accumulator_value"]
        return {
            "step": tensor(0.0),
            "sum": full_like(param, complex(start, start) if param.is_complex() else start),
        }

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        state["step"] += 1
        if grad.is_sparse and group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        grad = with_decay(param, grad, group["weight_decay"])
        rate = number(group["lr"]) / (1 + (number(state["step"]) - 1) * group["lr_decay"])
        if grad.is_sparse:
            grad = grad.coalesce()
            places, g = tuple(grad.indices()), grad.values()
            total = state["sum"][places] + g * g
            state["sum"][places] = total
            param[places] -= rate * (g / total.sqrt().add_(group["eps"]))
            return
        total = state["sum"].addcmul_(grad, grad, value=1)
        add_ratio(param, grad, total.sqrt().add_(group["eps"]), -rate)
