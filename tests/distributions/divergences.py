"""Pairs of distributions whose divergences are recorded, and other behaviour of the whole namespace."""

from __future__ import annotations

from typing import Any

from .observe import attempt, build, gradients

#: Of each kind two, which differ; all pairs of these are asked for.
KINDS = {
    "Bernoulli": ("D.Bernoulli(t([0.2, 0.0, 1.0, 0.4]))", "D.Bernoulli(t([0.6, 0.5, 0.5, 0.0]))"),
    "Beta": ("D.Beta(t([0.7, 3.0]), t([2.0, 1.5]))", "D.Beta(t([1.5, 2.0]), t([1.0, 0.5]))"),
    "Binomial": ("D.Binomial(t([5.0, 6.0]), t([0.2, 0.7]))", "D.Binomial(t([5.0, 4.0]), t([0.4, 0.6]))"),
    "Categorical": (
        "D.Categorical(t([[0.2, 0.8, 0.0], [0.5, 0.2, 0.3]]))",
        "D.Categorical(t([[0.4, 0.4, 0.2], [0.5, 0.5, 0.0]]))",
    ),
    "Cauchy": ("D.Cauchy(t([0.5, -1.0]), t([1.0, 2.5]))", "D.Cauchy(t([0.0, 1.0]), t([2.0, 0.5]))"),
    "Chi2": ("D.Chi2(t([1.5, 3.0]))", "D.Chi2(t([2.5, 1.0]))"),
    "ContinuousBernoulli": (
        "D.ContinuousBernoulli(t([0.2, 0.5]))", "D.ContinuousBernoulli(t([0.7, 0.3]))"
    ),
    "Dirichlet": (
        "D.Dirichlet(t([[0.5, 1.0, 2.0], [1.0, 2.0, 3.0]]))",
        "D.Dirichlet(t([[1.5, 1.0, 0.7], [3.0, 2.0, 1.0]]))",
    ),
    "Exponential": ("D.Exponential(t([0.5, 3.0]))", "D.Exponential(t([1.5, 2.0]))"),
    "Gamma": ("D.Gamma(t([0.7, 3.0]), t([2.0, 1.5]))", "D.Gamma(t([1.5, 2.0]), t([1.0, 0.5]))"),
    "Geometric": ("D.Geometric(t([0.2, 0.5]))", "D.Geometric(t([0.7, 0.3]))"),
    "Gumbel": ("D.Gumbel(t([0.5, -1.0]), t([1.0, 2.5]))", "D.Gumbel(t([0.0, 1.0]), t([2.0, 0.5]))"),
    "HalfNormal": ("D.HalfNormal(t([0.5, 3.0]))", "D.HalfNormal(t([1.5, 2.0]))"),
    "Independent": (
        "D.Independent(D.Normal(t([0.5, -1.0]), t([1.0, 2.5])), 1)",
        "D.Independent(D.Normal(t([0.0, 1.0]), t([2.0, 0.5])), 1)",
    ),
    "InverseGamma": (
        "D.InverseGamma(t([0.7, 3.0]), t([2.0, 1.5]))", "D.InverseGamma(t([1.5, 2.0]), t([1.0, 0.5]))"
    ),
    "Laplace": ("D.Laplace(t([0.5, -1.0]), t([1.0, 2.5]))", "D.Laplace(t([0.0, 1.0]), t([2.0, 0.5]))"),
    "LogNormal": ("D.LogNormal(t([0.5, -1.0]), t([1.0, 2.5]))", "D.LogNormal(t([0.0, 1.0]), t([2.0, 0.5]))"),
    "LowRankMultivariateNormal": (
        "D.LowRankMultivariateNormal(t([0.5, -1.0]), t([[1.0], [0.5]]), t([1.0, 2.0]))",
        "D.LowRankMultivariateNormal(t([[0.0, 1.0]]), t([[[0.3, 1.0], [0.0, 0.5]]]), t([[2.0, 0.5]]))",
    ),
    "Multinomial": ("D.Multinomial(3, t([0.2, 0.8]))", "D.Multinomial(3, t([0.4, 0.6]))"),
    "MultivariateNormal": (
        "D.MultivariateNormal(t([0.5, -1.0]), t([[2.0, 0.6], [0.6, 1.0]]))",
        "D.MultivariateNormal(t([[0.0, 1.0], [2.0, 2.0]]), scale_tril=t([[1.0, 0.0], [-0.3, 0.7]]))",
    ),
    "Normal": ("D.Normal(t([0.5, -1.0]), t([1.0, 2.5]))", "D.Normal(t([0.0, 1.0]), t([2.0, 0.5]))"),
    "OneHotCategorical": ("D.OneHotCategorical(t([0.2, 0.8]))", "D.OneHotCategorical(t([0.4, 0.6]))"),
    "Pareto": ("D.Pareto(t([1.0, 2.0]), t([0.5, 3.0]))", "D.Pareto(t([0.5, 2.5]), t([1.5, 2.0]))"),
    "Poisson": ("D.Poisson(t([0.5, 3.0]))", "D.Poisson(t([1.5, 2.0]))"),
    "TransformedDistribution": (
        "D.TransformedDistribution(D.Normal(t([0.5, -1.0]), t([1.0, 2.5])), D.ExpTransform())",
        "D.TransformedDistribution(D.Normal(t([0.0, 1.0]), t([2.0, 0.5])), D.ExpTransform())",
    ),
    "Uniform": ("D.Uniform(t([0.1, 0.2]), t([0.9, 0.5]))", "D.Uniform(t([-1.0, 0.0]), t([2.0, 1.0]))"),
    "Wishart": (
        "D.Wishart(t(4.5), t([[2.0, 0.6], [0.6, 1.0]]))",
        "D.Wishart(t(3.5), t([[1.0, -0.2], [-0.2, 1.0]]))",
    ),
}


def divergences(torch: Any) -> dict[str, Any]:
    """The divergence of each pair, with its gradients; pairs without a formula are left out."""
    seen = {}
    for name_p, (first, _) in KINDS.items():
        for name_q, (_, second) in KINDS.items():
            p, leaves = build(first, torch)
            q, others = build(second, torch)
            result = attempt(lambda p=p, q=q: torch.distributions.kl_divergence(p, q))
            if "No KL(p || q) is implemented" in str(result):
                continue
            slopes = attempt(
                lambda p=p, q=q, asked=[*leaves, *others]: gradients(
                    torch.distributions.kl_divergence(p, q), asked, torch
                )
            )
            seen[f"{name_p} from {name_q}"] = [result, slopes]
    return seen


def registered(torch: Any) -> list[str]:
    """The pairs that have a formula."""
    table = torch.distributions.kl._KL_REGISTRY
    return sorted(f"{p.__name__} {q.__name__}" for p, q in table)
