"""Losses under torch's names, with its argument checks, warnings and errors."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.modes import modes
from ...core.op import TABLE
from ...core.value import dtype_of, shape_of
from ...graph_errors import type_word
from ...ops import loss as o
from ...ops import reduce as r
from ...ops.arithmetic import log, pow_scalar
from ...ops.comparison import eq, lt, where
from ...ops.elementwise import abs, exp
from ...ops.extreme import pick
from ...ops.mixture import clamp, minimum, xlogy
from ...ops.structure import reshape, sum_dims
from ...tensor import activations
from ...tensor.api import public
from ...tensor.softmax import log_softmax

_F = Callable[..., Any]


def functional(function: _F) -> _F:
    """Declare a function of torch.nn.functional."""
    return public(function, namespace="nn.functional", method=False, out=False)


# --- reductions ---------------------------------------------------------------------------------------------


def legacy_reduction(size_average: Any, reduce: Any, reduction: str) -> str:
    """What `size_average` and `reduce` mean today, with torch's warning that they are deprecated."""
    if size_average is None and reduce is None:
        return reduction
    chosen = "none" if reduce is False else ("sum" if size_average is False else "mean")
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{chosen}' instead.",
        UserWarning,
        stacklevel=4,
    )
    return chosen


def check_reduction(reduction: str) -> None:
    """Raise torch's error for a reduction that does not exist."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def apply_reduction(x: Any, reduction: str) -> Any:
    """The mean, the sum, or x."""
    if reduction == "mean":
        return r.mean_all(x)
    if reduction == "sum":
        return r.sum_all(x)
    check_reduction(reduction)
    return x


def _sizes(shape: tuple[int, ...]) -> str:
    return f"torch.Size({list(shape)})"


def _warn_sizes(input: Any, target: Any) -> None:
    a, b = shape_of(input), shape_of(target)
    if a != b:
        warnings.warn(
            f"Using a target size ({_sizes(b)}) that is different to the input size ({_sizes(a)}). This "
            f"will likely lead to "
            "incorrect results due to broadcasting. Please ensure they have the same size.",
            UserWarning,
            stacklevel=4,
        )


# --- regression ---------------------------------------------------------------------------------------------


@functional
def mse_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """Mean squared error: the reduction of (input − target)²."""
    _warn_sizes(input, target)
    reduction = legacy_reduction(size_average, reduce, reduction)
    if weight is not None:
        _check_weight(weight, input)
        each = weight * o.mse_loss(input, target, "none")
        if reduction == "mean":
            return r.sum_all(each) / r.sum_all(weight)
        return apply_reduction(each, reduction)
    check_reduction(reduction)
    return o.mse_loss(input, target, reduction)


def _check_weight(weight: Any, input: Any) -> None:
    if shape_of(weight) != shape_of(input):
        raise ValueError("Weights and input must have the same size.")


@functional
def l1_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """Mean absolute error: the reduction of |input − target|."""
    _warn_sizes(input, target)
    reduction = legacy_reduction(size_average, reduce, reduction)
    each = abs(input - target)
    if weight is not None:
        _check_weight(weight, input)
        each = weight * each
        if reduction == "mean":
            return r.sum_all(each) / r.sum_all(weight)
    return apply_reduction(each, reduction)


@functional
def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    """½d²/β where |d| < β, else |d| − ½β, for d = input − target."""
    _warn_sizes(input, target)
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return apply_reduction(abs(input - target), reduction)
    return o.smooth_l1_loss(input, target, float(beta), reduction)


@functional
def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """½d² where |d| ≤ δ, else δ(|d| − ½δ), for d = input − target."""
    _warn_sizes(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if weight is not None:
        _check_weight(weight, input)
        each = weight * o.huber_loss(input, target, float(delta), "none")
        return (
            r.sum_all(each) / r.sum_all(weight) if reduction == "mean" else apply_reduction(each, reduction)
        )
    check_reduction(reduction)
    return o.huber_loss(input, target, float(delta), reduction)


@functional
def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    size_average: Any = None,
    eps: float = 1e-8,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Negative log-likelihood of counts `target`: exp(input) − target·input, or input − target·log(input
    + eps).
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    loss = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        stirling = target * log(target) - target + 0.5 * log(2 * math.pi * target)
        loss = loss + where(target > 1, stirling, 0)
    return apply_reduction(loss, reduction)


@functional
def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """½(log var + (input − target)²/var), with var no less than `eps`."""
    from ...core.value import TensorBase, wrap

    if not isinstance(var, TensorBase):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = wrap(np.full((), var, dtype_of(input)))
    elif bool(TABLE["any"].call(lt(var, 0), tuple(range(len(shape_of(var)))), False)):
        raise ValueError("var has negative entry/entries")
    a, v = shape_of(input), shape_of(var)
    if v != a and v:
        if a[:-1] == v:
            var = reshape(var, (*v, 1))
        elif not (a[:-1] == v[:-1] and v[-1] == 1):
            raise ValueError("var is of incorrect size")
    check_reduction(reduction)
    floor = clamp(var.detach(), eps, None)
    var = var + (floor - var.detach())
    loss = 0.5 * (log(var) + pow_scalar(input - target, 2) / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return apply_reduction(loss, reduction)


@functional
def kl_div(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    """Kullback–Leibler divergence of log-probabilities `input` from `target`: target·(log target − input)."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    elif reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
            UserWarning,
            stacklevel=3,
        )
    each = exp(target) * (target - input) if log_target else xlogy(target, target) - target * input
    if reduction == "batchmean":
        return r.sum_all(each) / shape_of(input)[0] if shape_of(input) else r.sum_all(each)
    return apply_reduction(each, reduction)


