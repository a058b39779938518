"""Define exponential families, whose entropies and divergences follow from the log normalizer."""

from typing import Any

from ..autograd import grad
from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A distribution with a density of the form exp(⟨t(x), θ⟩ − F(θ) + k(x)).

    θ are the natural parameters, t the sufficient statistics, F the log normalizer and k the carrier measure.
    A subclass gives `_natural_params`, `_log_normalizer` and `_mean_carrier_measure`; its entropy and the
    divergence between two of its members then follow from F and F′ (Nielsen and Nock 2010, "Entropies and
    cross-entropies of exponential families").
    """

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        """Return θ."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        """Return F(θ)."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        """Return E[k(x)]."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """Return F(θ) − ⟨θ, F′(θ)⟩ − E[k(x)]."""
        result = -self._mean_carrier_measure
        parameters, normalizer, slopes = slopes_of_normalizer(self)
        result = result + normalizer
        for parameter, slope in zip(parameters, slopes):
            result = result - (parameter * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return result


def slopes_of_normalizer(family: ExponentialFamily) -> tuple[list[Any], Any, tuple[Any, ...]]:
    """Return the natural parameters as new leaves, the log normalizer there, and its derivatives."""
    parameters = [p.detach().requires_grad_() for p in family._natural_params]
    normalizer = family._log_normalizer(*parameters)
    return parameters, normalizer, grad(normalizer.sum(), parameters, create_graph=True)
