"""What must hold whatever torch does: SciPy's densities, total probability, inverses, moments,
exact draws.
"""

from __future__ import annotations

import copy
import importlib
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import pullback as torch
from pullback import distributions as D

Make = Callable[..., Any]

SCALES = st.floats(0.3, 3.0)
LOCATIONS = st.floats(-3.0, 3.0)
SHARES = st.floats(0.05, 0.95)

#: (the distribution, SciPy's with the same parameters, strategies for them)
CONTINUOUS: dict[str, tuple[Make, Make, tuple[Any, ...]]] = {
    "Beta": (D.Beta, stats.beta, (SCALES, SCALES)),
    "Cauchy": (D.Cauchy, stats.cauchy, (LOCATIONS, SCALES)),
    "Chi2": (D.Chi2, stats.chi2, (SCALES,)),
    "Exponential": (D.Exponential, lambda rate: stats.expon(scale=1 / rate), (SCALES,)),
    "FisherSnedecor": (D.FisherSnedecor, stats.f, (SCALES, SCALES)),
    "Gamma": (D.Gamma, lambda a, rate: stats.gamma(a, scale=1 / rate), (SCALES, SCALES)),
    "GeneralizedPareto": (
        D.GeneralizedPareto, lambda m, s, c: stats.genpareto(c, m, s),
        (LOCATIONS, SCALES, st.floats(0.01, 0.9))
    ),
    "Gumbel": (D.Gumbel, stats.gumbel_r, (LOCATIONS, SCALES)),
    "HalfCauchy": (D.HalfCauchy, lambda s: stats.halfcauchy(0, s), (SCALES,)),
    "HalfNormal": (D.HalfNormal, lambda s: stats.halfnorm(0, s), (SCALES,)),
    "InverseGamma": (D.InverseGamma, lambda a, rate: stats.invgamma(a, scale=rate), (SCALES, SCALES)),
    "Laplace": (D.Laplace, stats.laplace, (LOCATIONS, SCALES)),
    "LogNormal": (D.LogNormal, lambda m, s: stats.lognorm(s, scale=math.exp(m)), (LOCATIONS, SCALES)),
    "Normal": (D.Normal, stats.norm, (LOCATIONS, SCALES)),
    "Pareto": (D.Pareto, lambda s, a: stats.pareto(a, scale=s), (SCALES, SCALES)),
    "StudentT": (D.StudentT, stats.t, (SCALES, LOCATIONS, SCALES)),
    "Uniform": (lambda low, width: D.Uniform(low, low + width), stats.uniform, (LOCATIONS, SCALES)),
    "VonMises": (D.VonMises, lambda m, k: stats.vonmises(k, m), (st.floats(-1.0, 1.0), SCALES)),
    "Weibull": (D.Weibull, lambda s, k: stats.weibull_min(k, scale=s), (SCALES, SCALES)),
}  # fmt: skip

DISCRETE: dict[str, tuple[Make, Make, tuple[Any, ...]]] = {
    "Bernoulli": (D.Bernoulli, stats.bernoulli, (SHARES,)),
    "Binomial": (D.Binomial, stats.binom, (st.integers(1, 40), SHARES)),
    "Geometric": (D.Geometric, lambda p: stats.geom(p, -1), (SHARES,)),
    "NegativeBinomial": (D.NegativeBinomial, lambda r, p: stats.nbinom(r, 1 - p), (SCALES, SHARES)),
    "Poisson": (D.Poisson, stats.poisson, (SCALES,)),
}


def double(value: Any) -> Any:
    return torch.tensor(value, dtype=torch.float64)


