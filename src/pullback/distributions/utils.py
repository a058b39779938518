"""Say what the distributions share: broadcasting of parameters, probabilities and logits, triangles
as vectors.
"""

from collections.abc import Callable
from functools import update_wrapper
from operator import attrgetter
from typing import Any, Final

from numpy import ndarray

from ..array.dtype_limits import finfo
from ..array.dtypes import get_default_dtype
from ..autograd.grad_mode import enable_grad
from ..core.tracer import is_tracing
from ..nn.functional.activation import softmax
from ..tensor.broadcast import broadcast_tensors
from ..tensor.creation import empty, tensor
from ..tensor.ranges import arange
from ..tensor.tensor import Tensor

__all__ = [
    "broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits",
    "tril_matrix_to_vec", "vec_to_tril_matrix",
]

#: γ = −ψ(1), the Euler–Mascheroni constant.
euler_constant: Final[float] = 0.5772156649015329

#: What counts as a number and not as a tensor.
NUMBER = (int, float, bool)


def delegated(path: str, doc: str | None = None) -> Any:
    """Return a property that reads an attribute, or an attribute of an attribute by a dotted path."""
    read = attrgetter(path)

    def value(self: Any) -> Any:
        return read(self)

    return property(value, doc=doc)


def formula(compute: Callable[[Any], Any]) -> Any:
    """Return a property that a formula gives."""
    return property(compute)


def is_unknown(value: Any) -> bool:
    """Return whether a value is a part of a trace, for which `torch.compile` too checks no numbers."""
    return is_tracing() and isinstance(value, Tensor) and type(value._value) is not ndarray


def broadcast_all(*values: Any) -> tuple[Any, ...]:
    """Return the values as tensors of one shape.

    Numbers become tensors of the dtype and on the device of the first tensor, or of the default dtype.

    Raises
    ------
    ValueError
        Where a value is neither a number nor a tensor.
    """
    if not all(_is_tensor_like(v) or isinstance(v, NUMBER) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            "__torch_function__."
        )
    if all(map(_is_tensor_like, values)):
        return broadcast_tensors(*values)
    options: dict[str, Any] = {"dtype": get_default_dtype()}
    for value in values:
        if isinstance(value, Tensor):
            options = {"dtype": value.dtype, "device": value.device}
            break
    return broadcast_tensors(*(v if _is_tensor_like(v) else tensor(v, **options) for v in values))


def _is_tensor_like(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(type(value), "__torch_function__")


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Any:
    """Return normal numbers of mean 0 and variance 1."""
    return empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Any, dim: int) -> Any:
    """Return the sum over the last `dim` dimensions."""
    return value if dim == 0 else value.reshape((*value.shape[:-dim], -1)).sum(-1)


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """Return probabilities: 1/(1 + e^−x) of logits x, or the softmax of the last axis for categories."""
    return logits.sigmoid() if is_binary else softmax(logits, dim=-1)


def clamp_probs(probs: Any) -> Any:
    """Return the probabilities, kept from 0 and 1 by the dtype's epsilon."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """Return logits: log(p/(1 − p)), or log p where the probabilities are categories'."""
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


class lazy_property:
    """A property that is computed when first asked for, with gradients recorded, and then kept."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]  # a property takes the function's name and docstring

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _lazy_property_and_property(lazy_property, property):
    """Give a property where the class itself is asked, so that documentation tools know it for one."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        property.__init__(self, wrapped)


def _tril_mask(size: int, diag: int) -> Any:
    positions = arange(size)
    return positions < positions.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat: Any, diag: int = 0) -> Any:
    """Return the lower triangle of matrices, row after row.

    Parameters
    ----------
    mat : Tensor
        Shape (*, n, n).
    diag : int
        The highest diagonal that belongs to the triangle.
    """
    size = mat.shape[-1]
    if diag < -size or diag >= size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    return mat[..., _tril_mask(size, diag)]


def vec_to_tril_matrix(vec: Any, diag: int = 0) -> Any:
    """Return matrices of a lower triangle's rows, zeros above: the inverse of `tril_matrix_to_vec`."""
    length = vec.shape[-1]
    # A triangle below diagonal d of an n×n matrix has n·(n + 1)/2 + n·d − |d|·(d + 1)/2 elements, d ≤ 0.
    width = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * length + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(width) - width > finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {length} which cannot be expressed as the lower triangular part "
            "of a square D x D matrix."
        )
    size = round(width)
    matrix = vec.new_zeros((*vec.shape[:-1], size, size))
    matrix[..., _tril_mask(size, diag)] = vec
    return matrix
