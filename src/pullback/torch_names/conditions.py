"""Define `torch._check` and its like: conditions that must hold, each with the class of its error."""

from collections.abc import Callable
from typing import Any

from ..core.value import TensorBase, array_of
from ..core.warn import warn
from ..errors import with_name

_TEXT = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)

Message = Callable[[], Any] | None


def _raise(kind: type[Exception], message: Any) -> None:
    if message is not None and not callable(message):
        raise TypeError("message must be a callable")
    raise kind(_TEXT if message is None else str(message()))


def _check_with(kind: type[Exception], cond: Any, message: Message) -> None:
    """Raise an error of a class where a condition is False; `message`, if there is one, gives the text."""
    if isinstance(cond, TensorBase):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to "
            "assert that all elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        _raise(kind, message)


def _checking(name: str, kind: type[Exception]) -> Callable[..., None]:
    def check(cond: Any, message: Message = None) -> None:
        _check_with(kind, cond, message)

    return with_name(check, name, f"Raise {kind.__name__} where a condition is False.")


_check = _checking("_check", RuntimeError)
_check_index = _checking("_check_index", IndexError)
_check_value = _checking("_check_value", ValueError)
_check_type = _checking("_check_type", TypeError)
_check_not_implemented = _checking("_check_not_implemented", NotImplementedError)


def _check_is_size(i: Any, message: Message = None, *, max: int | None = None) -> None:
    """Raise RuntimeError where a number cannot be a size (deprecated: see `_check`)."""
    warn(
        "_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious.     Use "
        "_check(i >= 0) instead.", FutureWarning
    )
    _check(i >= 0 and (max is None or i <= max), message)


def _check_tensor_all(cond: Any, message: Message = None) -> None:
    """Raise RuntimeError where an element of a tensor of booleans is False."""
    if not isinstance(cond, TensorBase):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if not array_of(cond).all():
        _raise(RuntimeError, message)
