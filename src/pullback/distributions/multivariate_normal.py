"""Define normal distributions of vectors, with any covariance or with one of low rank and a diagonal."""

import math
from typing import Any, ClassVar

import numpy as np

from ..array.summation import sum_over
from ..core.size import Size
from ..core.value import wrap
from ..linalg import cholesky, solve_triangular
from ..ops.triangular import solve_triangular as triangular
from ..tensor.broadcast import broadcast_shapes, broadcast_tensors
from ..tensor.creation import eye
from ..tensor.linear_algebra import cholesky_inverse
from ..tensor.rearrange import diag_embed, flip
from ..tensor.unrecorded import arrays, computed
from . import constraints
from .distribution import Distribution, _Symmetric
from .utils import _standard_normal, formula, lazy_property


def _batch_mv(matrices: Any, vectors: Any) -> Any:
    """Return products of matrices and vectors."""
    return (matrices @ vectors.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(factors: Any, vectors: Any) -> Any:
    """Return xᵀ·(L·Lᵀ)⁻¹·x = |L⁻¹·x|², of Cholesky factors L whose batch may be smaller than that of the x.

    Parameters
    ----------
    factors : Tensor
        Shape (*b, n, n).
    vectors : Tensor
        Shape (*s, *c, n), where b expands to c.

    Returns
    -------
    Tensor
        Shape (*s, *c).
    """
    size = vectors.size(-1)
    if (plain := arrays(factors, vectors)) and plain[0].ndim == 2:
        # One factor and no history: 4 vectors of 3 take 100 µs by all that a graph shows, and 30 so.
        return wrap(computed(_mahalanobis, *plain))
    outer = vectors.dim() - 1 - (factors.dim() - 2)
    # A dimension of c that is k times that of b is cut in two, and the parts of size k go to the front: each
    # factor then solves for all of its vectors at once.
    shape = list(vectors.shape[:outer])
    for of_factor, of_vector in zip(factors.shape[:-2], vectors.shape[outer:-1]):
        shape += [of_vector // of_factor, of_factor]
    cut = vectors.reshape((*shape, size))
    repeats, own = range(outer, len(shape), 2), range(outer + 1, len(shape), 2)
    order = [*range(outer), *repeats, *own]
    cut = cut.permute((*order, len(shape)))
    flat_factors = factors.reshape(-1, size, size)
    columns = cut.reshape(-1, flat_factors.size(0), size).permute(1, 2, 0)
    squares = solve_triangular(flat_factors, columns, upper=False).pow(2).sum(-2).t()
    back = [order.index(dim) for dim in range(len(shape))]
    return squares.reshape(cut.shape[:-1]).permute(back).reshape(vectors.shape[:-1])


_solved = triangular.op.kernel


def _mahalanobis(factor: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    columns = vectors.reshape(1, -1, len(factor)).swapaxes(1, 2)
    solved = _solved(factor[None], columns, False, True, False)
    return np.asarray(sum_over(np.square(solved), (1,))).reshape(vectors.shape[:-1])


def _precision_to_scale_tril(precision: Any) -> Any:
    """Return the Cholesky factor of the inverse of matrices, by that of the matrices turned round."""
    turned = cholesky(flip(precision, (-2, -1)))
    inverse = flip(turned, (-2, -1)).transpose(-2, -1)
    identity = eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return solve_triangular(inverse, identity, upper=False)


def half_log_det(factors: Any) -> Any:
    """Return ½·log det(L·Lᵀ) of Cholesky factors L."""
    return factors.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class FullCovariance(Distribution):
    """Hold what distributions share that have a matrix as covariance, its inverse or its Cholesky factor."""

    #: The names under which the matrix can be given.
    _matrices = ("covariance_matrix", "scale_tril", "precision_matrix")
    _unbroadcasted_scale_tril: Any

    def _set_matrix(self, name: str, matrix: Any) -> None:
        """Keep the Cholesky factor of the matrix that was given."""
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)

    @property
    def _matrix_shape(self) -> Size:
        size = self._event_shape[-1]
        return Size((*self._batch_shape, size, size))

    @lazy_property
    def scale_tril(self) -> Any:
        """Return the Cholesky factor L of the covariance."""
        return self._unbroadcasted_scale_tril.expand(self._matrix_shape)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """Return the covariance L·Lᵀ."""
        factor = self._unbroadcasted_scale_tril
        return (factor @ factor.mT).expand(self._matrix_shape)

    @lazy_property
    def precision_matrix(self) -> Any:
        """Return the inverse of the covariance."""
        return cholesky_inverse(self._unbroadcasted_scale_tril).expand(self._matrix_shape)


def given_matrix(error: type[Exception], covariance: Any, precision: Any, factor: Any) -> tuple[str, Any]:
    """Return the name and the value of the one that is given, or torch's error."""
    every = {"covariance_matrix": covariance, "precision_matrix": precision, "scale_tril": factor}
    given = [(name, matrix) for name, matrix in every.items() if matrix is not None]
    if len(given) != 1:
        raise error("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    return given[0]


class MultivariateNormal(_Symmetric, FullCovariance):
    """The normal distribution of vectors: with Σ the covariance,
    p(x) = exp(−½·(x − loc)ᵀ·Σ⁻¹·(x − loc)) / √((2π)ⁿ·det Σ).

    Parameters
    ----------
    loc : Tensor
        The mean, shape (*, n).
    covariance_matrix, precision_matrix, scale_tril : Tensor, optional
        Σ, its inverse, or its Cholesky factor, shape (*, n, n); one of them is given. With the factor nothing
        has to be computed.
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support: Any = constraints.real_vector
    has_rsample = True
    _parameters = ("loc", *FullCovariance._matrices)
    _kept = ("_unbroadcasted_scale_tril",)

    def __init__(
        self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = given_matrix(ValueError, covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            what = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(
                f"{what} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._set_matrix(name, matrix)

    @property
    def variance(self) -> Any:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        noise = _standard_normal(shape, self.loc.dtype, self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, noise)

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        factor = self._unbroadcasted_scale_tril
        distance = _batch_mahalanobis(factor, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half_log_det(factor)

    def entropy(self) -> Any:
        own = half_log_det(self._unbroadcasted_scale_tril)
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + own
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy


def _plus_identity(matrices: Any) -> Any:
    size = matrices.size(-1)
    return matrices + eye(size, dtype=matrices.dtype, device=matrices.device)


def _batch_capacitance_tril(factor: Any, diagonal: Any) -> Any:
    """Return the Cholesky factor of the capacitance matrix I + Wᵀ·D⁻¹·W."""
    return cholesky(_plus_identity((factor.mT / diagonal.unsqueeze(-2)) @ factor))


def _batch_lowrank_logdet(factor: Any, diagonal: Any, capacitance_tril: Any) -> Any:
    """Return log det(W·Wᵀ + D), by the matrix determinant lemma."""
    return 2 * half_log_det(capacitance_tril) + diagonal.log().sum(-1)


def _batch_lowrank_mahalanobis(factor: Any, diagonal: Any, x: Any, capacitance_tril: Any) -> Any:
    """Return xᵀ·(W·Wᵀ + D)⁻¹·x, by the Woodbury identity."""
    projected = _batch_mv(factor.mT / diagonal.unsqueeze(-2), x)
    return (x.pow(2) / diagonal).sum(-1) - _batch_mahalanobis(capacitance_tril, projected)


class LowRankMultivariateNormal(_Symmetric, Distribution):
    """The normal distribution of vectors with the covariance W·Wᵀ + D.

    Determinants and inverses are those of m×m matrices, by the matrix determinant lemma and the Woodbury
    identity.

    Parameters
    ----------
    loc : Tensor
        The mean, shape (*, n).
    cov_factor : Tensor
        W, shape (*, n, m).
    cov_diag : Tensor
        The diagonal of D, > 0, shape (*, n).
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support: Any = constraints.real_vector
    has_rsample = True
    _parameters = ("loc", "cov_factor", "cov_diag")
    _kept = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch dimensions"
            )
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            wide_loc, self.cov_factor, wide_diag = broadcast_tensors(
                loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1)
            )
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag "
                f"{cov_diag.shape}"
            ) from error
        self.loc = wide_loc[..., 0]
        self.cov_diag = wide_diag[..., 0]
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(self.loc.shape[:-1], event_shape, validate_args=validate_args)

    @property
    def _low_rank(self) -> tuple[Any, Any, Any]:
        """Return W, D's diagonal, and the factor of the capacitance matrix, as they were given."""
        return self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, self._capacitance_tril

    _matrix_shape = formula(lambda self: Size((*self._batch_shape, *self._event_shape, *self._event_shape)))

    @lazy_property
    def variance(self) -> Any:
        factor, diagonal, _ = self._low_rank
        return (factor.pow(2).sum(-1) + diagonal).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Any:
        """Return the Cholesky factor of the covariance: √D times that of I + D^(−½)·W·Wᵀ·D^(−½)."""
        factor, diagonal, _ = self._low_rank
        root = diagonal.sqrt().unsqueeze(-1)
        scaled = factor / root
        return (root * cholesky(_plus_identity(scaled @ scaled.mT))).expand(self._matrix_shape)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """Return W·Wᵀ + D."""
        factor, diagonal, _ = self._low_rank
        return (factor @ factor.mT + diag_embed(diagonal)).expand(self._matrix_shape)

    @lazy_property
    def precision_matrix(self) -> Any:
        """Return the inverse of the covariance, by the Woodbury identity."""
        factor, diagonal, capacitance = self._low_rank
        solved = solve_triangular(capacitance, factor.mT / diagonal.unsqueeze(-2), upper=False)
        return (diag_embed(diagonal.reciprocal()) - solved.mT @ solved).expand(self._matrix_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        factor, diagonal, _ = self._low_rank
        options = self.loc.dtype, self.loc.device
        common = _standard_normal((*shape[:-1], self.cov_factor.shape[-1]), *options)
        own = _standard_normal(shape, *options)
        return self.loc + _batch_mv(factor, common) + diagonal.sqrt() * own

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        factor, diagonal, capacitance = self._low_rank
        distance = _batch_lowrank_mahalanobis(factor, diagonal, value - self.loc, capacitance)
        log_det = _batch_lowrank_logdet(factor, diagonal, capacitance)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + log_det + distance)

    def entropy(self) -> Any:
        log_det = _batch_lowrank_logdet(*self._low_rank)
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_det)
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
