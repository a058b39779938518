"""torch.nn.grad: gradients of convolutions by their formulas, without a graph of the forward pass."""

from collections.abc import Callable
from typing import Any

from ..autograd import grad
from ..autograd.grad_mode import enable_grad
from ..core.modes import is_grad_enabled
from ..errors import with_name
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


def _in_input(convolution: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that gives a convolution's gradient in its input."""

    def gradient(
        input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Any:  # fmt: skip
        return _gradient(convolution, 0, input_size, weight, grad_output, (stride, padding, dilation, groups))

    return _named(gradient, convolution, "input")


def _in_weight(convolution: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that gives a convolution's gradient in its weight."""

    def gradient(
        input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Any:  # fmt: skip
        return _gradient(convolution, 1, weight_size, input, grad_output, (stride, padding, dilation, groups))

    return _named(gradient, convolution, "weight")


def _named(gradient: Callable[..., Any], convolution: Any, argument: str) -> Callable[..., Any]:
    name = convolution.__name__
    text = f"Return the gradient of `{name}` in its {argument}, whose size is `{argument}_size`."
    return with_name(gradient, f"{name}_{argument}", text)


conv1d_input, conv2d_input, conv3d_input = map(_in_input, (F.conv1d, F.conv2d, F.conv3d))
conv1d_weight, conv2d_weight, conv3d_weight = map(_in_weight, (F.conv1d, F.conv2d, F.conv3d))

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]
