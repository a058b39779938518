"""torch.nn.init: fill a tensor in place with initial values, drawn as torch draws them."""

import math
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from ..autograd.grad_mode import no_grad
from ..core.modes import modes
from ..core.warn import warn
from ..errors import with_name
from ..linalg import qr
from ..tensor.creation_like import empty_like
from ..tensor.interception import OVERRIDING
from ..tensor.masks import where
from ..tensor.override_dispatch import ask_overrides
from ..tensor.random import randperm
from ..tensor.rearrange import diag
from ..torch_names.exclusions import answer_for


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """Return the gain recommended for a nonlinearity, e.g. √2 for relu, 5/3 for tanh."""
    plain = (
        "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
        "sigmoid",
    )  # fmt: skip
    if nonlinearity in plain:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor: Any) -> tuple[int, int]:
    if len(shape := tuple(tensor.shape)) < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _calculate_correct_fan(tensor: Any, mode: str) -> int:
    if (mode := mode.lower()) not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def _asks_overrides(fill: Callable[..., Any]) -> Callable[..., Any]:
    """Let function modes and tensors that override functions answer a call, by the names of its arguments."""

    @wraps(fill)
    def asking(*args: Any, **options: Any) -> Any:
        if modes().function_modes or (args and type(args[0]) in OVERRIDING):
            given = signature(fill).bind(*args, **options)
            given.apply_defaults()
            result = ask_overrides(asking, (given.arguments["tensor"],), (), given.arguments)
            if result is not NotImplemented:
                return result
        return fill(*args, **options)

    # Libraries know the functions by this name.
    asking.__module__ = "torch.nn.init"
    return asking


@_asks_overrides
def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Fill a tensor with values from U(a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


@_asks_overrides
def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Fill a tensor with values from N(mean, std²)."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Any, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Any:
    """Fill a tensor with values from N(mean, std²) cut to [a, b], by drawing anew what falls outside."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect."
        )
    if tensor.is_meta:
        return tensor
    with no_grad():
        if _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std) > 0.3:
            return _cut_normal(tensor, mean, std, a, b, generator)
        return _cut_uniform(tensor, mean, std, a, b, generator)


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _cut_normal(tensor: Any, mean: float, std: float, a: float, b: float, generator: Any) -> Any:
    """Draw from the normal distribution until every value is inside; bounds are rounded as values are."""
    low, high = (tensor.new_tensor(bound).item() for bound in (a, b))
    tensor.normal_(mean, std, generator=generator)
    while (outside := (tensor < low) | (tensor > high)).any():
        tensor.copy_(where(outside, empty_like(tensor).normal_(mean, std, generator=generator), tensor))
    return tensor


def _cut_uniform(tensor: Any, mean: float, std: float, a: float, b: float, generator: Any) -> Any:
    """Draw evenly from [a, b] until every value is accepted: with the density over its largest value there.

    It serves intervals far out, where few draws of a normal distribution fall.
    """
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    candidates, draws = empty_like(tensor), empty_like(tensor)

    def refused() -> Any:
        height = candidates.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        return draws.uniform_(generator=generator).log_().gt(height)

    tensor.uniform_(a, b, generator=generator)
    candidates.copy_(tensor)
    pending = refused()
    while pending.any():
        candidates.uniform_(a, b, generator=generator)
        tensor.copy_(where(pending, candidates, tensor))
        pending = where(pending, refused(), pending)
    return tensor


@_asks_overrides
def constant_(tensor: Any, val: float) -> Any:
    """Fill a tensor with the value `val`."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Any) -> Any:
    """Fill a tensor with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Any) -> Any:
    """Fill a tensor with zeros."""
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Any) -> Any:
    """Fill a matrix with the identity."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.zero_()
        tensor.diagonal().fill_(1)
    return tensor


def dirac_(tensor: Any, groups: int = 1) -> Any:
    """Fill a tensor with the identity as a convolution's weight, in each group."""
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tuple(tensor.shape)
    if sizes[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = sizes[0] // groups
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for d in range(min(per_group, sizes[1])):
                tensor[(group * per_group + d, d, *(n // 2 for n in sizes[2:]))] = 1
    return tensor


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Draw from U(−a, a) with a = gain·√(6 / (fan_in + fan_out)) (Glorot & Bengio 2010, eq. 16)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Draw from N(0, σ²) with σ = gain·√(2 / (fan_in + fan_out)) (Glorot & Bengio 2010)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


@_asks_overrides
def kaiming_uniform_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """Draw from U(−b, b) with b = gain·√(3 / fan) (He et al. 2015)."""
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    bound = math.sqrt(3.0) * calculate_gain(nonlinearity, a) / math.sqrt(fan)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """Draw from N(0, σ²) with σ = gain / √fan (He et al. 2015)."""
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    return normal_(tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(fan), generator)


def orthogonal_(tensor: Any, gain: float = 1, generator: Any = None) -> Any:
    """Fill a tensor with `gain` times a matrix with orthonormal rows or columns, whichever are fewer (Saxe et
    al. 2013).

    A tensor of more axes is filled as the matrix of its first axis by all others.
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    draws = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
    factor, triangle = qr(draws.t() if rows < columns else draws)
    # a diagonal that is positive makes the factorisation unique, and its distribution uniform
    factor *= diag(triangle, 0).sign()
    with no_grad():
        tensor.copy_((factor.t() if rows < columns else factor).reshape(tensor.shape))
        tensor.mul_(gain)
    return tensor


def sparse_(tensor: Any, sparsity: float, std: float = 0.01, generator: Any = None) -> Any:
    """Draw from N(0, std²), with a fraction `sparsity` of every column set to zero (Martens 2010)."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[randperm(rows)[:zeros], column] = 0
    return tensor


def _deprecated(new: Callable[..., Any]) -> Callable[..., Any]:
    old_name = new.__name__[:-1]

    def call(*args: Any, **kwargs: Any) -> Any:
        warn(f"`nn.init.{old_name}` is now deprecated in favor of `nn.init.{new.__name__}`.", FutureWarning)
        return new(*args, **kwargs)

    text = f"Call `{new.__name__}`, whose older name this is, after a FutureWarning."
    return with_name(call, old_name, text)


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)

#: torch's own names for these without gradients, which programs import.
_no_grad_uniform_ = uniform_
_no_grad_normal_ = normal_
_no_grad_trunc_normal_ = trunc_normal_
_no_grad_fill_ = constant_
_no_grad_zero_ = zeros_

__all__ = [
    "calculate_gain", "constant", "constant_", "dirac", "dirac_", "eye", "eye_", "kaiming_normal",
    "kaiming_normal_", "kaiming_uniform", "kaiming_uniform_", "normal", "normal_", "ones_", "orthogonal",
    "orthogonal_", "sparse", "sparse_", "trunc_normal_", "uniform", "uniform_", "xavier_normal",
    "xavier_normal_", "xavier_uniform", "xavier_uniform_", "zeros_",
]

answer_for(globals())