@pytest.mark.parametrize("name", CONTINUOUS)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_density_as_scipy(name: str, data: Any) -> None:
    make, reference, strategies = CONTINUOUS[name]
    parameters = [data.draw(s) for s in strategies]
    distribution, other = make(*map(double, parameters)), reference(*parameters)
    x = other.ppf([0.05, 0.3, 0.5, 0.8, 0.99])
    tolerance = 1e-6 if name == "VonMises" else 1e-8  # Bessel functions by torch's polynomials
    np.testing.assert_allclose(
        distribution.log_prob(double(x)).numpy(), other.logpdf(x), tolerance, tolerance
    )
    for ours, theirs in (("cdf", other.cdf), ("icdf", other.ppf)):
        asked = x if ours == "cdf" else np.array([0.05, 0.3, 0.5, 0.8, 0.99])
        try:
            result = getattr(distribution, ours)(double(asked))
        except NotImplementedError:
            continue
        np.testing.assert_allclose(result.numpy(), theirs(asked), 1e-7, 1e-9)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_moments_and_entropy_as_scipy(name: str) -> None:
    make, reference, _ = CONTINUOUS[name]
    parameters = [2.7, 5.1, 1.3] if name == "StudentT" else [0.5, 1.5, 0.2]
    parameters = parameters[: len(CONTINUOUS[name][2])]
    if name in ("InverseGamma", "Pareto", "FisherSnedecor"):
        parameters = [5.5, 6.5]
    distribution, other = make(*map(double, parameters)), reference(*parameters)
    mean, variance = other.stats("mv")
    if name not in ("Cauchy", "HalfCauchy", "VonMises"):
        assert float(distribution.mean) == pytest.approx(float(mean), rel=1e-6)
        assert float(distribution.variance) == pytest.approx(float(variance), rel=1e-6)
    try:
        entropy = distribution.entropy()
    except NotImplementedError:
        return
    assert float(entropy) == pytest.approx(float(other.entropy()), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", DISCRETE)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_probabilities_as_scipy(name: str, data: Any) -> None:
    make, reference, strategies = DISCRETE[name]
    parameters = [data.draw(s) for s in strategies]
    distribution, other = make(*map(double, parameters)), reference(*parameters)
    counts = np.arange(2.0 if name == "Bernoulli" else 1 + parameters[0] if name == "Binomial" else 30.0)
    np.testing.assert_allclose(
        distribution.log_prob(double(counts)).numpy(), other.logpmf(counts), 1e-8, 1e-8
    )
    assert float(distribution.mean) == pytest.approx(float(other.mean()))
    assert float(distribution.variance) == pytest.approx(float(other.var()))


@pytest.mark.parametrize(
    ("distribution", "low", "high"),
    [
        (D.ContinuousBernoulli(double(0.3)), 0, 1),
        (D.Kumaraswamy(double(2.0), double(3.0)), 0, 1),
        (D.RelaxedBernoulli(double(0.7), double(0.3)), 0, 1),
        (D.MixtureSameFamily(D.Categorical(double([0.3, 0.7])), D.Normal(double([0.0, 3.0]), 1.0)), -20, 20),
        (D.TransformedDistribution(D.Normal(double(0.0), 1.0), [D.TanhTransform()]), -1, 1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_density_integrates_to_one(distribution: Any, low: float, high: float) -> None:
    total, _ = integrate.quad(
        lambda x: float(distribution.log_prob(double(x)).exp()), low + 1e-12, high - 1e-12, limit=200
    )
    assert total == pytest.approx(1, abs=1e-5)


def test_vectors_as_scipy() -> None:
    x = np.array([0.2, 0.5, 0.3])
    a = np.array([0.7, 2.0, 3.0])
    assert float(D.Dirichlet(double(a)).log_prob(double(x))) == pytest.approx(stats.dirichlet.logpdf(x, a))
    covariance = np.array([[2.0, 0.6], [0.6, 1.0]])
    normal = D.MultivariateNormal(double([0.5, -1.0]), double(covariance))
    expected = stats.multivariate_normal([0.5, -1.0], covariance)
    assert float(normal.log_prob(double([0.1, 0.2]))) == pytest.approx(expected.logpdf([0.1, 0.2]))
    assert float(normal.entropy()) == pytest.approx(expected.entropy())
    wishart = D.Wishart(double(4.5), double(covariance))
    matrix = np.array([[3.0, 0.2], [0.2, 2.0]])
    assert float(wishart.log_prob(double(matrix))) == pytest.approx(
        stats.wishart(4.5, covariance).logpdf(matrix)
    )
    counts, shares = [2, 3, 5], [0.2, 0.3, 0.5]
    assert float(D.Multinomial(10, double(shares)).log_prob(double(counts))) == pytest.approx(
        stats.multinomial(10, shares).logpmf(counts)
    )


def test_low_rank_is_the_full_covariance() -> None:
    torch.manual_seed(0)
    factor, diagonal = torch.randn(4, 2, dtype=torch.float64), torch.rand(4, dtype=torch.float64) + 0.5
    low = D.LowRankMultivariateNormal(torch.zeros(4, dtype=torch.float64), factor, diagonal)
    full = D.MultivariateNormal(low.loc, factor @ factor.mT + diagonal.diag())
    x = torch.randn(5, 4, dtype=torch.float64)
    for name in ("covariance_matrix", "precision_matrix", "scale_tril", "variance"):
        assert torch.allclose(getattr(low, name), getattr(full, name))
    assert torch.allclose(low.log_prob(x), full.log_prob(x))
    assert torch.allclose(low.entropy(), full.entropy())


@pytest.mark.parametrize(
    "transform",
    [
        D.ExpTransform(), D.SigmoidTransform(), D.TanhTransform(), D.SoftplusTransform(),
        D.AffineTransform(1.0, -2.0), D.ExpTransform().inv, D.PowerTransform(double(3.0)),
        D.ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0), D.PowerTransform(double(0.5))]),
    ],
    ids=repr,
)  # fmt: skip
def test_jacobian_of_numbers(transform: Any) -> None:
    x = double([0.3, 0.8, 1.7]).requires_grad_()
    y = transform(x)
    (slope,) = torch.autograd.grad(y.sum(), x)
    assert torch.allclose(transform.log_abs_det_jacobian(x, y), slope.abs().log())
    assert torch.allclose(transform.inv(y), x)


@pytest.mark.parametrize(
    ("transform", "coordinates"),
    [
        (D.StickBreakingTransform(), lambda y: y[:-1]),
        (D.CorrCholeskyTransform(), lambda y: y[torch.ones(3, 3).tril(-1).bool()]),
    ],
    ids=["sticks", "correlations"],
)
def test_jacobian_of_vectors(transform: Any, coordinates: Any) -> None:
    x = double([0.3, -0.8, 1.2])
    jacobian = torch.func.jacrev(lambda x: coordinates(transform(x)))(x)
    expected = torch.linalg.slogdet(jacobian).logabsdet
    assert torch.allclose(transform.log_abs_det_jacobian(x, transform(x)), expected)


@pytest.mark.parametrize(
    "constraint",
    [
        D.constraints.positive, D.constraints.unit_interval, D.constraints.simplex,
        D.constraints.corr_cholesky, D.constraints.less_than(2.0), D.constraints.interval(-1.0, 3.0),
        D.constraints.real_vector,
    ],
    ids=repr,
)  # fmt: skip
def test_bijection_onto_a_constraint(constraint: Any) -> None:
    torch.manual_seed(0)
    x = torch.randn(5, 6, dtype=torch.float64)
    transform = D.biject_to(constraint)
    y = transform(x)
    assert transform.bijective
    assert constraint.check(y).all()
    assert torch.allclose(transform.inv(y), x)


@pytest.mark.parametrize(
    "distribution",
    [
        D.Gamma(double([0.3, 3.0]), double(2.0)), D.Beta(double([0.6, 3.0]), double(2.0)),
        D.StudentT(double(6.0)), D.Kumaraswamy(double(2.0), double(3.0)), D.Laplace(double(1.0), 2.0),
        D.VonMises(double(0.0), double(2.0)), D.FisherSnedecor(double(5.0), double(12.0)),
        D.NegativeBinomial(double(3.0), double(0.4)), D.Geometric(double(0.4)),
    ],
    ids=lambda d: type(d).__name__,
)  # fmt: skip
def test_draws_have_the_mean(distribution: Any) -> None:
    torch.manual_seed(1)
    draws = distribution.sample((4000,))
    error = (draws - distribution.mean).mean(0).abs()
    assert (error < 4 * draws.std(0) / 4000**0.5).all()


def test_samples_have_no_history_and_reparameterized_ones_do() -> None:
    loc = torch.zeros(2, requires_grad=True)
    assert not D.Normal(loc, 1.0).sample().requires_grad
    assert D.Normal(loc, 1.0).rsample().requires_grad
    concentration = torch.ones(3, requires_grad=True)
    assert type(D.Dirichlet(concentration).rsample().grad_fn).__name__ == "_DirichletBackward"


def test_lazy_parameters_have_a_history_even_where_it_is_off() -> None:
    distribution = D.Bernoulli(logits=torch.zeros(2, requires_grad=True))
    with torch.no_grad():
        assert distribution.probs.requires_grad


def test_validation_can_be_switched_off() -> None:
    try:
        D.Distribution.set_default_validate_args(False)
        D.Normal(0.0, -1.0)
    finally:
        D.Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError, match="to satisfy the constraint"):
        D.Normal(0.0, -1.0)


