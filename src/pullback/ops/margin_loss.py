"""Losses of the margins between a sample's right classes and its others."""

from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import Term, op
from ..core.value import shape_of
from .comparison import eq, gt, where
from .extreme import pick
from .loss import reduced
from .structure import reshape, sum_dims

Shape = tuple[int, ...]


def _rows(x: Term) -> Any:
    """Return samples as rows (N, C)."""
    shape = shape_of(x)
    return x if len(shape) == 2 else reshape(x, (1, shape[0] if shape else 1))


def _by_sample(g: Term, shape: Shape, reduction: str) -> Term:
    """Return the covector of each sample's loss as a column (N, 1)."""
    samples = shape[0] if len(shape) == 2 else 1
    if reduction == "mean":
        g = g / (samples or 1)
    return reshape(g, (samples if reduction == "none" and shape_of(g) else 1, 1))


def _gaps(x: Term, target: Term, weight: Term | None, p: int, margin: float) -> tuple[Any, Any, Any]:
    """Return what each class lacks to the margin, whether it is the target, and the weights of classes."""
    rows = _rows(x)
    samples, classes = shape_of(rows)
    index = reshape(target, (samples, 1))
    gaps = margin - pick(rows, index, 1) + rows
    wrong = where(gt(gaps, 0), gaps, 0)  # 0 for NaN, as torch has it
    share: Any = 1 / classes
    if weight is not None:
        share = reshape(pick(weight, reshape(target, (samples,)), 0), (samples, 1)) * share
    return wrong, eq(index, np.arange(classes)), share


def _multi_margin(
    x: ndarray, target: ndarray, weight: ndarray | None, /, p: int, margin: float, reduction: str
) -> ndarray:
    gaps, right, share = _gaps(x, target, weight, p, margin)
    each = sum_dims(where(right, 0, gaps if p == 1 else gaps * gaps) * share, (1,), False)
    each = each.astype(x.dtype, copy=False)
    return reduced(each if x.ndim == 2 else each.reshape(()), reduction)


def _multi_margin_rule(
    g: Term, x: Term, target: Term, weight: Term, p: int, margin: float, reduction: str
) -> Term:
    gaps, right, share = _gaps(x, target, weight, p, margin)
    slope = where(eq(gaps, 0), gaps, 1.0) if p == 1 else 2 * gaps
    slope = where(right, 0, slope) * share
    slope = where(right, -sum_dims(slope, (1,), True), slope)
    return reshape(_by_sample(g, shape_of(x), reduction) * slope, shape_of(x))


#: Σ over the other classes i of weight[t]·max(0, margin − x[t] + x[i])^p / C, for x (N, C) or (C,), target t.
multi_margin_loss: Any = op("multi_margin_loss", _multi_margin, (_multi_margin_rule, None, None))


def _marks(target: ndarray) -> tuple[ndarray, ndarray]:
    """Return for targets (N, C) ended by −1 the classes, and which of the counted ones each is (N, C, C)."""
    valid = np.logical_and.accumulate(target >= 0, axis=1)
    index = np.where(valid, target, 0)
    return index, (index[:, :, None] == np.arange(target.shape[1])) & valid[:, :, None]


def _pairs(x: ndarray, target: ndarray) -> tuple[ndarray, ndarray]:
    """Return max(0, 1 − (x[j] − x[i])) for targets j and other classes i, and the class of each target."""
    index, marks = _marks(target)
    named = np.logical_or.reduce(marks, 1, keepdims=True)
    chosen = np.take_along_axis(x, index, 1)
    gaps = 1 - (chosen[:, :, None] - x[:, None, :])
    counted = np.logical_or.reduce(marks, 2, keepdims=True) & ~named & (gaps > 0)
    return np.where(counted, gaps, 0), marks


def _multilabel(x: ndarray, target: ndarray, /, reduction: str) -> ndarray:
    gaps, _ = _pairs(_rows(x), _rows(target))
    each = gaps.sum((1, 2)) / gaps.shape[1]
    return reduced(each if x.ndim == 2 else each.reshape(()), reduction)


def _multilabel_slope(x: ndarray, target: ndarray, /) -> ndarray:
    gaps, marks = _pairs(_rows(x), _rows(target))
    short = gaps > 0
    mine = (np.add.reduce(short, 2, np.int64, keepdims=True) * marks).sum(1)
    slope = (np.add.reduce(short, 1, np.int64) - mine).astype(x.dtype)
    return (slope / gaps.shape[1]).reshape(x.shape)


#: The derivative (N, C) of each sample's loss; it is constant between the margins.
_slope_of_multilabel: Any = op("multilabel_margin_slope", _multilabel_slope)

#: Σ over targets j and other classes i of max(0, 1 − (x[j] − x[i])) / C, for x (N, C) or (C,).
multilabel_margin_loss: Any = op(
    "multilabel_margin_loss", _multilabel,
    (
        lambda g, x, target, reduction: (
            reshape(
                _by_sample(g, shape_of(x), reduction) * _rows(_slope_of_multilabel(x, target)), shape_of(x)
            )
        ),
        None,
    ),
)  # fmt: skip
