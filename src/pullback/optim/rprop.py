"""Define Rprop: a step size per element, from the signs of successive gradients."""

from typing import Any

from ..tensor.creation import tensor
from ..tensor.creation_like import zeros_like
from .checks import check_lr, number
from .optimizer import Optimizer


class Rprop(Optimizer):
    """Resilient backpropagation (Riedmiller & Braun 1993), without weight backtracking.

    With gradient g, the last one g′ and step sizes η per element::

        η ← η·η₊ where g·g′ > 0, η·η₋ and g ← 0 where g·g′ < 0;  clamped to `step_sizes`
        p ← p − sign(g)·η
    """

    _splits_complex = True
    _xla_is_named = (True, True)

    def __init__(
        self, params: Any, lr: Any = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False,
        foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        })

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Step count 0, last gradient 0, every step size the learning rate, in the gradient's layout."""
        lr = number(group["lr"])
        like = param if param.grad is None else param.grad
        return {
            "step": tensor(0.0),
            "prev": zeros_like(param),
            "step_size": zeros_like(like).add_(complex(lr, lr) if param.is_complex() else lr).clone(),
        }

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        shrink, grow = group["etas"]
        state["step"] += 1
        last, size = state["prev"], state["step_size"]
        agreement = grad.mul(last)
        factor = agreement.sign().masked_fill(agreement > 0, grow).masked_fill(agreement < 0, shrink)
        size.mul_(factor.masked_fill(agreement == 0, 1.0)).clamp_(*group["step_sizes"])
        grad = grad.masked_fill(agreement < 0, 0)
        param.addcmul_(grad.sign(), size, value=-1)
        last.copy_(grad)
