"""Define distributions that are transforms of others: log-normal, half-normal, Gumbel, Weibull, Pareto."""

import math
from math import inf, nan
from typing import Any, ClassVar

from ..array.dtype_limits import finfo
from ..tensor.creation import full
from ..tensor.creation_like import full_like, ones_like, zeros_like
from ..tensor.interchange import as_tensor
from ..tensor.masks import where
from . import constraints
from .compound import TransformedDistribution
from .gamma_family import Exponential, Gamma
from .intervals import Uniform
from .location_scale import Cauchy, Normal
from .transforms import AbsTransform, AffineTransform, ExpTransform, PowerTransform, StickBreakingTransform
from .utils import NUMBER, broadcast_all, delegated, euler_constant, formula


class LogNormal(TransformedDistribution):
    """The distribution of eˣ, x normal.

    Parameters
    ----------
    loc : Tensor or float
        The mean of the logarithm.
    scale : Tensor or float
        The standard deviation of the logarithm, > 0.
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    loc = delegated("base_dist.loc", "Return the mean of the logarithm.")
    scale = delegated("base_dist.scale", "Return the standard deviation of the logarithm.")
    mean = formula(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode = formula(lambda self: (self.loc - self.scale.square()).exp())

    @property
    def variance(self) -> Any:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Any:
        return self.base_dist.entropy() + self.loc


class LogisticNormal(TransformedDistribution):
    """Normal numbers taken to the simplex by breaking a stick.

    Parameters
    ----------
    loc, scale : Tensor or float
        Of the normal numbers, shape (*, k); the outcomes have k + 1 parts.
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base: Any = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    loc = delegated("base_dist.base_dist.loc", "Return the means of the normal numbers.")
    scale = delegated("base_dist.base_dist.scale", "Return the standard deviations of the normal numbers.")


class _Half(TransformedDistribution):
    """Share the density and the draws of |x|, where x is symmetric about 0."""

    arg_constraints: ClassVar[Any] = {"scale": constraints.positive}
    support: Any = constraints.nonnegative
    has_rsample = True

    scale = delegated("base_dist.scale", "Return the scale of x.")
    mode = formula(lambda self: zeros_like(self.scale))

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        return where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -inf)

    def cdf(self, value: Any) -> Any:
        self._validate(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Any) -> Any:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Any:
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The distribution of |x|, x normal with the mean 0.

    Parameters
    ----------
    scale : Tensor or float
        The standard deviation of x, > 0.
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    mean = formula(lambda self: self.scale * math.sqrt(2 / math.pi))
    variance = formula(lambda self: self.scale.pow(2) * (1 - 2 / math.pi))


class HalfCauchy(_Half):
    """The distribution of |x|, x Cauchy with the median 0.

    Parameters
    ----------
    scale : Tensor or float
        The median, > 0.
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = Cauchy(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return full(self._extended_shape(), inf, dtype=self.scale.dtype, device=self.scale.device)

    variance = delegated("base_dist.variance")

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        value = as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -inf)


class InverseGamma(TransformedDistribution):
    """The distribution of 1/x, x gamma: p(y) = rateᵅ / Γ(α) · y^(−α − 1)·exp(−rate/y).

    Parameters
    ----------
    concentration : Tensor or float
        α > 0.
    rate : Tensor or float
        > 0.
    """

    arg_constraints: ClassVar[Any] = {"concentration": constraints.positive, "rate": constraints.positive}
    support: Any = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        exponent = -base.rate.new_ones(())
        super().__init__(base, PowerTransform(exponent), validate_args=validate_args)

    concentration = delegated("base_dist.concentration", "Return α.")
    rate = delegated("base_dist.rate", "Return the rate of x.")
    mean = formula(lambda self: where(self.concentration > 1, self.rate / (self.concentration - 1), inf))
    mode = formula(lambda self: self.rate / (self.concentration + 1))

    @property
    def variance(self) -> Any:
        variance = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return where(self.concentration > 2, variance, inf)

    def entropy(self) -> Any:
        concentration = self.concentration
        return (
            concentration + self.rate.log() + concentration.lgamma()
            - (1 + concentration) * concentration.digamma()
        )


class Gumbel(TransformedDistribution):
    """The Gumbel distribution of maxima: F(x) = exp(−exp(−(x − loc) / scale)).

    Parameters
    ----------
    loc : Tensor or float
        The mode.
    scale : Tensor or float
        > 0.
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.real
    _parameters = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = finfo(self.loc.dtype)
        low, high = limits.tiny, 1 - limits.eps
        if isinstance(loc, NUMBER) and isinstance(scale, NUMBER):
            base = Uniform(low, high, validate_args=validate_args)
        else:
            base = Uniform(full_like(self.loc, low), full_like(self.loc, high), validate_args=validate_args)
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    mean = formula(lambda self: self.loc + self.scale * euler_constant)
    mode = delegated("loc")
    stddev = formula(lambda self: math.pi / math.sqrt(6) * self.scale)
    variance = formula(lambda self: self.stddev.pow(2))

    def entropy(self) -> Any:
        return self.scale.log() + (1 + euler_constant)


