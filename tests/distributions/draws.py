"""Draws in float32 that are torch's to the last bit."""

from __future__ import annotations

from typing import Any

#: Distributions as expressions in ``D``, torch.distributions. Where a draw goes through an exponential or a
#: power, its last bit belongs to the library of those functions; such distributions are not here.
EXACT = [
    "D.Bernoulli(torch.tensor([0.1, 0.5, 0.9]))",
    "D.Beta(torch.tensor([0.1, 2.0, 30.0]), torch.tensor([0.7, 5.0, 20.0]))",
    "D.Beta(2.0, 3.0)",
    "D.Binomial(40, torch.tensor([0.1, 0.5, 0.9]))",
    "D.Categorical(torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]))",
    "D.Categorical(logits=torch.tensor([0.1, 0.2, 0.7]))",
    "D.Chi2(torch.tensor([0.3, 4.0]))",
    "D.Dirichlet(torch.tensor([[0.1, 0.2, 3.0, 0.5, 1.0], [10.0, 20.0, 3.0, 1.0, 1.0]]))",
    "D.Exponential(torch.tensor([0.5, 3.0]))",
    "D.FisherSnedecor(3.0, 5.0)",
    "D.Gamma(torch.tensor([0.001, 0.3, 1.0, 4.0, 300.0]), torch.tensor(2.0))",
    "D.Gamma(torch.tensor([0.001, 0.3, 1.0, 4.0, 300.0], dtype=torch.float64), 2.0)",
    "D.HalfNormal(2.0)",
    "D.Independent(D.Normal(torch.zeros(3), 1.0), 1)",
    "D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Normal(torch.tensor([0.0, 3.0, 6.0]), 1.0))",
    "D.Multinomial(10, torch.tensor([0.1, 0.2, 0.7]))",
    "D.NegativeBinomial(5, torch.tensor([0.25, 0.5]))",
    "D.Normal(torch.tensor([0.0, 1.0, -2.0]), torch.tensor([1.0, 0.5, 3.0]))",
    "D.Normal(0.0, 1.0)",
    "D.OneHotCategorical(torch.tensor([0.1, 0.2, 0.7]))",
    "D.Poisson(torch.tensor([0.5, 4.0, 60.0]))",
    "D.Uniform(torch.tensor([-1.0, 0.0]), torch.tensor([2.0, 0.5]))",
]


def draws(expression: str, torch: Any) -> list[Any]:
    """Samples of several shapes one after the other, then numbers of the stream."""
    distribution = eval(expression, {"D": torch.distributions, "torch": torch})
    torch.manual_seed(2026)
    samples = [distribution.sample(shape).double().tolist() for shape in ((), (1,), (4, 3), (20,))]
    return [samples, torch.rand(2).tolist(), torch.randn(3).tolist()]