# --- two classes --------------------------------------------------------------------------------------------


@functional
def binary_cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """−w(target·log(input) + (1 − target)·log(1 − input))."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if shape_of(target) != shape_of(input):
        raise ValueError(
            f"Using a target size ({_sizes(shape_of(target))}) that is different to the input size "
            f"({_sizes(shape_of(input))}) is deprecated. Please ensure they have the same size."
        )
    if dtype_of(input) != dtype_of(target):
        raise RuntimeError(
            f"Found dtype {type_word(dtype_of(target))} but expected {type_word(dtype_of(input))}"
        )
    values = input._value
    if isinstance(values, np.ndarray) and values.size and not ((values >= 0) & (values <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    return o.binary_cross_entropy(input, target, weight, reduction)


@functional
def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """`binary_cross_entropy` of sigmoid(input), computed without overflow; `pos_weight` weights the
    positive class.
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    if shape_of(target) != shape_of(input):
        raise ValueError(
            f"Target size ({_sizes(shape_of(target))}) must be the same as input size "
            f"({_sizes(shape_of(input))})"
        )
    check_reduction(reduction)
    return o.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


@functional
def soft_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """log(1 + exp(−target·input))."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if modes().grad and target.requires_grad:
        raise RuntimeError(
            "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. "
            "This input cannot "
            "have requires_grad True."
        )
    return o.soft_margin_loss(input, target, reduction)


@functional
def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """input where target is 1, max(0, margin − input) where it is −1."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    far = where(eq(target, 1), 0, clamp(margin - input, 0, None))
    near = where(eq(target, -1), 0, input)
    return apply_reduction(far + near, reduction)


@functional
def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """max(0, −target·(input1 − input2) + margin)."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if not len(shape_of(input1)) == len(shape_of(input2)) == len(shape_of(target)):
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {_sizes(shape_of(input1))}, input2: {_sizes(shape_of(input2))}, "
            f"target: {_sizes(shape_of(target))} "
        )
    return apply_reduction(clamp(-target * (input1 - input2) + margin, 0, None), reduction)


@functional
def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Mean over the classes (last dim) of −w(target·log s + (1 − target)·log(1 − s)), s = sigmoid(input)."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    log_sigmoid = TABLE["log_sigmoid"].call
    loss = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    last = len(shape_of(input)) - 1
    loss = sum_dims(loss, (last,), False) / shape_of(input)[last]
    return apply_reduction(loss, reduction)


@functional
def multilabel_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """Σ over targets j and other classes i of max(0, 1 − (input[j] − input[i])) / classes; targets end at
    −1.
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    shape = shape_of(input)
    if len(shape) > 2 or 0 in shape[-1:]:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}"
        )
    if shape_of(target) != shape:
        raise RuntimeError(
            f"inconsistent target size: {list(shape_of(target))} for input of size: {list(shape)}"
        )
    classes = shape[-1] if shape else 1
    rows = input if len(shape) == 2 else reshape(input, (1, classes))
    marks = target._value.reshape(shape_of(rows))
    valid = np.logical_and.accumulate(marks >= 0, axis=1)
    index = np.where(valid, marks, 0)
    is_target = np.zeros(marks.shape, bool)
    row = np.nonzero(valid)[0]
    is_target[row, index[valid]] = True
    chosen = pick(rows, index, 1)
    n = shape_of(rows)[0]
    pairs = 1 - (reshape(chosen, (n, classes, 1)) - reshape(rows, (n, 1, classes)))
    counted = valid[:, :, None] & ~is_target[:, None, :]
    loss = sum_dims(where(counted, clamp(pairs, 0, None), 0), (1, 2), False) / classes
    loss = loss if len(shape) > 1 else reshape(loss, ())
    return apply_reduction(loss, reduction)


