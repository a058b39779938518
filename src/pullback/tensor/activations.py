"""Activations and distances that torch has at its top level as well as in nn.functional."""

from typing import Any

import numpy as np

from .. import errors
from ..array import dtypes
from ..array.dtype_words import not_implemented, type_word
from ..core.meta import Meta
from ..core.promotion import check_broadcast
from ..core.value import TensorBase, dtype_of, shape_of
from ..ops import activation as o
from ..ops import reduce as r
from ..ops.convert import cast
from ..ops.mixture import clamp
from ..ops.structure import expand, reshape, sum_dims
from .api import public
from .properties import common_dtype
from .sizes import tensor
from .tensor import checked_dim


def check_floating(name: str, input: Any) -> None:
    """Raise torch's error for what is no floating-point tensor; `name` is the kernel's."""
    if not isinstance(input, TensorBase):
        raise errors.argument_type(name, "input", 1, "Tensor", input)
    if dtype_of(input).kind not in "fV" or dtype_of(input) in dtypes.FLOAT8_NUMPY:
        raise not_implemented(name, dtype_of(input))


def _prelu(input: Any, weight: Any) -> Any:
    shape, own = shape_of(input), shape_of(weight)
    tensor("prelu", "weight", weight, 2)
    count = 1
    for n in own:
        count *= n
    if count != 1:
        if not shape:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = shape[1] if len(shape) > 1 else 1
        if channels != count:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {count} "
                f"and channel size = {channels}."
            )
    if len(own) > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {len(own)}"
        )
    if dtype_of(input) != dtype_of(weight):
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {type_word(dtype_of(input))} and "
            f"{type_word(dtype_of(weight))}"
        )
    if own and not shape:
        weight = reshape(weight, ())
    elif own and shape != own:
        weight = reshape(weight, (1, count, *(1,) * (len(shape) - 2)) if len(shape) > 1 else (count,))
    return o.prelu(input, weight)


@public
def prelu(input: Any, weight: Any) -> Any:
    """Return input where positive, else weight·input, a weight for each channel (dim 1) or one for all."""
    return _prelu(input, weight)


@public
def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """Return input where |input| > `lambd`, else 0."""
    check_floating("hardshrink_cpu", input)
    kind = dtype_of(input)
    return o.hardshrink(input, float(np.asarray(lambd, kind)) if kind.itemsize == 2 else float(lambd))


@public(method=False, out=False)
def selu(input: Any) -> Any:
    """Return the self-normalising `elu`: scale 1.0507, α 1.6733."""
    check_floating("elu_cpu", input)
    return o.elu(input, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1.0)


@public(method=False, out=False)
def celu(input: Any, alpha: float = 1.0) -> Any:
    """Return input where it is positive, else α(exp(input/α) − 1)."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    check_floating("elu_cpu", input)
    return o.celu(input, float(alpha))


@public(method=False)
def threshold(input: Any, threshold: float, value: float) -> Any:
    """Return input where it is above `threshold`, else `value`."""
    return o.threshold(input, threshold, value)


@public(method=False, out=False)
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """Return Σ x1·x2 / (|x1|·|x2|) along `dim`, norms no less than `eps`."""
    alike = shape_of(x1) == shape_of(x2) and dtype_of(x1) == dtype_of(x2)
    dtype = dtype_of(x1) if alike else common_dtype(x1, x2)
    if dtype.kind not in "fV":
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {type_word(dtype)}"
        )
    shape = shape_of(x1)
    if not alike:
        check_broadcast([np.broadcast_to(True, shape_of(x)) for x in (x1, x2)])
        shape = np.broadcast_shapes(shape, shape_of(x2))
    found = checked_dim(dim, len(shape))
    dims = (found,) if shape else ()
    parts = []
    for given in (x1, x2):
        x = given if shape_of(given) == shape else expand(given, shape)
        x = x if dtype_of(x) == dtype else cast(x, dtype)
        norm = r.vector_norm(x, 2.0, dims, True)
        # What lifts a norm to eps is a constant where it applies: the norm's own slope is kept, as in torch.
        plain = norm._node is None and isinstance(norm._value, (np.ndarray, Meta))
        parts.append(x / (clamp(norm, eps, None) if plain else norm + clamp(eps - norm.detach(), 0, None)))
    return sum_dims(parts[0] * parts[1], dims, False)


@public(method=False, out=False)
def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """Return the norm of order p of x1 − x2 + eps along the last dim."""
    d = tensor("pairwise_distance", "x1", x1) - tensor("pairwise_distance", "x2", x2, 2) + eps
    return r.norm_dims(d, float(p), (len(shape_of(d)) - 1,) if shape_of(d) else (), keepdim)
