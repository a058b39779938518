"""What a distribution does, in a form that can be recorded from torch and compared with pullback."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

#: Distributions as expressions in ``D``, torch.distributions, and ``t``, which makes a float64 leaf.
DISTRIBUTIONS = {
    "Bernoulli": "D.Bernoulli(t([0.1, 0.5, 0.8]))",
    "Bernoulli of logits": "D.Bernoulli(logits=t([-2.0, 0.0, 1.5]))",
    "Bernoulli of a number": "D.Bernoulli(0.3)",
    "Beta": "D.Beta(t([0.5, 2.0, 30.0]), t([0.7, 5.0, 20.0]))",
    "Beta of numbers": "D.Beta(2.0, 3)",
    "Binomial": "D.Binomial(10, t([0.1, 0.5, 0.8]))",
    "Binomial of logits": "D.Binomial(t([5.0, 60.0]).detach(), logits=t([-1.0, 0.5]))",
    "Categorical": "D.Categorical(t([[0.1, 0.2, 0.7], [2.0, 1.0, 1.0]]))",
    "Categorical of logits": "D.Categorical(logits=t([0.5, -1.0, 2.0, 0.0]))",
    "Cauchy": "D.Cauchy(t([0.5, -1.0]), t([1.0, 2.5]))",
    "Chi2": "D.Chi2(t([0.5, 3.0, 40.0]))",
    "ContinuousBernoulli": "D.ContinuousBernoulli(t([0.1, 0.5, 0.8]))",
    "ContinuousBernoulli of logits": "D.ContinuousBernoulli(logits=t([-1.0, 0.001, 2.0]))",
    "Dirichlet": "D.Dirichlet(t([[0.5, 1.0, 2.0], [10.0, 20.0, 30.0], [0.3, 0.2, 0.1]]))",
    "ExpRelaxedCategorical":
        "D.relaxed_categorical.ExpRelaxedCategorical(t(0.7), t([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]))",
    "Exponential": "D.Exponential(t([0.5, 3.0]))",
    "Exponential of an int": "D.Exponential(2)",
    "FisherSnedecor": "D.FisherSnedecor(t([1.5, 3.0, 10.0]), t([1.0, 3.0, 9.0]))",
    "Gamma": "D.Gamma(t([0.05, 0.7, 5.0, 50.0]), t([1.0, 2.0, 0.5, 10.0]))",
    "Gamma in float32": "D.Gamma(torch.tensor([0.05, 0.7, 5.0, 50.0]), 2.0)",
    "GeneralizedPareto":
        "D.GeneralizedPareto(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([1.0, 2.0, 3.0]), "
        "torch.tensor([0.0, 0.4, -0.3]))",
    "Geometric": "D.Geometric(t([0.1, 0.5, 0.8]))",
    "Geometric of logits": "D.Geometric(logits=t([-2.0, 1.5]))",
    "Gumbel": "D.Gumbel(t([0.5, -1.0]), t([1.0, 2.5]))",
    "Gumbel of numbers": "D.Gumbel(0.5, 2.0)",
    "HalfCauchy": "D.HalfCauchy(t([1.0, 2.5]))",
    "HalfNormal": "D.HalfNormal(t([1.0, 2.5]))",
    "Independent": "D.Independent(D.Normal(t([[0.5, -1.0], [1.0, 2.0]]), t([1.0, 2.5])), 1)",
    "Independent of none": "D.Independent(D.Bernoulli(t([0.1, 0.6])), 0)",
    "InverseGamma": "D.InverseGamma(t([0.7, 1.5, 5.0]), t([1.0, 2.0, 0.5]))",
    "Kumaraswamy": "D.Kumaraswamy(t([0.5, 2.0, 3.0]), t([0.7, 5.0, 2.0]))",
    "LKJCholesky": "D.LKJCholesky(3, t([0.5, 2.0]))",
    "Laplace": "D.Laplace(t([0.5, -1.0]), t([1.0, 2.5]))",
    "LogNormal": "D.LogNormal(t([0.5, -1.0]), t([1.0, 0.3]))",
    "LogisticNormal": "D.LogisticNormal(t([[0.5, -1.0], [0.0, 2.0]]), t([1.0, 0.3]))",
    "LogitRelaxedBernoulli": "D.relaxed_bernoulli.LogitRelaxedBernoulli(t(0.7), t([0.1, 0.5, 0.8]))",
    "LowRankMultivariateNormal":
        "D.LowRankMultivariateNormal(t([[0.5, -1.0, 2.0], [0.0, 0.0, 1.0]]), t([[1.0], [0.5], [-1.0]]), "
        "t([1.0, 2.0, 0.5]))",
    "MixtureSameFamily":
        "D.MixtureSameFamily(D.Categorical(t([0.3, 0.7])), D.Normal(t([0.5, -1.0]), t([1.0, 2.5])))",
    "MixtureSameFamily of vectors":
        "D.MixtureSameFamily(D.Categorical(logits=t([[0.3, 0.7], [0.0, 1.0]])), "
        "D.Independent(D.Normal(t([[[0.5, -1.0], [1.0, 2.0]], [[0.0, 0.0], [3.0, 3.0]]]), t(2.0)), 1))",
    "Multinomial": "D.Multinomial(10, t([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]))",
    "MultivariateNormal": "D.MultivariateNormal(t([0.5, -1.0]), t([[2.0, 0.6], [0.6, 1.0]]))",
    "MultivariateNormal of a precision":
        "D.MultivariateNormal(t([[0.5, -1.0], [1.0, 2.0]]), precision_matrix=t([[2.0, 0.6], [0.6, 1.0]]))",
    "MultivariateNormal of a factor":
        (
            "D.MultivariateNormal(t([0.5, -1.0]), scale_tril=t([[[2.0, 0.0], [0.6, 1.0]], [[1.0, 0.0], [0.0, "
            "1.0]]]))"
        ),
    "NegativeBinomial": "D.NegativeBinomial(t([2.0, 5.5]), t([0.3, 0.8]))",
    "NegativeBinomial of logits": "D.NegativeBinomial(3, logits=t([-1.0, 0.5]))",
    "Normal": "D.Normal(t([0.5, -1.0]), t([1.0, 2.5]))",
    "Normal of numbers": "D.Normal(0.0, 1.0)",
    "Normal that broadcasts": "D.Normal(t([[0.5], [-1.0]]), t([1.0, 2.5, 0.1]))",
    "OneHotCategorical": "D.OneHotCategorical(t([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]))",
    "OneHotCategoricalStraightThrough": "D.OneHotCategoricalStraightThrough(logits=t([0.1, 0.2, 0.7]))",
    "Pareto": "D.Pareto(t([1.0, 2.0, 0.5]), t([0.5, 1.5, 3.0]))",
    "Poisson": "D.Poisson(t([0.5, 4.0, 30.0]))",
    "RelaxedBernoulli": "D.RelaxedBernoulli(t(0.7), t([0.1, 0.5, 0.8]))",
    "RelaxedOneHotCategorical": "D.RelaxedOneHotCategorical(t(0.7), logits=t([0.1, 0.2, 0.7]))",
    "StudentT": "D.StudentT(t([0.7, 1.5, 5.0]), t([0.5, -1.0, 0.0]), t([1.0, 2.5, 3.0]))",
    "StudentT of numbers": "D.StudentT(3.0)",
    "TransformedDistribution":
        "D.TransformedDistribution(D.Normal(t([0.5, -1.0]), t([1.0, 2.5])), "
        "[D.AffineTransform(t(1.0), t(-2.0)), D.SigmoidTransform()])",
    "TransformedDistribution of vectors":
        "D.TransformedDistribution(D.Normal(t([0.5, -1.0]), t([1.0, 0.5])), [D.StickBreakingTransform()])",
    "TransformedDistribution to a matrix":
        "D.TransformedDistribution(D.Normal(t([0.5, -1.0, 0.2]), t(0.5)), [D.CorrCholeskyTransform()])",
    "Uniform": "D.Uniform(t([-1.0, 0.0]), t([2.0, 0.5]))",
    "Uniform of ints": "D.Uniform(0, 3)",
    "VonMises": "D.VonMises(t([0.5, -1.0, 3.0]), t([0.3, 2.0, 20.0]))",
    "Weibull": "D.Weibull(t([1.0, 2.5]), t([0.7, 3.0]))",
    "Wishart": "D.Wishart(t(4.5), t([[2.0, 0.6], [0.6, 1.0]]))",
    "Wishart of a factor": "D.Wishart(t([4.5, 3.5]), scale_tril=t([[2.0, 0.0], [0.6, 1.0]]))",
}  # fmt: skip

#: Quantiles are asked for at these probabilities.
PROBABILITIES = [0.05, 0.3, 0.5, 0.9]


class Leaves:
    """Makes leaves and remembers them."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.made: list[Any] = []

    def __call__(self, values: Any) -> Any:
        leaf = self.torch.tensor(values, dtype=self.torch.float64, requires_grad=True)
        self.made.append(leaf)
        return leaf


