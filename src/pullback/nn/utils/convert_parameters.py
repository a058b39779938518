"""Put parameters into one vector and back."""

from collections.abc import Iterable
from typing import Any

from ...core.value import TensorBase
from ...tensor.join import cat
from ...tensor.settings import typename


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """Return all parameters, flattened one after another."""
    return cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Write consecutive parts of a vector into the parameters' data."""
    if not isinstance(vec, TensorBase):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    vector: Any = vec
    start = 0
    for p in parameters:
        count = p.numel()
        p.data = vector[start : start + count].view_as(p).data
        start += count
