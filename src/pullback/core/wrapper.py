"""Classes and modes with `__torch_dispatch__`: who computes an op in place of its kernel.

A tensor made by `_make_wrapper_subclass` has a shape, a dtype and strides and no memory. What it holds is a
`Wrapped`, and an op on one is handed to the class under torch's own name; the history is recorded around it,
as for any other value. A mode of the kind is asked first, and about all tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ..array.strides import contiguous_strides
from . import facade
from .levels import WRAPPER
from .meta import Memory, Meta
from .modes import modes, put_modes, reset_modes
from .value import InnerValue, TensorBase, wrap

if TYPE_CHECKING:
    from .node import Node
    from .op import Op


class Wrapped(InnerValue):
    """The layout of a tensor whose class computes ops on it, the `tensor` that users hold.

    Strides and offset are in elements, by default of C order.
    """

    __slots__ = ("device", "dtype", "offset", "shape", "strides", "tensor")

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    _level = WRAPPER

    def __init__(
        self, tensor: Any, shape: Sequence[int], dtype: np.dtype[Any], strides: Sequence[int] | None,
        offset: int, device: Any,
    ) -> None:  # fmt: skip
        self.tensor = tensor
        self.shape = tuple(shape)
        self.dtype = dtype
        self.strides = contiguous_strides(self.shape) if strides is None else tuple(strides)
        self.offset = offset
        self.device = device

    def array(self) -> ndarray:
        """Return the number of a tensor of one element, which its class tells, or raise torch's error."""
        if prod(self.shape) == 1:
            return np.asarray(named("_local_scalar_dense", self.tensor), self.dtype).reshape(self.shape)
        raise RuntimeError(
            "The tensor has a non-zero number of elements, but its data is not allocated yet.\nIf you're "
            "using torch.compile/export/fx, it is likely that we are erroneously tracing into a custom "
            "kernel. To fix this, please wrap the custom kernel into an opaque custom op. Please see the "
            "following for details: https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html\nIf "
            "you're using Caffe2, Caffe2 uses a lazy allocation, so you will need to call mutable_data() or "
            "raw_mutable_data() to actually allocate memory."
        )

    def phantom(self) -> ndarray:
        """Return an array of this layout, for what reads layouts."""
        return Meta(self.shape, self.dtype, self.strides, Memory(self._extent()), self.offset).phantom()

    def _extent(self) -> int:
        last = self.offset + sum((n - 1) * abs(s) for n, s in zip(self.shape, self.strides, strict=True))
        return (max(last, 0) + 1) * self.dtype.itemsize

    def held(self, node: Node) -> Any:
        """Return the tensor that this is the value of: itself, or its like where it has another history."""
        tensor = self.tensor
        if tensor._value is self and (tensor._node is None or tensor._node is node):
            tensor._node = node
            return tensor
        twin = object.__new__(type(tensor))
        twin.__dict__.update({k: v for k, v in tensor.__dict__.items() if not k.startswith("_grad")})
        twin._value = Wrapped(twin, self.shape, self.dtype, self.strides, self.offset, self.device)
        twin._node = node
        twin._counter = tensor._counter
        twin._view = None
        twin._level = WRAPPER
        return twin

    @classmethod
    def run(cls, op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...], level: int) -> Any:
        """Have the class of the tensors compute the op."""
        return dispatched(op, inputs, attrs)


def is_wrapper(value: object) -> bool:
    """Return whether a tensor's class computes ops on it."""
    return isinstance(value, TensorBase) and type(value._value) is Wrapped


def named(name: str, *args: Any, **kwargs: Any) -> Any:
    """Have the classes of arguments do an op of torch's that is none of the table's, such as ``copy_``."""
    with _below():
        return ask(facade.torch_names().overload(name), tuple(_shown(v) for v in args), kwargs)


@contextmanager
def _below() -> Iterator[None]:
    """Do within what torch does below autograd."""
    token = put_modes(modes()._replace(grad=False, saved_hooks=(), saved_hooks_disabled=None))
    try:
        yield
    finally:
        reset_modes(token)


def dispatched(op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...]) -> Any:
    """Run an op by the innermost mode with `__torch_dispatch__`, else by the classes of its inputs."""
    with _below():
        return _bare(facade.torch_names().translate(op, tuple(_shown(v) for v in inputs), attrs, ask))


def ask(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Hand a call to the innermost mode, else to the classes of its arguments, else do it.

    Raises torch's TypeError where all of them have no answer.
    """
    now = modes()
    kinds = wrapping(args, kwargs)
    if now.dispatch_modes:
        *outer, mode = now.dispatch_modes
        token = put_modes(now._replace(dispatch_modes=tuple(outer)))
        try:
            return mode.__torch_dispatch__(function, kinds, args, kwargs)
        finally:
            reset_modes(token)
    for kind in kinds:
        if (result := kind.__torch_dispatch__(function, kinds, args, kwargs)) is not NotImplemented:
            return result
    if not kinds:
        return function(*args, **kwargs)
    raise TypeError(
        f"Multiple dispatch failed for 'torch._ops.{function}'; all __torch_dispatch__ handlers returned "
        "NotImplemented:\n\n" + "\n".join(f"  - tensor subclass {kind}" for kind in kinds)
        + "\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def wrapping(args: object, kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the classes of tensors among arguments that compute ops themselves, most derived first."""
    found: list[Any] = []
    _look(args, found)
    _look(tuple(kwargs.values()), found)
    return tuple(found)


def _look(value: object, found: list[Any]) -> None:
    if isinstance(value, (tuple, list)):
        for part in value:
            _look(part, found)
    elif isinstance(value, TensorBase) and type(value._value) is Wrapped and type(value) not in found:
        at = next((n for n, kind in enumerate(found) if issubclass(type(value), kind)), len(found))
        found.insert(at, type(value))


def _shown(value: object) -> Any:
    """Return a value as users see it."""
    if isinstance(value, TensorBase):
        return value._value.tensor if type(value._value) is Wrapped else value
    if type(value) is Wrapped:
        return value.tensor
    if isinstance(value, (ndarray, InnerValue)):
        return wrap(value, None, value._level if isinstance(value, InnerValue) else 0)
    return value


def _bare(result: object) -> Any:
    if isinstance(result, (tuple, list)):
        return tuple(map(_bare, result))
    return result._value if isinstance(result, TensorBase) else np.asarray(result)