def shown(result: Any) -> Any:
    """A result as JSON can hold it."""
    if isinstance(result, (str, bool, int, float, type(None))):
        return result
    if isinstance(result, (tuple, list)):
        return [shown(part) for part in result]
    return [str(result.dtype).split(".")[1], json.dumps(result.detach().tolist())]  # a line in the file


def attempt(call: Callable[[], Any]) -> Any:
    """The result, or the error's class and text; class names without the package's."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return shown(call())
    except Exception as error:  # noqa: BLE001  # any error is a result here
        return ["error", type(error).__name__, str(error).replace("'pullback.", "'torch.")]


def build(expression: str, torch: Any) -> tuple[Any, list[Any]]:
    """The distribution of an expression, and its leaves."""
    leaves = Leaves(torch)
    names = {"D": torch.distributions, "torch": torch, "t": leaves}
    return eval(expression, names), leaves.made


def gradients(result: Any, leaves: list[Any], torch: Any) -> Any:
    """The gradients of the sum of a result's cubes, which no constraint on a sample makes constant."""
    if not result.requires_grad:
        return None
    found = torch.autograd.grad(result.pow(3).sum(), leaves, allow_unused=True, retain_graph=True)
    precise = all(g.dtype == torch.float64 for g in found if g is not None)
    values = json.dumps([None if g is None else g.tolist() for g in found])
    return ["slopes" if precise else "float32 slopes", values]


