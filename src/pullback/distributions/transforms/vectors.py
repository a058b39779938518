"""Define transforms of vectors and matrices: onto the simplex, Cholesky factors, positive definite ones."""

import math
from typing import Any

from ...array.dtype_limits import finfo
from ...core.size import Size
from ...linalg import cholesky
from ...nn.functional.activation import logsigmoid, softplus
from ...tensor.creation import eye
from ...tensor.padding import pad
from .. import constraints
from ..utils import tril_matrix_to_vec, vec_to_tril_matrix
from .base import PlainTransform, Transform, check_dimensions
from .elementwise import _clipped_sigmoid


class CorrCholeskyTransform(Transform):
    """Vectors of n·(n − 1)/2 numbers to Cholesky factors of n×n correlation matrices.

    The tanh of a vector fills the strict lower triangle with canonical partial correlations z. Row after row
    is then a stick of length 1, of which each element takes its share: yᵢⱼ = zᵢⱼ·Π_{k<j} √(1 − zᵢₖ²), and the
    diagonal takes what is left (Lewandowski, Kurowicka and Joe 2009).
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        eps = finfo(x.dtype).eps
        shares = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - shares**2).sqrt().cumprod(-1)
        shares = shares + eye(shares.shape[-1], dtype=shares.dtype, device=shares.device)
        return shares * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        left = pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        shares = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (shares.log1p() - shares.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        of_sticks = 0.5 * left.log().sum(-1)
        of_tanh = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return of_sticks + of_tanh

    def forward_shape(self, shape: Any) -> Any:
        check_dimensions(len(shape), 1)
        length = shape[-1]
        size = round((0.25 + 2 * length) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != length:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Any) -> Any:
        check_dimensions(len(shape), 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class SoftmaxTransform(PlainTransform):
    """Vectors to the simplex by y = eˣ / Σ eˣ. It is not bijective; the inverse is the logarithm."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        weights = (x - x.max(-1, True)[0]).exp()
        return weights / weights.sum(-1, True)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        check_dimensions(len(shape), 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(PlainTransform):
    """Vectors of n numbers to the simplex of n + 1: each takes its share of what is left of a stick.

    The shares are sigmoids of x − log(n − k), so that 0 is taken to equal parts.
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x: Any) -> Any:
        shares = _clipped_sigmoid(x - _parts_left(x).log())
        left = (1 - shares).cumprod(-1)
        return pad(shares, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        taken = y[..., :-1]
        left = (1 - taken.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return taken.log() - left.log() + _parts_left(taken).log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - _parts_left(x).log()
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        check_dimensions(len(shape), 1)
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Any:
        check_dimensions(len(shape), 1)
        return Size((*shape[:-1], shape[-1] - 1))


def _parts_left(x: Any) -> Any:
    """Return n, n − 1, …, 1."""
    size = x.shape[-1]
    return size + 1 - x.new_ones(size).cumsum(-1)


class LowerCholeskyTransform(PlainTransform):
    """Square matrices to lower triangular ones, the diagonal made positive by the exponential."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(PlainTransform):
    """Square matrices to positive definite ones, by way of a Cholesky factor L: y = L·Lᵀ."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(cholesky(y))
