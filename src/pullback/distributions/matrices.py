"""Define distributions of matrices: Cholesky factors of correlations, and covariances."""

import math
from math import nan
from typing import Any, ClassVar

from ..array.dtype_limits import finfo
from ..core.size import Size
from ..core.warn import warn
from ..linalg import slogdet
from ..tensor.broadcast import broadcast_shapes
from ..tensor.creation import eye, tensor
from ..tensor.join import cat
from ..tensor.linear_algebra import cholesky_solve
from ..tensor.masks import where
from ..tensor.random import randn
from ..tensor.ranges import arange
from . import constraints
from .dirichlet_family import Beta
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .gamma_family import Chi2
from .multivariate_normal import FullCovariance, given_matrix, half_log_det
from .utils import NUMBER, broadcast_all, formula, lazy_property


class LKJCholesky(Distribution):
    """The distribution of Cholesky factors L of correlation matrices, p(L·Lᵀ) ∝ det(L·Lᵀ)^(η − 1).

    Samples come from the onion method of Lewandowski, Kurowicka and Joe (2009), section 3.2.

    Parameters
    ----------
    dim : int
        The size of the matrices, at least 2.
    concentration : Tensor or float
        η > 0; at 1 all correlation matrices are equally likely.
    """

    arg_constraints: ClassVar[Any] = {"concentration": constraints.positive}
    support: Any = constraints.corr_cholesky
    _parameters = ("concentration", "_beta")
    _kept = ("dim",)

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        offset = arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        offset = cat([offset.new_zeros((1,)), offset])
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.size(), Size((dim, dim)), validate_args)

    def sample(self, sample_shape: Any = ()) -> Any:
        # Row i is a direction on the sphere of i dimensions, with a length whose square is a Beta number.
        squares = self._beta.sample(sample_shape).unsqueeze(-1)
        normal = randn(self._extended_shape(sample_shape), dtype=squares.dtype, device=squares.device).tril(
            -1
        )
        directions = normal / normal.norm(dim=-1, keepdim=True)
        directions[..., 0, :].fill_(0.0)
        rows = squares.sqrt() * directions
        left = (1 - (rows**2).sum(dim=-1)).clamp(min=finfo(rows.dtype).tiny)
        return rows + left.sqrt().diag_embed()

    def log_prob(self, value: Any) -> Any:
        # The Jacobian from L to L·Lᵀ gives the diagonal's powers (Stan reference manual, "Cholesky LKJ").
        self._validate(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        less = self.dim - 1
        alpha = self.concentration + 0.5 * less
        normalizer = 0.5 * less * math.log(math.pi) + (alpha - 0.5).mvlgamma(less) - alpha.lgamma() * less
        return (order * diagonal.log()).sum(dim=-1) - normalizer


def _mvdigamma(x: Any, p: int) -> Any:
    """Return the derivative of `mvlgamma`: Σ ψ(x − i/2) for i < p."""
    if not x.gt((p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    halves = arange(p, dtype=x.dtype, device=x.device).div(2)
    return (x.unsqueeze(-1) - halves).digamma().sum(-1)


class Wishart(FullCovariance, ExponentialFamily):
    """The distribution of Σ xᵢ·xᵢᵀ over df normal vectors x with the mean 0 and the covariance Σ.

    Samples come from Bartlett's decomposition (Sawyer 2007, "Wishart distributions and inverse-Wishart
    sampling").

    Parameters
    ----------
    df : Tensor or float
        The degrees of freedom ν > p − 1.
    covariance_matrix, precision_matrix, scale_tril : Tensor, optional
        Σ, its inverse, or its Cholesky factor, shape (*, p, p); one of them is given.
    """

    support: Any = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self, df: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        name, matrix = given_matrix(AssertionError, covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading batch dimensions"
            )
        if isinstance(df, NUMBER):
            batch_shape = Size(matrix.shape[:-2])
            self.df = tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch_shape = broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        event_shape = matrix.shape[-2:]
        if self.df.le(event_shape[-1] - 1).any():
            raise ValueError(
                f"Value of df={df} expected to be greater than ndim - 1 = {event_shape[-1] - 1}."
            )
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        if self.df.lt(event_shape[-1]).any():
            warn(
                "Low df values detected. Singular samples are highly likely to occur for "
                "ndim - 1 < df < ndim."
            )
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._set_matrix(name, matrix)
        self._make_chi2()

    def _make_chi2(self) -> None:
        """Make the distributions of the squares on Bartlett's diagonal: df, df − 1, … degrees of freedom."""
        self._batch_dims = [-(i + 1) for i in range(len(self._batch_shape))]
        factor = self._unbroadcasted_scale_tril
        steps = arange(self._event_shape[-1], dtype=factor.dtype, device=factor.device)
        self._dist_chi2 = Chi2(self.df.unsqueeze(-1) - steps)

    @property
    def arg_constraints(self) -> Any:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Wishart, _instance)
        batch_shape = Size(batch_shape)
        shape = Size((*batch_shape, *self.event_shape))
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril.expand(shape)
        new.df = self.df.expand(batch_shape)
        for name in self._matrices:
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(shape))
        self._finish_expanding(new, batch_shape)
        new._make_chi2()
        return new

    @lazy_property
    def precision_matrix(self) -> Any:
        """Return the inverse of the covariance."""
        factor = self._unbroadcasted_scale_tril
        identity = eye(self._event_shape[-1], device=factor.device, dtype=factor.dtype)
        return cholesky_solve(identity, factor).expand(self._matrix_shape)

    mean = formula(lambda self: self.df.view((*self._batch_shape, 1, 1)) * self.covariance_matrix)

    @property
    def mode(self) -> Any:
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = where(factor <= 0, nan, factor)
        return factor.view((*self._batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.view((*self._batch_shape, 1, 1)) * (covariance.pow(2) + products)

    def _bartlett_sampling(self, sample_shape: Any = ()) -> Any:
        size = self._event_shape[-1]
        diagonal = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = diagonal.clamp(min=finfo(diagonal.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        below = arange(size) < arange(size).view(-1, 1)
        noise[..., below] = randn(
            (*sample_shape, *self._batch_shape, size * (size - 1) // 2), dtype=noise.dtype,
            device=noise.device
        )
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Any:
        """Draw a sample through which gradients flow.

        Parameters
        ----------
        sample_shape : tuple of ints
        max_try_correction : int, optional
            How often singular matrices are drawn anew; 10 times by default.
        """
        sample = self._bartlett_sampling(Size(sample_shape))
        # As in torch, samples that pass the check count as singular: the stream of numbers depends on it.
        singular = self._over_batch(self.support.check(sample))
        if singular.any():
            warn("Singular sample detected.")
            for _ in range(10 if max_try_correction is None else max_try_correction):
                again = self._bartlett_sampling(singular[singular].shape)
                sample[singular] = again
                left = singular.clone()  # writing into the mask itself would make the sample's history stale
                left[singular] = self._over_batch(~self.support.check(again))
                singular = left
                if not singular.any():
                    break
        return sample

    def _over_batch(self, flags: Any) -> Any:
        return flags.amax(self._batch_dims) if self._batch_shape else flags

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        df, size, factor = self.df, self._event_shape[-1], self._unbroadcasted_scale_tril
        trace = cholesky_solve(value, factor).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return (
            -df * (size * math.log(2) / 2 + half_log_det(factor)) - (df / 2).mvlgamma(p=size)
            + (df - size - 1) / 2 * slogdet(value).logabsdet
            - trace / 2
        )

    def entropy(self) -> Any:
        df, size = self.df, self._event_shape[-1]
        return (
            (size + 1) * (size * math.log(2) / 2 + half_log_det(self._unbroadcasted_scale_tril))
            + (df / 2).mvlgamma(p=size)
            - (df - size - 1) / 2 * _mvdigamma(df / 2, p=size)
            + df * size / 2
        )

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        size = self._event_shape[-1]
        half_df = y + (size + 1) / 2
        return half_df * (-slogdet(-2 * x).logabsdet + math.log(2) * size) + half_df.mvlgamma(p=size)
