"""Define distributions made from others: several as one event, transformed outcomes, mixtures."""

from functools import reduce
from math import prod
from typing import Any, ClassVar, Generic, TypeVar

from ..autograd.grad_mode import no_grad
from ..core.size import Size
from ..tensor.select import gather
from . import constraints
from .categorical import Categorical
from .distribution import Distribution
from .transforms import ComposeTransform, Transform
from .utils import _sum_rightmost, delegated, formula

D = TypeVar("D", bound=Distribution)


class Independent(Distribution, Generic[D]):
    """Take the last dimensions of a batch for dimensions of one event, whose parts are independent.

    Parameters
    ----------
    base_distribution : Distribution
    reinterpreted_batch_ndims : int
        How many of its batch dimensions.
    """

    arg_constraints: ClassVar[Any] = {}
    _parameters = ("base_dist",)
    _kept = ("reinterpreted_batch_ndims",)

    def __init__(
        self, base_distribution: D, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        if reinterpreted_batch_ndims > (dims := len(base_distribution.batch_shape)):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {dims}"
            )
        shape = Size((*base_distribution.batch_shape, *base_distribution.event_shape))
        cut = dims - reinterpreted_batch_ndims
        self.base_dist: Any = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    has_rsample = delegated("base_dist.has_rsample")

    @property
    def has_enumerate_support(self) -> Any:
        return self.reinterpreted_batch_ndims <= 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        result = self.base_dist.support
        if self.reinterpreted_batch_ndims:
            result = constraints.independent(result, self.reinterpreted_batch_ndims)
        return result

    mean = delegated("base_dist.mean")
    mode = delegated("base_dist.mode")
    variance = delegated("base_dist.variance")

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Any:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """The distribution of y = f(x), x having another distribution: log p(y) = log p(x) − log |det dy/dx|.

    Parameters
    ----------
    base_distribution : Distribution
    transforms : Transform or list of Transform
        The first is applied first.
    """

    arg_constraints: ClassVar[Any] = {}
    _kept = ("transforms",)

    def __init__(
        self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None
    ) -> None:
        self.transforms = _listed(transforms)
        base: Any = base_distribution
        base_shape = Size((*base.batch_shape, *base.event_shape))
        base_event_dim = len(base.event_shape)
        whole = ComposeTransform(self.transforms)
        if len(base_shape) < whole.domain.event_dim:
            raise ValueError(
                "base_distribution needs to have shape with size at least "
                f"{whole.domain.event_dim}, but got {base_shape}."
            )
        shape = whole.forward_shape(base_shape)
        if base_shape != (expanded := whole.inverse_shape(shape)):
            base = base.expand(expanded[: len(expanded) - base_event_dim])
        joined = whole.domain.event_dim - base_event_dim
        self.base_dist: Any = Independent(base, joined) if joined > 0 else base
        change = whole.codomain.event_dim - whole.domain.event_dim
        event_dim = max(whole.codomain.event_dim, base_event_dim + change)
        if len(shape) < event_dim:
            raise AssertionError(f"forward_shape length {len(shape)} must be >= event_dim {event_dim}")
        cut = len(shape) - event_dim
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        shape: Any = Size((*Size(batch_shape), *self.event_shape))
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        if len(self.event_shape) > support.event_dim:
            support = constraints.independent(support, len(self.event_shape) - support.event_dim)
        return support

    has_rsample = delegated("base_dist.has_rsample")

    def _transformed(self, x: Any) -> Any:
        return reduce(lambda value, transform: transform(value), self.transforms, x)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        event_dim = len(self.event_shape)
        log_prob: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            change = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - _sum_rightmost(change, event_dim - transform.domain.event_dim)
            y = x
        own = self.base_dist.log_prob(y)
        return log_prob + _sum_rightmost(own, event_dim - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value: Any) -> Any:
        """Return 1 − value where the transforms together decrease."""
        sign: Any = prod(transform.sign for transform in self.transforms)
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Any) -> Any:
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Any:
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))


def _listed(transforms: Any) -> list[Any]:
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if not all(isinstance(t, Transform) for t in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms


class MixtureSameFamily(Distribution):
    """A mixture: p(x) = Σᵢ wᵢ·pᵢ(x), the components pᵢ being one batched distribution.

    Parameters
    ----------
    mixture_distribution : Categorical
        The weights wᵢ.
    component_distribution : Distribution
        The components, along its last batch dimension.
    """

    arg_constraints: ClassVar[Any] = {}
    has_rsample = False
    _parameters = ("_component_distribution",)
    _kept = ("_num_component", "_event_ndims")

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of torch.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of torch.distributions.Distribution"
            )
        weights = mixture_distribution.batch_shape
        batch = component_distribution.batch_shape[:-1]
        for size1, size2 in zip(reversed(weights), reversed(batch)):
            if size1 != 1 and size2 != 1 and size1 != size2:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({weights}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch})"
                )
        count = mixture_distribution.logits.shape[-1]
        if count != (found := component_distribution.batch_shape[-1]):
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({found})"
            )
        self._num_component = count
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        return new

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    mixture_distribution = delegated(
        "_mixture_distribution", "Return the distribution of the component's number."
    )
    component_distribution = delegated("_component_distribution", "Return the components.")

    def _averaged(self, of_components: Any) -> Any:
        """Return the weighted sum over the components."""
        probs = self._pad_mixture_dimensions(self.mixture_distribution.probs)
        return (probs * of_components).sum(dim=-1 - self._event_ndims)

    mean = formula(lambda self: self._averaged(self.component_distribution.mean))

    @property
    def variance(self) -> Any:
        # The law of total variance.
        distances = self.component_distribution.mean - self._pad(self.mean)
        return self._averaged(self.component_distribution.variance) + self._averaged(distances.pow(2.0))

    def cdf(self, x: Any) -> Any:
        return (self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs).sum(dim=-1)

    def log_prob(self, x: Any) -> Any:
        self._validate(x)
        of_components = self.component_distribution.log_prob(self._pad(x))
        weights = self.mixture_distribution.logits.log_softmax(dim=-1)
        return (of_components + weights).logsumexp(dim=-1)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            candidates = self.component_distribution.sample(sample_shape)
            shape = chosen.shape
            index = chosen.reshape((*shape, *[1] * (self._event_ndims + 1)))
            index = index.repeat((*[1] * len(shape), 1, *self.event_shape))
            return gather(candidates, dim, index).squeeze(dim)

    def _pad(self, x: Any) -> Any:
        """Return it with a dimension for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: Any) -> Any:
        """Return weights with the components' batch and event dimensions."""
        of_weights = len(self.mixture_distribution.batch_shape)
        missing = 0 if of_weights == 1 else len(self.batch_shape) - of_weights
        shape = x.shape
        return x.reshape((*shape[:-1], *[1] * missing, shape[-1], *[1] * self._event_ndims))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
