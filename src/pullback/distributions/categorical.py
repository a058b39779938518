"""Define distributions over categories: of their numbers, of one-hot vectors, of how often each occurs."""

from math import inf, nan
from typing import Any, ClassVar

from ..array.dtype_limits import finfo
from ..array.dtypes import int64
from ..core.size import Size
from ..nn.functional.embedding import one_hot
from ..tensor.broadcast import broadcast_tensors
from ..tensor.creation import eye, full, tensor
from ..tensor.creation_like import ones_like
from ..tensor.masks import where
from ..tensor.random import multinomial
from . import constraints
from .counts import Binomial, enumerated
from .distribution import Distribution
from .probabilities import ProbsOrLogits, given_one
from .utils import broadcast_all, delegated, formula


class Categorical(ProbsOrLogits):
    """The number of a category, 0 to k − 1.

    Parameters
    ----------
    probs : Tensor, optional
        Weights of the categories, shape (*, k); they are divided by their sum.
    logits : Tensor, optional
        Logarithms of weights; one of the two is given.
    """

    arg_constraints: ClassVar[Any] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _is_binary = False
    _kept = ("_num_events",)

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, value = given_one(probs, logits)
        if value.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            value = value / value.sum(-1, keepdim=True)
        else:
            value = value - value.logsumexp(dim=-1, keepdim=True)
        self._set_given(name, value)
        self._num_events = value.size()[-1]
        Distribution.__init__(self, value.size()[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Any:
        return full(self._extended_shape(), nan, dtype=self.probs.dtype, device=self.probs.device)

    mode = formula(lambda self: self.probs.argmax(dim=-1))
    variance = delegated("mean")

    def sample(self, sample_shape: Any = ()) -> Any:
        sample_shape = Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        drawn = multinomial(rows, sample_shape.numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        value, log_probs = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_probs.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)  # −∞·0 is nan
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        return enumerated(self, self._num_events, expand, int64)


class OverCategories(Distribution):
    """Share the parameters of the distributions that have a Categorical behind them."""

    arg_constraints: ClassVar[Any] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    _parameters = ("_categorical",)
    _categorical: Categorical

    def _begin(self, validate_args: bool | None) -> None:
        """Take the shapes from the Categorical, one event being one of its rows."""
        own = self._categorical
        Distribution.__init__(self, own.batch_shape, own.param_shape[-1:], validate_args=validate_args)

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._categorical._new(*args, **kwargs)

    probs = delegated("_categorical.probs", "Return the probabilities of the categories.")
    logits = delegated("_categorical.logits", "Return the logarithms of the probabilities.")
    param_shape = delegated("_categorical.param_shape", "Return the shape of the parameter that was given.")


class OneHotCategorical(OverCategories):
    """A category as a vector with one 1 and zeros.

    Parameters
    ----------
    probs, logits : Tensor, optional
        As of `Categorical`, shape (*, k).
    """

    support: Any = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        self._begin(validate_args)

    _param = delegated("_categorical._param")
    mean = delegated("probs")

    @property
    def mode(self) -> Any:
        return one_hot(self.probs.argmax(dim=-1), num_classes=self.probs.shape[-1]).to(self.probs)

    variance = formula(lambda self: self.probs * (1 - self.probs))

    def sample(self, sample_shape: Any = ()) -> Any:
        drawn = self._categorical.sample(Size(sample_shape))
        return one_hot(drawn, self._categorical._num_events).to(self.probs)

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Any:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        size = self.event_shape[0]
        values = eye(size, dtype=self._param.dtype, device=self._param.device)
        values = values.view((size, *[1] * len(self.batch_shape), size))
        return values.expand((size, *self.batch_shape, size)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` whose samples pass gradients straight to the probabilities (Bengio et al. 2013)."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        samples = self.sample(sample_shape)
        return samples + (self.probs - self.probs.detach())


class Multinomial(OverCategories):
    """Distribute the counts of each category in n draws: P(k₁, k₂, …) = n! / Π kᵢ! · Π pᵢ^kᵢ.

    Parameters
    ----------
    total_count : int
        n.
    probs, logits : Tensor, optional
        As of `Categorical`, shape (*, k).
    """

    _kept = ("total_count", "_binomial")

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        self._begin(validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    mean = formula(lambda self: self.probs * self.total_count)
    variance = formula(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Any = ()) -> Any:
        sample_shape = Size(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count, *sample_shape))).movedim(0, -1)
        counts = drawn.new_zeros(self._extended_shape(sample_shape))
        counts.scatter_add_(-1, drawn, ones_like(drawn))
        return counts.type_as(self.probs)

    def entropy(self) -> Any:
        n = tensor(self.total_count)
        support = self._binomial.enumerate_support(expand=False)[1:]
        of_counts = self._binomial.log_prob(support).exp() * (support + 1).lgamma()
        return n * self._categorical.entropy() - (n + 1).lgamma() + of_counts.sum([0, -1])

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        logits, value = broadcast_all(self.logits, value)
        logits = where((value == 0) & (logits == -inf), 0, logits)  # 0⁰ is 1
        arrangements = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return arrangements + (logits * value).sum(-1)
