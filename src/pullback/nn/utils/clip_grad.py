"""Clip gradients by their common norm or by value."""

import types
from collections.abc import Iterable
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.value import TensorBase
from ...core.warn import warn
from ...linalg import vector_norm
from ...tensor.creation import tensor
from ...tensor.join import stack


def _listed(tensors: Any) -> list[Any]:
    return [tensors] if isinstance(tensors, TensorBase) else list(tensors)


def _gradients(parameters: Any) -> list[Any]:
    return [p.grad for p in _listed(parameters) if p.grad is not None]


@no_grad()
def get_total_norm(
    tensors: Iterable[Any], norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Any:
    """Return the p-norm of all elements of several tensors together."""
    values = _listed(tensors)
    order = float(norm_type)
    if not values:
        return tensor(0.0)
    total = vector_norm(stack([vector_norm(v, order) for v in values]), order)
    if error_if_nonfinite and not bool(total.isfinite()):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


@no_grad()
def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Any, foreach: Any = None) -> None:
    """Scale gradients in place by ``max_norm / (total_norm + 1e-6)`` where that is below 1."""
    if not (grads := _gradients(parameters)):
        return
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for g in grads:
        g.mul_(factor)


@no_grad()
def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: Any = None
) -> Any:
    """Scale gradients in place so that their common norm is at most `max_norm`; return the norm
    that it was.

    Parameters
    ----------
    parameters : tensor or iterable of tensor
    max_norm : float
    norm_type : float
        The order of the norm, also inf.
    error_if_nonfinite : bool
        Raise where the norm is nan or infinite.
    foreach : bool, optional
        Makes no difference.
    """
    values = _listed(parameters)
    if isinstance(parameters, types.GeneratorType) and not values:
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    total = get_total_norm(_gradients(values), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(values, max_norm, total)
    return total


def clip_grad_norm(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: Any = None
) -> Any:
    """Return `clip_grad_norm_` by its old name."""
    warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite)


@no_grad()
def clip_grad_value_(parameters: Any, clip_value: float, foreach: Any = None) -> None:
    """Cut the elements of gradients in place to [−clip_value, clip_value]."""
    bound = float(clip_value)
    for g in _gradients(parameters):
        g.clamp_(min=-bound, max=bound)
