"""Tensors without memory whose class computes ops on them: `Tensor._make_wrapper_subclass`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..array import dtypes
from ..core.device import CPU, as_device
from ..core.levels import WRAPPER
from ..core.node import LEAF
from ..core.wrapper import Wrapped
from .overriding import check_class
from .tensor import Tensor


def _disabled_torch_dispatch_impl(
    func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """Run the function; what a class has as `__torch_dispatch__` that computes nothing itself."""
    return func(*args, **(kwargs or {}))


def _make_wrapper_subclass(
    cls: Any, size: Sequence[int], *, strides: Sequence[int] | None = None, storage_offset: int | None = None,
    memory_format: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, dispatch_sizes_strides_policy: str | None = None,
    dispatch_device: bool = False, dispatch_layout: bool = False, _extra_dispatch_keys: Any = None,
    storage_size: int | None = None,
) -> Any:  # fmt: skip
    """Return a tensor of class `cls` with a shape and a dtype and no memory; `__torch_dispatch__` of the
    class computes ops on it.
    """
    check_class(cls)
    if cls.__torch_dispatch__ is _disabled_torch_dispatch_impl:
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    kind = (dtype or dtypes.get_default_dtype()).numpy
    made = object.__new__(cls)
    where = CPU if device is None else as_device(device)
    made._value = Wrapped(made, tuple(size), kind, strides, storage_offset or 0, where)
    made._node = None
    made._counter = [0]
    made._view = None
    made._level = WRAPPER
    if requires_grad:
        if kind.kind in "biu":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        made._node = LEAF
    return made


Tensor._make_wrapper_subclass = staticmethod(_make_wrapper_subclass)  # type: ignore[method-assign]  # torch's name
Tensor.__torch_dispatch__ = staticmethod(_disabled_torch_dispatch_impl)  # type: ignore[method-assign]  # likewise
