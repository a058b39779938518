"""torch.overrides: what libraries need that take part in `__torch_function__` themselves.

A function mode sees every call of a public function, method or operator made under it, also those of plain
tensors; of the attributes and the conversions to Python (`shape`, `len`, `float`) it is not told.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar, cast

from .. import autograd, nn
from ..core.modes import change, modes
from ..core.tracer import running
from ..core.value import TensorBase
from ..tensor.api import REGISTRY
from ..tensor.builtin import HOME, behind, published
from ..tensor.interception import OVERRIDING, activate, deactivate
from ..tensor.override_dispatch import adopt, ask_overrides, overriding_types
from ..tensor.overriding import KEPT, DisableTorchFunctionSubclass
from ..tensor.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Return whether one of the arguments overrides functions."""
    args = tuple(relevant_args)
    return adopt(args) or bool(modes().function_modes) or any(type(a) in OVERRIDING for a in args)


def has_torch_function_unary(obj: Any) -> bool:
    """Return the same for one argument."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*args: Any) -> bool:
    """Return the same for arguments given one by one."""
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
    if (result := ask_overrides(public_api, relevant, args, kwargs)) is NotImplemented:
        name = f"{public_api.__module__}.{public_api.__name__}"
        kinds = overriding_types(relevant)
        raise TypeError(
            f"no implementation found for '{name}' on types that implement __torch_function__: {kinds}"
        )
    return result


def is_tensor_like(inp: Any) -> bool:
    """Return whether an object is a tensor or overrides functions."""
    return isinstance(inp, TensorBase) or hasattr(type(inp), "__torch_function__")


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Return whether a function is a method of Tensor or the getter of a property."""
    return any(
        func is found or (isinstance(found, property) and func in (found.__get__, found.__set__))
        for found in vars(Tensor).values()
    )


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[F], F]:
    """Decorate a function that takes part in overriding; `dispatcher` picks the relevant arguments."""

    def decorate(func: F) -> F:
        @functools.wraps(func)
        def call(*args: Any, **kwargs: Any) -> Any:
            if has_torch_function(relevant := tuple(dispatcher(*args, **kwargs))):
                return handle_torch_function(call, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return cast("F", call)

    return decorate


def _assert(condition: Any, message: Any) -> Any:
    """Return ``assert condition, message`` that a class which overrides functions is told of."""
    if type(condition) is not Tensor and has_torch_function((condition,)):
        return handle_torch_function(_assert, (condition,), condition, message)
    assert condition, message
    return None


_assert.__module__ = "torch"


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """Return the getters whose results the default `__torch_function__` leaves as they are."""
    return {vars(Tensor)[name].__get__ for name in KEPT}


class TorchFunctionMode:
    """A ``with`` block whose calls of public functions go to `__torch_function__`, which a subclass defines.

    Inside `__torch_function__` the mode is out of force, so that it can call the function; an outer mode then
    sees that call.
    """

    inner: Any

    def __init__(self) -> None:
        pass

    def __torch_function__(
        self, func: Callable[..., Any], types: tuple[type, ...], args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        if (recorder := running()) is not None:
            raise recorder.refuse(RuntimeError("the function enters a mode that sees each op"))
        activate()
        change(function_modes=(*modes().function_modes, self))
        return self

    def __exit__(self, *_: object) -> None:
        change(function_modes=modes().function_modes[:-1])
        deactivate()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """Make a mode."""
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls each function as it is."""

    def __torch_function__(
        self, func: Callable[..., Any], types: tuple[type, ...], args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_function_mode() -> Any:
    """Return the innermost mode in force, or None."""
    stack = modes().function_modes
    return stack[-1] if stack else None


def _get_current_function_mode_stack() -> list[Any]:
    """Return the modes in force, the innermost last."""
    return list(modes().function_modes)


@contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """Open a ``with`` block that changes nothing: a call inside a call is seen like any other."""
    yield


def _namespaces() -> dict[str, Any]:
    """Return the modules and the class whose functions can be overridden, by torch's names."""
    top = import_module(__name__.partition(".")[0])
    for name in top._LATER:
        getattr(top, name)
    return {
        "torch": top, "torch.nn.functional": nn.functional, "torch.Tensor": Tensor,
        "torch.linalg": top.linalg, "torch.fft": top.fft, "torch.special": top.special,
    }


@functools.cache
def _overridable() -> dict[str, dict[str, Any]]:
    """Place → name → function."""
    found: dict[str, dict[str, Any]] = {place: {} for place in _namespaces()}
    members = vars(Tensor)
    for d in REGISTRY:
        place = f"torch.{d.namespace}" if d.namespace else "torch"
        if d.is_function and place in found:
            found[place][d.name] = published(d.function, d.name, d.namespace)
        if d.method is not None and not d.namespace:
            found["torch.Tensor"][d.name] = members[d.name]
    for name in list(found["torch.Tensor"]):
        if name + "_" in members:
            found["torch.Tensor"][name + "_"] = members[name + "_"]
    return found


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """Return the functions that `__torch_function__` sees, by the module or class they are in."""
    places = _namespaces()
    return {places[place]: list(functions.values()) for place, functions in _overridable().items()}


def get_ignored_functions() -> set[Callable[..., Any]]:
    """Return the functions, methods and classes of torch that `__torch_function__` does not see."""
    seen = {id(function) for functions in _overridable().values() for function in functions.values()}
    places = (*_namespaces().values(), nn.init, autograd)
    held = (getattr(place, name, None) for place in places for name in _names(place))
    return {v for v in held if callable(v) and id(v) not in seen and v.__hash__ is not None}


def _names(place: Any) -> list[str]:
    """Return the names that a module or the class of tensors publishes."""
    return getattr(place, "__all__", None) or dir(place)


def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Return for each overridable function one with its signature that returns -1."""

    def dummy(function: Callable[..., Any]) -> Callable[..., Any]:
        def give(*_: Any, **__: Any) -> int:
            return -1

        give.__signature__ = inspect.signature(behind(function))  # type: ignore[attr-defined]  # what `inspect` looks for
        return give

    every = (function for functions in _overridable().values() for function in functions.values())
    return {function: dummy(function) for function in every}


def resolve_name(f: Callable[..., Any]) -> str | None:
    """Return the name by which users know an overridable function, as ``"torch.linalg.inv"``, or None."""
    for place, functions in _overridable().items():
        for name, function in functions.items():
            if function is f:
                home = HOME.get(name, "") if place == "torch" else ""
                return f"{place}.{home}.{name}" if home else f"{place}.{name}"
    for name, member in vars(Tensor).items():
        if isinstance(member, property):
            for accessor in ("__get__", "__set__"):
                if f == getattr(member, accessor):
                    return f"torch.Tensor.{name}.{accessor}"
        if member is f:
            return f"torch.Tensor.{name}"
    op = getattr(f, "op", None)
    return f"torch.Tensor.{op.name}" if op is not None and hasattr(Tensor, op.name) else None


__all__ = [
    "BaseTorchFunctionMode", "DisableTorchFunctionSubclass", "TorchFunctionMode", "enable_reentrant_dispatch",
    "get_default_nowrap_functions", "get_ignored_functions", "get_overridable_functions",
    "get_testing_overrides", "handle_torch_function", "has_torch_function", "has_torch_function_unary",
    "has_torch_function_variadic", "is_tensor_like", "is_tensor_method_or_property", "resolve_name",
    "wrap_torch_function",
]  # fmt: skip
