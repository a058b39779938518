"""Define distributions of real numbers with a location and a scale."""

import math
from math import inf, nan
from typing import Any, ClassVar

from ..array.dtype_limits import finfo
from ..autograd.grad_mode import no_grad
from ..errors import name_constructors
from ..tensor.creation import full
from ..tensor.masks import where
from ..tensor.random import normal
from . import constraints
from .distribution import Distribution, _Symmetric
from .exp_family import ExponentialFamily
from .gamma_family import Chi2
from .utils import _standard_normal, delegated, formula


class _LocationScale(Distribution):
    """A distribution of real numbers that is moved by ``loc`` and stretched by ``scale``."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.real
    has_rsample = True
    _parameters = ("loc", "scale")
    loc: Any
    scale: Any

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._set_parameters(validate_args, loc=loc, scale=scale)


class Normal(_Symmetric, _LocationScale, ExponentialFamily):
    """The normal distribution, p(x) = exp(−(x − loc)² / (2·scale²)) / (scale·√(2π)).

    Parameters
    ----------
    loc : Tensor or float
        The mean.
    scale : Tensor or float
        The standard deviation, > 0.
    """

    _mean_carrier_measure = 0

    stddev = delegated("scale")
    variance = formula(lambda self: self.stddev.pow(2))

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.loc + _standard_normal(shape, self.loc.dtype, self.loc.device) * self.scale

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        log_scale = self.scale.log()
        return -((value - self.loc) ** 2) / (2 * self.scale**2) - log_scale - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        self._validate(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return -0.25 * x.pow(2) / y + 0.5 * (-math.pi / y).log()


class Laplace(_Symmetric, _LocationScale):
    """The Laplace distribution, p(x) = exp(−|x − loc| / scale) / (2·scale).

    Parameters
    ----------
    loc : Tensor or float
    scale : Tensor or float
        > 0.
    """

    variance = formula(lambda self: 2 * self.scale.pow(2))
    stddev = formula(lambda self: 2**0.5 * self.scale)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        u = self.loc.new(shape).uniform_(finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Any) -> Any:
        self._validate(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * (-distance.abs() / self.scale).expm1()

    def icdf(self, value: Any) -> Any:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * (-2 * term.abs()).log1p()

    def entropy(self) -> Any:
        return 1 + (2 * self.scale).log()


class Cauchy(_LocationScale):
    """The Cauchy distribution, p(x) = 1 / (π·scale·(1 + ((x − loc) / scale)²)). It has no mean.

    Parameters
    ----------
    loc : Tensor or float
        The median.
    scale : Tensor or float
        Half the width at half the height, > 0.
    """

    @property
    def mean(self) -> Any:
        return full(self._extended_shape(), nan, dtype=self.loc.dtype, device=self.loc.device)

    mode = delegated("loc")

    @property
    def variance(self) -> Any:
        return full(self._extended_shape(), inf, dtype=self.loc.dtype, device=self.loc.device)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.loc + self.loc.new(shape).cauchy_() * self.scale

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Any) -> Any:
        self._validate(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Any) -> Any:
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Any:
        return math.log(4 * math.pi) + self.scale.log()


class StudentT(Distribution):
    """Student's t distribution: with y = (x − loc) / scale,
    p(x) = Γ((df + 1)/2) / (Γ(df/2)·√(π·df)·scale) · (1 + y²/df)^(−(df + 1)/2).

    Parameters
    ----------
    df : Tensor or float
        The degrees of freedom, > 0.
    loc : Tensor or float
    scale : Tensor or float
        > 0.
    """

    arg_constraints: ClassVar[Any] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: Any = constraints.real
    has_rsample = True
    _parameters = ("df", "loc", "scale", "_chi2")
    df: Any
    loc: Any
    scale: Any

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self._set_parameters(validate_args, df=df, loc=loc, scale=scale)
        self._chi2 = Chi2(self.df)

    mean = formula(lambda self: where(self.df <= 1, nan, self.loc))
    mode = delegated("loc")

    @property
    def variance(self) -> Any:
        finite = self.df > 2
        df = where(finite, self.df, 3.0)  # any number at which the formula has a gradient
        variance = where(finite, self.scale.pow(2) * df / (df - 2), inf)
        return where(self.df <= 1, nan, variance)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        x = _standard_normal(shape, self.df.dtype, self.df.device)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * (z / self.df).rsqrt())

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        y = (value - self.loc) / self.scale
        normalizer = (
            self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + (0.5 * self.df).lgamma()
            - (0.5 * (self.df + 1.0)).lgamma()
        )
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - normalizer

    def entropy(self) -> Any:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = half.lgamma() + math.lgamma(0.5) - more.lgamma()
        return (
            self.scale.log() + 0.5 * (self.df + 1) * (more.digamma() - half.digamma()) + 0.5 * self.df.log()
            + log_beta
        )


name_constructors(vars(), _LocationScale)
