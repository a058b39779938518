"""Batch, layer and group normalisation: fused kernels forward and backward, differentiable to any order.

With z = (x − mean)·r, r = 1/√(variance + eps) and h = g·weight, the pullback is r·P(h), where P takes off the
mean and the component along z: P(h) = h − mean(h) − z·mean(h·z). P is symmetric and d(z) = r·P(dx), which
gives the pullback's own pullback, written in public ops of x alone.
"""

import math
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import batch_norm as of_batches
from ..array import norm as kernels
from ..array.layout import following_channels
from ..core.op import Axes, Covectors, Several, Term, Terms, op
from ..core.recorded_pullback import zeros_like_value
from ..core.result_shapes import of_no_image
from ..core.value import TensorBase, dtype_of, shape_of
from .arithmetic import rsqrt
from .reduce import mean_dims
from .structure import Shape, expand, permute_to_front, reshape, sum_dims

Dims = tuple[int, ...]


# --- in public ops ------------------------------------------------------------------------------------------


def statistics(x: Term, dims: Dims, eps: float) -> tuple[Any, Any]:
    """Return z and r, with the dims of the statistics kept in r."""
    centred = x - mean_dims(x, dims, True)
    r = rsqrt(mean_dims(centred * centred, dims, True) + eps)
    return centred * r, r


def _project(v: Term, z: Term, dims: Dims) -> Term:
    return v - mean_dims(v, dims, True) - z * mean_dims(v * z, dims, True)


def _times(v: Term, weight: Term | None) -> Term:
    return v if weight is None else v * weight


def _sum(v: Term, dims: Dims) -> Term:
    return sum_dims(v, dims, True)


def pulled(g: Term, x: Term, weight: Term | None, dims: Dims, over: Dims, eps: float) -> tuple[Any, Any, Any]:
    """Return covectors of x, weight and bias (`over` are the dims that weight does not have, kept as 1)."""
    z, r = statistics(x, dims, eps)
    return r * _project(_times(g, weight), z, dims), _sum(g * z, over), _sum(g, over)


def pulled_twice(
    covectors: tuple[Any, Any, Any], g: Term, x: Term, weight: Term | None, dims: Dims, over: Dims, eps: float
) -> tuple[Any, Any, Any]:
    """Return covectors of g, x and weight for those of what `pulled` gives."""
    a, b, c = covectors
    n = math.prod([shape_of(x)[d] for d in dims])
    z, r = statistics(x, dims, eps)
    h = _times(g, weight)
    turned = r * _project(a, z, dims)
    along = _sum(h * z, dims)
    bent = _project(a * along + h * _sum(a * z, dims), z, dims)
    overlap = _sum(a * _project(h, z, dims), dims)
    in_x = r * _project(b * g, z, dims) - (r * r / n) * (z * overlap + bent)
    return _times(turned, weight) + b * z + c, in_x, _sum(g * turned, over)


def _filled(covectors: Covectors, shapes: tuple[Shape, ...], like: Term) -> list[Any]:
    """Return covectors of dx, dweight and dbias in these shapes, zeros for those that did not arrive."""
    return [
        zeros_like_value(like, shape, dtype_of(like)) if c is None else reshape(c, shape)
        for c, shape in zip(covectors, shapes, strict=True)
    ]


def _of_weight(weight: Term | None, in_weight: Any, covectors: Covectors) -> Term | None:
    """Return the covector of the weight, which only dx depends on."""
    return None if weight is None or covectors[0] is None else reshape(in_weight, shape_of(weight))


# --- layer norm ---------------------------------------------------------------------------------------------


def _layer_dims(shape: Shape, axes: int) -> tuple[Dims, Dims]:
    rank = len(shape)
    return tuple(range(rank - axes, rank)), tuple(range(rank - axes))


