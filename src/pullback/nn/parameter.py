"""Define parameters: tensors that a module finds among its attributes."""

from __future__ import annotations

from collections import OrderedDict
from types import MethodWrapperType
from typing import Any

import numpy as np

from ..core import facade
from ..core.node import DIFFERENTIABLE
from ..core.value import TensorBase, dtype_of, sharing, tell_sharing
from ..tensor.creation import empty
from ..tensor.interception import OVERRIDING
from ..tensor.overriding import _disabled_torch_function_impl, _make_subclass
from ..tensor.printing import parameter_text
from ..tensor.serialization import attributes
from ..tensor.tensor import Tensor


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]  # the metaclass of the facade, whatever it is
    """Make a subclass's tensor that is flagged as a parameter an instance of `Parameter`."""

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
        if sharing and data is not None:
            tell_sharing(data, made, cls.__name__)
        if requires_grad:
            if dtype_of(made) not in DIFFERENTIABLE:
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            made.requires_grad_(True)
        return made

    def __init__(self, *_: Any, **__: Any) -> None:
        """Take what a subclass's `__new__` has taken, as torch does."""

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


class _BufferMeta(type(Tensor)):  # type: ignore[misc]  # the metaclass of the facade, whatever it is
    """Make every tensor that is flagged as a buffer an instance of `Buffer`."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Buffer and isinstance(instance, TensorBase) and getattr(instance, "_is_buffer", False):
            return True
        return super().__instancecheck__(instance)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that a module registers as a buffer when it is assigned: ``Buffer(data, persistent=True)``."""

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        made = empty(0) if data is None else data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made

    __torch_function__ = _disabled_torch_function_impl


class UninitializedTensorMixin:
    """Share among parameters and buffers whose shape is not known.

    They have a dtype and can be converted; all else that is asked of them is an error.
    """

    cls_to_become: type
    requires_grad: bool
    data: Any
    _overrides_once_made = True

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary parameter or tensor of a shape, with undefined values."""
        self.data = empty(shape, device=device, dtype=self.data.dtype if dtype is None else dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        """Raise: there is none yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
            "`forward` to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self) -> Any:
        """Raise: there is nothing to share yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the "
            "parameters before calling `module.share_memory()`."
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad,)

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in _ALLOWED_UNINITIALIZED or isinstance(func, MethodWrapperType):
            return super().__torch_function__(func, types, args, kwargs)  # type: ignore[misc]  # Tensor's
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you are using a "
            f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. When "
            "using LazyModules Call `forward` with a dummy batch to initialize the parameters before calling "
            "torch functions"
        )


def is_lazy(param: Any) -> bool:
    """Return whether a tensor is an `UninitializedParameter` or an `UninitializedBuffer`."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]  # parameters override no function, these do
    """A parameter whose shape is not known yet; `materialize` makes it an ordinary one."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        OVERRIDING.add(cls)
        return _make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        pass

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape is not known yet; `materialize` makes it an ordinary tensor."""

    cls_to_become = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        OVERRIDING.add(cls)
        made = _make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made

    def __init__(
        self, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> None:
        pass


#: What an uninitialised tensor can be asked for.
_ALLOWED_UNINITIALIZED: tuple[Any, ...] = (
    Tensor.__hash__, Tensor.size, Tensor.copy_, Tensor.is_complex, Tensor.is_floating_point, Tensor.half,
    Tensor.float, Tensor.double, Tensor.char, Tensor.short, Tensor.int, Tensor.long, Tensor.cpu, Tensor.to,
    Tensor.get_device, Tensor.__dict__["data"].fget,
)  # fmt: skip

# those without a shape keep their own module's name, by which plain pickle finds them
for _class in (Parameter, Buffer):
    _class.__module__ = "torch.nn.parameter"
del _class
facade.provide(Parameter=Parameter)

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]
