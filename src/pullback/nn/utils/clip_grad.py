"""Clip gradients by their common norm or by value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.value import TensorBase
from ...tensor.creation import tensor


def _gradients(parameters: Any) -> list[Any]:
    values = [parameters] if isinstance(parameters, TensorBase) else list(parameters)
    return [p.grad for p in values if p.grad is not None]  # type: ignore[union-attr]  # the facade has it


@no_grad()
def get_total_norm(
    tensors: Iterable[Any], norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Any:
    """The p-norm of all elements of several tensors together."""
    from ...tensor.namespace import TOP_LEVEL

    values = [tensors] if isinstance(tensors, TensorBase) else list(tensors)
    if not values:
        return tensor(0.0)
    norm = TOP_LEVEL["norm"]
    total = norm(TOP_LEVEL["stack"]([norm(v.detach(), float(norm_type)) for v in values]), float(norm_type))  # type: ignore[union-attr]  # the facade has it
    if error_if_nonfinite and not bool(total.isfinite()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite norm anyway, "
            "set `error_if_nonfinite=False`"
        )
    return total


@no_grad()
def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: Any = None
) -> Any:
    """Scale gradients in place so that their common norm is at most `max_norm`; return the norm
    that it was.
    """
    grads = _gradients(parameters)
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
    for g in grads:
        g.mul_(factor)
    return total


@no_grad()
def clip_grad_value_(parameters: Any, clip_value: float, foreach: Any = None) -> None:
    """Cut the elements of gradients in place to [−clip_value, clip_value]."""
    bound = float(clip_value)
    for g in _gradients(parameters):
        g.clamp_(min=-bound, max=bound)
