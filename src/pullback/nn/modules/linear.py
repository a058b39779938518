"""Define linear layers."""

import math
from typing import Any

from ...autograd.grad_mode import no_grad
from .. import functional as F
from .. import init
from ..parameter import UninitializedParameter
from .creation import empty_parameter, optional_parameter
from .lazy import LazyModuleMixin
from .module import Module


class Identity(Module):
    """Return its input; take any arguments and ignore them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input


class Linear(Module):
    """Compute ``y = x Wᵀ + b`` over the last axis: (…, in_features) -> (…, out_features).

    Parameters
    ----------
    in_features, out_features : int
        Sizes of the last axis before and after; `weight` is (out_features, in_features), `bias`
        (out_features,). Both are drawn from U(−1/√in_features, 1/√in_features).
    bias : bool
        Whether there is a b; without it `bias` is None.
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = empty_parameter((out_features, in_features), device, dtype)
        self.register_parameter("bias", optional_parameter(bias, (out_features,), device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values: U(−1/√in, 1/√in)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Any) -> Any:
        """Map (…, in_features) -> (…, out_features)."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return sizes and whether there is a bias."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """A `Linear` by another name, which `MultiheadAttention` has for its last layer in torch."""


class Bilinear(Module):
    """Compute ``yₖ = x₁ᵀ Aₖ x₂ + bₖ`` over the last axes: (…, in1), (…, in2) -> (…, out).

    Parameters
    ----------
    in1_features, in2_features, out_features : int
        Sizes of the last axes; `weight` is (out_features, in1_features, in2_features), `bias`
        (out_features,). Both are drawn from U(−1/√in1_features, 1/√in1_features).
    bias : bool
        Whether there is a b; without it `bias` is None.
    """

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: Any = None
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = empty_parameter((out_features, in1_features, in2_features), device, dtype)
        self.register_parameter("bias", optional_parameter(bias, (out_features,), device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values: U(−1/√in1, 1/√in1)."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Any, input2: Any) -> Any:
        """Map (…, in1), (…, in2) -> (…, out)."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return sizes and whether there is a bias."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` whose `in_features` is read from the first input."""

    weight: Any
    bias: Any

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the initial values once the shapes are known."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Any) -> None:
        """Give the parameters the shapes that go with an input."""
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features "
                    f"from self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


NonDynamicallyQuantizableLinear.__module__ = "torch.nn.modules.linear"