def observe(expression: str, torch: Any) -> dict[str, Any]:
    """What a distribution says and does, by name."""
    distribution, leaves = build(expression, torch)
    seen: dict[str, Any] = {
        name: attempt(lambda name=name: repr(getattr(distribution, name)))
        for name in ("batch_shape", "event_shape", "support", "has_rsample", "has_enumerate_support")
    }
    seen["repr"] = repr(distribution)
    for name in ("mean", "mode", "variance", "stddev"):
        seen[name] = attempt(lambda name=name: getattr(distribution, name))
    for name in ("entropy", "perplexity"):
        seen[name] = attempt(lambda name=name: getattr(distribution, name)())
    for expand in (True, False):
        seen[f"enumerate_support {expand}"] = attempt(lambda e=expand: distribution.enumerate_support(e))

    for name in ("sample", "rsample"):
        for shape in ((), (2, 5)):
            torch.manual_seed(7)
            seen[f"{name} {shape}"] = attempt(lambda n=name, s=shape: getattr(distribution, n)(s))
    torch.manual_seed(7)
    seen["gradients of rsample"] = attempt(lambda: gradients(distribution.rsample((3,)), leaves, torch))

    torch.manual_seed(8)
    value = distribution.sample((2,))
    for name in ("log_prob", "cdf"):
        seen[name] = attempt(lambda name=name: getattr(distribution, name)(value))
    if value.is_floating_point():
        value.requires_grad_()
    asked = [*leaves, value] if value.requires_grad else leaves
    seen["gradients of log_prob"] = attempt(lambda: gradients(distribution.log_prob(value), asked, torch))
    probabilities = torch.tensor(PROBABILITIES, dtype=torch.float64)
    probabilities = probabilities.reshape((-1, *[1] * len(distribution.batch_shape)))
    seen["icdf"] = attempt(lambda: distribution.icdf(probabilities))

    def expanded() -> Any:
        larger = distribution.expand((3, *distribution.batch_shape))
        torch.manual_seed(9)
        return [repr(larger), repr(larger.batch_shape), larger.sample()]

    seen["expand"] = attempt(expanded)
    return seen
