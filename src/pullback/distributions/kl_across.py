"""Declare divergences between two distributions of different kinds.

KL(p ‖ q) = −H(p) − E_p[log q(x)]: most of these are the entropy of p and the expectation of the logarithm of
q. It is infinite where p has outcomes that q has not.
"""

from __future__ import annotations

import math
from math import inf
from typing import Any

from ..tensor.creation_like import full_like
from ..tensor.masks import where
from .counts import Bernoulli, Binomial, Poisson
from .dirichlet_family import Beta
from .gamma_family import Exponential, Gamma
from .intervals import ContinuousBernoulli, Uniform
from .kl import register_kl
from .location_scale import Laplace, Normal
from .transformed import Gumbel, Pareto
from .utils import euler_constant

# --- outcomes that the other one does not have --------------------------------------------------------------

#: p → (the parameter whose shape the result has, the q that lack outcomes of p).
_INFINITE: dict[type, tuple[str, tuple[type, ...]]] = {
    Beta: ("concentration1", (Pareto,)),
    ContinuousBernoulli: ("probs", (Pareto,)),
    Exponential: ("rate", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    Gamma: ("concentration", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    Gumbel: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Laplace: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Normal: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Pareto: ("scale", (Beta, ContinuousBernoulli, Uniform)),
    Poisson: ("rate", (Bernoulli, Binomial)),
}


def _register_infinite(kind: type, parameter: str, others: tuple[type, ...]) -> None:
    def infinite(p: Any, q: Any) -> Any:
        return full_like(getattr(p, parameter), inf)

    for other in others:
        register_kl(kind, other)(infinite)


for _kind, (_parameter, _others) in _INFINITE.items():
    _register_infinite(_kind, _parameter, _others)


# --- expectations -------------------------------------------------------------------------------------------


def _normal_cross_entropy(mean: Any, variance: Any, q: Any) -> Any:
    """Return −E[log q(x)] for a normal q and an x of the given mean and variance."""
    square = q.scale.pow(2)
    return 0.5 * (square * 2 * math.pi).log() + 0.5 * (variance + (mean - q.loc).pow(2)) / square


def _gamma_cross_entropy(mean: Any, mean_log: Any, q: Any) -> Any:
    """Return −E[log q(x)] for a gamma q."""
    a = q.concentration
    return a.lgamma() - a * q.rate.log() - (a - 1) * mean_log + q.rate * mean


def _x_log_x(x: Any) -> Any:
    """Return x·log x, 0 at 0."""
    return x.xlogy(x)


def _mean_log_uniform(low: Any, high: Any) -> Any:
    """Return E[log x] of an x uniform between two numbers."""
    return (_x_log_x(high) - _x_log_x(low) - (high - low)) / (high - low)


def _exponential_cross_entropy(mean: Any, q: Any) -> Any:
    """Return −E[log q(x)] for an exponential q."""
    return q.rate * mean - q.rate.log()


def _gumbel_cross_entropy(mean: Any, mean_exp: Any, q: Any) -> Any:
    """Return −E[log q(x)] for a Gumbel q; `mean_exp` is E[exp(−(x − loc) / scale)]."""
    return q.scale.log() + (mean - q.loc) / q.scale + mean_exp


def _continuous_bernoulli_cross_entropy(mean: Any, q: Any) -> Any:
    """Return −E[log q(x)] for a continuous Bernoulli q."""
    return -mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p: Any, q: Any) -> Any:
    return -p.entropy() + _continuous_bernoulli_cross_entropy(p.mean, q)


@register_kl(Beta, Exponential)
@register_kl(ContinuousBernoulli, Exponential)
@register_kl(Gamma, Exponential)
def _any_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() + _exponential_cross_entropy(p.mean, q)


@register_kl(Beta, Gamma)
def _beta_gamma(p: Any, q: Any) -> Any:
    a, b = p.concentration1, p.concentration0
    return -p.entropy() + _gamma_cross_entropy(p.mean, a.digamma() - (a + b).digamma(), q)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Any, q: Any) -> Any:
    return -p.entropy() + _gamma_cross_entropy(p.mean, -euler_constant - p.rate.log(), q)


@register_kl(Beta, Normal)
@register_kl(ContinuousBernoulli, Normal)
@register_kl(Exponential, Normal)
@register_kl(Gamma, Normal)
@register_kl(Gumbel, Normal)
@register_kl(Laplace, Normal)
@register_kl(Uniform, Normal)
def _any_normal(p: Any, q: Any) -> Any:
    return -p.entropy() + _normal_cross_entropy(p.mean, p.variance, q)


