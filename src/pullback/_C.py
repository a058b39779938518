"""torch._C: the few private names of torch's C++ part that libraries in Python call.

Classes that say they live there (`__module__` of `Size`, `Generator`, …) are found under it.
"""

from __future__ import annotations

from .core.value import TensorBase
from .ops.linalg import LinAlgError as _LinAlgError
from .size import Size
from .tensor.overriding import DisableTorchFunctionSubclass, _disabled_torch_function_impl
from .tensor.random import Generator

__all__ = [
    "DisableTorchFunctionSubclass", "Generator", "Size", "TensorBase", "_LinAlgError",
    "_disabled_torch_function_impl", "_get_tracing_state", "_log_api_usage_once",
]


def _get_tracing_state() -> None:
    """The state of `torch.jit.trace`, which records nothing here: None."""


def _log_api_usage_once(event: str) -> None:
    """Take the name of an API that is used; nothing is counted."""
