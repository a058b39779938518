"""Define activation functions under torch's names, with `inplace=True`."""

import math
from collections.abc import Callable
from typing import Any

from ...array import dtype_limits, dtypes
from ...array.dtype_words import not_implemented, type_word
from ...core import inplace as writing
from ...core.modes import modes
from ...core.value import TensorBase, dtype_of, shape_of
from ...core.warn import warn
from ...ops import activation as o
from ...ops import elementwise as e
from ...ops import random as draws
from ...ops.convert import SINGLE
from ...ops.softmax import log_softmax as log_softmax_op
from ...ops.softmax import softmax as softmax_op
from ...tensor import activations
from ...tensor import random as random_facade
from ...tensor.activations import check_floating
from ...tensor.api import public
from ...tensor.argument_types import is_number
from ...tensor.constants import contiguous_format
from ...tensor.creation_like import empty_like, zeros_like
from ...tensor.data import scalar_array
from ...tensor.limits import check_held
from ...tensor.math import factor
from ...tensor.rearrange import refuse_complex_history
from ...tensor.signature import Parser
from ...tensor.sizes import integer, tensor
from ...tensor.softmax import checked as checked_softmax
from ...tensor.tensor import Tensor, checked_dim
from .loss_reduction import functional, mirrored, refuse_complex

_F = Callable[..., Any]


def written(input: Any, compute: Callable[[], Any]) -> Any:
    """Write what `compute` gives into `input` and return it."""
    writing.check_writable(input, modes().grad and input._node is not None)
    return writing.write(input, compute())


def applied(input: Any, inplace: bool, call: _F, *attrs: Any) -> Any:
    """Return ``call(input, *attrs)``, written into `input` where `inplace` says so."""
    return written(input, lambda: call(input, *attrs)) if inplace else call(input, *attrs)


# --- rectifiers ---------------------------------------------------------------------------------------------


@functional
def relu(input: Any, inplace: bool = False) -> Any:
    """Return max(0, input)."""
    return applied(input, inplace, e.relu.op.public)


@functional
def relu_(input: Any) -> Any:
    """Apply `relu` in place."""
    return relu(input, True)


@functional
def relu6(input: Any, inplace: bool = False) -> Any:
    """Return min(max(0, input), 6)."""
    return _clamped(input, 0.0, 6.0, inplace)


def _clamped(input: Any, low: Any, high: Any, inplace: bool) -> Any:
    if not isinstance(input, TensorBase):
        raise TypeError("a tensor is clamped")
    if (kind := dtype_of(input)).kind == "f":
        return applied(input, inplace, o.hardtanh, low, high)
    if kind.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if kind not in o.hardtanh.op.refused:
        if kind.kind == "u" and low < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
        if kind.kind in "iu":
            check_held(kind, low, high)
    return applied(refuse_complex(input), inplace, o.hardtanh, low, high)


@mirrored
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """Return input between `min_val` and `max_val`."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if not (is_number(min_val) and is_number(max_val)):
        raise TypeError("limits are numbers")
    return _clamped(input, min_val, max_val, inplace)


@functional
def hardtanh_(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """Apply `hardtanh` in place."""
    return hardtanh(input, min_val, max_val, True)


@functional
def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """Return input where it is positive, else `negative_slope`·input."""
    check_floating("leaky_relu_cpu", input)
    return applied(input, inplace, o.leaky_relu_in_place if inplace else o.leaky_relu, float(negative_slope))


@functional
def leaky_relu_(input: Any, negative_slope: float = 0.01) -> Any:
    """Apply `leaky_relu` in place."""
    return leaky_relu(input, negative_slope, True)


def _limits(input: Any, *numbers: Any) -> Any:
    """Return the numbers of a threshold, which the input's dtype has to hold."""
    bound = _THRESHOLD.bind((input, *numbers), {})
    numbers = bound["threshold"], bound["value"]
    if (dtype := dtype_of(input)).kind not in "fV":
        return tuple(scalar_array(v, dtype).item() for v in numbers)
    # Halves are compared in float32, but the value is one of them.
    for value, held in zip(numbers, (SINGLE if dtype.itemsize == 2 else dtype, dtype)):
        scalar_array(value, held)
    return tuple(factor(v, input) for v in numbers)


_THRESHOLD = Parser("threshold")


