"""Define losses of classes: two, several at once, or one of many."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from ...array import dtypes
from ...array.dtype_words import not_implemented, type_word, unlike
from ...core.graph_errors import unsafe_result
from ...core.meta import looked_at
from ...core.op import TABLE, Op
from ...core.value import TensorBase, dtype_of, shape_of
from ...errors import with_note
from ...ops import loss as o
from ...ops import margin_loss as margins
from ...ops import reduce as r
from ...ops.arithmetic import div_number, mul_number, neg
from ...ops.comparison import eq
from ...ops.convert import cast
from ...ops.mixture import masked_fill
from ...ops.softmax import log_softmax as log_softmax_op
from ...ops.structure import contiguous_copy, reshape, sum_dims
from ...tensor.inplace_checks import check_result
from ...tensor.softmax import log_softmax
from ...tensor.tensor import checked_dim
from .loss_reduction import (
    apply_reduction,
    check_known,
    check_no_gradient,
    check_reduction,
    check_tensors,
    functional,
    legacy_reduction,
    mirrored,
    sizes_text,
)

# --- two classes --------------------------------------------------------------------------------------------


@mirrored
def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Return −w(target·log(input) + (1 − target)·log(1 − input))."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({sizes_text(shape_of(target))}) that is different to the input size "
            f"({sizes_text(shape_of(input))}) is deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        _check_spread(shape_of(target), weight.size())
    if dtype_of(input) != dtype_of(target):
        raise RuntimeError(
            f"Found dtype {type_word(dtype_of(target))} but expected {type_word(dtype_of(input))}"
        )
    if dtype_of(input) not in o.binary_cross_entropy.op.refused:
        for name, tensor in (("input", input), ("target", target)):
            _look(tensor, 0, 1, f"all elements of {name} should be between 0 and 1")
    check_no_gradient("binary_cross_entropy", "weight", weight)
    return o.binary_cross_entropy(input, target, weight, reduction)


def _check_spread(shape: tuple[int, ...], weight: tuple[int, ...]) -> None:
    """Raise torch's error for weights that do not broadcast."""
    for place, (n, wanted) in enumerate(zip(reversed(weight), reversed(shape), strict=False), 1):
        if n != wanted and 1 not in (n, wanted):
            raise RuntimeError(
                f"Attempting to broadcast a dimension of length {n} at -{place}! Mismatching argument at "
                f"index 1 had {sizes_text(weight)}; but expected shape should be broadcastable to "
                f"{list(shape)}"
            )


@mirrored
def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", pos_weight: Any = None,
) -> Any:
    """Return `binary_cross_entropy` of sigmoid(input), computed without overflow; `pos_weight` weights the
    positive class.
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({sizes_text(shape_of(target))}) must be the same as input size "
            f"({sizes_text(shape_of(input))})"
        )
    return logits_loss(input, target, weight, pos_weight, reduction)


def logits_loss(input: Any, target: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
    """Return `binary_cross_entropy_with_logits` of tensors that broadcast."""
    check_reduction(reduction)
    for name, v in (("weight", weight), ("pos_weight", pos_weight)):
        if v is not None:
            check_tensors(v)
            check_no_gradient("binary_cross_entropy_with_logits", name, v)
    kind, wanted = dtype_of(input), dtype_of(target)
    if kind != wanted or kind in TABLE["log_sigmoid"].refused:
        _check_logits(kind, wanted)
        # torch computes in the memory of 1 − target.
        return cast(o.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction), wanted)
    return o.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def _check_logits(kind: np.dtype[Any], wanted: np.dtype[Any]) -> None:
    if kind in TABLE["log_sigmoid"].refused:
        raise not_implemented("log_sigmoid_cpu", kind)
    add = TABLE["add"]
    if wanted in add.refused or wanted in dtypes.FLOAT8_NUMPY:
        raise not_implemented(add.word, wanted)
    if wanted.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if wanted.kind in "iu":
        raise with_note(
            RuntimeError(
                f"result type {type_word(kind)} can't be cast to the desired output type {type_word(wanted)}"
            ),
            "The targets are probabilities: target.float().",
        )


@functional
def soft_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """Return log(1 + exp(−target·input))."""
    check_tensors(input, target)
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    check_no_gradient("soft_margin_loss", "target", target)
    # torch computes it in place of −input.
    kind = dtype_of(input)
    neg(np.empty(0, kind))
    check_result(TABLE["mul"], input, target)
    if kind.kind in "iu":
        raise unsafe_result(dtypes.get_default_dtype().numpy, kind)
    if dtype_of(target) != kind:
        return apply_reduction(cast(o.soft_margin_loss(input, target, "none"), kind), reduction)
    return o.soft_margin_loss(input, target, reduction)


# --- several classes at once --------------------------------------------------------------------------------


@functional
def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Return the mean over the classes (last dim) of −w(target·log s + (1 − target)·log(1 − s)), s =
    sigmoid(input).
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    log_sigmoid = TABLE["log_sigmoid"].call
    check_tensors(input)
    loss = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    last = input.dim() - 1
    size = input.size(last)
    loss = sum_dims(loss, (checked_dim(last, loss.dim()),), False) / size
    check_known(reduction)
    return apply_reduction(loss, reduction)


@functional
def multilabel_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """Return Σ of max(0, 1 − (input[j] − input[i])) / classes; targets j end at −1, i are other classes."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if len(shape := shape_of(input)) > 2 or 0 in shape[-1:]:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}"
        )
    if shape_of(target) != shape:
        raise RuntimeError(
            f"inconsistent target size: {list(shape_of(target))} for input of size: {list(shape)}"
        )
    if dtype_of(target) in TABLE["min_all"].refused or dtype_of(target).kind == "c":
        raise not_implemented("min_all", dtype_of(target))
    _look(target, -1, (shape[-1] if shape else 1) - 1, "argument #2 'target' is out of range")
    _check_kernel(margins.multilabel_margin_loss.op, input)
    _check_long(target)
    return margins.multilabel_margin_loss(input, target, reduction)


