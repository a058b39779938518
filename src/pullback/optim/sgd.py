"""Define stochastic gradient descent with momentum."""

from typing import Any

from ..tensor.creation_like import full_like
from ..tensor.tensor import Tensor
from .checks import add_scaled, number, stands, sum_scaled, with_decay
from .optimizer import Optimizer, check_fused


class SGD(Optimizer):
    """Stochastic gradient descent.

    With gradient g, learning rate γ, weight decay λ, momentum μ, dampening τ::

        g ← g + λ·p
        b ← μ·b + (1 − τ)·g       (first step: b ← g)
        p ← p − γ·b               (Nesterov: p ← p − γ·(g + μ·b))

    Nesterov's form follows Sutskever et al. 2013, with torch's convention that γ multiplies the whole step.
    """

    _takes_sparse = True
    _foreach_is_refused = False

    def __init__(
        self, params: Any, lr: Any = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float = 0,
        nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        # As in torch, nan passes.
        named = (("learning rate", lr), ("momentum value", momentum), ("weight_decay value", weight_decay))
        for name, value in named:
            if value < 0.0:
                raise ValueError(f"Invalid {name}: {value}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach,
            "differentiable": differentiable, "fused": fused,
        })
        check_fused(fused, foreach, differentiable)

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Return an empty buffer where there is momentum."""
        return {"momentum_buffer": None} if group["momentum"] != 0 else {}

    def init_alike(self, param: Any, group: dict[str, Any]) -> dict[str, Any] | None:
        """Return a buffer of −0 with momentum and no dampening, as −0·μ + g is g, and −0 where that is −0."""
        if group["momentum"] == 0:
            return {}
        if group["dampening"] != 0 or not param.is_floating_point():
            return None
        buffer = full_like(param, -0.0)
        # A first step makes the buffer and does not write to it, as the two writes of later ones do.
        buffer._counter = [-2]
        return {"momentum_buffer": buffer}

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        grad = with_decay(param, grad, group["weight_decay"])
        momentum = group["momentum"]
        if stands(momentum) or momentum != 0:
            if (buffer := state.get("momentum_buffer")) is None:
                buffer = state["momentum_buffer"] = grad.clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = sum_scaled(grad, buffer, momentum) if group["nesterov"] else buffer
        add_scaled(param, grad, -number(group["lr"]))
