"""Define continuous relaxations of discrete distributions, with a temperature.

As it falls to 0 the outcomes approach those of the discrete distribution (Maddison, Mnih and Teh 2017, "The
concrete distribution"; Jang, Gu and Poole 2017, "Categorical reparameterization with Gumbel-softmax").
"""

from typing import Any, ClassVar

from ..tensor.creation_like import full_like
from ..tensor.random import rand
from . import constraints
from .categorical import Categorical, OverCategories
from .compound import TransformedDistribution
from .probabilities import ProbsOrLogits
from .transforms import ExpTransform, SigmoidTransform
from .utils import broadcast_all, clamp_probs, delegated


class LogitRelaxedBernoulli(ProbsOrLogits):
    """The logit of a relaxed Bernoulli number: (log(p / (1 − p)) + L) / temperature, L standard logistic.

    Parameters
    ----------
    temperature : Tensor
        > 0.
    probs, logits : Tensor or float, optional
        p, or log(p / (1 − p)).
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: Any = constraints.real
    _kept = ("temperature",)

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        uniforms = clamp_probs(rand(shape, dtype=probs.dtype, device=probs.device))
        logistic = uniforms.log() - (-uniforms).log1p()
        return (logistic + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        logits, value = broadcast_all(self.logits, value)
        diff = logits - value.mul(self.temperature)
        return self.temperature.log() + diff - 2 * diff.exp().log1p()


class _Relaxed(TransformedDistribution):
    """A distribution made of a relaxed one, whose parameters it has."""

    has_rsample = True

    temperature = delegated("base_dist.temperature", "Return the temperature.")
    logits = delegated(
        "base_dist.logits", "Return log(p / (1 − p)), or the logarithms of the categories' probabilities."
    )
    probs = delegated("base_dist.probs", "Return p, or the categories' probabilities.")


class RelaxedBernoulli(_Relaxed):
    """A number in (0, 1) that is near 1 with probability p: the sigmoid of a `LogitRelaxedBernoulli`.

    Parameters
    ----------
    temperature : Tensor
        > 0.
    probs, logits : Tensor or float, optional
        p, or log(p / (1 − p)).
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: Any = constraints.unit_interval

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)


class ExpRelaxedCategorical(OverCategories):
    """The logarithm of a relaxed one-hot vector: log softmax((log p + G) / temperature), G standard Gumbel.

    Parameters
    ----------
    temperature : Tensor
        > 0.
    probs, logits : Tensor, optional
        As of `Categorical`, shape (*, k).
    """

    support: Any = constraints.real_vector
    has_rsample = True
    _kept = ("temperature",)

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        self._begin(validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        uniforms = clamp_probs(rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        gumbels = -(-uniforms.log()).log()
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Any) -> Any:
        size = self._categorical._num_events
        self._validate(value)
        logits, value = broadcast_all(self.logits, value)
        log_scale = full_like(self.temperature, float(size)).lgamma() - self.temperature.log().mul(
            -(size - 1)
        )
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(_Relaxed):
    """A vector of the simplex near a corner: the exponential of an `ExpRelaxedCategorical`.

    Parameters
    ----------
    temperature : Tensor
        > 0.
    probs, logits : Tensor, optional
        As of `Categorical`, shape (*, k).
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support: Any = constraints.simplex

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
