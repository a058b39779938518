"""Define the Dirichlet distribution on the simplex, and Beta, its case of two parts."""

from typing import Any, ClassVar

from ..autograd.function import Function, once_differentiable
from ..nn.functional.embedding import one_hot
from ..tensor.creation import tensor
from ..tensor.join import stack
from ..tensor.masks import where
from ..tensor.random import _dirichlet_grad, _sample_dirichlet
from ..tensor.unrecorded import arrays
from . import constraints
from .exp_family import ExponentialFamily
from .utils import NUMBER, broadcast_all, formula


class _Dirichlet(Function):
    """Dirichlet numbers with implicit reparameterization gradients (Figurnov, Mohamed and Mnih 2018)."""

    @staticmethod
    def forward(ctx: Any, concentration: Any) -> Any:
        x = _sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Any) -> Any:
        x, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        slope = _dirichlet_grad(x, concentration, total)
        return slope * (grad_output - (x * grad_output).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution, p(x) = Γ(Σ αᵢ) / Π Γ(αᵢ) · Π xᵢ^(αᵢ − 1) on the simplex.

    Parameters
    ----------
    concentration : Tensor
        αᵢ > 0, shape (*, k).
    """

    arg_constraints: ClassVar[Any] = {"concentration": constraints.independent(constraints.positive, 1)}
    support: Any = constraints.simplex
    has_rsample = True
    _parameters = ("concentration",)

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        concentration = self.concentration.expand(self._extended_shape(sample_shape))
        if arrays(concentration) is not None:  # nothing is recorded: a sample without the function's 30 µs
            return _sample_dirichlet(concentration)
        return _Dirichlet.apply(concentration)

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        return (
            (self.concentration - 1.0).xlogy(value).sum(-1) + self.concentration.sum(-1).lgamma()
            - self.concentration.lgamma().sum(-1)
        )

    mean = formula(lambda self: self.concentration / self.concentration.sum(-1, True))

    @property
    def mode(self) -> Any:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        corner = one_hot(mode.argmax(dim=-1), above.shape[-1]).to(mode)
        return where((self.concentration < 1).all(dim=-1, keepdim=True), corner, mode)

    @property
    def variance(self) -> Any:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> Any:
        size = self.concentration.size(-1)
        total = self.concentration.sum(-1)
        return (
            self.concentration.lgamma().sum(-1) - total.lgamma() - (size - total) * total.digamma()
            - ((self.concentration - 1.0) * self.concentration.digamma()).sum(-1)
        )

    _natural_params = formula(lambda self: (self.concentration,))

    def _log_normalizer(self, x: Any) -> Any:
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()


class Beta(ExponentialFamily):
    """The Beta distribution, p(x) = xᵅ⁻¹·(1 − x)ᵝ⁻¹ / B(α, β) on [0, 1].

    Parameters
    ----------
    concentration1 : Tensor or float
        α > 0.
    concentration0 : Tensor or float
        β > 0.
    """

    arg_constraints: ClassVar[Any] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support: Any = constraints.unit_interval
    has_rsample = True
    _parameters = ("_dirichlet",)

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if isinstance(concentration1, NUMBER) and isinstance(concentration0, NUMBER):
            both = tensor([float(concentration1), float(concentration0)])
        else:
            both = stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    mean = formula(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = formula(lambda self: self._dirichlet.mode[..., 0])

    @property
    def variance(self) -> Any:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        return self._dirichlet.log_prob(stack([value, 1.0 - value], -1))

    def entropy(self) -> Any:
        return self._dirichlet.entropy()

    @property
    def concentration1(self) -> Any:
        """Return α."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Any:
        """Return β."""
        return self._dirichlet.concentration[..., 1]

    _natural_params = formula(lambda self: (self.concentration1, self.concentration0))

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return x.lgamma() + y.lgamma() - (x + y).lgamma()
