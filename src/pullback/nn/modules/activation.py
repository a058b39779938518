"""Define activation layers: each is a function of `nn.functional` with its arguments kept."""

from typing import Any, ClassVar

from ...core.warn import warn
from ...ops import elementwise as ops
from .. import functional as F
from .. import init
from .attention import MultiheadAttention  # noqa: F401  # where torch has it, and checkpoints look for it
from .creation import empty_parameter
from .function_layer import FunctionLayer, name_as_torch
from .module import Module


class _Activation(FunctionLayer):
    def extra_repr(self) -> str:
        """Return the arguments that are shown, and `inplace` where it is True."""
        parts = [super().extra_repr(), "inplace=True" if getattr(self, "inplace", False) else ""]
        return ", ".join(filter(None, parts))


class _InPlace(_Activation):
    kept = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        self._keep(inplace=inplace)


class ReLU(_InPlace):
    """Compute max(0, x)."""


class LeakyReLU(_Activation):
    """Compute x where x ≥ 0, else negative_slope·x."""

    kept, shown = ("negative_slope", "inplace"), ("negative_slope",)

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        self._keep(negative_slope=negative_slope, inplace=inplace)


class _WithAlpha(_Activation):
    kept, shown = ("alpha", "inplace"), ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self._keep(alpha=alpha, inplace=inplace)


class ELU(_WithAlpha):
    """Compute x where x > 0, else α(eˣ − 1)."""


class SELU(_InPlace):
    """Compute the scaled ELU (Klambauer et al. 2017)."""


class CELU(_WithAlpha):
    """Compute max(0, x) + min(0, α(e^(x/α) − 1))."""


class GELU(_Activation):
    """Compute x·Φ(x) (Hendrycks & Gimpel 2016)."""

    kept = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        self._keep(approximate=approximate)

    def forward(self, input: Any) -> Any:
        """Return the function of the input."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Return the approximation."""
        return f"approximate={self.approximate!r}"


class SiLU(_InPlace):
    """Compute x·σ(x)."""


class Mish(_InPlace):
    """Compute x·tanh(softplus(x))."""


class Softplus(_Activation):
    """Compute log(1 + e^(βx)) / β, linear above the threshold."""

    kept = shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self._keep(beta=beta, threshold=threshold)


class Softsign(_Activation):
    """Compute x / (1 + |x|)."""


class _WithLambda(_Activation):
    kept = ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        self._keep(lambd=lambd)

    def extra_repr(self) -> str:
        """Return λ."""
        return str(self.lambd)


class Softshrink(_WithLambda):
    """Move x towards 0 by λ."""


class Hardshrink(_WithLambda):
    """Keep x where |x| > λ, else give 0."""


class Tanhshrink(_Activation):
    """Compute x − tanh(x)."""


class Hardtanh(_Activation):
    """Cut x to [min_val, max_val].

    Parameters
    ----------
    min_val, max_val : float
    inplace : bool
    min_value, max_value : float, optional
        Their former names.

    Raises
    ------
    AssertionError
        Where max_val is not above min_val.
    """

    kept = ("min_val", "max_val", "inplace")
    shown: ClassVar[tuple[str, ...]] = ("min_val", "max_val")

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False,
        min_value: float | None = None, max_value: float | None = None,
    ) -> None:  # fmt: skip
        for end, former in (("min", min_value), ("max", max_value)):
            if former is not None:
                warn(
                    f"keyword argument `{end}_value` is deprecated and renamed to `{end}_val`", FutureWarning
                )
        low, high = min_val if min_value is None else min_value, max_val if max_value is None else max_value
        self._keep(min_val=low, max_val=high, inplace=inplace)
        if high <= low:
            raise AssertionError(f"max_val ({high}) must be greater than min_val ({low})")


class ReLU6(Hardtanh):
    """Compute min(max(0, x), 6)."""

    shown = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


class _Unshown(_InPlace):
    extra_repr = FunctionLayer.extra_repr


class Hardsigmoid(_Unshown):
    """Compute relu6(x + 3) / 6."""


class Hardswish(_Unshown):
    """Compute x·relu6(x + 3) / 6."""


class LogSigmoid(_Activation):
    """Compute log σ(x)."""


class Sigmoid(_Activation):
    """Compute 1 / (1 + e⁻ˣ)."""

    def forward(self, input: Any) -> Any:
        """Return σ of each element."""
        return ops.sigmoid.op.public(input)


class Tanh(_Activation):
    """Compute tanh(x)."""

    def forward(self, input: Any) -> Any:
        """Return tanh of each element."""
        return ops.tanh.op.public(input)


class GLU(_Activation):
    """Compute a·σ(b) for the two halves a, b along `dim`."""

    kept = shown = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        self._keep(dim=dim)


class Threshold(_Activation):
    """Keep x where x > threshold, else give `value`."""

    kept, shown = ("threshold", "value", "inplace"), ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        self._keep(threshold=threshold, value=value, inplace=inplace)


class _AlongDim(_Activation):
    kept = shown = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        self._keep(dim=dim)


class Softmax(_AlongDim):
    """Compute eˣ / Σ eˣ along `dim`."""


class LogSoftmax(_AlongDim):
    """Compute the logarithm of the softmax along `dim`."""


class Softmin(_AlongDim):
    """Compute softmax(−x) along `dim`."""


class Softmax2d(Module):
    """softmax over the channels of (N, C, H, W)."""

    def forward(self, input: Any) -> Any:
        """Apply over channels."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)


class RReLU(Module):
    """`LeakyReLU` with slopes drawn between `lower` and `upper` in training, with their mean otherwise."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        """Apply it."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"lower={self.lower}, upper={self.upper}{', inplace=True' if self.inplace else ''}"


class PReLU(Module):
    """x where x > 0, else weight·x with a learnt weight, one or one per channel."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = empty_parameter(num_parameters, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin with one weight everywhere."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Any) -> Any:
        """Apply to each element."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the number of parameters."""
        return f"num_parameters={self.num_parameters}"


name_as_torch(vars(), "torch.nn.modules.activation", _InPlace, _Unshown, _WithAlpha, _WithLambda, _AlongDim)