def _check_kernel(op: Op, input: Any) -> None:
    """Raise torch's error for a dtype that a loss of margins has no kernel for."""
    if dtype_of(input).kind not in "fV" or dtype_of(input) in op.refused:
        raise not_implemented(op.word, dtype_of(input))


def _check_long(target: Any) -> None:
    if dtype_of(target) != dtypes.int64.numpy:
        raise RuntimeError(f"expected scalar type Long but found {type_word(dtype_of(target))}")


def _look(tensor: Any, least: int, most: int, text: str) -> None:
    """Raise an error where elements are not between two numbers."""

    def look(values: np.ndarray) -> None:
        if values.size and not ((values >= least) & (values <= most)).all():
            raise RuntimeError(text)

    looked_at(tensor, look)


@functional
def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, size_average: Any = None,
    reduce: Any = None, reduction: str = "mean",
) -> Any:
    """Return the mean over the other classes i of max(0, margin − input[target] + input[i])^p, weighted by
    the target's class.
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    check_tensors(input, target)
    if weight is not None and len(shape_of(weight)) != 1:
        raise ValueError("weight must be one-dimensional")
    if len(shape := shape_of(input)) > 2 or 0 in shape[-1:]:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}"
        )
    samples = shape[0] if len(shape) == 2 else 1
    if len(shape_of(target)) > 1 or math.prod(shape_of(target)) != samples:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples "
            f"(batch size). Expected target size [{samples}], but got {list(shape_of(target))}. Input has "
            f"shape {list(shape)}."
        )
    classes = shape[-1] if shape else 1
    if weight is not None and shape_of(weight) != (classes,):
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(shape_of(weight))}")
    _check_kernel(margins.multi_margin_loss.op, input)
    _check_long(target)
    _look(target, 0, classes - 1, "target out of range")
    return margins.multi_margin_loss(input, target, weight, p, margin, reduction)


# --- one class of many --------------------------------------------------------------------------------------


def _check_nll(input: Any, target: Any, weight: Any) -> None:
    check_tensors(target)
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
    if len(x) == 1 and t and t[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {t[0]}")
    if weight is not None:
        check_tensors(weight)
    if (kind := dtype_of(target)) not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {type_word(kind)}")
    if weight is not None and (len(shape_of(weight)) != 1 or shape_of(weight)[0] != classes):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(shape_of(weight))}"
        )
    known = dtype_of(input) not in o.nll_loss.op.refused
    if weight is not None and dtype_of(weight) != dtype_of(input) and known:
        raise unlike(dtype_of(input), dtype_of(weight))
    name = "nll_loss_forward" if len(shape_of(input)) <= 2 else "nll_loss2d_forward"
    check_no_gradient(name, "weight", weight)


def _are_usual(input: Any, target: Any, weight: Any) -> bool:
    """Return whether there are rows of numbers for the classes and one of the classes for each row, all of
    them in memory, and weights that fit: what needs no further check.
    """
    if not (isinstance(input, TensorBase) and isinstance(target, TensorBase)):
        return False
    x, places = input._value, target._value
    if type(x) is not ndarray or type(places) is not ndarray or x.ndim != 2 or places.ndim != 1:
        return False
    if x.dtype not in _FLOATS or places.dtype != np.int64 or not 0 < len(x) == len(places):
        return False
    if weight is not None:
        w = weight._value if isinstance(weight, TensorBase) else None
        if type(w) is not ndarray or w.shape != x.shape[1:] or w.dtype is not x.dtype or weight.requires_grad:
            return False
    return True


_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@functional
def nll_loss(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100,
    reduce: Any = None, reduction: str = "mean",
) -> Any:
    """Return the negative log-likelihood: −w[t]·input[t] for log-probabilities with classes along dim 1; the
    mean is weighted.
    """
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if _are_usual(input, target, weight):
        return o.nll_loss(input, target, weight, reduction, ignore_index)
    return _nll(input, target, weight, reduction, ignore_index)


def _nll(input: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    _check_nll(input, target, weight)
    if len(shape := shape_of(input)) == 1 and shape_of(target) == (1,):
        target = reshape(target, ())
    if len(shape) <= 2:
        return o.nll_loss(input, target, weight, reduction, ignore_index)
    if len(shape) == 4:
        return o.nll_loss_nd(input, target, weight, reduction, ignore_index)
    # torch has kernels for no axis behind the classes and for two: others are folded.
    rows = shape_of(target)
    folded = (*shape[:2], 1, math.prod(shape[2:]))
    if 0 in shape and 0 not in rows:  # there are no classes
        raise RuntimeError(
            f"size mismatch (got input: {[*shape[:2], 0, 0]} , target: {[rows[0], *folded[2:]]}"
        )
    if isinstance((value := input._value), np.ndarray) and not value.flags.c_contiguous:
        input = contiguous_copy(input)
    each = o.nll_loss_nd(
        reshape(input, folded), reshape(target, (rows[0], *folded[2:])), weight, reduction, ignore_index
    )
    return reshape(each, rows) if reduction == "none" else each


@functional
def cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100,
    reduce: Any = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Any:
    """Cross entropy of logits `input` (dim 1: classes) with class indices, or probabilities of its shape."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    if label_smoothing == 0 and _are_usual(input, target, weight):
        return o.nll_loss(log_softmax_op(input, 1), target, weight, reduction, ignore_index)
    shape = shape_of(input)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    dim = 0 if len(shape) == 1 else 1
    if shape == shape_of(target):
        if dtype_of(target).kind not in "fV":
            raise RuntimeError(
                "Expected floating point type for target with class probabilities, got "
                f"{type_word(dtype_of(target))}"
            )
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _soft_cross_entropy(input, target, weight, reduction, label_smoothing, dim)
    logs = log_softmax(input, dim)
    loss = _nll(logs, target, weight, reduction, ignore_index)
    if label_smoothing == 0:
        return loss
    smooth = _smooth_part(logs, target, weight, reduction, ignore_index, dim)
    return mul_number(loss, 1 - label_smoothing) + mul_number(smooth, label_smoothing / shape[dim])


