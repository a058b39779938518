"""Define distributions of positive numbers by way of the gamma function."""

from math import nan
from typing import Any, ClassVar

from ..array.dtype_limits import finfo
from ..tensor.creation_like import zeros_like
from ..tensor.interchange import as_tensor
from ..tensor.masks import where
from ..tensor.random import _standard_gamma
from . import constraints
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .utils import formula


class Exponential(ExponentialFamily):
    """The exponential distribution, p(x) = rate·exp(−rate·x) for x ≥ 0.

    Parameters
    ----------
    rate : Tensor or float
        1 / mean, > 0.
    """

    arg_constraints: ClassVar[Any] = {"rate": constraints.positive}
    support: Any = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _parameters = ("rate",)
    rate: Any

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._set_parameters(validate_args, rate=rate)

    mean = formula(lambda self: self.rate.reciprocal())
    mode = formula(lambda self: zeros_like(self.rate))
    stddev = formula(lambda self: self.rate.reciprocal())
    variance = formula(lambda self: self.rate.pow(-2))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.rate.new(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Any) -> Any:
        self._validate(value)
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Any) -> Any:
        return -(-value).log1p() / self.rate

    def entropy(self) -> Any:
        return 1.0 - self.rate.log()

    _natural_params = formula(lambda self: (-self.rate,))

    def _log_normalizer(self, x: Any) -> Any:
        return -(-x).log()


class Gamma(ExponentialFamily):
    """The gamma distribution, p(x) = rateᵅ / Γ(α) · xᵅ⁻¹·exp(−rate·x) for x ≥ 0, α the concentration.

    Parameters
    ----------
    concentration : Tensor or float
        The shape α > 0.
    rate : Tensor or float
        1 / scale, > 0.
    """

    arg_constraints: ClassVar[Any] = {"concentration": constraints.positive, "rate": constraints.positive}
    support: Any = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _parameters = ("concentration", "rate")
    concentration: Any
    rate: Any

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self._set_parameters(validate_args, concentration=concentration, rate=rate)

    mean = formula(lambda self: self.concentration / self.rate)
    mode = formula(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = formula(lambda self: self.concentration / self.rate.pow(2))

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        value = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=finfo(value.dtype).tiny)  # a number of the support, with its gradient
        return value

    def log_prob(self, value: Any) -> Any:
        value = as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        self._validate(value)
        return (
            self.concentration.xlogy(self.rate) + (self.concentration - 1).xlogy(value) - self.rate * value
            - self.concentration.lgamma()
        )

    def entropy(self) -> Any:
        return (
            self.concentration - self.rate.log() + self.concentration.lgamma()
            + (1.0 - self.concentration) * self.concentration.digamma()
        )

    _natural_params = formula(lambda self: (self.concentration - 1, -self.rate))

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return (x + 1).lgamma() + (x + 1) * (-y.reciprocal()).log()

    def cdf(self, value: Any) -> Any:
        self._validate(value)
        return self.concentration.igamma(self.rate * value)


class Chi2(Gamma):
    """The χ² distribution: the sum of df squares of normal numbers; Gamma(df/2, ½).

    Parameters
    ----------
    df : Tensor or float
        The degrees of freedom, > 0.
    """

    arg_constraints: ClassVar[Any] = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Any:
        """Return the degrees of freedom."""
        return self.concentration * 2


class FisherSnedecor(Distribution):
    """The F distribution: the ratio of two χ² numbers, each over its degrees of freedom.

    Parameters
    ----------
    df1, df2 : Tensor or float
        The degrees of freedom, > 0.
    """

    arg_constraints: ClassVar[Any] = {"df1": constraints.positive, "df2": constraints.positive}
    support: Any = constraints.positive
    has_rsample = True
    _parameters = ("df1", "df2", "_gamma1", "_gamma2")
    df1: Any
    df2: Any

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self._set_parameters(validate_args, df1=df1, df2=df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)

    @property
    def mean(self) -> Any:
        df2 = where(self.df2 <= 2, nan, self.df2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Any:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return where(self.df1 <= 2, nan, mode)

    @property
    def variance(self) -> Any:
        df2 = where(self.df2 <= 4, nan, self.df2)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        above = self._gamma1.rsample(sample_shape).view(shape)
        below = self._gamma2.rsample(sample_shape).view(shape)
        tiny = finfo(below.dtype).tiny
        return (above / below.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        normalizer = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        powers = half1 * ratio.log() + (half1 - 1) * value.log()
        return normalizer + powers - (half1 + half2) * (ratio * value).log1p()