def _layer_backward_rule(
    covectors: Covectors, g: Term, x: Term, weight: Term, axes: int, eps: float
) -> Covectors:
    shape = shape_of(x)
    dims, over = _layer_dims(shape, axes)
    kept = (*(1,) * len(over), *(shape[d] for d in dims))
    a, b, c = _filled(covectors, (shape, kept, kept), x)
    in_g, in_x, in_weight = pulled_twice((a, b, c), g, x, weight, dims, over, eps)
    return in_g, in_x, _of_weight(weight, in_weight, covectors), None, None, None


def _front(value: Any, dim: int | None, size: int) -> Any:
    """Return a value with the batch axis first; one that has none is repeated."""
    if value is None:
        return None
    if dim is None:
        shape = shape_of(value)
        return expand(reshape(value, (1, *shape)), (size, *shape))
    return permute_to_front(value, dim)


def _affine(value: object, dim: int | None, size: int, lead: int) -> Any:
    """Return a weight with the batch axis first and `lead` axes of size 1 behind it."""
    if value is None:
        return None
    x = _front(value, dim, size)
    shape = shape_of(x)
    return reshape(x, (shape[0], *(1,) * lead, *shape[1:]))


def _layer_batched(size: int, values: Terms, dims: Axes, axes: int, eps: float) -> tuple[Any, ...]:
    x = _front(values[0], dims[0], size)
    out, mean, rstd = layer_norm(x, None, None, axes, eps)
    lead = len(shape_of(x)) - 1 - axes
    weight, bias = (_affine(v, d, size, lead) for v, d in zip(values[1:], dims[1:], strict=True))
    out = _times(out, weight)
    return out if bias is None else out + bias, mean, rstd


def _layer_backward_batched(size: int, values: Terms, dims: Axes, axes: int, eps: float) -> tuple[Any, ...]:
    g, x = (_front(v, d, size) for v, d in zip(values[:2], dims[:2], strict=True))
    rank = len(shape_of(x))
    lead = rank - 1 - axes
    weight = _affine(values[2], dims[2], size, lead)
    inner, over = tuple(range(rank - axes, rank)), tuple(range(1, rank - axes))
    in_x, in_weight, in_bias = pulled(g, x, weight, inner, over, eps)
    shape = (size, *(shape_of(x)[d] for d in inner))
    return in_x, reshape(in_weight, shape), reshape(in_bias, shape)


#: (x − mean)·rstd·weight + bias over the last `axes` axes.
layer_norm = op(
    "native_layer_norm",
    lambda x, weight, bias, /, axes, eps: kernels.layer_norm(x, weight, bias, axes, eps),
    lambda g, x, weight, bias, mean, rstd, axes, eps: layer_norm_backward(
        g, x, weight, mean, rstd, bias, axes, eps
    ),
    joint=True, outputs=("out", "mean", "rstd"),
    differentiable=(0,), batch_rule=_layer_batched, sizes_kept=True,
)
#: As torch, it takes the bias, too, which it does not need: each gradient requires grad where the bias does.
layer_norm_backward: Several = op(
    "native_layer_norm_backward",
    lambda g, x, weight, mean, rstd, bias, /, axes, eps: kernels.layer_norm_adjoint(
        g, x, mean, rstd, weight, axes
    ),
    _layer_backward_rule, joint=True,
    outputs=("dx", "dweight", "dbias"), partial=True, batch_rule=_layer_backward_batched, sizes_kept=True,
)

# --- batch norm ---------------------------------------------------------------------------------------------


def _batch_norm(
    x: ndarray, weight: ndarray | None, bias: ndarray | None, mean: ndarray | None, var: ndarray | None, /,
    training: bool, eps: float,
) -> tuple[ndarray, ndarray, ndarray, ndarray]:  # fmt: skip
    if training:
        return of_batches.batch_norm_in_training(x, weight, bias, eps)
    assert mean is not None
    assert var is not None
    mean, var = mean.copy(), var.copy()
    invstd = np.reciprocal(np.sqrt(var + np.asarray(eps, var.dtype)), out=...)
    return of_batches.batch_norm(x, mean, invstd, weight, bias), mean, invstd, var


def _channel_dims(rank: int) -> Dims:
    return tuple(d for d in range(rank) if d != 1)


