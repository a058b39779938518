"""torch._C._functorch: what libraries ask of tensors inside transforms, and the axes that vmap hides."""

from typing import Any

from ...core.batched import Batched
from ...core.value import TensorBase
from ...func.vmap import _add_batch_dim, _remove_batch_dim
from ...tensor.batching import as_tensor

__all__ = ["_add_batch_dim", "_remove_batch_dim", "get_unwrapped", "is_batchedtensor"]


def is_batchedtensor(tensor: Any) -> bool:
    """Return whether `vmap` runs over a tensor, at the innermost transform."""
    return isinstance(tensor, TensorBase) and isinstance(tensor._value, Batched)


def get_unwrapped(tensor: Any) -> Any:
    """Return a tensor with the axis in view that the innermost `vmap` hides; any other as it is."""
    return as_tensor(tensor._value.value) if is_batchedtensor(tensor) else tensor
