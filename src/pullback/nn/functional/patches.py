"""Take patches of images as columns and back, with torch's errors."""

import math
from collections.abc import Iterable
from typing import Any

from ...array import geometry
from ...array.dtype_words import not_implemented
from ...core.value import dtype_of, shape_of
from ...ops import vision as ops
from ...tensor.api import public
from ...tensor.sizes import sequence
from ...tensor.tensor import checked_axis

Pair = tuple[int, int]


def _pair(function: str, place: int, name: str, value: Any) -> Pair:
    values = sequence(function, name, place, tuple(value) if isinstance(value, Iterable) else (value,) * 2)
    if len(values) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(values)}")
    return values


def _windows(
    function: str, first: int, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[Pair, Pair, Pair, Pair]:
    """Return the arguments as pairs, checked; `first` is the place of the kernel size."""
    kernel = _pair(function, first, "kernel_size", kernel_size)
    dilations = _pair(function, first + 1, "dilation", dilation)
    paddings = _pair(function, first + 2, "padding", padding)
    strides = _pair(function, first + 3, "stride", stride)
    for name, short, pair, least in (
        ("kernel size", "kernel", kernel, 1),
        ("stride", "stride", strides, 1),
        ("dilation", "dilation", dilations, 1),
        ("padding", "pad", paddings, 0),
    ):
        if min(pair) < least:
            wanted = "greater than zero" if least else "non-negative"
            raise RuntimeError(
                f"{name} should be {wanted}, but got {short}_height: {pair[0]} {short}_width: {pair[1]}"
            )
    return kernel, dilations, paddings, strides


def _check_dtype(input: Any, kernel: str) -> None:
    if dtype_of(input).kind in "iu":
        raise not_implemented(kernel, dtype_of(input))


@public(namespace="nn.functional", method=False, out=False)
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Return patches as columns: ``out[n, (c, k, l), p] = input[n, c, place p + tap (k, l)]``.

    Parameters
    ----------
    input : tensor
        (N, C, H, W) or (C, H, W).
    kernel_size, dilation, padding, stride : int or pair

    Returns
    -------
    tensor
        (N, C·K·L, places) or (C·K·L, places).
    """
    if len(shape := shape_of(input)) < 3:
        checked_axis(max(len(shape), 1), len(shape))  # torch asks for the axes from 1 on
    kernel, dilations, paddings, strides = _windows("im2col", 2, kernel_size, dilation, padding, stride)
    if len(shape) > 4 or 0 in shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions "
            f"for input, but got: {list(shape)}"
        )
    blocks = geometry.output_size(shape[-2:], kernel, strides, paddings, dilations)
    if min(blocks) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(shape[-2:])}, kernel_size={kernel}, dilation={dilations}, "
            f"padding={paddings}, calculated shape of the array of sliding blocks as {blocks}, but its "
            "components must be at least one."
        )
    _check_dtype(input, "im2col_out_cpu")
    return ops.im2col(input, kernel, dilations, paddings, strides)


@public(namespace="nn.functional", method=False, out=False)
def fold(
    input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Return columns added to their places: the transpose of :func:`unfold`.

    Parameters
    ----------
    input : tensor
        (N, C·K·L, places) or (C·K·L, places).
    output_size : int or pair
        (H, W).
    kernel_size, dilation, padding, stride : int or pair

    Returns
    -------
    tensor
        (N, C, H, W) or (C, H, W).
    """
    shape = shape_of(input)
    size = _pair("col2im", 2, "output_size", output_size)
    kernel, dilations, paddings, strides = _windows("col2im", 3, kernel_size, dilation, padding, stride)
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
            f"dimensions for input, but got: {list(shape)}"
        )
    if shape[-2] % math.prod(kernel):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[-2]} and kernel_size={kernel}."
        )
    rows, columns = geometry.output_size(size, kernel, strides, paddings, dilations)
    if rows * columns != shape[-1] or min(rows, columns) < 1:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={dilations}, padding={paddings}, "
            f"stride={strides}, expected size of input's dimension 2 to match the calculated number of "
            f"sliding blocks {rows} * {columns} = {rows * columns}, but got input.size(2)={shape[-1]}."
        )
    _check_dtype(input, "col2im_out_cpu")
    return ops.col2im(input, size, kernel, dilations, paddings, strides)