def _column(v: Any, rank: int, channel: int = 1) -> Any:
    return None if v is None else reshape(v, (*(1,) * channel, shape_of(v)[0], *(1,) * (rank - channel - 1)))


def _batch_backward_rule(
    covectors: Covectors, g: Term, x: Term, weight: Term, mean: Term, invstd: Term, training: bool, eps: float
) -> Covectors:
    rank = len(shape_of(x))
    dims = _channel_dims(rank)
    shape = shape_of(x)
    channels = (1, shape[1], *(1,) * (rank - 2))
    a, b, c = _filled(covectors, (shape, channels, channels), x)
    w = _column(weight, rank)
    if training:
        in_g, in_x, in_weight = pulled_twice((a, b, c), g, x, w, dims, dims, eps)
    else:
        r = _column(invstd, rank)
        z = (x - _column(mean, rank)) * r
        in_g, in_weight = _times(a * r, w) + b * z + c, _sum(a * g * r, dims)
        # With given statistics only the gradient of the weight varies with x.
        in_x = None if covectors[1] is None else b * g * r
    return in_g, in_x, _of_weight(weight, in_weight, covectors), None, None


def _batch_affine(value: object, dim: int | None, size: int, rank: int) -> Any:
    """Return channel values as (batch, 1, C, 1, …) for x of rank `rank`, batch included."""
    if value is None:
        return None
    x = _front(value, dim, size)
    return reshape(x, (size, 1, shape_of(x)[1], *(1,) * (rank - 3)))


def _batch_batched(size: int, values: Terms, dims: Axes, training: bool, eps: float) -> tuple[Any, ...]:
    x = _front(values[0], dims[0], size)
    rank = len(shape_of(x))
    weight, bias, mean, var = (
        _batch_affine(v, d, size, rank) for v, d in zip(values[1:], dims[1:], strict=True)
    )
    over = tuple(d for d in range(1, rank) if d != 2)
    if training:
        mean = mean_dims(x, over, True)
        centred = x - mean
        var = mean_dims(centred * centred, over, True)
    invstd = rsqrt(var + eps)
    out = _times((x - mean) * invstd, weight)
    channels = (size, shape_of(x)[2])
    out = out if bias is None else out + bias
    return out, reshape(mean, channels), reshape(invstd, channels), reshape(var, channels)


def _batch_backward_batched(size: int, values: Terms, dims: Axes, training: bool, eps: float) -> Terms:
    g, x = (_front(v, d, size) for v, d in zip(values[:2], dims[:2], strict=True))
    rank = len(shape_of(x))
    weight, mean, invstd = (
        _batch_affine(v, d, size, rank) for v, d in zip(values[2:], dims[2:], strict=True)
    )
    over = tuple(d for d in range(1, rank) if d != 2)
    if training:
        in_x, in_weight, in_bias = pulled(g, x, weight, over, over, eps)
    else:
        in_x, in_weight, in_bias = (
            _times(g * invstd, weight),
            _sum(g * ((x - mean) * invstd), over),
            _sum(g, over),
        )
    channels = (size, shape_of(x)[2])
    return in_x, reshape(in_weight, channels), reshape(in_bias, channels)


#: (x − mean)·invstd·weight + bias for each channel (dim 1), with the statistics of x in training, else with
#: those given.
batch_norm = op(
    "native_batch_norm", _batch_norm,
    lambda g, x, weight, batch_mean, invstd, training, eps: (
        *batch_norm_backward(g, x, weight, batch_mean, invstd, training, eps), None, None
    ),
    joint=True,
    outputs=("out", "batch_mean", "invstd", "batch_var"), differentiable=(0,),
    differentiable_inputs=(0, 1, 2), batch_rule=_batch_batched, place=following_channels,
    saves=("mean", "var"), sizes_kept=True,
)
batch_norm_backward: Several = op(
    "native_batch_norm_backward",
    lambda g, x, weight, mean, invstd, /, training, eps: of_batches.batch_norm_adjoint(
        g, x, mean, invstd, weight, training
    ),
    _batch_backward_rule, joint=True,
    outputs=("dx", "dweight", "dbias"), partial=True, batch_rule=_batch_backward_batched, sizes_kept=True,
)

