"""torch.nn.grad: gradients of convolutions by their formulas, without a graph of the forward pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import grad
from ..autograd.grad_mode import enable_grad
from ..core.modes import is_grad_enabled
from . import functional as F


def _gradient(
    convolution: Callable[..., Any], which: int, size: Any, given: Any, grad_output: Any,
    options: tuple[Any, ...],
) -> Any:  # fmt: skip
    """Return the gradient of a convolution in one of its two arguments.

    A convolution is linear in each, so that the gradient does not depend on the values of the argument: zeros
    of the right size will do.
    """
    recorded = is_grad_enabled()
    with enable_grad():
        unknown = grad_output.new_zeros(size).requires_grad_()
        args = (unknown, given) if which == 0 else (given, unknown)
        output = convolution(*args, None, *options)
        return grad(output, unknown, grad_output, create_graph=recorded)[0]


def conv1d_input(
    input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv1d` in its input, whose size is `input_size`."""
    return _gradient(F.conv1d, 0, input_size, weight, grad_output, (stride, padding, dilation, groups))


def conv1d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv1d` in its weight, whose size is `weight_size`."""
    return _gradient(F.conv1d, 1, weight_size, input, grad_output, (stride, padding, dilation, groups))


def conv2d_input(
    input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv2d` in its input, whose size is `input_size`."""
    return _gradient(F.conv2d, 0, input_size, weight, grad_output, (stride, padding, dilation, groups))


def conv2d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv2d` in its weight, whose size is `weight_size`."""
    return _gradient(F.conv2d, 1, weight_size, input, grad_output, (stride, padding, dilation, groups))


def conv3d_input(
    input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv3d` in its input, whose size is `input_size`."""
    return _gradient(F.conv3d, 0, input_size, weight, grad_output, (stride, padding, dilation, groups))


def conv3d_weight(
    input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """Return the gradient of `conv3d` in its weight, whose size is `weight_size`."""
    return _gradient(F.conv3d, 1, weight_size, input, grad_output, (stride, padding, dilation, groups))


__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]