class Weibull(TransformedDistribution):
    """The Weibull distribution: F(x) = 1 − exp(−(x / scale)ᵏ), k the concentration.

    Parameters
    ----------
    scale : Tensor or float
        > 0.
    concentration : Tensor or float
        k > 0.
    """

    arg_constraints: ClassVar[Any] = {"scale": constraints.positive, "concentration": constraints.positive}
    support: Any = constraints.positive
    _parameters = ("scale", "concentration", "concentration_reciprocal")

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(ones_like(self.scale), validate_args=validate_args)
        transforms = [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def _moment(self, order: int) -> Any:
        """Return E[xⁿ] / scaleⁿ."""
        return (1 + order * self.concentration_reciprocal).lgamma().exp()

    mean = formula(lambda self: self.scale * self._moment(1))

    @property
    def mode(self) -> Any:
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self) -> Any:
        square_of_mean = (2 * (1 + self.concentration_reciprocal).lgamma()).exp()
        return self.scale.pow(2) * (self._moment(2) - square_of_mean)

    def entropy(self) -> Any:
        reciprocal = self.concentration_reciprocal
        return euler_constant * (1 - reciprocal) + (self.scale * reciprocal).log() + 1


class Pareto(TransformedDistribution):
    """The Pareto distribution, p(x) = α·scaleᵅ / xᵅ⁺¹ for x ≥ scale.

    Parameters
    ----------
    scale : Tensor or float
        The least value, > 0.
    alpha : Tensor or float
        α > 0.
    """

    arg_constraints: ClassVar[Any] = {"alpha": constraints.positive, "scale": constraints.positive}
    _parameters = ("scale", "alpha")

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Any:
        alpha = self.alpha.clamp(min=1)
        return alpha * self.scale / (alpha - 1)

    mode = delegated("scale")

    @property
    def variance(self) -> Any:
        alpha = self.alpha.clamp(min=2)
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))

    def entropy(self) -> Any:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution: F(x) = 1 − (1 − xᵃ)ᵇ on [0, 1].

    Parameters
    ----------
    concentration1 : Tensor or float
        a > 0.
    concentration0 : Tensor or float
        b > 0.
    """

    arg_constraints: ClassVar[Any] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support: Any = constraints.unit_interval
    has_rsample = True
    _parameters = ("concentration1", "concentration0")

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        like = self.concentration0
        base = Uniform(full_like(like, 0), full_like(like, 1), validate_args=validate_args)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def _moment(self, order: int) -> Any:
        """Return E[xⁿ] = b·B(1 + n/a, b)."""
        first, b = 1 + order / self.concentration1, self.concentration0
        return b * (first.lgamma() + b.lgamma() - (first + b).lgamma()).exp()

    mean = formula(lambda self: self._moment(1))

    @property
    def mode(self) -> Any:
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        return where((b < 1) | (a < 1), nan, log_mode).exp()

    variance = formula(lambda self: self._moment(2) - self.mean.pow(2))

    def entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log()
