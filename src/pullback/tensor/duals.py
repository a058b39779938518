"""Tensors that carry a tangent: made with torch's checks, and taken apart."""

from typing import Any

from ..array import dtypes
from ..core.dual import Dual
from ..core.node import DIFFERENTIABLE
from ..core.value import dtype_of, shape_of, wrap
from .batching import as_tensor


def make_dual(primal: Any, tangent: Any, level: int) -> Any:
    """Return a tensor with a tangent at a level."""
    for what, value in (("primal", primal), ("tangent", tangent)):
        if dtype_of(value) not in DIFFERENTIABLE:
            found = dtypes.from_numpy_dtype(dtype_of(value))
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {found}")
    return with_tangent(primal, tangent, level)


def with_tangent(primal: Any, tangent: Any, level: int) -> Any:
    """Return a tensor with a tangent of its shape."""
    if shape_of(primal) != shape_of(tangent):
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, "
            f"this is not supported. Tensor is of size {list(shape_of(primal))} while the given forward "
            f"gradient is of size {list(shape_of(tangent))}."
        )
    return wrap(Dual(primal, tangent, level), None, level)


def tangent_of(tensor: Any, level: int) -> Any:
    """Return the tangent of a tensor at a level, as a tensor below it; None if it carries none."""
    value = tensor._value if tensor._level == level else None
    return as_tensor(value.tangent) if isinstance(value, Dual) and value._level == level else None