# --- group norm ---------------------------------------------------------------------------------------------


def _grouped(shape: Shape, groups: int) -> Shape:
    """Return (N, C, …) as (N, groups, C / groups, places)."""
    return (shape[0], groups, shape[1] // groups, math.prod(shape[2:]))


def _group_norm(
    x: ndarray, weight: ndarray | None, bias: ndarray | None, /, groups: int, eps: float
) -> tuple[ndarray, ndarray, ndarray]:
    return kernels.group_norm(x, weight, bias, groups, eps)


def _group_rule(g: Term, x: Term, weight: Term, mean: Term, rstd: Term, groups: int, eps: float) -> Covectors:
    in_x, in_weight, in_bias = group_norm_backward(g, x, weight, mean, rstd, groups, eps)
    if isinstance(g, TensorBase):
        # torch composes a recorded pullback of other ops: this part depends on g alone.
        in_bias = sum_dims(g, _channel_dims(len(shape_of(g))), False)
    return in_x, in_weight, in_bias


def _group_backward_rule(
    covectors: Covectors, g: Any, x: Any, weight: Term | None, groups: int, eps: float
) -> Covectors:
    whole = shape_of(x)
    shape = _grouped(whole, groups)
    channels = (1, groups, shape[2], 1)
    a, b, c = _filled(covectors, (shape, channels, channels), x)
    w = None if weight is None else reshape(weight, channels)
    in_g, in_x, in_weight = pulled_twice(
        (a, b, c), reshape(g, shape), reshape(x, shape), w, (2, 3), (0, 3), eps
    )
    in_weight = _of_weight(weight, in_weight, covectors)
    return reshape(in_g, whole), reshape(in_x, whole), in_weight, None, None


def _group_batched(size: int, values: Terms, dims: Axes, groups: int, eps: float) -> tuple[Any, ...]:
    x = _front(values[0], dims[0], size)
    shape = shape_of(x)
    folded = reshape(x, (size * shape[1], *shape[2:]))
    out, mean, rstd = group_norm(folded, None, None, groups, eps)
    out = reshape(out, shape)
    weight, bias = (_batch_affine(v, d, size, len(shape)) for v, d in zip(values[1:], dims[1:], strict=True))
    out = _times(out, weight)
    stats = (size, *_grouped(shape[1:], groups)[:2], *shape_of(mean)[2:])
    return out if bias is None else out + bias, reshape(mean, stats), reshape(rstd, stats)


def _group_backward_batched(size: int, values: Terms, dims: Axes, groups: int, eps: float) -> tuple[Any, ...]:
    g, x = (_front(v, d, size) for v, d in zip(values[:2], dims[:2], strict=True))
    shape = shape_of(x)
    own = (size, *_grouped(shape[1:], groups))
    if (weight := values[2]) is not None:
        weight = reshape(_front(weight, dims[2], size), (size, 1, groups, own[3], 1))
    in_x, in_weight, in_bias = pulled(reshape(g, own), reshape(x, own), weight, (3, 4), (1, 4), eps)
    return reshape(in_x, shape), reshape(in_weight, (size, shape[2])), reshape(in_bias, (size, shape[2]))


#: Normalisation of each group of channels, then weight and bias for each channel.
group_norm = op(
    "native_group_norm", _group_norm, _group_rule, joint=True, outputs=("out", "mean", "rstd"),
    differentiable=(0,), batch_rule=_group_batched, place=following_channels, shape=of_no_image(_group_norm),
)
group_norm_backward = op(
    "native_group_norm_backward",
    lambda g, x, weight, mean, rstd, /, groups, eps: kernels.group_norm_adjoint(
        g, x, mean, rstd, weight, groups
    ),
    _group_backward_rule, joint=True,
    outputs=("dx", "dweight", "dbias"), partial=True, batch_rule=_group_backward_batched,
    shape=lambda g, x, *others: ((x.shape, x.dtype), *(((x.shape[1],), x.dtype),) * 2),
)
