"""What Python asks of a tensor: truth, length, numbers, iteration, text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.value import TensorBase, array_of, dtype_of, shape_of
from ..ops.structure import unbind
from .printing import tensor_text
from .tensor import Tensor, check_not_batched
from .wrapped_text import wrapped_text


def _bool(self: Any) -> bool:
    if self._level:
        check_not_batched(self, "bool")
    array = array_of(self)
    if array.size != 1:
        if array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(array.item())


def _float(self: Any) -> float:
    return float(self.item())


def _int(self: Any) -> int:
    return int(self.item())


def _complex(self: Any) -> complex:
    return complex(self.item())


def _index(self: Any) -> int:
    if dtype_of(self).kind not in "iub" or array_of(self).size != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self.item())


def _len(self: Any) -> int:
    shape = shape_of(self)
    if not shape:
        raise TypeError("len() of a 0-d tensor")
    return shape[0]


def _iter(self: Any) -> Iterator[Any]:
    if not shape_of(self):
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(self, 0))


def _repr(self: Any, *, tensor_contents: Any = None) -> str:
    if self._level:
        return wrapped_text(self)
    node = self.grad_fn
    return tensor_text(
        array_of(self), contents=tensor_contents, requires_grad=self.requires_grad,
        grad_fn=None if node is None else type(node).__name__,
    )


def _format(self: Any, spec: str) -> str:
    if not shape_of(self) and type(self) is Tensor:
        return format(self.item(), spec)
    return object.__format__(self, spec)


def numpy(self: Any, *, force: bool = False) -> ndarray:
    """The elements as a NumPy array that shares memory."""
    if self.requires_grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return array_of(self).view()


def tolist(self: Any) -> Any:
    """The elements as nested lists of Python numbers."""
    array = array_of(self)
    return (array.astype(np.float32) if array.dtype.kind == "V" else array).tolist()


def _array(self: Any, dtype: Any = None, copy: bool | None = None) -> ndarray:
    array = numpy(self)
    return array if dtype is None else array.astype(dtype, copy=False)


for _name, _function in {
    "__bool__": _bool, "__float__": _float, "__int__": _int, "__complex__": _complex, "__index__": _index,
    "__len__": _len, "__iter__": _iter, "__repr__": _repr, "__format__": _format, "__array__": _array,
    "numpy": numpy, "tolist": tolist, "__array_priority__": 1000,
}.items():  # fmt: skip
    setattr(Tensor, _name, _function)

__all__ = ["TensorBase", "numpy", "tolist"]
