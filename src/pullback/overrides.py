"""torch.overrides: what libraries need that take part in `__torch_function__` themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .core.value import TensorBase
from .tensor.api import OVERRIDING, adopt, ask_overrides, overriding_types
from .tensor.overriding import DisableTorchFunctionSubclass
from .tensor.tensor import Tensor


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of the arguments overrides functions."""
    args = tuple(relevant_args)
    return adopt(args) or any(type(a) in OVERRIDING for a in args)


def has_torch_function_unary(obj: Any) -> bool:
    """The same for one argument."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*args: Any) -> bool:
    """The same for arguments given one by one."""
    return has_torch_function(args)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Call what the arguments override a function with.

    Parameters
    ----------
    public_api : callable
        The function as users call it.
    relevant_args : iterable
        The arguments that may override it.
    *args, **kwargs
        What it was called with.
    """
    relevant = tuple(relevant_args)
    adopt(relevant)
    result = ask_overrides(public_api, relevant, args, kwargs)
    if result is NotImplemented:
        name = f"{public_api.__module__}.{public_api.__name__}"
        kinds = overriding_types(relevant)
        raise TypeError(
            f"no implementation found for '{name}' on types that implement __torch_function__: {kinds}"
        )
    return result


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a tensor or overrides functions."""
    return isinstance(inp, TensorBase) or hasattr(type(inp), "__torch_function__")


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether a function is a method of Tensor or the getter of a property."""
    return any(func is found or func is getattr(found, "fget", None) for found in vars(Tensor).values())


def wrap_torch_function(
    dispatcher: Callable[..., Iterable[Any]],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that takes part in overriding; `dispatcher` picks the relevant arguments."""

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(call, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        call.__name__, call.__doc__, call.__module__ = func.__name__, func.__doc__, func.__module__
        return call

    return decorate


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """The getters whose results the default `__torch_function__` leaves as they are."""
    return {vars(Tensor)[name].fget for name in ("_base", "grad")}


__all__ = [
    "DisableTorchFunctionSubclass", "get_default_nowrap_functions", "handle_torch_function",
    "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "is_tensor_like",
    "is_tensor_method_or_property", "wrap_torch_function",
]  # fmt: skip
