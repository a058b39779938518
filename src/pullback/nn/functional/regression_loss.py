"""Define losses between numbers and their predictions, and between distributions."""

import math
from typing import Any

import numpy as np

from ...array.dtype_words import not_implemented
from ...core.graph_errors import unsafe_result
from ...core.inplace import castable
from ...core.tracer import is_traced
from ...core.value import dtype_of, shape_of
from ...core.warn import warn
from ...errors import argument_type
from ...ops import loss as o
from ...ops import reduce as r
from ...ops.arithmetic import log
from ...ops.comparison import where
from ...ops.convert import cast
from ...ops.elementwise import abs, exp
from ...ops.special import xlogy
from ...ops.structure import expand, reshape
from ...tensor.argument_types import is_real
from ...tensor.creation_like import ones_like
from ...tensor.inplace_checks import check_stored
from ...tensor.limits import clamp
from ...tensor.properties import common_dtype
from ...tensor.reductions import any_of
from .loss_reduction import (
    apply_reduction,
    check_known,
    check_reduction,
    check_tensors,
    check_weight,
    functional,
    legacy_reduction,
    mirrored,
    warn_of_sizes,
)


def _expanded(input: Any, target: Any) -> tuple[Any, Any]:
    """Expand input and target to a common shape, as far as they have one."""
    have, wanted = shape_of(input), shape_of(target)
    if have == wanted:
        return input, target
    try:
        shape = np.broadcast_shapes(have, wanted)
    except ValueError:
        return input, target  # the loss says what is wrong
    return (
        input if have == shape else expand(input, shape),
        target if wanted == shape else expand(target, shape),
    )


def _check_promoted(kernel: str, input: Any, target: Any) -> None:
    """Raise torch's error for a common dtype that a loss has no kernel for."""
    if dtype_of(input) == dtype_of(target) and dtype_of(input).kind in "fV":
        return
    if (dtype := common_dtype(input, target)).kind not in "fV":
        raise not_implemented(kernel, dtype)


@functional
def mse_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """Return the mean squared error: the reduction of (input − target)²."""
    warn_of_sizes(input, target)
    reduction = legacy_reduction(size_average, reduce, reduction)
    if weight is not None:
        check_weight(weight, input)
        each = weight * o.mse_loss(input, target, "none")
        if reduction == "mean":
            return r.sum_all(each) / r.sum_all(weight)
        return apply_reduction(each, reduction)
    check_reduction(reduction)
    input, target = _expanded(input, target)
    _check_promoted("mse_cpu", input, target)
    return o.mse_loss(input, target, reduction)


@functional
def l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """Return the mean absolute error: the reduction of |input − target|."""
    warn_of_sizes(input, target)
    reduction = legacy_reduction(size_average, reduce, reduction)
    each = abs(input - target)
    if weight is not None:
        check_weight(weight, input)
        each = weight * each
        if reduction == "mean":
            return r.sum_all(each) / r.sum_all(weight)
    return apply_reduction(each, reduction)


@functional
def smooth_l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    """Return ½d²/β where |d| < β, else |d| − ½β, for d = input − target."""
    warn_of_sizes(input, target)
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return apply_reduction(abs(input - target), reduction)
    input, target = _expanded(input, target)
    _check_promoted("smooth_l1_cpu", input, target)
    return o.smooth_l1_loss(input, target, float(beta), reduction)


@functional
def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """Return ½d² where |d| ≤ δ, else δ(|d| − ½δ), for d = input − target."""
    warn_of_sizes(input, target)
    if weight is None:
        check_reduction(reduction)
    else:
        check_weight(weight, input)
    if not is_real(delta):
        raise argument_type("huber_loss", "delta", 4, "float", delta)
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    input, target = _expanded(input, target)
    if weight is None and dtype_of(input) == dtype_of(target):
        _check_promoted("huber_cpu", input, target)
        return o.huber_loss(input, target, float(delta), reduction)
    # torch computes it in the memory of the input's like.
    common = common_dtype(input, target)
    if not castable(common, dtype_of(input)):
        raise unsafe_result(common, dtype_of(input))
    _check_promoted("huber_cpu", input, target)
    each = cast(o.huber_loss(input, target, float(delta), "none"), dtype_of(input))
    return apply_reduction(each if weight is None else each * weight, reduction)


@functional
def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, full: bool = False, size_average: Any = None,
    eps: float = 1e-8, reduce: Any = None, reduction: str = "mean",
) -> Any:
    """Return the negative log-likelihood of counts `target`: exp(input) − target·input, or input −
    target·log(input + eps).
    """
    check_tensors(input, target)
    reduction = legacy_reduction(size_average, reduce, reduction)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not a valid value for reduction")
    if not (isinstance(log_input, bool) and isinstance(full, bool)):
        raise TypeError("flags are bools")
    loss = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        stirling = target * log(target) - target + 0.5 * log(2 * math.pi * target)
        loss = loss + where(target <= 1, 0, stirling)
    return apply_reduction(loss, reduction)


@mirrored
def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """Return ½(log var + (input − target)²/var), with var no less than `eps`."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * ones_like(input)
    elif is_traced(negative := var < 0):
        var = o.variances(var)
    elif any_of(negative):
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        v, a = shape_of(var), input.size()
        if a[:-1] == v:
            var = reshape(var, (*v, 1))
        elif len(a) != len(v) or sum(k for n, k in zip(a, v, strict=True) if n != k) != 1:
            raise ValueError("var is of incorrect size")
    check_known(reduction)
    floor = clamp(var.detach(), min=eps)
    check_stored("clamp_", var, (), floor)
    var = var + (floor - var.detach())
    loss = 0.5 * (log(var) + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return apply_reduction(loss, reduction)


@functional
def kl_div(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    """Return the Kullback–Leibler divergence of log-probabilities `input` from `target`: target·(log target −
    input).
    """
    check_tensors(input, target)
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    elif reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release."
        )
    if not isinstance(log_target, bool):
        raise TypeError("a flag is a bool")
    for v in (input, target):
        if dtype_of(v).kind in "biucW":
            kind = "Complex" if dtype_of(v).kind in "cW" else "Integral"
            raise RuntimeError(f"kl_div: {kind} inputs not supported.")
    each = exp(target) * (target - input) if log_target else xlogy(target, target) - target * input
    if reduction == "batchmean":
        return r.sum_all(each) / shape_of(input)[0] if shape_of(input) else r.sum_all(each)
    return apply_reduction(each, reduction)
