"""Answer what Python asks of a tensor: truth, length, numbers, iteration, text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.deferred_import import import_later
from ..core import facade
from ..core.levels import META
from ..core.marked import Marked
from ..core.meta import is_meta
from ..core.modes import modes
from ..core.value import TensorBase, array_of, dtype_of, innermost, number_of, settled, shape_of
from ..core.versions import bump
from ..core.visible import bits_of
from ..core.warn import warn_once
from ..core.wrapper import is_wrapper
from ..ops.structure import unbind
from .conversion import type_name
from .data import overflow, stored
from .signature import method
from .sizes import tensor as checked_tensor
from .tensor import Tensor, check_has_number

interchange = import_later(".interchange", __package__)

printing = import_later(".printing", __package__)


def _bool(self: Any) -> bool:
    if self._level:
        check_has_number(self, "bool")
    if (count := math.prod(shape_of(self))) != 1:
        if count == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(number_of(self))


def warn_of_lost_history(tensor: Any) -> None:
    """Warn, once, that a number is taken of a tensor that has a history; torch does not of an integer."""
    if tensor.requires_grad and modes().grad:
        warn_once(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
            "Consider using tensor.detach() first.",
        )


def _number(self: Any) -> Any:
    """Return the one element."""
    if self._level:
        check_has_number(self, "item")
    if math.prod(shape_of(self)) != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self.item()


def _is_bare(self: Any, kind: str) -> bool:
    """Return whether a tensor is one number of a kind of dtypes and has no history to be lost."""
    value = self._value
    return (
        type(value) is ndarray
        and value.size == 1
        and value.dtype.kind == kind
        and self._node is None
        and self._view is None
    )


def _float(self: Any) -> float:
    if _is_bare(self, "f"):  # 0.4 µs instead of 1.3
        return float(self._value.item())
    number = _real(_number(self), "double")
    warn_of_lost_history(self)
    return float(number)


def _int(self: Any) -> int:
    return int(self._value.item()) if _is_bare(self, "i") else int(_real(_number(self), "int64_t"))


def _real(number: Any, wanted: str) -> Any:
    if not isinstance(number, complex):
        return number
    if number.imag:
        raise overflow(wanted)
    return number.real


def _complex(self: Any) -> complex:
    number = _number(self)
    warn_of_lost_history(self)
    return complex(number)


def _index(self: Any) -> int:
    if dtype_of(self).kind not in "iub" or math.prod(shape_of(self)) != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self.item())


def _len(self: Any) -> int:
    if not (shape := shape_of(self)):
        raise TypeError("len() of a 0-d tensor")
    return shape[0]


def _iter(self: Any) -> Iterator[Any]:
    if not shape_of(self):
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(self, 0) if type(self) is Tensor else self.unbind(0))


def _reversed(self: Any) -> Any:
    return self.flip(0) if shape_of(self) else self


def _contains(self: Any, element: Any) -> bool:
    if not isinstance(element, (TensorBase, int, float, complex)):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
        )
    return bool((element == self).any().item())


def _repr(self: Any, *, tensor_contents: Any = None) -> str:
    settled(self)
    if self._level > META:
        from .wrapped_text import wrapped_text

        return wrapped_text(self)
    try:
        node = None if self.grad_fn is None else type(self.grad_fn).__name__
    except RuntimeError:  # a view whose history was lost when its base was written to
        node = "Invalid"
    kind = type(self)
    plain = kind is Tensor or kind is facade.Parameter
    return printing.tensor_text(
        innermost(self).phantom() if is_meta(self) else array_of(self), device=str(self.device),
        class_name=None if plain else kind.__name__,
        is_parameter=not plain and facade.Parameter is not None and isinstance(self, facade.Parameter),
        contents=tensor_contents, requires_grad=self.requires_grad,
        grad_fn=node,
    )


def _format(self: Any, spec: str) -> str:
    if type(self) is Tensor and not shape_of(self):
        return format(self.item(), spec)
    return object.__format__(self, spec)


def numpy(self: Any, *, force: bool = False) -> ndarray:
    """Return the elements as a NumPy array that shares memory.

    Parameters
    ----------
    force : bool
        Take the elements also of a tensor that requires grad.
    """
    if is_wrapper(self):
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")
    if not force and modes().grad and self.requires_grad:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if not force:
        for word, name, is_set in zip(("conjugate", "negative"), ("conj", "neg"), bits_of(self), strict=True):
            if is_set:
                raise RuntimeError(
                    f"Can't call numpy() on Tensor that has {word} bit set. Use "
                    f"tensor.resolve_{name}().numpy() instead."
                )
    if not force and is_meta(self):
        raise TypeError(
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
            "memory first."
        )
    array = array_of(self)
    if array.dtype.kind in "VW" or array.dtype in dtypes.FLOAT8_NUMPY:
        raise TypeError(f"Got unsupported ScalarType {dtypes.from_numpy_dtype(array.dtype).scalar_type}")
    return array.view() if array.size else np.ndarray(array.shape, array.dtype, array, 0, (0,) * array.ndim)


def tolist(self: Any) -> Any:
    """Return the elements as nested lists of Python numbers."""
    if is_wrapper(self):
        raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {type(self).__name__}")
    array = array_of(self)
    return (array.astype(np.float32) if array.dtype.kind == "V" else array).tolist()


def _written_by_python(self: Any, function: str, values: list[Any]) -> Any:
    if self.requires_grad:
        raise RuntimeError(
            f"Can't call {function}() on Variable that requires grad. Use var.detach().{function}() instead."
        )
    array = self._value if type(self._value) is Marked else array_of(self)
    array[...] = stored(values, array.dtype, array.shape)
    bump(self)
    return self


def apply_(self: Any, callable: Callable[[Any], Any]) -> Any:
    """Replace every element by what a Python function makes of it."""
    return _written_by_python(self, "apply_", [callable(v) for v in array_of(self).ravel().tolist()])


def map_(self: Any, tensor: Any, callable: Callable[[Any, Any], Any]) -> Any:
    """Replace every element by what a Python function makes of it and of the other tensor's."""
    checked_tensor("map_", "other", tensor)
    if dtype_of(tensor) != dtype_of(self):
        raise TypeError(f"map_: expected {type_name(self)} for 'other' (got {type_name(tensor)})")
    others = array_of(tensor.expand(shape_of(self)))
    pairs = zip(array_of(self).ravel().tolist(), others.ravel().tolist())
    return _written_by_python(self, "map_", [callable(a, b) for a, b in pairs])


