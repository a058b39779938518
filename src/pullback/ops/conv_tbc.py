"""Convolution of sequences with time first, channels last."""

from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import Axes, Term, Terms, op
from ..core.value import shape_of
from .conv import conv_transpose, conv_weight
from .convert import conj
from .structure import contiguous_copy, permute, permute_to_front, reshape, sum_dims

Sizes = tuple[int, ...]
_CHANNELS_SECOND, _TIME_FIRST, _REVERSED = (1, 2, 0), (2, 0, 1), (2, 1, 0)


def _conv_tbc(x: ndarray, weight: ndarray, bias: ndarray, /, padding: int) -> ndarray:
    padded = np.pad(x, ((padding, padding), (0, 0), (0, 0)))
    length = len(padded) - len(weight) + 1
    y = np.empty((length, x.shape[1], weight.shape[2]), x.dtype)
    y[...] = bias
    for k, taps in enumerate(weight):
        y += np.matmul(padded[k : k + length], taps)
    return y


def _x_rule(g: Term, weight: Term, shape_x: Sizes, padding: int) -> Term:
    filters = conj(permute(weight, _REVERSED))
    x = conv_transpose(permute(g, _CHANNELS_SECOND), filters, (1,), (padding,), (1,), 1, (shape_x[0],))
    return contiguous_copy(permute(x, _TIME_FIRST))


def _weight_rule(g: Term, x: Term, shape_weight: Sizes, padding: int) -> Term:
    images = conj(permute(x, _CHANNELS_SECOND))
    filters = conv_weight(images, permute(g, _CHANNELS_SECOND), (shape_weight[0],), (1,), (padding,), (1,), 1)
    return contiguous_copy(permute(filters, _REVERSED))


def _batched(size: int, values: Terms, dims: Axes, padding: int) -> Term:
    x, weight, bias = values
    if dims[1] is not None or dims[2] is not None:
        return NotImplemented
    x = permute_to_front(x, dims[0] or 0)
    _, time, count, channels = shape_of(x)
    folded = reshape(permute(x, (1, 0, 2, 3)), (time, size * count, channels))
    y = conv_tbc(folded, weight, bias, padding)
    length, _, outputs = shape_of(y)
    return permute(reshape(y, (length, size, count, outputs)), (1, 0, 2, 3))


#: Σ_k x[t + k] @ weight[k] + bias for x (T, N, C), weight (K, C, O) and zeros around.
conv_tbc: Any = op(
    "conv_tbc", _conv_tbc, (_x_rule, _weight_rule, lambda g: sum_dims(g, (0, 1), False)), halves=True,
    batch_rule=_batched,
)
