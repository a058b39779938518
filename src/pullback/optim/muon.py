"""Define Muon: momentum orthogonalised by a Newton–Schulz iteration, for matrices."""

import math
from typing import Any

from ..tensor.creation_like import zeros_like
from ..tensor.product_sums import addmm
from .checks import add_scaled, check_lr, number
from .optimizer import Optimizer

ADJUSTMENTS = ("original", "match_rms_adamw")


class Muon(Optimizer):
    """Muon (Jordan et al. 2024; rates as AdamW's: Liu et al. 2025, "Muon is scalable for LLM training").

    With gradient g of a matrix (A, B), learning rate γ, weight decay λ, momentum μ::

        b ← μ·b + (1 − μ)·g,   u = μ·b + (1 − μ)·g   (Nesterov; else u = b)
        p ← p − γ·λ·p − γ·s·orthogonal(u)

    with s = √max(1, A/B) ("original", the default) or 0.2·√max(A, B) ("match_rms_adamw").
    """

    def __init__(
        self, params: Any, lr: Any = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95,
        nesterov: bool = True, ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7, ns_steps: int = 5, adjust_lr_fn: str | None = None,
    ) -> None:  # fmt: skip
        check_lr(lr, "Learning rate should be >= 0 but is: {}")
        if not 0.0 <= momentum <= math.inf:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not 0.0 <= weight_decay <= math.inf:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn is not None and adjust_lr_fn not in ADJUSTMENTS:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        })
        for group in self.param_groups:
            for param in group["params"]:
                if param.ndim != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{param.size()}"
                    )

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Return a momentum of 0, in the layout of the gradient."""
        if param.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        return {"momentum_buffer": zeros_like(param if param.grad is None else param.grad)}

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step of the formula above."""
        lr, momentum = number(group["lr"]), group["momentum"]
        buffer = state["momentum_buffer"].lerp_(grad, 1 - momentum)
        direction = grad.lerp(buffer, momentum) if group["nesterov"] else buffer
        change = orthogonal(direction, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rows, columns = param.shape
        if group["adjust_lr_fn"] == "match_rms_adamw":
            scale = 0.2 * math.sqrt(max(rows, columns))
        else:
            scale = math.sqrt(max(1, rows / columns))
        param.mul_(1 - lr * group["weight_decay"])
        add_scaled(param, change, -lr * scale)


def orthogonal(x: Any, coefficients: tuple[float, float, float], steps: int, eps: float) -> Any:
    """Return approximately U·Vᵀ of the singular value decomposition of a matrix, in bfloat16.

    The iteration X ← a·X + (b·G + c·G²)·X with G = X·Xᵀ sends every singular value of a matrix of norm at
    most 1 into the neighbourhood of 1.
    """
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(x.shape) != 2:
        raise ValueError("Input tensor gradient must be a 2D matrix")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = x.size(0) > x.size(1)
    matrix = x.bfloat16()
    if tall:
        matrix = matrix.T
    # In place, as in torch: a matrix that was bfloat16 is what it was given, and stays divided.
    matrix.div_(matrix.norm().clamp(min=eps))
    for _ in range(steps):
        gram = matrix @ matrix.T
        matrix = addmm(matrix, addmm(gram, gram, gram, beta=b, alpha=c), matrix, beta=a)
    return matrix.T if tall else matrix
