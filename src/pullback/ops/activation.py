"""Activation functions, element by element.

Where the slope is worth a kernel of its own (gelu, silu) it is an op with a rule in turn, so second
derivatives exist.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import activations as kernels
from ..array import large
from ..array.elementwise import native
from ..array.layout import as_first, in_order, placed
from ..core.connected import PIECEWISE, refused
from ..core.op import Call, Term, elementwise, op, renamed
from ..core.value import shape_of
from .comparison import ge, gt, le, lt, where, zeros_of
from .convert import widened
from .elementwise import exp, sigmoid, tanh
from .join import cat
from .kernels import into, no_complex_limits, refuse
from .signatures import FLOATING
from .view import slice_dim


def _activation(
    name: str, kernel: Callable[..., Any], rule: Callable[..., Any], dear: bool = False, **fields: Any
) -> Call:
    """Declare ``kernel(x, *attrs)`` as an elementwise op: one native loop where it is worth it.

    That is sooner where NumPy is `dear`, as it computes one number at a time, or in many passes. Of 2¹⁴
    float32 (µs, NumPy, native, torch, each with the pullback) ELU takes 365, 168, 121, softplus 349, 192,
    122, log-sigmoid 259, 143, 116, mish 617, 310, 308, GELU 239, 152, 157, SiLU 109, 104, 91.
    """
    names = fields.pop("attrs", ())

    def run(x: ndarray, /, *attrs: Any, out: Any = ...) -> ndarray:
        if x.size >= (large.SLOW if dear else large.CHAIN):
            found = native(name, (x,), attrs, out)
            if found is not None:
                return found
        return into(out, kernel(x, *attrs))

    return elementwise(name, run, rule, inputs=("x",), attrs=names, promote=None, chained=True, **fields)


def _chosen(condition: ndarray, x: Any, y: Any, dtype: Any) -> ndarray:
    if type(condition) is ndarray and condition.size >= kernels.WORTH_BITS:
        x, y = (np.asarray(v, dtype) for v in (x, y))
        return np.asarray(kernels.where(condition, x, y))
    return np.where(condition, x, y).astype(dtype, copy=False)


# --- piecewise linear ---------------------------------------------------------------------------------------


def _leaky_relu(x: ndarray, slope: float) -> ndarray:
    if 0 < slope <= 1 and x.dtype.kind == "f":
        # Of an infinity and a slope that rounds to 0 the product is not the smaller one.
        factor = _of(x, slope)
        if factor != 0:
            return np.maximum(x, x * factor)
    return _chosen(x > 0, x, x * _of(x, slope), x.dtype)


leaky_relu = _activation(
    "leaky_relu", _leaky_relu,
    lambda g, x, negative_slope: where(gt(x, 0), g, g * negative_slope),
    attrs=("negative_slope",), gradient=PIECEWISE,
)


def _leaky_relu_of_result(g: Term, out: Term, negative_slope: float) -> Term:
    if negative_slope < 0:
        raise _irreversible("leakyReLu")
    return where(gt(out, 0), g, g * negative_slope)


def _irreversible(name: str) -> RuntimeError:
    """Return the error of a rule that reads off the result on which side of 0 the input was."""
    return RuntimeError(
        f"In-place {name} backward calculation is triggered with a negative slope which is not supported. "
        "This is caused by calling in-place forward function with a negative slope, please call "
        "out-of-place version instead."
        + (
            " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place "
            "leakRelu backward calculation with negative slope"
            if name == "leakyReLu"
            else ""
        )
    )


#: What `leaky_relu_` runs: it saves its result, for the input is overwritten.
leaky_relu_in_place = renamed(
    leaky_relu, "leaky_relu_in_place", "LeakyReluBackward1", (_leaky_relu_of_result,)
)

def _of(x: ndarray, number: float) -> ndarray:
    """Return a number in the dtype of what it is compared with, as torch has it."""
    return np.asarray(number).astype(x.dtype)


hardtanh = _activation(
    "hardtanh",
    # Of 0 and -0 a ufunc takes the second: the element stays, as in torch.
    lambda x, low, high: np.minimum(_of(x, high), np.maximum(_of(x, low), x)),
    lambda g, x, min_val, max_val: where(le(x, min_val) | ge(x, max_val), 0, g),
    attrs=("min_val", "max_val"),
    check=no_complex_limits,
    gradient=PIECEWISE,
    place=as_first,
)

threshold = _activation(
    "threshold",
    lambda x, at, value: _chosen(x <= _of(x, at), _of(x, value), x, x.dtype),
    lambda g, x, threshold: where(le(widened(x), threshold), 0, g),
    attrs=("threshold", "value"), gradient=PIECEWISE,
)

#: The same under the node name of `threshold_`.
threshold_in_place = renamed(threshold, "threshold_in_place", "ThresholdBackward1")

hardshrink = _activation(
    "hardshrink",
    lambda x, width: _chosen((x >= -width) & (x <= width), 0, x, x.dtype),
    lambda g, x, width: where(ge(x, -width) & le(x, width), 0, g),
    attrs=("width",), gradient=PIECEWISE,
)

softshrink = _activation(
    "softshrink",
    lambda x, width: np.where(x > width, x - width, np.where(x < -width, x + width, x * 0)).astype(
        x.dtype, copy=False
    ),
    lambda g, x, width: where(ge(x, -width) & le(x, width), 0, g),
    attrs=("width",),
    gradient=PIECEWISE,
)

hardsigmoid = _activation(
    "hardsigmoid", kernels.hard_sigmoid,
    lambda g, x: where(gt(x, -3) & lt(x, 3), g / 6, 0),
    gradient=refused("hardsigmoid_backward"),
)

hardswish = _activation(
    "hardswish", kernels.hard_swish,
    lambda g, x: where(le(x, -3), 0, where(lt(x, 3), g * (x / 3 + 0.5), g)),
)

# --- exponential --------------------------------------------------------------------------------------------


def _elu(x: ndarray, alpha: float, scale: float, input_scale: float) -> ndarray:
    with np.errstate(over="ignore"):
        low = np.expm1(x * x.dtype.type(input_scale)) * x.dtype.type(alpha * scale)
    return _chosen(x > 0, x * x.dtype.type(scale), low, x.dtype)


def _below_zero(x: Term) -> Term:
    """Return x where it is negative, else 0: as in torch the slope at 0, and of nan, does not change."""
    return where(lt(x, 0), x, 0)


elu = _activation(
    "elu",
    _elu,
    lambda g, x, alpha, scale, input_scale: (
        g * where(le(x, 0), exp(_below_zero(x) * input_scale) * (alpha * scale * input_scale), scale)
    ),
    attrs=("alpha", "scale", "input_scale"), dear=True,
)


celu = _activation(
    "celu",
    lambda x, a: _chosen(x > 0, x, np.expm1(np.where(x > 0, 0, x) / a) * x.dtype.type(a), x.dtype),
    lambda g, x, alpha: g * where(le(x, 0), exp(_below_zero(x) / alpha), 1),
    attrs=("alpha",), dear=True,
)


def _elu_of_result(g: Term, out: Term, alpha: float, scale: float, input_scale: float) -> Term:
    if alpha < 0:
        raise _irreversible("elu")
    return g * where(le(out, 0), (_below_zero(out) + alpha * scale) * input_scale, scale)


#: What `elu_` and `selu_` run, saving their result.
elu_in_place = renamed(elu, "elu_in_place", "EluBackward1", (_elu_of_result,))

#: What `celu_` runs, saving its result.
celu_in_place = renamed(
    celu, "celu_in_place", "CeluBackward1",
    (lambda g, out, alpha: _elu_of_result(g, out, alpha, 1.0, 1 / alpha),),
)

softplus = _activation(
    "softplus", kernels.softplus,
    lambda g, x, beta, threshold: g * where(gt(x * beta, threshold), 1, sigmoid(x * beta)),
    attrs=("beta", "threshold"), dear=True,
)

log_sigmoid = _activation(
    "log_sigmoid", kernels.log_sigmoid, lambda g, x: g * sigmoid(-x), place=in_order, dear=True
)

# --- smooth -----------------------------------------------------------------------------------------------
# ------------


def _silu_second(g: Term, x: Term) -> Term:
    s = sigmoid(x)
    return g * (s * (1 - s) * (2 + x * (1 - 2 * s)))


silu_slope = _activation("silu_slope", kernels.silu_derivative, _silu_second)

#: x·sigmoid(x)
silu = _activation("silu", kernels.silu, lambda g, x: g * silu_slope(x))


def _mish_rule(g: Term, x: Term) -> Term:
    t = tanh(softplus(x, 1.0, math.inf))
    return g * (t + x * sigmoid(x) * (1 - t * t))


#: x·tanh(log(1 + exp x))
mish = _activation("mish", kernels.mish, _mish_rule, dear=True)

_ROOT = math.sqrt(2 / math.pi)
_CUBIC = 0.044715


def _gelu_second(g: Term, x: Term, approximate: str) -> Term:
    if approximate == "none":
        density = exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
        return g * (density * (2 - x * x))
    t = tanh(_ROOT * (x + _CUBIC * x * x * x))
    inner = _ROOT * (1 + 3 * _CUBIC * x * x)
    bend = 6 * _ROOT * _CUBIC * x
    return g * ((1 - t * t) * (inner + 0.5 * x * (bend - 2 * t * inner * inner)))


gelu_slope = _activation(
    "gelu_slope", kernels.gelu_derivative, _gelu_second, attrs=("approximate",), dear=True
)

#: x·Φ(x), Φ the normal distribution function, or its tanh approximation.
gelu = _activation(
    "gelu", kernels.gelu, lambda g, x, approximate: g * gelu_slope(x, approximate), attrs=("approximate",),
    dear=True,
)

# --- with a weight, or a gate -------------------------------------------------------------------------------


#: The pullback of `prelu` by x. At x = 0 its slope is the weight, that of its own pullback 1, as in torch.
prelu_backward: Call = elementwise(
    "prelu_backward",
    lambda x, y, z, /, out=...: into(out, _chosen(y > 0, x, x * z, x.dtype)),
    lambda g, y, z: where(ge(y, 0), g, g * z),
    lambda g, y: zeros_of(y),
    lambda g, x, y: where(ge(y, 0), 0, g * x),
    node_name="PreluKernelBackwardBackward0",
)

#: The pullback of `prelu` by the weight.
prelu_weight_backward: Call = elementwise(
    "prelu_weight_backward",
    # The weight has no part in the value, but torch's pullback reads it.
    lambda x, y, z, /, out=...: into(out, _chosen(y > 0, 0, x * y, x.dtype)),
    lambda g, y: where(ge(y, 0), 0, g * y),
    lambda g, x, y: where(ge(y, 0), 0, g * x),
    lambda g: zeros_of(g),
    node_name="PreluKernelBackwardBackward0",
)

#: x where it is positive, else weight·x.
prelu = elementwise(
    "prelu", lambda x, weight, /, out=...: into(out, _chosen(x > 0, x, x * weight, x.dtype)),
    lambda g, x, y: prelu_backward(g, x, y),
    lambda g, x, y: prelu_weight_backward(g, x, y),
    node_name="PreluKernelBackward0", place=as_first, saved_as=("self", "weight"),
)
prelu_kernel = renamed(
    prelu, "_prelu_kernel", "PreluKernelBackward0", signatures=("(Tensor input, Tensor weight)",),
    method=False, check=refuse("prelu_cpu", "biuc", alike=True), takes=FLOATING,
    summary="Return `input` where it is positive, else `weight` times it.",
)


#: `leaky_relu` with the mean slope, under the name of the node that torch leaves.
rrelu_mean = renamed(leaky_relu, "rrelu_mean", "RreluWithNoiseBackward0", place=in_order)

#: x·noise, the noise drawn outside.
rrelu = elementwise(
    "rrelu",
    lambda x, noise, /, out=...: into(out, x * noise),
    lambda g, y: g * y, lambda g: zeros_of(g), node_name="RreluWithNoiseBackward0",
    place=in_order,
    gradient=PIECEWISE, saves=("x",),
)


def _glu(x: ndarray, /, dim: int) -> ndarray:
    lead, half = (slice(None),) * dim, x.shape[dim] // 2
    gate = kernels.sigmoid(np.ascontiguousarray(x[(*lead, slice(half, None))]))
    return np.multiply(x[(*lead, slice(half))], gate, out=gate)


def _halves(x: Term, dim: int) -> tuple[Any, Any]:
    n = shape_of(x)[dim]
    return slice_dim(x, dim, 0, n // 2, 1), slice_dim(x, dim, n // 2, n, 1)


def _glu_rule(g: Term, x: Term, dim: int) -> Term:
    a, b = _halves(x, dim)
    s = sigmoid(b)
    return cat((g * s, g * a * s * (1 - s)), dim)


#: The first half along `dim` times the sigmoid of the second.
glu = op("glu", _glu, (_glu_rule,), halves=True, batch=lambda size, dim: (dim + 1,), place=placed)
