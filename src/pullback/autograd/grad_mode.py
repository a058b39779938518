"""Define grad modes: `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`, as context managers and
decorators.

A decorated generator function runs in the mode only between a resumption and the next `yield`, so the mode
never leaks to the consumer of the generator.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any, Self, TypeVar, cast, overload

from ..core.modes import change, change_grad, enter_inference, is_grad_enabled, leave_inference, modes
from ..core.warn import warn
from ..errors import argument_type

F = TypeVar("F", bound=Callable[..., Any])


class _DecoratorContextManager:
    """A context manager that is also a decorator; a fresh copy serves each entry of a decorated function."""

    def clone(self) -> Self:
        """Return a mode that is set as this one, for one more entry."""
        return self.__class__()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exc: object) -> None:
        raise NotImplementedError

    def __call__(self, function: F) -> F:
        if inspect.isclass(function):
            warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only "
                "decorate functions or methods. To preserve the current behavior of class decoration, you "
                "can directly decorate the `__init__` method and nothing else.", FutureWarning
            )

            @functools.wraps(function)
            def make(*args: object, **kwargs: object) -> Any:
                return function(*args, **kwargs)

            return cast("F", self.__call__(make))
        if inspect.isgeneratorfunction(function):
            return self._wrap_generator(function)

        @functools.wraps(function)
        def decorated(*args: object, **kwargs: object) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return cast("F", decorated)

    def _wrap_generator(self, function: F) -> F:
        @functools.wraps(function)
        def decorated(*args: object, **kwargs: object) -> Generator[Any, Any, Any]:
            generator = function(*args, **kwargs)
            try:
                with self.clone():
                    response = generator.send(None)
                while True:
                    try:
                        request = yield response
                    except GeneratorExit:
                        with self.clone():
                            generator.close()
                        raise
                    except BaseException as thrown:  # noqa: BLE001  # what the consumer throws goes inside
                        with self.clone():
                            response = generator.throw(thrown)
                    else:
                        with self.clone():
                            response = generator.send(request)
            except StopIteration as stop:
                return stop.value

        return cast("F", decorated)


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """A mode whose decorator may be written without parentheses.

    What it holds is set in `__new__`: with an `__init__` type checkers take ``@no_grad`` for an instance.
    """

    before: list[bool]

    @overload
    def __new__(cls, function: F) -> F: ...  # type: ignore[misc]  # the decorated function, no instance
    @overload
    def __new__(cls, function: None = None) -> Self: ...
    def __new__(cls, function: Any = None) -> Any:
        if function is not None:
            return cls()(function)
        made = super().__new__(cls)
        made.before = []
        return made


class no_grad(_NoParamDecoratorContextManager):
    """Record nothing inside: results have ``requires_grad=False``."""

    def __enter__(self) -> None:
        self.before.append(change_grad(False))

    def __exit__(self, *exc: object) -> None:
        change_grad(self.before.pop())


class enable_grad(_NoParamDecoratorContextManager):
    """Record inside, also within `no_grad`."""

    def __enter__(self) -> None:
        self.before.append(change_grad(True))

    def __exit__(self, *exc: object) -> None:
        change_grad(self.before.pop())


class set_grad_enabled(_DecoratorContextManager):
    """Switch recording on or off: at once when called, and back again at the end of a `with` block."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise argument_type("set_grad_enabled", "enabled", 1, "bool", mode)
        self.before = is_grad_enabled()
        self.mode = mode
        change_grad(mode)

    def __call__(self, function: F) -> F:
        change_grad(self.before)
        return super().__call__(function)

    def __enter__(self) -> None:
        change_grad(self.mode)

    def __exit__(self, *exc: object) -> None:
        change_grad(self.before)

    def clone(self) -> Self:
        return self.__class__(self.mode)

    def __str__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    __repr__ = __str__


class _Switch(_DecoratorContextManager):
    """A mode that is told whether it is on."""

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def clone(self) -> Self:
        return self.__class__(self.mode)


class inference_mode(_Switch):
    """Record nothing and count no versions: tensors made inside can never take part in a graph."""

    before: list[Any]

    @overload
    def __new__(cls, mode: bool = True) -> Self: ...
    @overload
    def __new__(cls, mode: F) -> F: ...  # type: ignore[misc]  # the decorated function, no instance
    def __new__(cls, mode: Any = True) -> Any:
        if not isinstance(mode, bool):
            return cls()(mode)
        made = super().__new__(cls)
        made.before = []
        return made

    def __enter__(self) -> None:
        before = enter_inference() if self.mode else change(grad=True, inference=False)
        self.before.append(before)

    def __exit__(self, *exc: object) -> None:
        leave_inference(self.before.pop())


class set_multithreading_enabled(_Switch):
    """Accepted as torch accepts it; the engine always runs in the calling thread."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        return None


def is_inference_mode_enabled() -> bool:
    """Return whether `inference_mode` is on."""
    return modes().inference


for _class in (no_grad, enable_grad, set_grad_enabled, inference_mode, set_multithreading_enabled):
    _class.__module__ = "torch.autograd.grad_mode"
del _class

__all__ = [
    "enable_grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "no_grad",
    "set_grad_enabled", "set_multithreading_enabled",
]