@functional
def multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Mean over the other classes i of max(0, margin − input[target] + input[i])^p, weighted by the
    target's class.
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and len(shape_of(weight)) != 1:
        raise ValueError("weight must be one-dimensional")
    shape = shape_of(input)
    if len(shape) > 2 or 0 in shape[-1:]:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}"
        )
    rows = input if len(shape) == 2 else reshape(input, (1, *(shape or (1,))))
    n, classes = shape_of(rows)
    index = target._value.reshape(n, 1)
    gaps = clamp(margin - pick(rows, index, 1) + rows, 0, None)
    gaps = gaps if p == 1 else gaps * gaps
    if weight is not None:
        gaps = gaps * reshape(pick(weight, index[:, 0], 0), index.shape)
    loss = sum_dims(where(np.arange(classes) == index, 0, gaps), (1,), False) / classes
    return apply_reduction(loss if len(shape) == 2 else reshape(loss, ()), reduction)


# --- classes ------------------------------------------------------------------------------------------------


def _check_nll(input: Any, target: Any, weight: Any, ignore_index: int) -> None:
    x, t = shape_of(input), shape_of(target)
    if not x:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(x) != 1 and x[0] != t[0] if t else len(x) != 1:
        raise ValueError(
            f"Expected input batch_size ({x[0]}) to match target batch_size ({t[0] if t else 0})."
        )
    classes = x[0] if len(x) == 1 else x[1]
    if len(x) > 2 and x[2:] != t[1:]:
        if len(x) == 4 and len(t) == 3:
            raise RuntimeError(f"size mismatch (got input: {list(x)} , target: {list(t)}")
        if len(x) == 4:
            raise RuntimeError(
                f"only batches of spatial targets supported (3D tensors) but got targets of dimension: "
                f"{len(t)}"
            )
        raise RuntimeError(f"Expected target size {[x[0], *x[2:]]}, got {list(t)}")
    if len(x) <= 2 and len(t) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    kind = dtype_of(target)
    if kind not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {type_word(kind)}")
    if weight is not None and (len(shape_of(weight)) != 1 or shape_of(weight)[0] != classes):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of "
            f"shape: {list(shape_of(weight))}"
        )
    values = target._value
    if isinstance(values, np.ndarray) and values.size:
        if np.minimum.reduce(values, axis=None) >= 0 and np.maximum.reduce(values, axis=None) < classes:
            return
        bad = values[((values < 0) | (values >= classes)) & (values != ignore_index)]
        if bad.size:
            raise IndexError(f"Target {int(bad.reshape(-1)[0])} is out of bounds.")


@functional
def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Negative log-likelihood: −w[t]·input[t] for log-probabilities with classes along dim 1; the mean is
    weighted.
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    return _nll(input, target, weight, reduction, ignore_index)


