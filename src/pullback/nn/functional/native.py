"""Define the normalisations of torch's top level that also return the statistics which they used."""

import math
from typing import Any

import numpy as np

from ...core.value import dtype_of, shape_of, wrap
from ...ops import normalize as ops
from ...ops.arithmetic import rsqrt
from ...ops.structure import reshape
from ...ops.variance import var_mean
from ...tensor.api import public
from ...tensor.signature import parsed
from . import normalization


@public(method=False, out=False)
@parsed(
    "native_layer_norm",
    "(Tensor input, tuple of ints normalized_shape, Tensor? weight, Tensor? bias, float eps)",
)
def native_layer_norm(
    input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float
) -> tuple[Any, Any, Any]:
    """Return the layer norm ``(input − mean)·rstd·weight + bias`` over the last axes.

    Parameters
    ----------
    input : Tensor
        (…, *normalized_shape).
    normalized_shape : sequence of int
    weight, bias : Tensor or None
        In that shape.
    eps : float

    Returns
    -------
    (out, mean, rstd)
        ``rstd = 1/√(var + eps)``; the statistics keep the axes, with size 1.
    """
    return normalization.layer_norm_with_statistics(input, normalized_shape, weight, bias, eps)


@public(method=False, out=False)
@parsed(
    "native_group_norm",
    "(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps)",
)
def native_group_norm(
    input: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Any, Any, Any]:
    """Group norm ``(input − mean)·rstd`` of each of `group` groups of channels, then weight and bias per
    channel.

    Parameters
    ----------
    input : Tensor
        (N, C, …), of N·C·HxW elements.
    weight, bias : Tensor or None
        (C,).
    N, C, HxW, group : int
    eps : float

    Returns
    -------
    (out, mean, rstd)
        The statistics are (N, group).
    """
    shape = shape_of(input)
    if math.prod(shape) != N * C * HxW:
        raise RuntimeError(
            "Expected X.numel() == N * C * HxW to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    normalization.check_groups(shape, group, weight, bias)
    normalization.check_kernel("GroupNormKernelImpl", input, weight, bias)
    out = ops.group_norm(input, weight, bias, group, float(eps))[0]
    # By themselves: the op's statistics carry no derivative, and these do in torch.
    groups = reshape(input, (N, group, C // group * HxW))
    variance, mean = var_mean(groups, (2,), 0, False)
    return out, mean, rsqrt(variance + eps)


@public(method=False)
@parsed(
    "native_batch_norm",
    "(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, "
    "float momentum, float eps)",
)
def native_batch_norm(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, momentum: float,
    eps: float,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Return the batch norm ``(input − mean)·invstd·weight + bias`` of each channel.

    Parameters
    ----------
    input : Tensor
        (N, C, …).
    weight, bias, running_mean, running_var : Tensor or None
        (C,); in training the running ones move towards the batch's, else they are used.
    training : bool
    momentum, eps : float

    Returns
    -------
    (out, mean, invstd)
        The batch's statistics (C,), or empty outside training.
    """
    out, mean, invstd = normalization.with_statistics(
        input, running_mean, running_var, weight, bias, training, momentum, eps
    )
    if not training or mean is None:
        return out, wrap(np.empty(0, dtype_of(input))), wrap(np.empty(0, dtype_of(input)))
    return out, mean, invstd
