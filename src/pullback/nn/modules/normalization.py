"""Define normalisation over the last axes or over groups of channels."""

import numbers
from typing import Any

from .. import functional as F
from .. import init
from ..parameter import Parameter
from .creation import Shape, optional_parameter
from .function_layer import FunctionLayer
from .module import Module


def _shape_of_axes(normalized_shape: Any) -> tuple[int, ...]:
    """Return the shape of the normalised axes, which is given as one size where it is one axis."""
    if isinstance(normalized_shape, numbers.Integral):
        return (normalized_shape,)  # type: ignore[return-value]  # an integer of any kind
    return tuple(normalized_shape)


class _Scaled(Module):
    """A normalisation whose result is scaled and shifted by parameters, or only scaled, or neither."""

    weight: Parameter | None
    bias: Parameter | None

    def _add_scale(self, wanted: bool, bias: bool, shape: Shape, device: Any, dtype: Any) -> None:
        self.register_parameter("weight", optional_parameter(wanted, shape, device, dtype))
        self.register_parameter("bias", optional_parameter(wanted and bias, shape, device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1, the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class LayerNorm(_Scaled):
    """``(x − mean) / √(var + eps) · weight + bias`` over the last axes, whose shape is `normalized_shape`."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = shape = _shape_of_axes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._add_scale(elementwise_affine, bias, shape, device, dtype)

    def forward(self, input: Any) -> Any:
        """Normalise."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.elementwise_affine and self.bias is not None}"
        )


class GroupNorm(_Scaled):
    """Normalisation over each group of channels."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._add_scale(affine, bias, num_channels, device, dtype)

    def forward(self, input: Any) -> Any:
        """Normalise."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.affine and self.bias is not None}"
        )


class RMSNorm(Module):
    """``x / √(mean(x²) + eps) · weight`` over the last axes, whose shape is `normalized_shape`."""

    weight: Parameter | None

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = shape = _shape_of_axes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter("weight", optional_parameter(elementwise_affine, shape, device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Any) -> Any:
        """Normalise."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class _AcrossChannels(FunctionLayer):
    """A normalisation by the squares of neighbouring channels."""

    kept = ("size", "alpha", "beta", "k")

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LocalResponseNorm(_AcrossChannels):
    """``x / (k + alpha · mean of x² over size neighbouring channels)^beta``."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        self._keep(size=size, alpha=alpha, beta=beta, k=k)


class CrossMapLRN2d(_AcrossChannels):
    """`LocalResponseNorm` of (N, C, H, W) as torch7 had it."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        self._keep(size=size, alpha=alpha, beta=beta, k=k)

    def forward(self, input: Any) -> Any:
        """Normalise."""
        from ._functions import CrossMapLRN2d as Normalize

        return Normalize.apply(input, self.size, self.alpha, self.beta, self.k)
