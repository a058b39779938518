"""Activation layers: each is a function of `nn.functional` with its arguments kept."""

from __future__ import annotations

from typing import Any, ClassVar

from ...ops import elementwise as ops
from .. import functional as F
from .attention import MultiheadAttention  # noqa: F401  # where torch has it, and checkpoints look for it
from .creation import filled_parameter
from .module import Module


class _Activation(Module):
    """Call a function of `nn.functional` with the arguments of the constructor.

    Attributes
    ----------
    function : str
        Name in `nn.functional`.
    arguments : dict
        Argument names, in order, and defaults.
    shown : tuple of str
        Arguments that `extra_repr` prints with their names; `inplace` is printed only when True.
    """

    function: ClassVar[str]
    arguments: ClassVar[dict[str, Any]] = {}
    shown: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        names = list(self.arguments)
        if len(args) > len(names):
            raise TypeError(
                f"{type(self).__name__}.__init__() takes from 1 to {len(names) + 1} positional arguments but "
                f"{len(args) + 1} were given"
            )
        values = {**self.arguments, **dict(zip(names, args, strict=False))}
        for name, value in kwargs.items():
            if name not in values:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument '{name}'"
                )
            values[name] = value
        for name, value in values.items():
            setattr(self, name, value)

    def forward(self, input: Any) -> Any:
        """Apply the function to each element (or along `dim`)."""
        return getattr(F, self.function)(input, **{name: getattr(self, name) for name in self.arguments})

    def extra_repr(self) -> str:
        """Return the arguments that are shown."""
        parts = [f"{name}={getattr(self, name)}" for name in self.shown]
        if getattr(self, "inplace", False):
            parts.append("inplace=True")
        return ", ".join(parts)


class ReLU(_Activation):
    """max(0, x)."""

    function = "relu"
    arguments: ClassVar[dict[str, Any]] = {"inplace": False}


class ReLU6(_Activation):
    """min(max(0, x), 6)."""

    function = "relu6"
    arguments: ClassVar[dict[str, Any]] = {"inplace": False}


class LeakyReLU(_Activation):
    """x where x ≥ 0, else negative_slope·x."""

    function = "leaky_relu"
    arguments: ClassVar[dict[str, Any]] = {"negative_slope": 1e-2, "inplace": False}
    shown = ("negative_slope",)


class ELU(_Activation):
    """x where x > 0, else α(eˣ − 1)."""

    function = "elu"
    arguments: ClassVar[dict[str, Any]] = {"alpha": 1.0, "inplace": False}
    shown = ("alpha",)


class SELU(_Activation):
    """Scaled ELU (Klambauer et al. 2017)."""

    function = "selu"
    arguments: ClassVar[dict[str, Any]] = {"inplace": False}


class CELU(_Activation):
    """max(0, x) + min(0, α(e^(x/α) − 1))."""

    function = "celu"
    arguments: ClassVar[dict[str, Any]] = {"alpha": 1.0, "inplace": False}
    shown = ("alpha",)


class GELU(_Activation):
    """x·Φ(x) (Hendrycks & Gimpel 2016)."""

    function = "gelu"
    arguments: ClassVar[dict[str, Any]] = {"approximate": "none"}

    def extra_repr(self) -> str:
        """Return the approximation."""
        return f"approximate={self.approximate!r}"


class SiLU(_Activation):
    """x·σ(x)."""

    function = "silu"
    arguments: ClassVar[dict[str, Any]] = {"inplace": False}


class Mish(_Activation):
    """x·tanh(softplus(x))."""

    function = "mish"
    arguments: ClassVar[dict[str, Any]] = {"inplace": False}


class Softplus(_Activation):
    """log(1 + e^(βx)) / β, linear above the threshold."""

    function = "softplus"
    arguments: ClassVar[dict[str, Any]] = {"beta": 1.0, "threshold": 20.0}
    shown = ("beta", "threshold")


class Softsign(_Activation):
    """x / (1 + |x|)."""

    function = "softsign"


class Softshrink(_Activation):
    """x moved towards 0 by λ."""

    function = "softshrink"
    arguments: ClassVar[dict[str, Any]] = {"lambd": 0.5}

    def extra_repr(self) -> str:
        """Return λ."""
        return str(self.lambd)


class Hardshrink(_Activation):
    """x where |x| > λ, else 0."""

    function = "hardshrink"
    arguments: ClassVar[dict[str, Any]] = {"lambd": 0.5}

    def extra_repr(self) -> str:
        """Return λ."""
        return str(self.lambd)


class Tanhshrink(_Activation):
    """x − tanh(x)."""

    function = "tanhshrink"


class Hardtanh(_Activation):
    """x cut to [min_val, max_val]."""

    function = "hardtanh"
    arguments: ClassVar[dict[str, Any]] = {"min_val": -1.0, "max_val": 1.0, "inplace": False}
    shown = ("min_val", "max_val")


class Hardsigmoid(_Activation):
    """relu6(x + 3) / 6."""

    function = "hardsigmoid"
    arguments: ClassVar[dict[str, Any]] = {"inplace": False}


class Hardswish(_Activation):
    """x·relu6(x + 3) / 6."""

    function = "hardswish"
    arguments: ClassVar[dict[str, Any]] = {"inplace": False}


class LogSigmoid(_Activation):
    """log σ(x)."""

    function = "logsigmoid"


class Sigmoid(_Activation):
    """1 / (1 + e⁻ˣ)."""

    def forward(self, input: Any) -> Any:
        """Return σ of each element."""
        return ops.sigmoid.op.public(input)


class Tanh(_Activation):
    """tanh(x)."""

    def forward(self, input: Any) -> Any:
        """Return tanh of each element."""
        return ops.tanh.op.public(input)


class GLU(_Activation):
    """a·σ(b) for the two halves a, b along `dim`."""

    function = "glu"
    arguments: ClassVar[dict[str, Any]] = {"dim": -1}
    shown = ("dim",)


class Threshold(_Activation):
    """x where x > threshold, else `value`."""

    function = "threshold"
    arguments: ClassVar[dict[str, Any]] = {"threshold": None, "value": None, "inplace": False}
    shown = ("threshold", "value")


class _AlongDim(_Activation):
    arguments: ClassVar[dict[str, Any]] = {"dim": None}
    shown = ("dim",)


class Softmax(_AlongDim):
    """eˣ / Σ eˣ along `dim`."""

    function = "softmax"


class LogSoftmax(_AlongDim):
    """log softmax along `dim`."""

    function = "log_softmax"


class Softmin(_AlongDim):
    """softmax(−x) along `dim`."""

    function = "softmin"


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
        self.weight = filled_parameter((num_parameters,), init, device, dtype)

    def forward(self, input: Any) -> Any:
        """Apply to each element."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the number of parameters."""
        return f"num_parameters={self.num_parameters}"


for _class in [*_Activation.__subclasses__(), *_AlongDim.__subclasses__(), Softmax2d, PReLU, RReLU]:
    _class.__module__ = "torch.nn.modules.activation"
    # Libraries evaluate them, of an instance and in modules of their own, as torch's can be.
    _options = getattr(_class, "arguments", {})
    _class.__annotations__ = {name: type(value) for name, value in _options.items() if value is not None}
del _class, _options
