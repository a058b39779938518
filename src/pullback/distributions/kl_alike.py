"""Declare divergences between two distributions of one kind."""

from __future__ import annotations

from math import inf
from typing import Any

from ..linalg import solve_triangular
from ..nn.functional.activation import softplus
from ..tensor.broadcast import broadcast_shapes
from ..tensor.masks import where
from ..tensor.rearrange import diag_embed
from .categorical import Categorical, OneHotCategorical
from .compound import Independent, TransformedDistribution
from .counts import Bernoulli, Binomial, Geometric, Poisson
from .dirichlet_family import Beta, Dirichlet
from .exp_family import ExponentialFamily, slopes_of_normalizer
from .gamma_family import Exponential, Gamma
from .intervals import ContinuousBernoulli, Uniform
from .kl import kl_divergence, register_kl
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


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: Any, q: Any) -> Any:
    return _categorical(p._categorical, q._categorical)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


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


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: Any, q: Any) -> Any:
    return _normal(p.base_dist, q.base_dist)


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