@method("map2_", "(Tensor x, Tensor y, object callable)")
def map2_(self: Any, x: Any, y: Any, callable: Callable[[Any, Any, Any], Any]) -> Any:
    """Replace every element by what a Python function makes of it and of two other tensors'."""
    for name, other in (("x", x), ("y", y)):
        if dtype_of(other) != dtype_of(self):
            raise TypeError(
                f"map2_: expected {type_name(self)} for argument '{name}' (got {type_name(other)})"
            )
    arrays = (self, *(other.expand(shape_of(self)) for other in (x, y)))
    rows = zip(*(array_of(v).ravel().tolist() for v in arrays))
    return _written_by_python(self, "map2_", [callable(*row) for row in rows])


def _array(self: Any, dtype: Any = None, copy: bool | None = None) -> ndarray:
    return np.asarray(numpy(self), dtype=dtype, copy=copy)


def _array_wrap(self: Any, array: ndarray, context: Any = None, return_scalar: bool = False) -> Any:
    return interchange.from_numpy(array.astype(np.uint8) if array.dtype.kind == "b" else array)


def _dlpack(
    self: Any, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None
) -> Any:
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if bits_of(self)[0]:
        raise BufferError("Can't export tensors with the conjugate bit set")
    array = array_of(self)
    return array.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def _dlpack_device(self: Any) -> tuple[Any, int]:
    return interchange.DLDeviceType(array_of(self).__dlpack_device__()[0]), 0


def _cuda_array_interface(self: Any) -> Any:
    raise AttributeError(
        f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {type_name(self)} If CUDA data is "
        "required use tensor.cuda() to copy tensor to device memory."
    )


for _name, _function in {
    "__bool__": _bool, "__float__": _float, "__int__": _int, "__complex__": _complex, "__index__": _index,
    "__len__": _len, "__iter__": _iter, "__reversed__": _reversed, "__contains__": _contains,
    "__repr__": _repr,
    "__format__": _format, "__array__": _array, "__array_wrap__": _array_wrap, "__dlpack__": _dlpack,
    "__dlpack_device__": _dlpack_device, "__cuda_array_interface__": property(_cuda_array_interface),
    "__long__": _int, "__nonzero__": _bool, "apply_": apply_, "map_": map_, "map2_": map2_,
    "numpy": numpy, "tolist": tolist, "__array_priority__": 1000,
}.items():  # fmt: skip
    if type(_function) is FunctionType and _name not in ("__long__", "__nonzero__"):
        _function.__name__ = _name  # what classes that override functions are told of
    setattr(Tensor, _name, _function)
