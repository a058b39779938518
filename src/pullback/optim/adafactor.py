"""Define Adafactor: second moments of matrices kept as a row and a column."""

import math
from typing import Any

from ..array.dtype_limits import finfo
from ..tensor.creation import tensor
from ..tensor.creation_like import zeros_like
from .checks import add_scaled, check_lr, larger, number, stands
from .optimizer import Optimizer


class Adafactor(Optimizer):
    """Adafactor (Shazeer & Stern 2018).

    With gradient g, step t, learning rate γ, weight decay λ::

        ρ = min(γ, 1/√t),   α = max(ε₂, rms(p))·ρ,   1 − β = t^τ     (τ is `beta2_decay`)
        p ← p − γ·λ·p
        R ← β·R + (1 − β)·mean(g², last axis),   C ← β·C + (1 − β)·mean(g², last but one)
        V = R·C/max(mean(R), ε₁)     (of a vector: V ← β·V + (1 − β)·g²)
        u = g/√max(V, ε₁²),          p ← p − α·u/max(1, rms(u)/d)

    ε₁ is by default the machine epsilon of the parameter.
    """

    def __init__(
        self, params: Any, lr: Any = 1e-2, beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3), d: float = 1.0, weight_decay: float = 0.0, *,
        foreach: bool | None = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr, "Learning rate should be >= 0 but is: {}")
        if not 0.0 >= beta2_decay >= -math.inf:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0] <= math.inf:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1] <= math.inf:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d <= math.inf:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay <= math.inf:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(params, {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize,
        })

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Step count 0 and moments 0: a row and a column, or a vector."""
        if param.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        state = {"step": tensor(0.0)}
        if param.dim() > 1:
            shape = list(param.shape)
            state["row_var"] = param.new_zeros((*shape[:-1], 1))
            state["col_var"] = param.new_zeros((*shape[:-2], 1, shape[-1]))
        else:
            state["variance"] = zeros_like(param)
        return state

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        lr = number(group["lr"])
        eps1, eps2 = group["eps"]
        if eps1 is None:
            eps1 = finfo(param.dtype).eps
        state["step"] += 1
        step = number(state["step"])
        fresh = step ** group["beta2_decay"]
        size = larger(eps2, number(param.norm(2)) / param.numel() ** 0.5)
        rate = size * -larger(-lr, -1 / step**0.5)
        if stands(group["weight_decay"]) or group["weight_decay"] != 0:
            param.mul_(1 - lr * group["weight_decay"])
        if grad.dim() > 1:
            rows, columns = state["row_var"], state["col_var"]
            for moment, axis in ((rows, -1), (columns, -2)):
                mean = grad.norm(dim=axis, keepdim=True).square_().div_(grad.size(axis))
                moment.lerp_(mean, fresh)
            variance = rows @ columns
            variance.div_(rows.mean(dim=-2, keepdim=True).clamp_(min=eps1))
        else:
            variance = state["variance"].lerp_(grad * grad, fresh).clone()
        change = variance.clamp_(min=eps1 * eps1).rsqrt_().mul_(grad)
        excess = larger(1.0, number(change.norm(2)) / (change.numel() ** 0.5 * group["d"]))
        add_scaled(param, change, -rate / excess)
