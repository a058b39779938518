"""torch.nn.utils.parametrizations: weights that are orthogonal, or have a given or bounded norm."""

from enum import Enum, auto
from typing import Any

from ...array.dtype_limits import finfo
from ...autograd.grad_mode import no_grad
from ...linalg import householder_product, solve
from ...tensor.closeness import allclose
from ...tensor.contract import mv, vdot
from ...tensor.creation import eye
from ...tensor.creation_like import zeros_like
from ...tensor.factorizations import geqrf
from ...tensor.join import cat
from ...tensor.matrix_functions import matrix_exp
from ...tensor.older_norms import norm_except_dim
from ...tensor.random import randn
from ...tensor.tensor import Tensor
from .. import functional as F
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from .parametrize import register_parametrization
from .weight_norm import normed


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _is_orthogonal(matrix: Any) -> bool:
    rows, columns = matrix.shape[-2:]
    tolerance = 10.0 * rows * finfo(matrix.dtype).eps
    return allclose(matrix.mH @ matrix, eye(columns, dtype=matrix.dtype), atol=tolerance)


def _nearby_orthogonal(matrix: Any) -> Any:
    """Return the orthogonal factor of a QR factorisation whose triangular factor has a positive diagonal."""
    factors, tau = geqrf(matrix)
    return householder_product(factors, tau) * _diagonal(factors).sgn().unsqueeze(-2)


def _diagonal(matrix: Any) -> Any:
    return matrix.diagonal(dim1=-2, dim2=-1)


class _Orthogonal(Module):
    """Make a tall matrix X orthogonal, and a wide one's transpose.

    With A the skew-symmetric part that the lower triangle of X gives, the maps are ``exp(A)``,
    ``(1 + A/2)(1 − A/2)⁻¹`` (Cayley) and the product of the Householder reflections that are below the
    diagonal of X (Lezcano-Casado & Martínez-Rubio 2019). With trivialization the result is multiplied by the
    matrix that was assigned last.
    """

    base: Any

    def __init__(self, weight: Any, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        """Return the orthogonal matrix."""
        wide = X.size(-2) < X.size(-1)
        matrix = X.mT if wide else X
        if self.orthogonal_map is _OrthMaps.householder:
            result = self._reflections(matrix)
        else:
            result = self._of_skew_symmetric(matrix)
        if hasattr(self, "base"):
            result = self.base @ result
        return result.mT if wide else result

    def _of_skew_symmetric(self, matrix: Any) -> Any:
        n, k = matrix.shape[-2:]
        lower = matrix.tril()
        if n != k:
            lower = cat([lower, lower.new_zeros(n, n - k).expand(*lower.shape[:-2], -1, -1)], dim=-1)
        skew = lower - lower.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            result = matrix_exp(skew)
        else:
            one = eye(n, dtype=skew.dtype)
            result = solve(one.add(skew, alpha=-0.5), one.add(skew, alpha=0.5))
        return result[..., :k] if n != k else result

    @staticmethod
    def _reflections(matrix: Any) -> Any:
        below = matrix.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (below * below).sum(dim=-2))
        return householder_product(below, tau) * _diagonal(matrix).int().unsqueeze(-2)

    @no_grad()
    def right_inverse(self, Q: Any) -> Any:
        """Return a matrix that `forward` maps to Q, or to an orthogonal matrix near it."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape "
                f"{Q.shape}."
            )
        wide = Q.size(-2) < Q.size(-1)
        matrix = Q.mT if wide else Q
        if hasattr(self, "base"):
            self.base = self._completed(matrix)
            start = zeros_like(Q)
            _diagonal(start).fill_(-1.0)
            return start
        if self.orthogonal_map is not _OrthMaps.householder:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        factors, tau = geqrf(matrix)
        signs = _diagonal(factors)
        signs.sign_()
        signs[tau == 0.0] *= -1
        return factors.mT if wide else factors

    @staticmethod
    def _completed(matrix: Any) -> Any:
        """Return a square orthogonal matrix whose first columns are those given, made orthogonal."""
        n, k = matrix.shape[-2:]
        if n == k:
            return matrix.clone() if _is_orthogonal(matrix) else _nearby_orthogonal(matrix)
        others = randn((*matrix.shape[:-2], n, n - k), dtype=matrix.dtype)
        return _nearby_orthogonal(cat([matrix, others], dim=-1))


def _weight_of(module: Any, name: str) -> Any:
    if not isinstance((weight := getattr(module, name, None)), Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Keep a matrix of a module orthogonal: ``QᵀQ = 1`` where it is tall, ``QQᵀ = 1`` where it is wide.

    Parameters
    ----------
    module : Module
    name : str
    orthogonal_map : {"matrix_exp", "cayley", "householder"}, optional
        By default "matrix_exp" for square and complex matrices and else "householder".
    use_trivialization : bool
        Multiply by the matrix that was assigned last, so that training begins at the identity.
    """
    weight: Any = _weight_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if (chosen := getattr(_OrthMaps, orthogonal_map, None)) is None:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    function = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    return register_parametrization(module, name, function, unsafe=True)


class _WeightNorm(Module):
    """``g · v / |v|``, with the norm of each slice along an axis."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        """Return the weight."""
        return normed(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> Any:
        """Return its norms, and itself."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int = 0) -> Any:
    """Split a weight into its norms (`original0`) and its direction (`original1`) (Salimans & Kingma 2016).

    Parameters
    ----------
    module : Module
    name : str
    dim : int
        The axis along which each slice has a norm of its own; None for one norm.
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def accept_old_names(state_dict: Any, prefix: str, *_: Any) -> None:
        keys = (f"{prefix}{name}_g", f"{prefix}{name}_v")
        if all(key in state_dict for key in keys):
            for i, key in enumerate(keys):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(accept_old_names)
    return module


class _SpectralNorm(Module):
    """A weight divided by its largest singular value, which power iteration keeps track of while training."""

    _u: Any
    _v: Any

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        rank = weight.ndim
        if not -rank <= dim < rank:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{rank}, {rank - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + rank
        self.eps = eps
        if rank > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._as_matrix(weight)
            u, v = (matrix.new_empty(size).normal_(0, 1) for size in matrix.shape)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _as_matrix(self, weight: Any) -> Any:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)

    @no_grad()
    def _iterate(self, matrix: Any, count: int) -> None:
        for _ in range(count):
            self._u = F.normalize(mv(matrix, self._v), dim=0, eps=self.eps, out=self._u)
            self._v = F.normalize(mv(matrix.H, self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Any) -> Any:
        """Return the weight over its largest singular value."""
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._as_matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        # the next call writes into the buffers, which `backward` would find changed
        u, v = self._u.clone(), self._v.clone()
        return weight / vdot(u, mv(matrix, v))

    def right_inverse(self, value: Any) -> Any:
        """Return the value: what has another norm cannot be told from it."""
        return value


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a weight by its largest singular value (Miyato et al. 2018).

    Parameters
    ----------
    module : Module
    name : str
    n_power_iterations : int
        Steps of power iteration in every call while training.
    eps : float
        Added to norms that are divided by.
    dim : int, optional
        The axis of the outputs: by default 1 for transposed convolutions and else 0.
    """
    weight = _weight_of(module, name)
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


__all__ = ["orthogonal", "spectral_norm", "weight_norm"]
for _class in (_Orthogonal, _WeightNorm, _SpectralNorm):
    _class.__module__ = "torch.nn.utils.parametrizations"
del _class
