"""Ops of which a setting is an operand: a number that each call of a compiled function finds changed.

Such a number is a tensor without axes, of the dtype of the others (`compiler/frontend/functions/
number_arguments.py`). Where the kernel and the rule of the op with a setting take that for one they are the
same; the formulas that look at the number, or compute with it apart, stand here.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.op import Call, Rule, elementwise, of
from . import activation, loss, mixture, random
from .activation import _below_zero
from .arithmetic import pow
from .comparison import le, where
from .elementwise import exp
from .kernels import into


def _by(
    name: str, node_name: str, kernel: Callable[..., Any], *rules: Rule | None, inputs: tuple[str, ...]
) -> Call:
    """Declare an op of tensors, which have rules, and numbers, which follow them."""

    def run(*operands: Any, out: object = ...) -> Any:
        return into(out, kernel(*operands))

    numbers = (None,) * (len(inputs) - len(rules))
    return elementwise(
        f"{name}_by", run, *rules, *numbers, inputs=inputs, attrs=(), promote=None, node_name=node_name
    )


def _as(call: Call, kernel: Callable[..., Any], tensors: tuple[str, ...] = ("x",)) -> Call:
    """Declare the op of which all settings of another one are operands, under its rules."""
    first = of(call)
    settings = tuple(name for name in first.attrs if name != "reduction")
    return _by(first.name, first.node_name, kernel, *first.rules[: len(tensors)], inputs=tensors + settings)


leaky_relu = _as(activation.leaky_relu, lambda x, slope: np.where(x > 0, x, x * slope))
threshold = _as(activation.threshold, lambda x, at, value: np.where(x <= at, value, x))
hardtanh = _as(activation.hardtanh, lambda x, low, high: np.minimum(high, np.maximum(low, x)))
hardshrink = _as(activation.hardshrink, lambda x, width: np.where((x >= -width) & (x <= width), 0, x))
softshrink = _as(
    activation.softshrink,
    lambda x, width: np.where(x > width, x - width, np.where(x < -width, x + width, x * 0)),
)
celu = _as(
    activation.celu,
    lambda x, alpha: np.where(x > 0, x, np.expm1(np.where(x > 0, 0, x) / alpha) * alpha),
)
softplus = _as(
    activation.softplus,
    lambda x, beta, at: np.where(x * beta > at, x, np.log1p(np.exp(x * beta)) / beta),
)
elu = _by(
    "elu", "EluBackward0", lambda x, alpha: np.where(x > 0, x, np.expm1(x) * alpha),
    lambda g, x, alpha: g * where(le(x, 0), exp(_below_zero(x)) * alpha, 1),
    inputs=("x", "alpha"),
)  # fmt: skip

huber_loss = _by(
    "huber_loss", "HuberLossBackward0", loss._huber,
    loss._huber_slope, lambda g, x, y, delta: -loss._huber_slope(g, x, y, delta),
    inputs=("x", "y", "delta"),
)  # fmt: skip
smooth_l1_loss = _by(
    "smooth_l1_loss", "SmoothL1LossBackward0", loss._smooth_l1,
    loss._smooth_l1_slope, lambda g, x, y, beta: -loss._smooth_l1_slope(g, x, y, beta),
    inputs=("x", "y", "beta"),
)  # fmt: skip

#: x to a number, of which `lower` is one less: not that of its dtype.
power = _by(
    "pow_scalar", "PowBackward0", lambda x, exponent, lower: np.power(x, exponent),
    lambda g, x, exponent, lower: g * (exponent * pow(x, lower)),
    inputs=("x", "exponent", "lower"),
)  # fmt: skip
#: A positive number to the power x, given its logarithm.
power_of = _by(
    "scalar_pow", "PowBackward2", lambda x, base, log: np.power(base, x),
    lambda g, out, log: g * (out * log),
    inputs=("x", "base", "log"),
)  # fmt: skip

addcmul = _by(
    "addcmul", "AddcmulBackward0", lambda x, y, z, value: x + y * value * z, *of(mixture.addcmul).rules,
    inputs=("x", "y", "z", "value"),
)  # fmt: skip
addcdiv = _by(
    "addcdiv", "AddcdivBackward0", lambda x, y, z, value: x + y * value / z, *of(mixture.addcdiv).rules,
    inputs=("x", "y", "z", "value"),
)  # fmt: skip
#: A product by a number that saves x, as what it is a part of does.
scaled = _by("scaled", "MulBackward0", np.multiply, lambda g, x, scale: g * scale, inputs=("x", "scale"))

#: Draws, from streams that are those of the draws with settings.
uniform = random.Draw("uniform_by", random.random_uniform, (), "UniformBackward0", "uniform", ("low", "high"))
normal = random.Draw("normal_by", random.random_normal, (), "NormalBackward0", "normal", ("mean", "std"))
exponential = random.Draw(
    "exponential_by", random.random_transform, (), "ExponentialBackward0", "exponential", ("rate",)
)
bernoulli = random.Draw(
    "bernoulli_number_by", random.random_transform, (), "BernoulliBackward2", "bernoulli", ("p",)
)
dropout = random.Draw(
    "dropout_noise_by", random.random_transform, (), "BernoulliBackward2", "dropout_noise", ("p",)
)
random_between = random.Draw(
    "random_between_by", random.random_integer, (), "RandomBackward0", "random_between", ("low", "high")
)