@public(namespace="nn.functional", method=False, out=False, behind="_threshold")
def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """Return input where it is above `threshold`, else `value`."""
    if (kind := dtype_of(input)) not in o.threshold.op.refused:
        threshold, value = _limits(input, threshold, value)
    if kind.kind in "cW":
        raise not_implemented("threshold_cpu", dtype_of(input))
    return applied(input, inplace, o.threshold_in_place if inplace else o.threshold, threshold, value)


@functional
def threshold_(input: Any, threshold: float, value: float) -> Any:
    """Apply `threshold` in place."""
    threshold, value = _limits(input, threshold, value)
    return written(input, lambda: o.threshold_in_place(input, threshold, value))


@functional
def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """Return min(max(0, input + 3), 6) / 6."""
    check_floating("hardsigmoid_cpu", input)
    return applied(input, inplace, o.hardsigmoid)


@functional
def hardswish(input: Any, inplace: bool = False) -> Any:
    """Return input·hardsigmoid(input)."""
    check_floating("hardswish_cpu", input)
    return applied(input, inplace, o.hardswish)


hardshrink = functional(activations.hardshrink)

#: What every floating dtype holds.
_HALF = 65504.0


@public(namespace="nn.functional", method=False)
def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """Return input brought `lambd` nearer to 0, and 0 where |input| ≤ `lambd`."""
    check_floating("softshrink_check", input)
    limit = _HALF if 0 <= lambd <= _HALF else dtype_limits.finfo(dtypes.from_numpy_dtype(dtype_of(input))).max
    if not 0 <= lambd <= limit:
        raise RuntimeError(
            f"lambda must be in range [0, {limit:g}] for input dtype {type_word(dtype_of(input))}, but "
            f"found {lambd:g}"
        )
    return o.softshrink(input, float(lambd))


prelu = functional(activations.prelu)