def _nll(input: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    _check_nll(input, target, weight, ignore_index)
    if len(shape_of(input)) > 2:
        return o.nll_loss_nd(input, target, weight, reduction, ignore_index)
    return o.nll_loss(input, target, weight, reduction, ignore_index)


@functional
def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Cross entropy of logits `input` (classes along dim 1) with class indices, or with probabilities of
    its shape.
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    shape = shape_of(input)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    dim = 0 if len(shape) == 1 else 1
    if shape and shape == shape_of(target):
        return _soft_cross_entropy(input, target, weight, reduction, label_smoothing, dim)
    logs = log_softmax(input, dim)
    loss = _nll(logs, target, weight, reduction, ignore_index)
    if label_smoothing == 0:
        return loss
    return (1 - label_smoothing) * loss + _smooth_part(
        logs, target, weight, reduction, ignore_index, label_smoothing, dim
    )


def _by_class(weight: Any, rank: int, dim: int) -> Any:
    classes = shape_of(weight)[0]
    return reshape(weight, (*(1,) * dim, classes, *(1,) * (rank - dim - 1)))


def _smooth_part(
    logs: Any, target: Any, weight: Any, reduction: str, ignore_index: int, smoothing: float, dim: int
) -> Any:
    """Label smoothing's share: every class alike."""
    shape = shape_of(logs)
    weighted = logs if weight is None else logs * _by_class(weight, len(shape), dim)
    each = -sum_dims(weighted, (dim,), False)
    each = where(eq(target, ignore_index), 0, each)
    share = smoothing / shape[dim]
    if reduction == "none":
        return share * each
    total = sum_dims(each, tuple(range(len(shape_of(each)))), False)
    if reduction == "mean":
        w = o.nll_weights(target, weight, ignore_index, dtype_of(logs))
        total = total / sum_dims(w, tuple(range(len(shape_of(w)))), False)
    return share * total


def _soft_cross_entropy(
    input: Any, target: Any, weight: Any, reduction: str, smoothing: float, dim: int
) -> Any:
    if dtype_of(target).kind not in "fV":
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got "
            f"{type_word(dtype_of(target))}"
        )
    shape = shape_of(input)
    logs = log_softmax(input, dim)
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / shape[dim]
    product = logs * target
    if weight is not None:
        product = product * _by_class(weight, len(shape), dim)
    if reduction == "none":
        return -sum_dims(product, (dim,), False)
    total = -r.sum_all(product)
    return total / (math.prod(shape) / shape[dim]) if reduction == "mean" else total


# --- distances ----------------------------------------------------------------------------------------------


cosine_similarity = functional(activations.cosine_similarity)
pairwise_distance = functional(activations.pairwise_distance)


@functional
def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """1 − cos where target is 1, max(0, cos − margin) where it is −1."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    rank = len(shape_of(target))
    if rank not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if len(shape_of(input1)) != rank + 1:
        kind, row = ("0D", "1D") if rank == 0 else ("1D", "2D")
        raise RuntimeError(
            f"{kind} target tensor expects {row} input tensors, but found inputs with sizes "
            f"{list(shape_of(input1))} and "
            f"{list(shape_of(input2))}."
        )
    dim = (rank,)
    tiny = 1e-12
    product = sum_dims(input1 * input2, dim, False)
    squares = [sum_dims(x * x, dim, False) + tiny for x in (input1, input2)]
    cos = product / (squares[0] * squares[1]).sqrt()
    loss = where(eq(target, 1), 1 - cos, 0) + where(eq(target, -1), clamp(cos - margin, 0, None), 0)
    return apply_reduction(loss, reduction)


def _swapped(anchor: Any, positive: Any, negative: Any, distance: _F, margin: float, swap: bool) -> Any:
    near = distance(anchor, positive)
    far = distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return clamp(margin + near - far, 0, None)


@functional
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """max(0, d(anchor, positive) − d(anchor, negative) + margin), d the distance of order p."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    ranks = [len(shape_of(x)) for x in (anchor, positive, negative)]
    if len(set(ranks)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            "dimensions, but got: "
            f"anchor {ranks[0]}D, positive {ranks[1]}D, and negative {ranks[2]}D inputs"
        )
    return apply_reduction(
        _swapped(anchor, positive, negative, lambda a, b: pairwise_distance(a, b, p, eps), margin, swap),
        reduction,
    )


@functional
def triplet_margin_with_distance_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Any = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """`triplet_margin_loss` with a distance of one's own."""
    check_reduction(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return apply_reduction(
        _swapped(anchor, positive, negative, distance_function or pairwise_distance, margin, swap), reduction
    )
