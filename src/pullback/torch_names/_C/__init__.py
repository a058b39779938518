"""torch._C: the few private names of torch's C++ part that libraries in Python call.

Classes that say they live there (`__module__` of `Size`, `Generator`, …) are found under it.
"""

from __future__ import annotations

from enum import Enum
from importlib import import_module
from typing import Any

from ...core.modes import modes
from ...core.size import Size
from ...core.value import TensorBase
from ...ops.linalg import LinAlgError as _LinAlgError
from ...tensor.conversion import parse_to
from ...tensor.overriding import DisableTorchFunctionSubclass, _disabled_torch_function_impl
from ...tensor.random import Generator
from ...tensor.wrappers import _disabled_torch_dispatch_impl
from ..absent_devices import uninstantiable
from .built_in import BuiltInFunctions

__all__ = [
    "Block", "DisableTorchFunctionSubclass", "DispatchKey", "DispatchKeySet", "Generator", "Graph", "Node",
    "Size", "TensorBase", "Type", "Value", "_LinAlgError", "_TensorMeta", "_are_functorch_transforms_active",
    "_disabled_torch_dispatch_impl", "_disabled_torch_function_impl", "_fft", "_get_tracing_state",
    "_is_alias_of", "_is_torch_function_mode_enabled", "_is_tracing", "_linalg", "_log_api_usage_once",
    "_nn", "_special",
]


def _get_tracing_state() -> None:
    """Return the state of `torch.jit.trace`, which records nothing here: None."""


def _is_tracing() -> bool:
    """Return whether `torch.jit.trace` is recording: False."""
    return False


def _log_api_usage_once(event: str) -> None:
    """Take the name of an API that is used; nothing is counted."""


def _are_functorch_transforms_active() -> bool:
    """Return whether a transform of a function is running."""
    return bool(modes().transform)


def _is_alias_of(a: Any, b: Any) -> bool:
    """Return whether two tensors have the same storage."""
    return bool(a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr())


#: Parts of TorchScript's programs, in which nothing is compiled here; libraries annotate with them.
globals().update(
    uninstantiable(
        ("Block", "Graph", "Node", "Type", "Value"), "torch._C", "{} is a part of TorchScript programs"
    )
)

def _is_torch_function_mode_enabled() -> bool:
    """Return whether a `TorchFunctionMode` is on."""
    return bool(modes().function_modes)


#: Where torch's pickles find the functions of the top level.
_VariableFunctions = _VariableFunctionsClass = import_module(__name__.partition(".")[0])

#: The class of the class of tensors.
_TensorMeta = type(TensorBase)

#: Where built-in functions say that they are. What modules written in Python ask for is there, too: how
#: arguments of `to` are read.
_nn = BuiltInFunctions("torch._C._nn", _parse_to=parse_to)
_fft, _linalg, _special = (BuiltInFunctions(f"torch._C.{name}") for name in ("_fft", "_linalg", "_special"))


class DispatchKey(Enum):
    """The names under which kernels of torch's are registered; pullback has one kernel for each op."""

    CPU, CUDA, XPU, MPS, Meta = "CPU", "CUDA", "XPU", "MPS", "Meta"
    CompositeImplicitAutograd, CompositeExplicitAutograd = (
        "CompositeImplicitAutograd",
        "CompositeExplicitAutograd",
    )
    Autograd, AutogradCPU, AutogradCUDA = "Autograd", "AutogradCPU", "AutogradCUDA"
    AutocastCPU, AutocastCUDA, AutocastXPU = "AutocastCPU", "AutocastCUDA", "AutocastXPU"


class DispatchKeySet:
    """A set of such names."""

    def __init__(self, key: DispatchKey) -> None:
        self._keys = frozenset({key})

    @classmethod
    def _of(cls, keys: frozenset[DispatchKey]) -> DispatchKeySet:
        made = object.__new__(cls)
        made._keys = keys
        return made

    def has(self, key: DispatchKey) -> bool:
        """Return whether a name is in the set."""
        return key in self._keys

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self._of(self._keys | other._keys)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self._of(self._keys & other._keys)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self._of(self._keys - other._keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self._keys == other._keys

    def __hash__(self) -> int:
        return hash(self._keys)