@functional
def rrelu(
    input: Any, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Any:
    """Return `leaky_relu` with slopes drawn between `lower` and `upper` in training, else with their mean."""
    if any(isinstance(bound, complex) for bound in (lower, upper)):
        raise RuntimeError("value cannot be converted to type double without overflow")
    if not (is_number(lower) and is_number(upper)):
        raise TypeError("slopes are numbers")
    for word, bound in (("lower", lower), ("upper", upper)):
        if training and not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {word} bound must be finite, got {float(bound):g}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if not training:
        check_floating("leaky_relu_cpu", input)
        return applied(input, inplace, o.rrelu_mean, (lower + upper) / 2)
    if dtype_of(input).name not in ("float32", "float64", "bfloat16"):
        raise not_implemented("rrelu_with_noise_out_cpu", dtype_of(input))
    noise = draws.rrelu_noise(input.detach(), float(lower), float(upper), random_facade.default_generator)
    return applied(input, inplace, o.rrelu, noise)


@functional
def rrelu_(input: Any, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Any:
    """Return in-place rrelu."""
    return rrelu(input, lower, upper, training, True)


# --- exponential and smooth ---------------------------------------------------------------------------------


@functional
def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Return input where it is positive, else α(exp(input) − 1)."""
    check_floating("elu_cpu", input)
    return applied(input, inplace, o.elu_in_place if inplace else o.elu, float(alpha), 1.0, 1.0)


@functional
def elu_(input: Any, alpha: float = 1.0) -> Any:
    """Apply `elu` in place."""
    return elu(input, alpha, True)


@functional
def selu(input: Any, inplace: bool = False) -> Any:
    """Return the self-normalising `elu`: scale 1.0507, α 1.6733."""
    check_floating("elu_cpu", input)
    call = o.elu_in_place if inplace else o.elu
    return applied(
        input, inplace, call, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1.0
    )


@functional
def selu_(input: Any) -> Any:
    """Apply `selu` in place."""
    return selu(input, True)


@functional
def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Return input where it is positive, else α(exp(input/α) − 1)."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    check_floating("elu_cpu", input)
    return applied(input, inplace, o.celu_in_place if inplace else o.celu, float(alpha))


@functional
def celu_(input: Any, alpha: float = 1.0) -> Any:
    """Apply `celu` in place."""
    return celu(input, alpha, True)


@public(namespace="nn.functional", method=False)
def gelu(input: Any, *, approximate: str = "none") -> Any:
    """Return input·Φ(input), Φ the normal distribution function, by a tanh if ``approximate="tanh"``."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    check_floating("GeluKernelImpl", input)
    return o.gelu(input, approximate)


@functional
def silu(input: Any, inplace: bool = False) -> Any:
    """Return input·sigmoid(input)."""
    if dtype_of(input).kind in "biu":
        check_floating("silu_cpu", input)
    if not inplace:
        refuse_complex_history("silu", input)
    return applied(input, inplace, o.silu)


@functional
def mish(input: Any, inplace: bool = False) -> Any:
    """Return input·tanh(softplus(input))."""
    check_floating("mish_cpu", input)
    return applied(input, inplace, o.mish)


@public(namespace="nn.functional", method=False)
def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    """Return log(1 + exp(β·input)) / β, and input itself where β·input > threshold."""
    check_floating("softplus_cpu", input)
    return o.softplus(input, float(beta), float(threshold))


@public(namespace="nn.functional", method=False, behind="log_sigmoid")
def logsigmoid(input: Any) -> Any:
    """Return log(sigmoid(input))."""
    return o.log_sigmoid(tensor("log_sigmoid", "input", input))


@functional
def softsign(input: Any) -> Any:
    """Return input / (1 + |input|)."""
    return input / (e.abs(input) + 1)


@mirrored
def tanhshrink(input: Any) -> Any:
    """Return input − tanh(input)."""
    return input - input.tanh()


@functional
def sigmoid(input: Any) -> Any:
    """Return 1 / (1 + exp(−input))."""
    return e.sigmoid.op.public(input)


@functional
def tanh(input: Any) -> Any:
    """Return the hyperbolic tangent."""
    return e.tanh.op.public(input)


@functional
def glu(input: Any, dim: int = -1) -> Any:
    """Return the first half along `dim` times the sigmoid of the second."""
    if not (shape := shape_of(input)):
        raise RuntimeError("glu does not support scalars because halving size must be even")
    found = checked_dim(integer("glu", "dim", 2, dim), len(shape))
    if shape[found] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {found} is size {shape[found]}")
    check_floating("glu_cpu", input)
    return o.glu(input, found)


# --- softmax ------------------------------------------------------------------------------------------------


def implicit_dim(name: str, rank: int) -> int:
    """Return the dim that torch takes where none is given, with its warning."""
    warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as "
        f"an argument."
    )
    return 0 if rank in (0, 1, 3) else 1


@functional
def softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """Return exp(input) / Σ exp(input) along `dim`."""
    dim = implicit_dim("softmax", len(shape_of(input))) if dim is None else dim
    if dtype is None and type(input) is Tensor and type(dim) is int:
        return softmax_op(*checked_softmax("softmax", input, dim, None))
    return input.softmax(dim, dtype)


@functional
def log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """Return input − log Σ exp(input) along `dim`."""
    dim = implicit_dim("log_softmax", len(shape_of(input))) if dim is None else dim
    if dtype is None and type(input) is Tensor and type(dim) is int:
        return log_softmax_op(*checked_softmax("log_softmax", input, dim, None))
    return input.log_softmax(dim, dtype)


@functional
def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """Return softmax(−input)."""
    dim = implicit_dim("softmin", len(shape_of(input))) if dim is None else dim
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


@functional
def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Any:
    """Return draws from a relaxed categorical distribution: softmax((logits + G) / τ), G standard Gumbel.

    Parameters
    ----------
    logits : tensor
        Logarithms of probabilities, not necessarily normalised.
    tau : float
        Temperature; towards 0 the draws become one-hot.
    hard : bool
        Return one-hot draws, which take the gradient of the soft ones.
    eps : float
        Has no effect.
    dim : int
        Along which the draws sum to 1.

    References
    ----------
    Jang, Gu and Poole 2017, "Categorical reparameterization with Gumbel-softmax", eq. 2; Maddison, Mnih and
    Teh 2017, "The concrete distribution".
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    gumbel = -empty_like(logits, memory_format=contiguous_format).exponential_().log()
    soft = ((logits + gumbel) / tau).softmax(dim)
    if not hard:
        return soft
    one_hot = zeros_like(logits, memory_format=contiguous_format)
    one_hot.scatter_(dim, soft.max(dim, keepdim=True)[1], 1.0)
    return one_hot - soft.detach() + soft
