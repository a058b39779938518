"""Subclasses of Tensor and `__torch_function__`: how a subclass sees the functions that are called on it.

What this module must do:

- make every op on a subclass give that subclass, by the default `__torch_function__`;
- let a subclass leave that out (`_disabled_torch_function_impl`, as parameters do), and a program switch all
  overrides off for a while (`DisableTorchFunctionSubclass`);
- view a tensor as an instance of a subclass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from ..core.modes import change, modes, set_modes
from ..core.value import wrap_alias
from ..errors import type_name
from ..ops.view import alias
from .interception import OVERRIDING
from .override_dispatch import dispatch_override
from .tensor import Tensor


class DisableTorchFunctionSubclass:
    """A ``with`` block in which subclasses are treated as plain tensors."""

    __module__ = "torch._C"

    def __enter__(self) -> None:
        self._before = change(function_disabled=True)

    def __exit__(self, *_: object) -> None:
        set_modes(modes()._replace(function_disabled=self._before.function_disabled))


def _disabled_torch_function_impl(
    func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """Run the function as if nothing overrode it: what a class sets as `__torch_function__` to stay plain."""
    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


def _torch_function(
    cls: type, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """Run the function on plain tensors and make its results instances of `cls`."""
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
        kept = any(func == Tensor.__dict__[name].__get__ for name in KEPT)
        return result if kept else _converted(result, cls)


def _converted(result: Any, cls: type) -> Any:
    if cls is Tensor:
        return result
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else as_subclass(result, cls)
    if isinstance(result, (tuple, list)):
        parts = [_converted(part, cls) for part in result]
        return type(result)(*parts) if hasattr(result, "_make") else type(result)(parts)
    return result


def as_subclass(self: Any, cls: Any) -> Any:
    """Return the same elements and history as an instance of `cls`, a subclass of Tensor."""
    check_class(cls)
    made = alias(self)
    made.__class__ = cls
    return made


def check_class(cls: Any) -> None:
    """Raise torch's error for what is no subclass of Tensor."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type_name(cls)})")
    if not issubclass(cls, Tensor):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make "
            "sure your class inherits from Tensor."
        )


def _make_subclass(cls: Any, data: Any, require_grad: bool = False) -> Any:
    """Return a leaf of class `cls` on the storage of `data`."""
    check_class(cls)
    made = wrap_alias(data._value, data)
    made.__class__ = cls
    if require_grad:
        made.requires_grad_(True)
    return made


#: Attributes whose values the default `__torch_function__` leaves as they are.
KEPT = ("_base", "grad")

#: Attributes that are tensors and no declared functions; a subclass gets its own, so that Tensor's stay as
#: fast as they are.
_ATTRIBUTES = ("T", "mT", "H", "mH", "real", "imag", "data")
#: The same of methods.
_METHODS = (
    "detach", "_is_view", "apply_", "backward", "copy_", "detach_", "dim", "element_size", "fill_",
    "is_contiguous", "item", "numel", "numpy", "register_hook", "register_post_accumulate_grad_hook",
    "requires_grad_", "retain_grad", "size", "squeeze_", "stride", "swapaxes_", "swapdims_", "t_", "tolist",
    "transpose_", "unsqueeze_", "zero_", "__bool__", "__float__", "__int__", "__len__", "__repr__",
)

#: Whether a class overrides functions only from its first instance on, which then registers it: a class that
#: every program loads and few use would have all calls look for overrides.
Tensor._overrides_once_made = False
#: The methods that such a class has overridden.
Tensor._dispatched = ("detach",)


def _register(cls: Any, **options: Any) -> None:
    super(Tensor, cls).__init_subclass__(**options)
    if "__torch_dispatch__" in vars(cls):
        for name in _OPERATORS:
            if getattr(cls, name) is Tensor.__dict__.get(name):
                setattr(cls, name, _answering(Tensor.__dict__[name]))
    if cls.__torch_function__ is _disabled_torch_function_impl:
        return
    if not cls._overrides_once_made:
        OVERRIDING.add(cls)
    for name in _ATTRIBUTES if cls._overrides_once_made else _properties():
        if getattr(cls, name, None) is Tensor.__dict__[name]:
            setattr(cls, name, _overridable(Tensor.__dict__[name]))
    for name in cls._dispatched if cls._overrides_once_made else _METHODS:
        if getattr(cls, name, None) is Tensor.__dict__[name]:
            setattr(cls, name, _overridable_method(Tensor.__dict__[name]))


#: Operators of two operands, which answer NotImplemented where a class has no rule for them.
_OPERATORS = tuple(
    f"__{side}{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "matmul", "and", "or", "xor")
    for side in ("", "r")
)


def _answering(operator: Any) -> Any:
    @wraps(operator)
    def call(self: Any, other: Any) -> Any:
        try:
            return operator(self, other)
        except TypeError:
            return NotImplemented

    return call


def _properties() -> list[str]:
    """Return the attributes of tensors that users have."""
    members = vars(Tensor).items()
    return [
        name for name, member in members
        if isinstance(member, property) and (name in ("_base", "_version") or not name.startswith("_"))
    ]


def _overridable(attribute: Any) -> property:
    def get(self: Any) -> Any:
        if type(self) in OVERRIDING:
            return dispatch_override(attribute.__get__, (self,), {})
        return attribute.fget(self)

    def put(self: Any, value: Any) -> None:
        if type(self) in OVERRIDING:
            dispatch_override(attribute.__set__, (self, value), {})
        else:
            attribute.fset(self, value)

    return property(get, None if attribute.fset is None else put, attribute.fdel, attribute.__doc__)


def _overridable_method(method: Any) -> Any:
    @wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if type(self) in OVERRIDING:
            return dispatch_override(method, (self, *args), kwargs)
        return method(self, *args, **kwargs)

    return call


Tensor.__torch_function__ = classmethod(_torch_function)  # type: ignore[method-assign, assignment]  # torch's protocol
Tensor.__init_subclass__ = classmethod(_register)  # type: ignore[arg-type, assignment]  # every subclass is told here
Tensor.as_subclass = as_subclass  # type: ignore[method-assign]  # no override: it is what overrides are made with
Tensor._make_subclass = staticmethod(_make_subclass)  # type: ignore[method-assign]  # torch's name
