"""torch.distributions: probability distributions with samples, densities, divergences and transforms.

torch has a module for each distribution (`torch.distributions.normal`); here a file holds a family of them,
and those modules are made from the table `MODULES`.
"""

from __future__ import annotations

import sys
from types import ModuleType

from ..torch_names.exclusions import answer_for
from . import constraints, kl_across, kl_alike, transforms  # noqa: F401  # divergences register themselves
from .categorical import Categorical, Multinomial, OneHotCategorical, OneHotCategoricalStraightThrough
from .compound import Independent, MixtureSameFamily, TransformedDistribution
from .constraint_registry import biject_to, transform_to
from .counts import Bernoulli, Binomial, Geometric, NegativeBinomial, Poisson
from .dirichlet_family import Beta, Dirichlet
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .gamma_family import Chi2, Exponential, FisherSnedecor, Gamma
from .intervals import ContinuousBernoulli, GeneralizedPareto, Uniform, VonMises
from .kl import kl_divergence, register_kl
from .location_scale import Cauchy, Laplace, Normal, StudentT
from .matrices import LKJCholesky, Wishart
from .multivariate_normal import LowRankMultivariateNormal, MultivariateNormal
from .relaxed import (
    ExpRelaxedCategorical,
    LogitRelaxedBernoulli,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from .transformed import (
    Gumbel,
    HalfCauchy,
    HalfNormal,
    InverseGamma,
    Kumaraswamy,
    LogisticNormal,
    LogNormal,
    Pareto,
    Weibull,
)
from .transforms import *  # noqa: F403  # torch has them here, too

#: torch's modules and the classes that it defines in them.
MODULES: dict[str, tuple[type, ...]] = {
    "bernoulli": (Bernoulli,),
    "beta": (Beta,),
    "binomial": (Binomial,),
    "categorical": (Categorical,),
    "cauchy": (Cauchy,),
    "chi2": (Chi2,),
    "continuous_bernoulli": (ContinuousBernoulli,),
    "dirichlet": (Dirichlet,),
    "exponential": (Exponential,),
    "fishersnedecor": (FisherSnedecor,),
    "gamma": (Gamma,),
    "generalized_pareto": (GeneralizedPareto,),
    "geometric": (Geometric,),
    "gumbel": (Gumbel,),
    "half_cauchy": (HalfCauchy,),
    "half_normal": (HalfNormal,),
    "independent": (Independent,),
    "inverse_gamma": (InverseGamma,),
    "kumaraswamy": (Kumaraswamy,),
    "laplace": (Laplace,),
    "lkj_cholesky": (LKJCholesky,),
    "log_normal": (LogNormal,),
    "logistic_normal": (LogisticNormal,),
    "lowrank_multivariate_normal": (LowRankMultivariateNormal,),
    "mixture_same_family": (MixtureSameFamily,),
    "multinomial": (Multinomial,),
    "multivariate_normal": (MultivariateNormal,),
    "negative_binomial": (NegativeBinomial,),
    "normal": (Normal,),
    "one_hot_categorical": (OneHotCategorical, OneHotCategoricalStraightThrough),
    "pareto": (Pareto,),
    "poisson": (Poisson,),
    "relaxed_bernoulli": (LogitRelaxedBernoulli, RelaxedBernoulli),
    "relaxed_categorical": (ExpRelaxedCategorical, RelaxedOneHotCategorical),
    "studentT": (StudentT,),
    "transformed_distribution": (TransformedDistribution,),
    "uniform": (Uniform,),
    "von_mises": (VonMises,),
    "weibull": (Weibull,),
    "wishart": (Wishart,),
}


def _make_modules() -> None:
    """Make torch's modules, and give the classes the module names that they have there."""
    own = globals()
    for name, classes in MODULES.items():
        full_name = f"{__name__}.{name}"
        if name not in own:
            own[name] = ModuleType(full_name, f"torch.distributions.{name}.")
        own[name].__all__ = [c.__name__ for c in classes]
        for c in classes:
            setattr(own[name], c.__name__, c)
            c.__module__ = full_name
    sys.modules.update({f"{__name__}.{name}": own[name] for name in MODULES})


_make_modules()

__all__ = [  # noqa: PLE0604  # with the names of all transforms
    "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2", "ContinuousBernoulli", "Dirichlet",
    "Distribution", "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma", "GeneralizedPareto",
    "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent", "InverseGamma", "Kumaraswamy",
    "LKJCholesky", "Laplace", "LogNormal", "LogisticNormal", "LowRankMultivariateNormal", "MixtureSameFamily",
    "Multinomial", "MultivariateNormal", "NegativeBinomial", "Normal", "OneHotCategorical",
    "OneHotCategoricalStraightThrough", "Pareto", "Poisson", "RelaxedBernoulli", "RelaxedOneHotCategorical",
    "StudentT", "TransformedDistribution", "Uniform", "VonMises", "Weibull", "Wishart", "biject_to",
    "kl_divergence", "register_kl", "transform_to", *transforms.__all__,
]

answer_for(globals())
