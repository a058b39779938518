"""Define distributions of counts and of yes or no."""

from math import nan
from typing import Any, ClassVar

from ..array.dtype_limits import finfo
from ..autograd.grad_mode import no_grad
from ..errors import name_constructors
from ..nn.functional.activation import logsigmoid
from ..nn.functional.classification_loss import binary_cross_entropy_with_logits
from ..tensor.creation_like import zeros_like
from ..tensor.masks import where
from ..tensor.random import bernoulli, binomial, poisson
from ..tensor.ranges import arange
from . import constraints
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .gamma_family import Gamma
from .probabilities import ProbsOrLogits, given_one
from .utils import broadcast_all, delegated, formula, is_unknown, lazy_property


def _cross_entropy(logits: Any, target: Any) -> Any:
    """Return −target·log p − (1 − target)·log(1 − p), p the probabilities that belong to the logits."""
    return binary_cross_entropy_with_logits(logits, target, reduction="none")


def enumerated(distribution: Any, count: int, expand: bool, dtype: Any = None) -> Any:
    """Return 0, 1, …, count − 1 along a new first dimension."""
    like = distribution._param
    values = arange(count, dtype=dtype or like.dtype, device=like.device)
    values = values.view((-1, *[1] * len(distribution._batch_shape)))
    return values.expand((-1, *distribution._batch_shape)) if expand else values


class Bernoulli(ProbsOrLogits, ExponentialFamily):
    """1 with probability p, else 0.

    Parameters
    ----------
    probs : Tensor or float, optional
        p.
    logits : Tensor or float, optional
        log(p / (1 − p)); one of the two is given.
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: Any = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    mean = delegated("probs")
    mode = formula(lambda self: where(self.probs == 0.5, nan, (self.probs >= 0.5).to(self.probs)))
    variance = formula(lambda self: self.probs * (1 - self.probs))

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return bernoulli(self.probs.expand(shape))

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        return -_cross_entropy(*broadcast_all(self.logits, value))

    def entropy(self) -> Any:
        return _cross_entropy(self.logits, self.probs)

    def enumerate_support(self, expand: bool = True) -> Any:
        return enumerated(self, 2, expand)

    _natural_params = formula(lambda self: (self.probs.logit(),))

    def _log_normalizer(self, x: Any) -> Any:
        return x.exp().log1p()


class _Trials(ProbsOrLogits):
    """Share the parameters of the distributions with a number of trials."""

    _parameters = ("total_count", "probs", "logits")

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        name, value = given_one(probs, logits)
        total_count, value = broadcast_all(total_count, value)
        self.total_count = total_count.type_as(value)
        self._set_given(name, value)
        Distribution.__init__(self, value.size(), validate_args=validate_args)


class Binomial(_Trials):
    """Count the successes among n trials: P(k) = n! / (k!·(n − k)!) · pᵏ·(1 − p)ⁿ⁻ᵏ.

    Parameters
    ----------
    total_count : Tensor or int
        n.
    probs, logits : Tensor, optional
        p, or log(p / (1 − p)).
    """

    arg_constraints: ClassVar[Any] = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(total_count, probs, logits, validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    mean = formula(lambda self: self.total_count * self.probs)
    mode = formula(lambda self: ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count))
    variance = formula(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        n, logits = self.total_count, self.logits
        # n·log(1 + e^logits) without overflow; max(x, 0) in a form with the derivative ½ at 0
        above = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        normalizer = n * above + n * (-logits.abs()).exp().log1p() - (n + 1).lgamma()
        return value * logits - (value + 1).lgamma() - (n - value + 1).lgamma() - normalizer

    def _count(self, what: str) -> int:
        """Return n, where it is the same in the whole batch."""
        total_count = int(self.total_count.max())
        if not self.total_count.min() == total_count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{what}`.")
        return total_count

    def entropy(self) -> Any:
        self._count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Any:
        return enumerated(self, 1 + self._count("enumerate_support"), expand)


class NegativeBinomial(_Trials):
    """Count the successes before r failures: P(k) = Γ(k + r) / (k!·Γ(r)) · pᵏ·(1 − p)ʳ.

    Parameters
    ----------
    total_count : Tensor or float
        r ≥ 0.
    probs, logits : Tensor, optional
        p, or log(p / (1 − p)).
    """

    arg_constraints: ClassVar[Any] = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support: Any = constraints.nonnegative_integer

    mean = formula(lambda self: self.total_count * self.logits.exp())
    mode = formula(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = formula(lambda self: self.mean / (-self.logits).sigmoid())

    @lazy_property
    def _gamma(self) -> Any:
        """Return the distribution of the rates: the counts are Poisson numbers."""
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            return poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        r = self.total_count
        powers = r * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        normalizer = -(r + value).lgamma() + (1.0 + value).lgamma() + r.lgamma()
        return powers - normalizer.masked_fill(r + value == 0.0, 0.0)


class Geometric(ProbsOrLogits):
    """Count the failures before one success: P(k) = (1 − p)ᵏ·p.

    Parameters
    ----------
    probs, logits : Tensor or float, optional
        p, in (0, 1], or log(p / (1 − p)).
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: Any = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(probs, logits, validate_args)
        value = self._param
        if self._validate_args and probs is not None and not is_unknown(value):
            valid = value > 0
            if not valid.all():
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of "
                    f"distribution {self!r} to be positive but found invalid values:\n{value.data[~valid]}"
                )

    mean = formula(lambda self: 1.0 / self.probs - 1.0)
    mode = formula(lambda self: zeros_like(self.probs))
    variance = formula(lambda self: (1.0 / self.probs - 1.0) / self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            u = self.probs.new(shape).uniform_(finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        value, probs = broadcast_all(value, self.probs)
        probs = where((probs == 1) & (value == 0), 0, probs)  # 0·log 0 is 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Any:
        return _cross_entropy(self.logits, self.probs) / self.probs


class Poisson(ExponentialFamily):
    """The Poisson distribution, P(k) = rateᵏ·exp(−rate) / k!.

    Parameters
    ----------
    rate : Tensor or float
        The mean, ≥ 0.
    """

    arg_constraints: ClassVar[Any] = {"rate": constraints.nonnegative}
    support: Any = constraints.nonnegative_integer
    _parameters = ("rate",)
    rate: Any

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._set_parameters(validate_args, rate=rate)

    mean = delegated("rate")
    mode = formula(lambda self: self.rate.floor())
    variance = delegated("rate")

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return poisson(self.rate.expand(shape))

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    _natural_params = formula(lambda self: (self.rate.log(),))

    def _log_normalizer(self, x: Any) -> Any:
        return x.exp()


name_constructors(vars(), ProbsOrLogits, _Trials)
