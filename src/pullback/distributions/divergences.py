"""Declare divergences, between two distributions of one kind and of two.

Of one kind they are mostly closed forms. Of two, KL(p ‖ q) = −H(p) − E_p[log q(x)]: the entropy of p and the
expectation of the logarithm of q. It is infinite where p has outcomes that q has not.
"""

import math
from functools import partial
from math import inf
from typing import Any

from ..linalg import solve_triangular
from ..nn.functional.activation import softplus
from ..tensor.broadcast import broadcast_shapes
from ..tensor.creation_like import full_like
from ..tensor.masks import where
from ..tensor.rearrange import diag_embed
from .categorical import Categorical, OneHotCategorical
from .compound import Independent, TransformedDistribution
from .counts import Bernoulli, Binomial, Geometric, Poisson
from .dirichlet_family import Beta, Dirichlet
from .exp_family import ExponentialFamily, slopes_of_normalizer
from .gamma_family import Exponential, Gamma
from .intervals import ContinuousBernoulli, Uniform
from .kl import Divergence, kl_divergence, register_kl
from .location_scale import Cauchy, Laplace, Normal
from .multivariate_normal import (
    LowRankMultivariateNormal,
    MultivariateNormal,
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
    _batch_mahalanobis,
    half_log_det,
)
from .transformed import Gumbel, HalfNormal, Pareto
from .utils import _sum_rightmost, euler_constant

# --- made from others ---------------------------------------------------------------------------------------


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_families(p: Any, q: Any) -> Any:
    """Return F(θ_q) − F(θ_p) − ⟨θ_q − θ_p, F′(θ_p)⟩: a Bregman divergence of the log normalizer."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot "
            "                            be computed using Bregman divergences"
        )
    of_p, normalizer, slopes = slopes_of_normalizer(p)
    of_q = q._natural_params
    result = q._log_normalizer(*of_q) - normalizer
    for mine, other, slope in zip(of_p, of_q, slopes):
        result = result - _sum_rightmost((other - mine) * slope, len(q.event_shape))
    return result


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: Any, q: Any) -> Any:
    """Return the divergence of the bases: a bijection changes none."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


# --- counts and categories ----------------------------------------------------------------------------------


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    success = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    failure = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    success = where(p.probs == 0, 0, where(q.probs == 0, inf, success))
    return success + where(p.probs == 1, 0, where(q.probs == 1, inf, failure))


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    of_one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return where(p.total_count > q.total_count, inf, p.total_count * of_one)


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Any:
    terms = p.probs * (p.logits - q.logits)
    return where(p.probs == 0, 0, where(q.probs == 0, inf, terms)).sum(-1)


register_kl(OneHotCategorical, OneHotCategorical)(lambda p, q: _categorical(p._categorical, q._categorical))
register_kl(Geometric, Geometric)(lambda p, q: -p.entropy() - (-q.probs).log1p() / p.probs - q.logits)
register_kl(Poisson, Poisson)(lambda p, q: p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate))

# --- numbers ------------------------------------------------------------------------------------------------


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Any:
    a, b, c, d = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    return (
        (c.lgamma() + d.lgamma() + (a + b).lgamma()) - (a.lgamma() + b.lgamma() + (c + d).lgamma())
        + (a - c) * a.digamma()
        + (b - d) * b.digamma()
        + ((c + d) - (a + b)) * (a + b).digamma()
    )


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Any:
    """Return the formula of Chyzak and Nielsen 2019."""
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Any:
    of_p = p._cont_bern_log_norm() + (-p.probs).log1p()
    of_q = -q._cont_bern_log_norm() - (-q.probs).log1p()
    return p.mean * (p.logits - q.logits) + of_p + of_q


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    slopes = a.digamma() - total.digamma().unsqueeze(-1)
    normalizers = total.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return normalizers + ((a - b) * slopes).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    return (
        b * (p.rate / q.rate).log() + (b.lgamma() - a.lgamma()) + (a - b) * a.digamma()
        + (q.rate - p.rate) * (a / p.rate)
    )


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Any, q: Any) -> Any:
    ratio, mine, other = p.scale / q.scale, p.loc / q.scale, q.loc / q.scale
    return (
        (-ratio.log() - other + mine) + ratio * euler_constant + (other + (1 + ratio).lgamma() - mine).exp()
        - (1 + euler_constant)
    )


register_kl(HalfNormal, HalfNormal)(lambda p, q: _normal(p.base_dist, q.base_dist))


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Any:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return where(p.support.lower_bound < q.support.lower_bound, inf, result)


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return where((q.low > p.low) | (q.high < p.high), inf, result)


# --- normal vectors -----------------------------------------------------------------------------------------
# ½·(log det Σ_q / det Σ_p + tr(Σ_q⁻¹·Σ_p) + (μ_q − μ_p)ᵀ·Σ_q⁻¹·(μ_q − μ_p) − n), each term by what is
# cheapest.


