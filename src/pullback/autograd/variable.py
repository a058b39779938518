"""`Variable`, which has been the tensor itself since torch 0.4: calling it returns a tensor."""

from __future__ import annotations

from typing import Any

from ..tensor.tensor import Tensor


class VariableMeta(type):
    """Makes every tensor an instance of `Variable`."""

    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=VariableMeta):
    """``Variable(data, requires_grad=False, volatile=False)`` returns a leaf that shares `data`'s storage."""

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool | None = None) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_(requires_grad)


Variable.__module__ = "torch.autograd.variable"