@register_kl(Beta, Uniform)
def _beta_uniform(p: Any, q: Any) -> Any:
    inside = (q.low <= p.support.lower_bound) & (q.high >= p.support.upper_bound)
    return where(inside, -p.entropy() + (q.high - q.low).log(), inf)


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p: Any, q: Any) -> Any:
    # As in torch, a uniform distribution that ends where p ends counts as too narrow.
    inside = (q.low < p.support.lower_bound) & (q.high > p.support.upper_bound)
    return where(inside, -p.entropy() + (q.high - q.low).log(), inf)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Any, q: Any) -> Any:
    product = p.rate * q.scale
    mean_exp = (q.loc / q.scale).exp() * product / (product + 1)
    return -p.entropy() + _gumbel_cross_entropy(p.mean, mean_exp, q)


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Any, q: Any) -> Any:
    power = (1 + (p.rate * q.scale).reciprocal()).pow(-p.concentration)
    return -p.entropy() + _gumbel_cross_entropy(p.mean, (q.loc / q.scale).exp() * power, q)


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Any, q: Any) -> Any:
    mean_exp = (0.5 * (p.scale / q.scale).pow(2) - (p.loc - q.loc) / q.scale).exp()
    return -p.entropy() + _gumbel_cross_entropy(p.mean, mean_exp, q)


@register_kl(Normal, Laplace)
def _normal_laplace(p: Any, q: Any) -> Any:
    distance = p.loc - q.loc
    ratio = distance / p.scale
    mean_distance = (
        math.sqrt(2 / math.pi) * p.scale * (-0.5 * ratio.pow(2)).exp()
        + distance * (math.sqrt(0.5) * ratio).erf()
    )
    return -p.entropy() + (2 * q.scale).log() + mean_distance / q.scale


@register_kl(Pareto, Exponential)
def _pareto_exponential(p: Any, q: Any) -> Any:
    mean = p.alpha * p.scale / (p.alpha - 1)
    return where(p.alpha <= 1, inf, -p.entropy() + _exponential_cross_entropy(mean, q))


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Any, q: Any) -> Any:
    mean = p.alpha * p.scale / (p.alpha - 1)
    cross_entropy = _gamma_cross_entropy(mean, p.scale.log() + p.alpha.reciprocal(), q)
    return where(p.alpha <= 1, inf, -p.entropy() + cross_entropy)


@register_kl(Pareto, Normal)
def _pareto_normal(p: Any, q: Any) -> Any:
    part = p.scale / (p.alpha - 1)
    cross_entropy = _normal_cross_entropy(p.alpha * part, p.alpha * part.pow(2) / (p.alpha - 2), q)
    return where(p.alpha <= 2, inf, -p.entropy() + cross_entropy)


@register_kl(Uniform, Beta)
def _uniform_beta(p: Any, q: Any) -> Any:
    a, b = q.concentration1, q.concentration0
    log_beta = a.lgamma() + b.lgamma() - (a + b).lgamma()
    mean_logs = (a - 1) * _mean_log_uniform(p.low, p.high) + (b - 1) * _mean_log_uniform(
        1 - p.high, 1 - p.low
    )
    outside = (p.high > q.support.upper_bound) | (p.low < q.support.lower_bound)
    return where(outside, inf, -p.entropy() + log_beta - mean_logs)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p: Any, q: Any) -> Any:
    # As in torch, a uniform distribution that ends where q ends counts as too wide.
    inside = (p.high < q.support.upper_bound) & (p.low > q.support.lower_bound)
    return where(inside, -p.entropy() + _continuous_bernoulli_cross_entropy(p.mean, q), inf)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Any, q: Any) -> Any:
    result = -p.entropy() + _exponential_cross_entropy(p.mean, q)
    return where(p.low < q.support.lower_bound, inf, result)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Any, q: Any) -> Any:
    result = -p.entropy() + _gamma_cross_entropy(p.mean, _mean_log_uniform(p.low, p.high), q)
    return where(p.low < q.support.lower_bound, inf, result)


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Any, q: Any) -> Any:
    low, high = (p.low - q.loc) / q.scale, (p.high - q.loc) / q.scale
    mean_exp = q.scale / (p.high - p.low) * ((-low).exp() - (-high).exp())
    return -p.entropy() + _gumbel_cross_entropy(p.mean, mean_exp, q)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Any, q: Any) -> Any:
    mean_log = _mean_log_uniform(p.low, p.high)
    result = mean_log * (q.alpha + 1) - (q.alpha * q.scale.pow(q.alpha) * (p.high - p.low)).log()
    return where(p.low < q.support.lower_bound, inf, result)
