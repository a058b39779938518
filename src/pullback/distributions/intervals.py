"""Define distributions on an interval: uniform, continuous Bernoulli, generalized Pareto, von Mises."""

import math
from functools import reduce
from math import inf, nan
from typing import Any, ClassVar

from ..array.dtypes import bool as bool_dtype
from ..array.dtypes import float64
from ..autograd.grad_mode import no_grad
from ..core.size import Size
from ..nn.functional.classification_loss import binary_cross_entropy_with_logits
from ..tensor.broadcast import broadcast_to
from ..tensor.closeness import isclose
from ..tensor.creation import empty, zeros
from ..tensor.creation_like import ones_like, zeros_like
from ..tensor.masks import where
from ..tensor.random import rand
from . import constraints
from .distribution import Distribution, _Symmetric
from .exp_family import ExponentialFamily
from .probabilities import ProbsOrLogits, as_parameter, given_one
from .utils import broadcast_all, clamp_probs, delegated, formula, lazy_property, logits_to_probs


class Uniform(Distribution):
    """The uniform distribution on [low, high).

    Parameters
    ----------
    low, high : Tensor or float
        low < high.
    """

    has_rsample = True
    _parameters = ("low", "high")
    low: Any
    high: Any

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self._set_parameters(validate_args, low=low, high=high)

    @property
    def arg_constraints(self) -> Any:
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    mean = formula(lambda self: (self.high + self.low) / 2)
    mode = formula(lambda self: nan * self.high)
    stddev = formula(lambda self: (self.high - self.low) / 12**0.5)
    variance = formula(lambda self: (self.high - self.low).pow(2) / 12)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        u = rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        within = self.low.le(value).type_as(self.low).mul(self.high.gt(value).type_as(self.low))
        return within.log() - (self.high - self.low).log()

    def cdf(self, value: Any) -> Any:
        self._validate(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Any) -> Any:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Any:
        return (self.high - self.low).log()


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily):
    """A density on [0, 1] proportional to λˣ·(1 − λ)¹⁻ˣ (Loaiza-Ganem and Cunningham 2019).

    Near λ = ½ the closed forms cancel; there Taylor's series about ½ are used.

    Parameters
    ----------
    probs, logits : Tensor or float, optional
        λ in (0, 1), or log(λ / (1 − λ)).
    lims : tuple of float
        Where the series are used.
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: Any = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True
    _kept = ("_lims",)

    def __init__(
        self, probs: Any = None, logits: Any = None, lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        name, value = given_one(probs, logits)
        value, batch_shape = as_parameter(value)
        if probs is not None:
            if validate_args is not None and not self.arg_constraints["probs"].check(value).all():
                raise ValueError("The parameter probs has invalid values")
            value = clamp_probs(value)
        self._set_given(name, value)
        self._lims = lims
        Distribution.__init__(self, batch_shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Any:
        """Return λ, kept from 0 and 1."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _outside_unstable_region(self) -> Any:
        """Mark the values for which the closed forms are stable."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> Any:
        """Return λ, or a number for which the closed forms are finite."""
        return where(self._outside_unstable_region(), self.probs, self._lims[0] * ones_like(self.probs))

    def _cont_bern_log_norm(self) -> Any:
        """Return log(2·artanh(1 − 2λ) / (1 − 2λ)), by which the density is normalized."""
        cut = self._cut_probs()
        below = where(cut <= 0.5, cut, zeros_like(cut))
        above = where(cut >= 0.5, cut, ones_like(cut))
        closed = ((-cut).log1p() - cut.log()).abs().log() - where(
            cut <= 0.5, (-2.0 * below).log1p(), (2.0 * above - 1.0).log()
        )
        x = (self.probs - 0.5).pow(2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return where(self._outside_unstable_region(), closed, taylor)

    @property
    def mean(self) -> Any:
        cut = self._cut_probs()
        closed = cut / (2.0 * cut - 1.0) + 1.0 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x
        return where(self._outside_unstable_region(), closed, taylor)

    @property
    def variance(self) -> Any:
        cut = self._cut_probs()
        closed = cut * (cut - 1.0) / (1.0 - 2.0 * cut).pow(2) + 1.0 / ((-cut).log1p() - cut.log()).pow(2)
        x = (self.probs - 0.5).pow(2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return where(self._outside_unstable_region(), closed, taylor)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.icdf(rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        logits, value = broadcast_all(self.logits, value)
        cross_entropy = binary_cross_entropy_with_logits(logits, value, reduction="none")
        return -cross_entropy + self._cont_bern_log_norm()

    def cdf(self, value: Any) -> Any:
        self._validate(value)
        cut = self._cut_probs()
        closed = (cut.pow(value) * (1.0 - cut).pow(1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        inside = where(self._outside_unstable_region(), closed, value)
        return where(value <= 0.0, zeros_like(value), where(value >= 1.0, ones_like(value), inside))

    def icdf(self, value: Any) -> Any:
        cut = self._cut_probs()
        failure = (-cut).log1p()
        closed = ((-cut + value * (2.0 * cut - 1.0)).log1p() - failure) / (cut.log() - failure)
        return where(self._outside_unstable_region(), closed, value)

    def entropy(self) -> Any:
        failure, success = (-self.probs).log1p(), self.probs.log()
        return self.mean * (failure - success) - self._cont_bern_log_norm() - failure

    _natural_params = formula(lambda self: (self.logits,))

    def _log_normalizer(self, x: Any) -> Any:
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = where(outside, x, (self._lims[0] - 0.5) * ones_like(x))
        closed = cut.expm1().abs().log() - cut.abs().log()
        taylor = 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0
        return where(outside, closed, taylor)


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution of what exceeds a threshold: with z = (x − loc) / scale,
    p(x) = (1 + ξ·z)^(−1/ξ − 1) / scale, and exp(−z) / scale for ξ = 0.

    Parameters
    ----------
    loc : Tensor or float
        The threshold.
    scale : Tensor or float
        > 0.
    concentration : Tensor or float
        ξ; below 0 the support ends at loc − scale/ξ.
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real
    }  # fmt: skip
    has_rsample = True
    _parameters = ("loc", "scale", "concentration")
    loc: Any
    scale: Any
    concentration: Any

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._set_parameters(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        upper = where(self.concentration < 0, self.loc - self.scale / self.concentration, inf)
        return constraints.interval(self.loc, upper)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.icdf(rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _is_exponential(self) -> tuple[Any, Any]:
        """Return where ξ is 0, and ξ with 1 there."""
        at_zero = isclose(self.concentration, zeros_like(self.concentration))
        return at_zero, where(at_zero, ones_like(self.concentration), self.concentration)

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        z = self._z(value)
        at_zero, concentration = self._is_exponential()
        y = 1 / concentration + ones_like(z)
        otherwise = where(y == 0, y, y * (concentration * z).log1p())
        return -self.scale.log() - where(at_zero, z, otherwise)

    def log_survival_function(self, value: Any) -> Any:
        """Return log(1 − F(x))."""
        self._validate(value)
        z = self._z(value)
        at_zero, concentration = self._is_exponential()
        return where(at_zero, -z, -(concentration * z).log1p() / concentration)

    def log_cdf(self, value: Any) -> Any:
        """Return log F(x)."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Any) -> Any:
        return self.log_cdf(value).exp()

    def icdf(self, value: Any) -> Any:
        at_zero, concentration = self._is_exponential()
        log_survival = (-value).log1p()
        otherwise = self.loc + self.scale / concentration * (-concentration * log_survival).expm1()
        return where(at_zero, self.loc - self.scale * log_survival, otherwise)

    @property
    def mean(self) -> Any:
        valid = self.concentration < 1
        concentration = where(valid, self.concentration, 0.5)
        return where(valid, self.loc + self.scale / (1 - concentration), nan)

    @property
    def variance(self) -> Any:
        valid = self.concentration < 0.5
        concentration = where(valid, self.concentration, 0.25)
        variance = self.scale**2 / ((1 - concentration) ** 2 * (1 - 2 * concentration))
        return where(valid, variance, nan)

    def entropy(self) -> Any:
        return broadcast_to(self.scale.log() + self.concentration + 1, self._batch_shape)

    mode = delegated("loc")


