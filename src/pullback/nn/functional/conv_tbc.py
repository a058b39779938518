"""Convolution of sequences with time first, under torch's name."""

from __future__ import annotations

from typing import Any

from ...core.value import shape_of
from ...ops import conv_tbc as ops
from ...tensor.api import public
from ...tensor.signature import parsed


@public(method=False, out=False)
@parsed("conv_tbc", "(Tensor input, Tensor weight, Tensor bias, int pad = 0)")
def conv_tbc(input: Any, weight: Any, bias: Any, pad: int = 0) -> Any:
    """Return the convolution in time: ``out[t] = Σ_k input[t + k − pad] @ weight[k] + bias``.

    Parameters
    ----------
    input : tensor
        (T, N, C): time, batch, channels.
    weight : tensor
        (K, C, O).
    bias : tensor
        (O,).
    pad : int
        Zeros before and after.

    Returns
    -------
    tensor
        (T + 2·pad − K + 1, N, O).
    """
    x, w, b = shape_of(input), shape_of(weight), shape_of(bias)
    if len(x) != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if len(w) != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if len(b) != 1:
        raise RuntimeError("Bias must be 1-D")
    if x[2] != w[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if b[0] != w[2]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    return ops.conv_tbc(input, weight, bias, pad)
