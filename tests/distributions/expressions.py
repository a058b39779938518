"""Single expressions in torch.distributions: errors, constraints, transforms, helper functions."""

from __future__ import annotations

from typing import Any

from .observe import attempt

#: ``D`` is torch.distributions, ``C`` its constraints, ``U`` its utils, ``x`` and ``v`` are tensors.
EXPRESSIONS = [
    # refused parameters and values
    "D.Normal(0.0, -1.0)",
    "D.Normal(torch.zeros(2), torch.tensor([1.0, -1.0]))",
    "D.Normal(0.0, float('nan'))",
    "D.Normal('a', 1.0)",
    "D.Normal(torch.zeros(2), torch.ones(3))",
    "D.Normal(0.0, -1.0, validate_args=False)",
    "D.Normal(0.0, 1.0).log_prob(1.0)",
    "D.Normal(0.0, 1.0).log_prob(torch.tensor(float('nan')))",
    "D.Normal(torch.zeros(2), 1.0).log_prob(torch.zeros(3))",
    "D.Normal(0.0, 1.0).enumerate_support()",
    "D.Normal(torch.zeros(2), 1.0).expand((3,))",
    "D.Bernoulli()",
    "D.Bernoulli(0.5, 0.5)",
    "D.Bernoulli(1.5)",
    "D.Bernoulli(0.5).log_prob(torch.tensor(0.5))",
    "D.Bernoulli(0.5).rsample()",
    "D.Binomial(-1, torch.tensor(0.5))",
    "D.Binomial(torch.tensor([2.0, 3.0]), torch.tensor(0.5)).entropy()",
    "D.Binomial(torch.tensor([2.0, 3.0]), torch.tensor(0.5)).enumerate_support()",
    "D.Categorical(torch.tensor(0.5))",
    "D.Categorical(logits=torch.tensor(0.5))",
    "D.Categorical(torch.tensor([-0.5, 0.5, 1.0]))",
    "D.Categorical(torch.tensor([0.5, 0.5])).log_prob(torch.tensor(2))",
    "D.Cauchy(0.0, 1.0).mode",
    "D.Categorical(torch.tensor([0.5, 0.5])).cdf(torch.tensor(1))",
    "D.ContinuousBernoulli(1.5, validate_args=True)",
    "D.Dirichlet(torch.tensor(0.5))",
    "D.Dirichlet(torch.tensor([0.5, -1.0]))",
    "D.Dirichlet(torch.ones(2)).log_prob(torch.tensor([0.5, 0.6]))",
    "D.Dirichlet(torch.ones(2)).log_prob(torch.tensor([0.5, 0.3, 0.2]))",
    "D.Exponential(1.0).log_prob(torch.tensor(-1.0))",
    "D.Gamma(0.0, 1.0)",
    "D.Geometric(0.0)",
    "D.Independent(D.Normal(0.0, 1.0), 1)",
    "D.Independent(D.Bernoulli(torch.ones(2) / 2), 1).enumerate_support()",
    "D.LKJCholesky(1)",
    "D.LKJCholesky(3)",
    "D.LowRankMultivariateNormal(torch.tensor(0.0), x, x)",
    "D.LowRankMultivariateNormal(torch.zeros(2), torch.zeros(2), torch.ones(2))",
    "D.LowRankMultivariateNormal(torch.zeros(2), torch.zeros(3, 1), torch.ones(2))",
    "D.LowRankMultivariateNormal(torch.zeros(2), torch.zeros(2, 1), torch.ones(3))",
    "D.LowRankMultivariateNormal(torch.zeros(2, 2), torch.zeros(3, 2, 1), torch.ones(2))",
    "D.MixtureSameFamily(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0))",
    "D.MixtureSameFamily(D.Categorical(torch.ones(2)), 3)",
    "D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Normal(torch.zeros(3), 1.0))",
    "D.MixtureSameFamily(D.Categorical(torch.ones(2, 2)), D.Normal(torch.zeros(3, 2), 1.0))",
    "D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Normal(torch.zeros(2), 1.0)).mode",
    "D.Multinomial(torch.tensor(3), torch.ones(2))",
    "D.Multinomial(3, torch.ones(2)).log_prob(torch.tensor([3.0, 1.0]))",
    "D.MultivariateNormal(torch.tensor(0.0), torch.eye(2))",
    "D.MultivariateNormal(torch.zeros(2))",
    "D.MultivariateNormal(torch.zeros(2), torch.eye(2), torch.eye(2))",
    "D.MultivariateNormal(torch.zeros(2), torch.ones(2))",
    "D.MultivariateNormal(torch.zeros(2), scale_tril=torch.ones(2))",
    "D.MultivariateNormal(torch.zeros(2), torch.tensor([[1.0, 2.0], [2.0, 1.0]]))",
    "D.MultivariateNormal(torch.zeros(2), torch.tensor([[1.0, 2.0], [0.0, 1.0]]))",
    "D.MultivariateNormal(torch.zeros(2), scale_tril=torch.ones(2, 2))",
    "D.Poisson(-1.0)",
    "D.Poisson(1.0).entropy()",
    "D.Poisson(2.0).log_prob(torch.tensor([0.0, 3.0]))",
    "D.RelaxedBernoulli(torch.tensor(1.0), 1.5)",
    "D.TransformedDistribution(D.Normal(0.0, 1.0), 3)",
    "D.TransformedDistribution(D.Normal(0.0, 1.0), [3])",
    "D.TransformedDistribution(D.Normal(0.0, 1.0), [D.StickBreakingTransform()])",
    "D.TransformedDistribution(D.Normal(0.0, 1.0), []).log_prob(torch.tensor(0.5))",
    "D.TransformedDistribution(D.Normal(0.0, 1.0), [D.ExpTransform()]).expand((2,)).sample().shape",
    "D.Uniform(2.0, 1.0)",
    "D.Uniform(0.0, 1.0).log_prob(torch.tensor(1.5))",
    "D.Wishart(torch.tensor(0.5), torch.eye(2))",
    "D.Wishart(3, torch.ones(2))",
    "D.Wishart(3)",
    "D.Distribution().expand((2,))",
    "D.Distribution(validate_args=False).sample()",
    "D.Distribution(validate_args=False).mode",
    "D.Distribution.set_default_validate_args(3)",
    "D.kl_divergence(D.Normal(0.0, 1.0), D.Cauchy(0.0, 1.0))",
    "D.kl_divergence(D.Bernoulli(0.5), D.Normal(0.0, 1.0))",
    "D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0))",
    "D.Normal(0.0, 1.0).sample_n(3).shape",
    "D.Normal(0.0, 1.0).sample(3)",
    "D.Normal(0.0, 1.0).sample([3, 2]).shape",
    "D.Normal(torch.zeros(2, dtype=torch.float64), 1).sample().dtype",
    "type(D.Normal(0, 1).batch_shape).__name__",
    # shapes, expansion and special values
    "D.Wishart(1.5, torch.eye(2))",
    "D.Normal(loc=0., scale=torch.tensor([1., 2.])).stddev",
    "D.Bernoulli(probs=torch.tensor([.2, .3])).expand([4, 2]).log_prob(torch.ones(4, 2))",
    "D.Categorical(torch.tensor([.2, .3, .5])).expand([4]).enumerate_support()",
    "D.Categorical(torch.tensor([[.2, .3, .5]]*4)).log_prob(torch.tensor([[0], [1]])).shape",
    "D.Normal(torch.tensor(0), torch.tensor(1))",
    "D.Uniform(torch.tensor([0.]), torch.tensor([1.])).log_prob(torch.tensor([2.]))",
    "D.Uniform(0, 1, validate_args=False).log_prob(torch.tensor([2.]))",
    "D.Beta(torch.tensor(.5), torch.tensor([.5, 2.])).mode",
    "D.Dirichlet(torch.tensor([[.5, .4], [2., 3.]])).mode",
    "D.Binomial(torch.tensor([3., 4.]), probs=torch.tensor([.5, .1])).log_prob(torch.tensor([1., 5.]))",
    (
        "D.TransformedDistribution(D.Uniform(0., 1.), [D.SigmoidTransform().inv, D.AffineTransform(1., "
        "-2.)]).cdf(torch.tensor(.3))"
    ),
    (
        "D.TransformedDistribution(D.Uniform(0., 1.), [D.SigmoidTransform().inv, D.AffineTransform(1., "
        "-2.)]).icdf(torch.tensor(.3))"
    ),
    "D.MultivariateNormal(torch.zeros(2), torch.eye(2)).expand([3]).covariance_matrix.shape",
    (
        "D.MultivariateNormal(torch.zeros(5, 1, 2), torch.eye(2).expand(3, 2, 2)).log_prob(torch.ones(4, 5, "
        "3, 2)).shape"
    ),
    (
        "D.kl_divergence(D.Independent(D.Normal(torch.zeros(3), 1.), 1), "
        "D.Independent(D.Normal(torch.ones(3), 1.), 1))"
    ),
    (
        "D.kl_divergence(D.Independent(D.Normal(torch.zeros(3, 3), 1.), 1), "
        "D.Independent(D.Normal(torch.ones(3, 3), 1.), 2))"
    ),
    "D.kl_divergence(D.LogNormal(0., 1.), D.LogNormal(1., 2.))",
    "D.kl_divergence(D.LogNormal(0., 1.), D.HalfNormal(1.))",
    "D.kl_divergence(D.Poisson(1.), D.Gamma(1., 1.))",
    "D.kl_divergence(D.HalfNormal(1.), D.HalfNormal(torch.tensor([1., 2.])))",
    "D.Normal(0., 1.).log_prob(torch.tensor(1)).dtype",
    "D.Normal(torch.tensor([1., 2.]), 1.).cdf(torch.tensor([1., 2., 3.]))",
    "D.OneHotCategorical(torch.tensor([.5, .5])).log_prob(torch.tensor([1., 1.]))",
    "D.NegativeBinomial(3, torch.tensor([.4999, .5, .1]))",
    "D.StudentT(torch.tensor([1., 2., 3.])).variance",
    "D.Geometric(torch.tensor([1.])).log_prob(torch.tensor([0., ]))",
    "D.InverseGamma(torch.tensor([2.]), torch.tensor([1.])).expand([3]).log_prob(torch.tensor(2.))",
    "D.Gumbel(torch.zeros(2), 1.).expand([3, 2]).cdf(torch.tensor(.5))",
    "D.Weibull(1., torch.tensor([2., 3.])).expand([3, 2]).icdf(torch.tensor(.5))",
    "D.Pareto(1., torch.tensor([2., 3.])).support",
    "D.Pareto(1., 2.).log_prob(torch.tensor(.5))",
    # constraints
    "[repr(getattr(C, name)) for name in sorted(C.__all__) if isinstance(getattr(C, name), C.Constraint)]",
    (
        "[getattr(C, n).event_dim for n in sorted(C.__all__) if isinstance(getattr(C, n), C.Constraint) and "
        "n != 'dependent']"
    ),
    "C.dependent.event_dim",
    "C.dependent.is_discrete",
    "C.dependent(is_discrete=True, event_dim=1).event_dim",
    "C.dependent.check(x)",
    "C.is_dependent(C.dependent_property())",
    "repr(C.independent(C.positive, 2)), C.independent(C.positive, 2).event_dim",
    "C.independent(C.positive, 3).check(x)",
    "C.independent(3, 1)",
    "C.independent(C.real, 1.0)",
    "C.independent(C.real, -1)",
    "C.independent(C.positive, 1).check(x)",
    "C.MixtureSameFamilyConstraint(3)",
    "repr(C.MixtureSameFamilyConstraint(C.positive))",
    "C.cat([C.positive, C.real], 1, [1, 2]).check(x)",
    "C.cat([C.positive, C.real], 1, [1])",
    "C.cat([C.positive, 3])",
    "C.stack([C.positive, C.real]).check(x)",
    "C.stack([C.positive, C.real], dim=5).check(x)",
    "C.stack([C.positive, C.real], dim=-1).event_dim",
    "C.interval(-1.0, 1.0).check(x), C.half_open_interval(-1.0, 1.0).check(x)",
    "repr(C.interval(-1.0, 1.0)), repr(C.half_open_interval(0, 1)), repr(C.integer_interval(0, 3))",
    (
        "repr(C.less_than(2.0)), repr(C.greater_than_eq(2.0)), repr(C.nonnegative_integer), "
        "repr(C.multinomial(3))"
    ),
    (
        "C.boolean.check(torch.tensor([0.0, 1.0, 0.5])), C.one_hot.check(torch.eye(3)), "
        "C.one_hot.check(torch.ones(2))"
    ),
    (
        "C.positive_integer.check(torch.tensor([0.0, 1.0, 1.5])), C.integer_interval(0, "
        "1).check(torch.tensor([0, 2]))"
    ),
    "C.simplex.check(torch.tensor([[0.5, 0.5], [0.5, 0.6], [1.5, -0.5]]))",
    "C.multinomial(3).check(torch.tensor([[1.0, 2.0], [2.0, 2.0]]))",
    (
        "C.lower_triangular.check(torch.ones(2, 2)), C.lower_cholesky.check(torch.eye(2)), "
        "C.lower_cholesky.check(-torch.eye(2))"
    ),
    (
        "C.corr_cholesky.check(torch.eye(2)), C.corr_cholesky.check(2 * torch.eye(2)), "
        "C.square.check(torch.ones(3, 2, 1))"
    ),
    (
        "C.symmetric.check(torch.ones(2, 2)), C.positive_semidefinite.check(-torch.eye(2)), "
        "C.positive_definite.check(torch.eye(2))"
    ),
    "C.symmetric.check(torch.ones(2, 3))",
    "C.real.check(torch.tensor([1.0, float('nan'), float('inf')]))",
    # the registry
    (
        "[repr(D.biject_to(c)) for c in (C.real, C.positive, C.nonnegative, C.less_than(1.0), "
        "C.unit_interval, C.interval(0.0, 2.0))]"
    ),
    (
        "[repr(D.biject_to(c)) for c in (C.simplex, C.corr_cholesky, C.real_vector, C.cat([C.real]), "
        "C.stack([C.simplex]))]"
    ),
    (
        "[repr(D.transform_to(c)) for c in (C.simplex, C.lower_cholesky, C.positive_definite, "
        "C.half_open_interval(0, 1))]"
    ),
    "D.biject_to(C.interval(torch.tensor(0.0), torch.tensor(3.0)))(v)",
    "D.transform_to(C.greater_than(2.0))(v), D.transform_to(C.less_than(2.0))(v)",
    "D.biject_to(C.boolean)",
    "D.biject_to(C.lower_cholesky)",
    "D.biject_to(C.dependent)",
    "D.biject_to.register(3, lambda c: None)",
    # transforms
    "D.ExpTransform()(v), D.ExpTransform().inv(v.exp()), D.ExpTransform().log_abs_det_jacobian(v, v.exp())",
    (
        "D.SigmoidTransform()(v), D.SigmoidTransform().inv(v.sigmoid()), "
        "D.SigmoidTransform().log_abs_det_jacobian(v, v)"
    ),
    "D.TanhTransform()(v), D.TanhTransform().inv(v.tanh()), D.TanhTransform().log_abs_det_jacobian(v, v)",
    (
        "D.SoftplusTransform()(v), D.SoftplusTransform().inv(v.exp()), "
        "D.SoftplusTransform().log_abs_det_jacobian(v, v)"
    ),
    "D.AbsTransform()(v), D.AbsTransform().inv(v), D.AbsTransform().bijective",
    "D.AbsTransform().log_abs_det_jacobian(v, v)",
    "D.AbsTransform().sign",
    "D.PowerTransform(2.0)(v.exp()), D.PowerTransform(2.0).inv(v.exp()), D.PowerTransform(2.0).sign",
    "D.PowerTransform(torch.tensor(-1.0)).log_abs_det_jacobian(v.exp(), (-v).exp())",
    "D.AffineTransform(1.0, -2.0)(v), D.AffineTransform(1.0, -2.0).inv(v), D.AffineTransform(1.0, -2.0).sign",
    (
        "D.AffineTransform(1.0, 2.0, event_dim=1).log_abs_det_jacobian(x, x), D.AffineTransform(0, "
        "v).log_abs_det_jacobian(v, v)"
    ),
    "repr(D.AffineTransform(1.0, 2.0, event_dim=1).domain), repr(D.AffineTransform(1.0, 2.0).codomain)",
    "D.SoftmaxTransform()(x), D.SoftmaxTransform().inv(x.exp())",
    "D.StickBreakingTransform()(x), D.StickBreakingTransform().inv(D.StickBreakingTransform()(x))",
    "D.StickBreakingTransform().log_abs_det_jacobian(x, D.StickBreakingTransform()(x))",
    "D.StickBreakingTransform().forward_shape((2, 3)), D.StickBreakingTransform().inverse_shape((2, 3))",
    "D.StickBreakingTransform().forward_shape(())",
    "D.CorrCholeskyTransform()(x), D.CorrCholeskyTransform().inv(D.CorrCholeskyTransform()(x))",
    "D.CorrCholeskyTransform().log_abs_det_jacobian(x, D.CorrCholeskyTransform()(x))",
    "D.CorrCholeskyTransform().forward_shape((2, 3)), D.CorrCholeskyTransform().inverse_shape((2, 4, 4))",
    "D.CorrCholeskyTransform().forward_shape((2, 4))",
    "D.CorrCholeskyTransform().inverse_shape((2, 4))",
    "D.LowerCholeskyTransform()(torch.ones(2, 2)), D.LowerCholeskyTransform().inv(torch.ones(2, 2))",
    "D.PositiveDefiniteTransform()(torch.ones(2, 2)), D.PositiveDefiniteTransform().inv(2 * torch.eye(2))",
    "D.CatTransform([D.ExpTransform(), D.AffineTransform(0.0, 2.0)], dim=1, lengths=[1, 2])(x)",
    "D.CatTransform([D.ExpTransform(), D.AffineTransform(0.0, 2.0)], dim=1, lengths=[1, 2]).inv(x.exp())",
    (
        "D.CatTransform([D.ExpTransform(), D.AffineTransform(0.0, 2.0)], 1, [1, 2]).log_abs_det_jacobian(x, "
        "x.exp())"
    ),
    "D.CatTransform([D.ExpTransform(), D.StickBreakingTransform().inv], 1, [1, 2])(x)",
    "D.CatTransform([D.ExpTransform()], dim=1)(x)",
    "D.CatTransform([D.ExpTransform()], dim=4)(x)",
    "D.CatTransform([D.ExpTransform()], lengths=[1, 2])",
    "D.CatTransform([3])",
    "repr(D.CatTransform([D.ExpTransform()]).domain), D.CatTransform([D.ExpTransform()]).bijective",
    (
        "D.StackTransform([D.ExpTransform(), D.TanhTransform()])(x), D.StackTransform([D.ExpTransform()] * "
        "2).inv(x.exp())"
    ),
    "D.StackTransform([D.ExpTransform(), D.TanhTransform()]).log_abs_det_jacobian(x, x)",
    "D.StackTransform([D.ExpTransform()])(x)",
    (
        "D.CumulativeDistributionTransform(D.Normal(0.0, 1.0))(v), "
        "D.CumulativeDistributionTransform(D.Normal(0.0, 1.0)).inv(v.sigmoid())"
    ),
    "D.CumulativeDistributionTransform(D.Normal(0.0, 1.0)).log_abs_det_jacobian(v, v)",
    (
        "D.ReshapeTransform((3,), (3, 1))(x).shape, D.ReshapeTransform((3,), (1, 3)).inv(torch.ones(2, 1, "
        "3)).shape"
    ),
    (
        "D.ReshapeTransform((3,), (3, 1)).log_abs_det_jacobian(x, x), D.ReshapeTransform((3,), (3, "
        "1)).forward_shape(torch.Size((2, 3)))"
    ),
    "D.ReshapeTransform((3,), (2,))",
    "D.ReshapeTransform((3,), (3, 1)).forward_shape(torch.Size((2,)))",
    "D.ReshapeTransform((3,), (3, 1)).forward_shape(torch.Size(()))",
    (
        "D.IndependentTransform(D.ExpTransform(), 1).log_abs_det_jacobian(x, x.exp()), "
        "repr(D.IndependentTransform(D.ExpTransform(), 1))"
    ),
    "D.IndependentTransform(D.ExpTransform(), 1)(torch.tensor(1.0))",
    "repr(D.ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)])), repr(D.ExpTransform().inv)",
    (
        "D.ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)]).log_abs_det_jacobian(v, 1 + 2 * "
        "v.exp())"
    ),
    (
        "D.ComposeTransform([D.AffineTransform(1.0, 2.0), "
        "D.StickBreakingTransform()]).log_abs_det_jacobian(x, D.StickBreakingTransform()(1 + 2 * x))"
    ),
    "repr(D.ComposeTransform([D.AffineTransform(1.0, 2.0), D.StickBreakingTransform()]).domain)",
    "repr(D.ComposeTransform([D.AffineTransform(1.0, 2.0), D.StickBreakingTransform()]).inv)",
    (
        "D.ComposeTransform([]).log_abs_det_jacobian(v, v), repr(D.identity_transform), "
        "D.identity_transform.sign"
    ),
    "D.ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, -2.0)]).sign",
    (
        "D.ExpTransform() == D.ExpTransform(), D.ExpTransform() == D.TanhTransform(), "
        "D.CorrCholeskyTransform() == D.CorrCholeskyTransform()"
    ),
    (
        "D.AffineTransform(1.0, 2.0) == D.AffineTransform(1.0, 2.0), D.AffineTransform(1.0, v) == "
        "D.AffineTransform(1.0, v + 1)"
    ),
    (
        "D.PowerTransform(2.0) == D.PowerTransform(2.0), D.ExpTransform().inv == D.ExpTransform().inv, "
        "D.ExpTransform().inv == 3"
    ),
    (
        "D.ExpTransform().inv.inv == D.ExpTransform(), D.ComposeTransform([D.ExpTransform()]) == "
        "D.ComposeTransform([D.ExpTransform()])"
    ),
    "hash(D.ExpTransform())",
    "D.ExpTransform(cache_size=2)",
    "D.ExpTransform().with_cache()._cache_size, D.AffineTransform(1.0, 2.0).with_cache(1)._cache_size",
    "D.StickBreakingTransform().event_dim, D.CorrCholeskyTransform().codomain.event_dim",
    "D.CorrCholeskyTransform().event_dim",
    (
        "(lambda t: t.inv(t(v)) is v)(D.ExpTransform(cache_size=1)), (lambda t: t.inv(t(v)) is "
        "v)(D.ExpTransform())"
    ),
    "(lambda t: t.inv(t(v)) is v)(D.ComposeTransform([D.ExpTransform(), D.TanhTransform()], cache_size=1))",
    # helpers
    "U.broadcast_all(1, v)[0]",
    "U.broadcast_all('a')",
    "U.clamp_probs(torch.tensor([0.0, 0.5, 1.0]))",
    (
        "U.probs_to_logits(torch.tensor([0.2, 0.8])), U.probs_to_logits(torch.tensor([0.2, 0.8]), "
        "is_binary=True)"
    ),
    "U.logits_to_probs(v), U.logits_to_probs(v, is_binary=True)",
    (
        "U.tril_matrix_to_vec(torch.arange(9.0).reshape(3, 3)), "
        "U.tril_matrix_to_vec(torch.arange(9.0).reshape(3, 3), diag=-1)"
    ),
    "U.tril_matrix_to_vec(torch.arange(9.0).reshape(3, 3), diag=1)",
    "U.tril_matrix_to_vec(torch.arange(9.0).reshape(3, 3), diag=3)",
    "U.vec_to_tril_matrix(torch.arange(6.0)), U.vec_to_tril_matrix(torch.arange(3.0), diag=-1)",
    "U.vec_to_tril_matrix(torch.arange(5.0))",
    "U.euler_constant",
    "D.normal.Normal is D.Normal, D.Normal.__module__.split('.')[1:], D.kl.register_kl is D.register_kl",
    "sorted(D.__all__)",
]  # fmt: skip


def evaluate(expression: str, torch: Any) -> Any:
    """What an expression gives, tensors as values, errors as class and text."""
    distributions = torch.distributions
    names = {
        "torch": torch,
        "D": distributions,
        "C": distributions.constraints,
        "U": distributions.utils,
        "x": torch.tensor([[0.5, -1.0, 2.0], [0.0, 0.3, -0.7]]),
        "v": torch.tensor([0.5, -1.0, 2.0]),
    }

    def result() -> Any:
        value = eval(expression, names)
        return repr(value) if isinstance(value, (distributions.Distribution, torch.dtype)) else value

    return attempt(result)
