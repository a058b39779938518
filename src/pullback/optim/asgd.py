"""Define ASGD: averaged stochastic gradient descent."""

from typing import Any

from ..core.value import TensorBase
from ..tensor.creation import tensor
from ..tensor.creation_like import zeros_like
from .checks import add_scaled, check_lr, check_not_negative, chosen, larger, number, with_decay
from .optimizer import Optimizer


class ASGD(Optimizer):
    """Averaged stochastic gradient descent (Polyak & Juditsky 1992).

    With gradient g, step t, learning rate γ, weight decay λ and decay term ℓ (`lambd`)::

        g  ← g + λ·p
        p  ← (1 − ℓ·η)·p − η·g
        p̄  ← p̄ + μ·(p − p̄)
        η  ← γ/(1 + ℓ·γ·t)^α,   μ ← 1/max(1, t − t₀)

    The average p̄ is the state "ax".
    """

    _splits_complex = True
    _checked_state = (", mus, etas,", ", mus, etas,")

    def __init__(
        self, params: Any, lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False,
        differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        check_not_negative(weight_decay=weight_decay)
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
            "capturable": capturable,
        })

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Step count 0, the rate, the weight of the average 1, the average 0."""
        return {
            "step": tensor(0.0),
            "eta": tensor(0.0).add_(number(group["lr"])).clone(),
            "mu": tensor(1.0),
            "ax": zeros_like(param),
        }

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        decay, lr = group["lambd"], number(group["lr"])
        state["step"] += 1
        step = number(state["step"])
        grad = with_decay(param, grad, group["weight_decay"])
        eta, weight, average = number(state["eta"]), state["mu"], state["ax"]
        param.mul_(1 - decay * eta)
        add_scaled(param, grad, -eta)
        averaging = number(weight) != 1
        if averaging is False:
            average.copy_(param)
        else:
            average.copy_(chosen(averaging, average + param.sub(average).mul_(weight), param))
        state["eta"].fill_(_rounded(lr / (1 + decay * lr * step) ** group["alpha"]))
        weight.fill_(_rounded(1 / larger(1, step - group["t0"])))


def _rounded(value: Any) -> Any:
    """Return a number as torch writes it to the state: first in the default dtype, whatever the state's."""
    return value if isinstance(value, TensorBase) else tensor(value)