def test_a_subclass_needs_its_own_expand() -> None:
    class Standard(D.Normal):
        def __init__(self) -> None:
            super().__init__(torch.zeros(2), 1.0)

    with pytest.raises(
        NotImplementedError, match="Subclass Standard of Normal that defines a custom __init__"
    ):
        Standard().expand((3, 2))


def test_checks_look_at_all_rows_of_a_vmap() -> None:
    scales = torch.tensor([0.5, 1.0, 2.0])
    log_prob = torch.func.vmap(lambda scale: D.Normal(0.0, scale).log_prob(torch.tensor(0.3)))
    assert torch.equal(log_prob(scales), D.Normal(0.0, scales).log_prob(torch.tensor(0.3)))
    with pytest.raises(RuntimeError, match=r"calling \.item\(\)"):  # the refusal cannot print a row
        log_prob(-scales)


def test_flags_of_a_vmap() -> None:
    x = torch.tensor([1.0, -1.0])
    assert torch.func.vmap(lambda x: x * torch._is_all_true(x > 0))(x).tolist() == [0, 0]
    assert torch.func.vmap(lambda x: x * torch._is_any_true(x > 0))(x).tolist() == [1, -1]
    with pytest.raises(RuntimeError, match="kBool INTERNAL ASSERT FAILED"):
        torch._is_all_true(x)


def test_draws_in_a_vmap_differ_by_row() -> None:
    torch.manual_seed(0)
    draw = torch.func.vmap(lambda a: D.Gamma(a, 1.0).rsample(), randomness="different")
    drawn = draw(torch.ones(3))
    torch.manual_seed(0)
    assert torch.equal(drawn, D.Gamma(torch.ones(3), 1.0).sample())


@pytest.mark.parametrize("name", list(D.MODULES))
def test_torchs_modules(name: str) -> None:
    module = importlib.import_module(f"pullback.distributions.{name}")
    for kind in D.MODULES[name]:
        assert getattr(module, kind.__name__) is kind
        assert kind.__module__ == module.__name__


def test_pickle_and_copy() -> None:
    distribution = D.Gumbel(torch.zeros(2), 1.0)
    for other in (pickle.loads(pickle.dumps(distribution)), copy.deepcopy(distribution)):
        torch.manual_seed(0)
        expected = distribution.sample()
        torch.manual_seed(0)
        assert torch.equal(other.sample(), expected)


def test_it_loads_when_first_used() -> None:
    program = "import sys, pullback; print('pullback.distributions' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
