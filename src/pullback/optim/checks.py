"""Check the options of optimizers at construction, in torch's words, and read them in a step.

Comparisons stand in torch's order, which decides the error of what cannot be compared.
"""

import math
from typing import Any

from ..tensor.masks import where
from ..tensor.tensor import Tensor


def check_lr(lr: Any, text: str = "Invalid learning rate: {}") -> None:
    """Refuse a negative learning rate, and a tensor of several."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not 0.0 <= lr <= math.inf:
        raise ValueError(text.format(lr))


def check_not_negative(**options: Any) -> None:
    """Refuse negative numbers; `eps` is called epsilon in the text."""
    for name, value in options.items():
        if not 0.0 <= value <= math.inf:
            word = "epsilon" if name == "eps" else name
            raise ValueError(f"Invalid {word} value: {value}")


def check_betas(betas: tuple[Any, Any]) -> None:
    """Refuse decay rates outside [0, 1)."""
    for index in (0, 1):
        if not 0.0 <= betas[index] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {betas[index]}")


def check_adam(lr: Any, betas: tuple[Any, Any], eps: float, **others: float) -> None:
    """Refuse what Adam and its kin refuse, in torch's order; the others are not to be negative."""
    check_lr(lr)
    check_not_negative(eps=eps)
    check_betas(betas)
    check_not_negative(**others)


def check_tensor_options(lr: Any, betas: tuple[Any, Any], foreach: bool | None, capturable: bool) -> None:
    """Refuse rates as tensors where torch's Adam does: together with `foreach`, or one of two only."""
    if isinstance(lr, Tensor) and foreach and not capturable:
        raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
    if not any(all(isinstance(beta, kind) for beta in betas) for kind in (float, Tensor)):
        raise ValueError("betas must be either both floats or both Tensors")
    for index, beta in enumerate(betas):
        if not isinstance(beta, Tensor):
            continue
        if foreach and not capturable:
            raise ValueError(
                f"betas[{index}] as a Tensor is not supported for capturable=False and foreach=True"
            )
        if beta.numel() != 1:
            raise ValueError(f"Tensor betas[{index}] must be 1-element")


def number(value: Any) -> Any:
    """Return a number from an option or a state that may be a tensor of one element.

    A traced tensor has no number yet: what stands for it is a tensor without dimensions in double precision,
    the precision of Python's numbers.
    """
    if not isinstance(value, Tensor):
        return value
    return value.double().reshape(()) if value._level else value.item()


def without_axes(value: Any) -> Any:
    """Return an option that may be a tensor of one element, then as one without axes."""
    return value.squeeze() if isinstance(value, Tensor) and value.dim() else value


def stands(value: Any) -> bool:
    """Return whether an option is a tensor that stands for a number other than 0, in a trace."""
    return isinstance(value, Tensor) and bool(value._level)


def root(value: Any) -> Any:
    """Return √ of a number, or of the tensor that stands for one."""
    return value.sqrt() if isinstance(value, Tensor) else math.sqrt(value)


def add_scaled(param: Any, x: Any, scale: Any) -> None:
    """Add ``scale · x`` to a parameter, where `scale` may be a tensor that stands for a number."""
    if isinstance(scale, Tensor):
        # In the precision of the parameter, as `alpha` is.
        param.add_(x.to(param.dtype).mul(scale))
    else:
        param.add_(x, alpha=scale)


def sum_scaled(x: Any, y: Any, scale: Any) -> Any:
    """Return ``x + scale · y``, where `scale` may be a tensor that stands for a number."""
    return x.add(y.mul(scale)) if isinstance(scale, Tensor) else x.add(y, alpha=scale)


def approach(mean: Any, x: Any, share: Any) -> Any:
    """Move a running mean towards `x` by a share, which may be a tensor that stands for a number."""
    return mean.lerp_(x, share.to(mean.dtype) if isinstance(share, Tensor) else share)


def decayed(param: Any, grad: Any, group: dict[str, Any], lr: Any) -> Any:
    """Return the gradient with the weight decay λ·p added; a decoupled one goes p ← p − γ·λ·p at once."""
    decay = group["weight_decay"]
    if not group["decoupled_weight_decay"]:
        return with_decay(param, grad, decay)
    if stands(decay) or decay != 0:
        param.mul_(1 - lr * decay)
    return grad


def with_decay(param: Any, grad: Any, decay: Any) -> Any:
    """Return the gradient with the weight decay λ·p added, where λ may be a tensor that stands for it."""
    return sum_scaled(grad, param, decay) if stands(decay) or decay != 0 else grad


def chosen(condition: Any, x: Any, y: Any) -> Any:
    """Return one of two values, where the condition may be a tensor that stands for a bool."""
    if not isinstance(condition, Tensor):
        return x if condition else y
    return where(condition, x, y)


def larger(x: Any, y: Any) -> Any:
    """Return the larger of a number and a number, or the tensor that stands for one."""
    return y.clamp(min=x) if isinstance(y, Tensor) else max(x, y)


def add_ratio(param: Any, x: Any, y: Any, scale: Any) -> None:
    """Add ``scale · x / y`` to a parameter, where `scale` may be a tensor that stands for a number."""
    if isinstance(scale, Tensor):
        param.add_(x.mul(scale).div_(y))
    else:
        param.addcdiv_(x, y, value=scale)
