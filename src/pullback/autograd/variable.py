"""Define `Variable`, which has been the tensor itself since torch 0.4: calling it returns a tensor."""

from typing import Any

from ..core.backward_task import queue_callback
from ..tensor.tensor import Tensor


class VariableMeta(type):
    """Make every tensor an instance of `Variable`."""

    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, Tensor)


class ExecutionEngine:
    """Hold what runs backward, as programs reach it through `Variable._execution_engine`."""

    queue_callback = staticmethod(queue_callback)


class Variable(metaclass=VariableMeta):
    """``Variable(data, requires_grad=False, volatile=False)`` returns a leaf that shares `data`'s storage."""

    _execution_engine = ExecutionEngine()

    def __new__(cls, data: object = None, requires_grad: bool = False, volatile: bool | None = None) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_(requires_grad)


Variable.__module__ = "torch.autograd.variable"
