"""Define transforms of numbers: y depends on one element of x, so the Jacobian is a derivative."""

import math
from typing import Any

from ...array.dtype_limits import finfo
from ...nn.functional.activation import softplus
from ...tensor.broadcast import broadcast_shapes
from ...tensor.creation_like import full_like
from .. import constraints
from ..utils import NUMBER, broadcast_all, delegated, lazy_property
from .base import PlainTransform, Transform


class _IncreasingTransform(PlainTransform):
    """An increasing function of numbers without parameters."""

    domain = constraints.real
    bijective = True
    sign: Any = +1


class ExpTransform(_IncreasingTransform):
    """y = eˣ."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class SigmoidTransform(_IncreasingTransform):
    """y = 1 / (1 + e⁻ˣ), kept within the open interval (0, 1)."""

    codomain = constraints.unit_interval

    def _call(self, x: Any) -> Any:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        limits = finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x) - softplus(x)


def _clipped_sigmoid(x: Any) -> Any:
    """Return the sigmoid, kept from 0 and 1, at which the inverse is infinite."""
    limits = finfo(x.dtype)
    return x.sigmoid().clamp(min=limits.tiny, max=1.0 - limits.eps)


class SoftplusTransform(_IncreasingTransform):
    """y = log(1 + eˣ)."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return softplus(x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x)


class TanhTransform(_IncreasingTransform):
    """y = tanh x."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        # log(1 − tanh²x), in a form that does not round to log 0
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(PlainTransform):
    """y = |x|. It is not bijective; the inverse is the identity."""

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


def _broadcast_with(shape: Any, *parameters: Any) -> Any:
    """Return a shape broadcast with those of the parameters, which may be numbers."""
    return broadcast_shapes(shape, *(getattr(p, "shape", ()) for p in parameters))


class PowerTransform(Transform):  # noqa: PLW1641  # torch's cannot be hashed either
    """y = xᵖ.

    Parameters
    ----------
    exponent : Tensor or float
        p, which broadcasts with x.
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True
    _takes = ("exponent",)

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @lazy_property
    def sign(self) -> Any:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and self.exponent.eq(other.exponent).all().item()

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        return _broadcast_with(shape, self.exponent)

    inverse_shape = forward_shape


class AffineTransform(Transform):  # noqa: PLW1641  # torch's cannot be hashed either
    """y = loc + scale·x.

    Parameters
    ----------
    loc, scale : Tensor or float
    event_dim : int
        How many dimensions one event has, over which the Jacobian's logarithm is summed.
    """

    bijective = True
    _takes = ("loc", "scale", "event_dim")

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return (
            constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real
        )

    codomain = domain

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AffineTransform)
            and _equal(self.loc, other.loc)
            and _equal(self.scale, other.scale)
        )

    @property
    def sign(self) -> Any:
        return (self.scale > 0) - (self.scale < 0) if isinstance(self.scale, NUMBER) else self.scale.sign()

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        shape = x.shape
        if isinstance(self.scale, NUMBER):
            result = full_like(x, math.log(abs(self.scale)))
        else:
            result = self.scale.abs().log()
        if self.event_dim:
            result = result.view((*result.size()[: -self.event_dim], -1)).sum(-1)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape: Any) -> Any:
        return _broadcast_with(shape, self.loc, self.scale)

    inverse_shape = forward_shape


def _equal(mine: Any, other: Any) -> bool:
    if isinstance(mine, NUMBER) and isinstance(other, NUMBER):
        return mine == other
    return (mine == other).all().item()


class CumulativeDistributionTransform(Transform):
    """y = F(x), the distribution function of a distribution; its outcomes become uniform.

    Parameters
    ----------
    distribution : Distribution
        It has `cdf`, `icdf` and `log_prob`.
    """

    bijective = True
    codomain = constraints.unit_interval
    sign: Any = +1
    _takes = ("distribution",)

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    domain = delegated("distribution.support")

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self.distribution.log_prob(x)