def _polynomial(y: Any, coefficients: tuple[Any, ...]) -> Any:
    """Return Σ cᵢ·yⁱ by Horner's rule."""
    return reduce(lambda above, coefficient: coefficient + y * above, coefficients[::-1])


#: I₀ and I₁ by Abramowitz and Stegun 9.8.1 to 9.8.4: up to x = 3.75 by powers of (x/3.75)², above by powers
#: of 3.75/x.
_BESSEL = (
    (
        (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813),
        (
            0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706, 0.02635537,
            -0.01647633, 0.00392377,
        ),
    ),
    (
        (0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411),
        (
            0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555, 0.02282967, -0.02895312,
            0.01787654, -0.00420059,
        ),
    ),
)  # fmt: skip


def _log_modified_bessel_fn(x: Any, order: int = 0) -> Any:
    """Return log I₀(x) or log I₁(x) for x > 0."""
    near, far = _BESSEL[order]
    y = x / 3.75
    small = _polynomial(y * y, near)
    if order == 1:
        small = x.abs() * small
    large = x - 0.5 * x.log() + _polynomial(3.75 / x, far).log()
    return where(x < 3.75, small.log(), large)


class VonMises(_Symmetric, Distribution):
    """The von Mises distribution of angles, p(x) = exp(κ·cos(x − loc)) / (2π·I₀(κ)).

    Samples come from the rejection method of Best and Fisher (1979) in double precision.

    Parameters
    ----------
    loc : Tensor or float
        The mean direction, in radians.
    concentration : Tensor or float
        κ > 0.
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "concentration": constraints.positive}
    support: Any = constraints.real
    has_rsample = False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, Size(), validate_args)

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        log_density = self.concentration * (value - self.loc).cos()
        return log_density - math.log(2 * math.pi) - _log_modified_bessel_fn(self.concentration, order=0)

    @lazy_property
    def _loc(self) -> Any:
        return self.loc.to(float64)

    @lazy_property
    def _concentration(self) -> Any:
        return self.concentration.to(float64)

    @lazy_property
    def _proposal_r(self) -> Any:
        """Return the parameter of the wrapped Cauchy distribution that proposes."""
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            x = empty(self._extended_shape(sample_shape), dtype=float64, device=self.loc.device)
            done = zeros(x.shape, dtype=bool_dtype, device=self.loc.device)
            r = self._proposal_r
            while not done.all():
                u1, u2, u3 = rand((3, *x.shape), dtype=float64, device=self.loc.device).unbind()
                z = (math.pi * u1).cos()
                f = (1 + r * z) / (r + z)
                c = self._concentration * (r - f)
                accepted = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                x = where(accepted, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accepted
            angle = (x + math.pi + self._loc) % (2 * math.pi) - math.pi
            return angle.to(self.loc.dtype)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return type(self)(
            self.loc.expand(batch_shape), self.concentration.expand(batch_shape),
            validate_args=self.__dict__.get("_validate_args"),
        )  # fmt: skip

    @lazy_property
    def variance(self) -> Any:
        kappa = self.concentration
        return 1 - (_log_modified_bessel_fn(kappa, order=1) - _log_modified_bessel_fn(kappa, order=0)).exp()
