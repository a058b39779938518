"""torch.distributions: probability distributions with samples, densities, divergences and transforms.

torch has a module for each distribution (`torch.distributions.normal`); here a file holds a family of them,
and those modules are made from the table `MODULES`.
"""

import re
import sys
from types import ModuleType

from ..torch_names.exclusions import answer_for
from . import constraints, divergences, transforms  # noqa: F401  # divergences register themselves
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
from .relaxed import ExpRelaxedCategorical, LogitRelaxedBernoulli, RelaxedBernoulli, RelaxedOneHotCategorical
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

#: Modules that torch does not call as their one class in lower case, and the classes that it defines in them.
_OTHERS: dict[str, tuple[type, ...]] = {
    "fishersnedecor": (FisherSnedecor,),
    "lkj_cholesky": (LKJCholesky,),
    "lowrank_multivariate_normal": (LowRankMultivariateNormal,),
    "one_hot_categorical": (OneHotCategorical, OneHotCategoricalStraightThrough),
    "relaxed_bernoulli": (LogitRelaxedBernoulli, RelaxedBernoulli),
    "relaxed_categorical": (ExpRelaxedCategorical, RelaxedOneHotCategorical),
    "studentT": (StudentT,),
}

#: torch's modules and the classes that it defines in them: `half_normal` has `HalfNormal`.
MODULES: dict[str, tuple[type, ...]] = {
    re.sub(r"\B(?=[A-Z])", "_", c.__name__).lower(): (c,)
    for c in (
        Bernoulli, Beta, Binomial, Categorical, Cauchy, Chi2, ContinuousBernoulli, Dirichlet, Exponential,
        Gamma, GeneralizedPareto, Geometric, Gumbel, HalfCauchy, HalfNormal, Independent, InverseGamma,
        Kumaraswamy, Laplace, LogNormal, LogisticNormal, MixtureSameFamily, Multinomial, MultivariateNormal,
        NegativeBinomial, Normal, Pareto, Poisson, TransformedDistribution, Uniform, VonMises, Weibull,
        Wishart,
    )
} | _OTHERS  # fmt: skip


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