def _by_class(weight: Any, rank: int, dim: int) -> Any:
    classes = shape_of(weight)[0]
    return reshape(weight, (*(1,) * dim, classes, *(1,) * (rank - dim - 1)))


def _smooth_part(logs: Any, target: Any, weight: Any, reduction: str, ignore_index: int, dim: int) -> Any:
    """Return what label smoothing takes a share of: every class alike."""
    shape = shape_of(logs)
    weighted = logs if weight is None else logs * _by_class(weight, len(shape), dim)
    each = -sum_dims(weighted, (dim,), False)
    each = masked_fill(each, eq(target, ignore_index), 0)
    if reduction == "none":
        return each
    total = r.sum_all(each)
    if reduction == "mean":
        total = total / r.sum_all(o.nll_weights(target, weight, ignore_index, dtype_of(logs)))
    return total


def _soft_cross_entropy(
    input: Any, target: Any, weight: Any, reduction: str, smoothing: float, dim: int
) -> Any:
    shape = shape_of(input)
    classes = shape[dim] or math.nan  # the mean over no class is nan
    logs = log_softmax(input, dim)
    if smoothing > 0:
        target = mul_number(target, 1 - smoothing) + smoothing / classes
    product = logs * target
    if weight is not None:
        product = product * _by_class(weight, len(shape), dim)
    if reduction == "none":
        return -sum_dims(product, (dim,), False)
    total = -r.sum_all(product)
    return div_number(total, math.prod(shape) / classes) if reduction == "mean" else total