def _check_events(p: Any, q: Any, kinds: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {kinds} with                          different event shapes cannot "
            "be computed"
        )


def _square_sum(matrices: Any) -> Any:
    """Return tr(X·Xᵀ)."""
    return matrices.pow(2).sum((-2, -1))


def _solved(factors: Any, matrices: Any) -> Any:
    """Return L⁻¹·X, the batches of both broadcast."""
    batch = broadcast_shapes(factors.shape[:-2], matrices.shape[:-2])
    return solve_triangular(
        factors.expand((*batch, *factors.shape[-2:])), matrices.expand((*batch, *matrices.shape[-2:])),
        upper=False,
    )  # fmt: skip


@register_kl(MultivariateNormal, MultivariateNormal)
def _normal_vectors(p: Any, q: Any) -> Any:
    _check_events(p, q, "Multivariate Normals")
    of_p, of_q = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    trace = _square_sum(_solved(of_q, of_p))
    distance = _batch_mahalanobis(of_q, q.loc - p.loc)
    return half_log_det(of_q) - half_log_det(of_p) + 0.5 * (trace + distance - p.event_shape[0])


def _against_low_rank(p: Any, q: Any, log_det_p: Any, roots: tuple[Any, ...]) -> Any:
    """Return the divergence to a q of low rank, the covariance of p being Σ XᵢXᵢᵀ over the roots Xᵢ."""
    factor, diagonal, capacitance = q._low_rank
    solved = solve_triangular(capacitance, factor.mT / diagonal.unsqueeze(-2), upper=False)
    trace = sum(
        _square_sum(root * diagonal.rsqrt().unsqueeze(-1)) - _square_sum(solved @ root) for root in roots
    )
    distance = _batch_lowrank_mahalanobis(factor, diagonal, q.loc - p.loc, capacitance)
    log_dets = _batch_lowrank_logdet(*q._low_rank) - log_det_p
    return 0.5 * (log_dets + trace + distance - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_ranks(p: Any, q: Any) -> Any:
    _check_events(p, q, "Low Rank Multivariate Normals")
    factor, diagonal, _ = p._low_rank
    roots = factor, diag_embed(diagonal.sqrt())
    return _against_low_rank(p, q, _batch_lowrank_logdet(*p._low_rank), roots)


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _to_low_rank(p: Any, q: Any) -> Any:
    _check_events(p, q, "(Low Rank) Multivariate Normals")
    root = p._unbroadcasted_scale_tril
    return _against_low_rank(p, q, 2 * half_log_det(root), (root,))


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _from_low_rank(p: Any, q: Any) -> Any:
    _check_events(p, q, "(Low Rank) Multivariate Normals")
    of_q = q._unbroadcasted_scale_tril
    factor, diagonal, _ = p._low_rank
    trace = _square_sum(_solved(of_q, factor)) + _square_sum(_solved(of_q, diag_embed(diagonal.sqrt())))
    distance = _batch_mahalanobis(of_q, q.loc - p.loc)
    log_dets = 2 * half_log_det(of_q) - _batch_lowrank_logdet(*p._low_rank)
    return 0.5 * (log_dets + trace + distance - p.event_shape[0])


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


def _infinite(parameter: str, p: Any, q: Any) -> Any:
    return full_like(getattr(p, parameter), inf)


for _kind, (_parameter, _others) in _INFINITE.items():
    for _other in _others:
        register_kl(_kind, _other)(partial(_infinite, _parameter))


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


def _mean_log_beta(p: Any) -> Any:
    """Return E[log x] of a beta x."""
    a, b = p.concentration1, p.concentration0
    return a.digamma() - (a + b).digamma()


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


#: Kinds of p, the kind of q, and −E_p[log q(x)].
_CROSS_ENTROPIES: tuple[tuple[tuple[type, ...], type, Divergence], ...] = (
    ((Bernoulli,), Poisson, lambda p, q: q.rate - p.probs * q.rate.log()),
    ((Beta,), ContinuousBernoulli, lambda p, q: _continuous_bernoulli_cross_entropy(p.mean, q)),
    ((Beta, ContinuousBernoulli, Gamma), Exponential, lambda p, q: _exponential_cross_entropy(p.mean, q)),
    ((Beta,), Gamma, lambda p, q: _gamma_cross_entropy(p.mean, _mean_log_beta(p), q)),
    ((Exponential,), Gamma, lambda p, q: _gamma_cross_entropy(p.mean, -euler_constant - p.rate.log(), q)),
    (
        (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Uniform), Normal,
        lambda p, q: _normal_cross_entropy(p.mean, p.variance, q),
    ),
)  # fmt: skip


def _with_entropy(cross_entropy: Divergence, p: Any, q: Any) -> Any:
    return -p.entropy() + cross_entropy(p, q)


for _kinds, _other, _formula in _CROSS_ENTROPIES:
    for _kind in _kinds:
        register_kl(_kind, _other)(partial(_with_entropy, _formula))


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
