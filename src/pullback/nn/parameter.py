"""Parameters: tensors that a module finds among its attributes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from ..core import calls
from ..core.node import DIFFERENTIABLE
from ..core.value import TensorBase, dtype_of
from ..tensor.overriding import _disabled_torch_function_impl
from ..tensor.printing import parameter_text
from ..tensor.serialization import attributes
from ..tensor.tensor import Tensor


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]  # the metaclass of the facade, whatever it is
    """Makes a subclass's tensor that is flagged as a parameter an instance of `Parameter`."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Parameter and isinstance(instance, TensorBase) and getattr(instance, "_is_param", False):
            return True
        return super().__instancecheck__(instance)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that is a module's parameter; a leaf that requires grad unless told otherwise.

    Parameters
    ----------
    data : tensor, optional
        Shares its storage.
    requires_grad : bool
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            value = np.empty((0,), np.float32)
            counter = [0]
        elif isinstance(data, TensorBase):
            value = data._value
            counter = data._counter
        else:
            raise TypeError(f"Parameter data has to be a tensor, but got {type(data).__name__}")
        if data is not None and type(data) is not Tensor and not isinstance(data, Parameter):
            made = data.detach().requires_grad_(requires_grad)
            made._is_param = True
            return made
        made = object.__new__(cls)
        made._value = value
        made._node = None
        made._counter = counter
        made._view = None
        if isinstance(data, TensorBase) and data._level:
            made._level = data._level
        if requires_grad:
            if dtype_of(made) not in DIFFERENTIABLE:
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            made.requires_grad_(True)
        return made

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        pass

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return parameter_text(super().__repr__())

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) in memo:
            return memo[id(self)]
        made = type(self)(self.data.clone(), self.requires_grad)
        memo[id(self)] = made
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        state = attributes(self)
        return _rebuild_parameter, (
            self.data,
            self.requires_grad,
            OrderedDict(),
            *((state,) if state else ()),
        )

    __torch_function__ = _disabled_torch_function_impl


def _rebuild_parameter(data: Any, requires_grad: bool, backward_hooks: Any, state: Any = None) -> Parameter:
    made = Parameter(data, requires_grad)
    made.__dict__.update(state or {})
    return made


class Buffer:
    """A tensor that a module registers as a buffer when it is assigned: ``Buffer(data, persistent=True)``."""

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        made = data.detach() if data is not None else Parameter(None, False).data
        made.requires_grad_(bool(data is not None and data.requires_grad))
        made._is_buffer = True  # type: ignore[union-attr]  # the facade has it
        made.persistent = persistent  # type: ignore[union-attr]  # the facade has it
        return made




Parameter.__module__ = "torch.nn.parameter"
calls.use_parameter(Parameter)

__all__ = ["Buffer", "Parameter"]
