"""Tensors through `pickle` and `copy`.

What this module must do:

- pickle a tensor with its whole storage, offset, size and strides, whether it requires grad and the
  attributes that users gave it; history and hooks are left out, and each tensor gets a storage of its own;
- let `copy.copy` share the storage, and `copy.deepcopy` copy a storage once for all tensors that share it.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from ..array import dtypes
from ..array.strides import Ints, strides_of
from ..core import facade
from ..core.marked import marked, memory_of, resolved
from ..core.meta import is_meta
from ..core.modes import change, modes, set_modes
from ..core.value import TensorBase
from ..core.visible import bits_of
from ..core.warn import warn
from ..core.wrapper import is_wrapper
from .interception import OVERRIDING
from .meta import meta_tensor
from .override_dispatch import dispatch_override
from .storage import over_storage, storage_of
from .tensor import Tensor
from .untyped_storage import _of_bytes

#: What the mechanism keeps in a tensor's dictionary.
_INTERNAL = frozenset(TensorBase.__annotations__) | {"_shared", "_grad_dtype"}


def attributes(tensor: Any) -> dict[str, Any]:
    """Return the attributes that users gave a tensor."""
    return {name: value for name, value in tensor.__dict__.items() if name not in _INTERNAL}


def could_be_set(tensor: Any, name: Any) -> bool:
    """Return whether a user could have given a tensor an attribute of this name: none of Python's own, none
    that the mechanism reads, none that a tensor computes.
    """
    if type(name) is not str or is_dunder(name) or name in _INTERNAL:
        return False
    if tensor._sparse and (name in tensor.__dict__ or hasattr(type(tensor), name)):
        return False
    found = inspect.getattr_static(Tensor, name, None)
    return found is None or not (name.startswith("_") or hasattr(type(found), "__set__"))


def is_dunder(name: str) -> bool:
    """Return whether a name is one that Python or NumPy looks for on its own."""
    return name.startswith("__") and name.endswith("__")


def rebuild_tensor(
    content: ndarray, dtype: str, offset: int, size: Ints, stride: Ints, requires_grad: bool, hooks: Any,
    bits: tuple[bool, bool] = (False, False),
) -> Any:  # fmt: skip
    """Make a tensor of what `__reduce_ex__` took it apart into."""
    tensor = over_storage(_of_bytes(content), dtypes.by_name(dtype), offset, size, stride)
    tensor._value = marked(tensor._value, *bits)
    tensor._counter = [0]
    return tensor.requires_grad_(requires_grad)


def rebuild_without_elements(dtype: str, size: Ints, stride: Ints, requires_grad: bool) -> Any:
    """Make a tensor on the device ``meta`` of what `__reduce_ex__` took it apart into."""
    return meta_tensor(size, dtypes.by_name(dtype).numpy, stride, requires_grad)


def rebuild_subclass(rebuild: Callable[..., Any], cls: type | None, args: tuple[Any, ...], state: Any) -> Any:
    """Make an instance of a subclass, or (where `cls` is None) a tensor with attributes."""
    tensor = rebuild(*args)
    if cls is not None:
        tensor.__class__ = cls
    if getattr(type(tensor), "__setstate__", None) is not None:
        tensor.__setstate__(state)
    else:
        tensor.__dict__.update(state)
    return tensor


def _reduce(self: Any, protocol: Any) -> tuple[Any, ...]:
    if self._leaf_hooks is not None:
        _warn_of_hooks(self)
    if is_meta(self):
        rebuild: Callable[..., Any] = rebuild_without_elements
        args: tuple[Any, ...] = (self.dtype.name, tuple(self.shape), self.stride(), self.requires_grad)
    else:
        rebuild, args = rebuild_tensor, _parts(self)
    own_state = any("__getstate__" in vars(cls) for cls in type(self).__mro__[:-1])
    state = self.__getstate__() if own_state else attributes(self)
    if type(self) is Tensor and not state:
        return rebuild, args
    return rebuild_subclass, (rebuild, None if type(self) is Tensor else type(self), args, state)


def _parts(self: Any) -> tuple[Any, ...]:
    array = memory_of(self)
    memory, offset = storage_of(array)
    name = dtypes.from_numpy_dtype(array.dtype).name
    # A view of the storage's bytes: pickle takes each for an array of its own, copy for the same memory.
    content = memory._bytes[:]
    return (
        content,
        name,
        offset // array.itemsize,
        array.shape,
        strides_of(array),
        self.requires_grad,
        OrderedDict(),
        bits_of(self),
    )


def _warn_of_hooks(tensor: Any) -> None:
    for hook in tensor._leaf_hooks.tensor.get(0, {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can "
                "decorate the function with @torch.utils.hooks.unserializable_hook to suppress this warning"
            )


def _deepcopy(self: Any, memo: dict[Any, Any]) -> Any:
    from copy import deepcopy  # which calls this

    if type(self) in OVERRIDING:
        return dispatch_override(Tensor.__deepcopy__, (self, memo), {})
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
            "moment.  If you were attempting to deepcopy a module, this may be because of a "
            "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    before = change(grad=False)
    try:
        if is_wrapper(self):
            memo[id(self)] = twin = self.clone().detach().requires_grad_(self.requires_grad)
            return twin
        copied = deepcopy(self.untyped_storage(), memo)
        new = over_storage(copied, self.dtype, self.storage_offset(), tuple(self.shape), self.stride())
        new._value = resolved(marked(new._value, *bits_of(self)))
        if type(self) is not facade.Parameter and type(new._counter) is list:
            new._counter[0] += 1  # torch writes it by `set_`, and makes a parameter of a clone
        new.requires_grad_(self.requires_grad)
        if self._grad is not None:
            new._grad = deepcopy(self._grad, memo)
        if type(self) is not Tensor:
            if type(self.new_empty([])) is not type(self):
                raise RuntimeError(
                    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for "
                    "subclass types that implement new_empty() and for which that function returns another "
                    "instance of the same subclass. You should either properly implement new_empty() for "
                    "your subclass or override __deepcopy__() if it is intended behavior for new_empty() to "
                    "return an instance of a different type."
                )
            new.__class__ = type(self)
        memo[id(self)] = new
        new.__dict__.update(deepcopy(attributes(self), memo))
    finally:
        set_modes(modes()._replace(grad=before.grad))
    return new


Tensor.__reduce_ex__ = _reduce  # type: ignore[method-assign]  # torch's methods, kept in this module
Tensor.__deepcopy__ = _deepcopy  # type: ignore[method-assign]  # likewise
