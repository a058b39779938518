"""torch.utils._python_dispatch: what libraries ask about tensors that are made of other tensors."""

from __future__ import annotations

from ..core.value import TensorBase

__all__ = ["is_traceable_wrapper_subclass"]


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a tensor's class, or a class of tensors, says how to take it apart into tensors and back."""
    kind = t if isinstance(t, type) else type(t)
    return (
        issubclass(kind, TensorBase)
        and hasattr(kind, "__tensor_flatten__")
        and hasattr(kind, "__tensor_unflatten__")
    )
