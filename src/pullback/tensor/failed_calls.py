"""Say what is wrong with a public call that failed, in torch's words, or do it as torch's parser would."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from opcode import opmap
from typing import Any

from .. import errors
from ..array import dtypes
from ..core.value import TensorBase
from ..core.warn import warn_once
from .interception import PASS
from .signature import ALTERNATIVES
from .wrong_calls import converted, deprecated_call, wrong_call

Function = Callable[..., Any]


def explain(place: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise torch's error where a call that failed had wrong arguments."""
    if place == "Tensor":
        if not args:
            raise TypeError(f"unbound method TensorBase.{name}() needs an argument") from None
        if not isinstance(args[0], TensorBase):
            raise errors.foreign_self(name, args[0]) from None
    error = wrong_call(place, name, args[1:] if place == "Tensor" else args, kwargs)
    if error is not None:
        raise error from None
    if (limited := _beyond_limits(sys.exception())) is not None:
        raise limited from None


def _beyond_limits(failed: BaseException | None) -> Exception | None:
    """Build torch's error for more dimensions or more memory than there are; None for other failures."""
    if isinstance(failed, (ValueError, IndexError)) and re.search(_TOO_MANY_DIMS, str(failed)):
        return errors.with_note(
            RuntimeError("only tensors with up to 64 dims are supported"),
            "torch makes tensors of more, but reduces none; NumPy, whose arrays these are, makes none.",
        )
    if isinstance(failed, ValueError) and str(failed).startswith("array is too big"):
        return RuntimeError("numel: integer multiplication overflow")
    if isinstance(failed, MemoryError) and hasattr(failed, "_total_size"):
        return RuntimeError(
            "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you "
            f"tried to allocate {failed._total_size} bytes. Error code 12 (Cannot allocate memory)"
        )
    return None


#: What NumPy says of more dimensions than its arrays have.
_TOO_MANY_DIMS = "maximum supported dimension|number of dimensions must be within"


#: Functions of torch's in Python, which do not.
IN_PYTHON = frozenset({"istft", "lu", "norm", "split", "stft", "unflatten", "unique", "unique_consecutive"})


def renamed(function: Function, place: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function gives whose call failed, by an older signature, or with NumPy's names taken for
    torch's, Python's types for dtypes and tensors for numbers; `PASS` where there are none, or where that is
    wrong too.
    """
    own = args[:1] if place == "Tensor" else ()
    if (older := older_call(place, name, args[len(own) :], kwargs)) is not None:
        return function(*own, **older)
    if place == "nn" or name in IN_PYTHON:
        named = dict(kwargs)
    else:
        named = {ALTERNATIVES.get(key, key): value for key, value in kwargs.items()}
    by_place = tuple(map(_as_dtype, args))
    if "dtype" in named:
        named["dtype"] = _as_dtype(named["dtype"])
    if len(named) < len(kwargs):
        return PASS
    if by_place == args and named == kwargs:
        if (numbers := converted(place, name, args[len(own) :], kwargs)) is None:
            return PASS
        by_place, named = own, numbers
    try:
        return function(*by_place, **named)
    except TypeError:
        return PASS


def _as_dtype(value: Any) -> Any:
    """Return the dtype that a Python type stands for; anything else as it is."""
    return dtypes.BY_PYTHON_TYPE.get(value, value) if isinstance(value, type) else value


def older_call(place: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments by name of a call by an older signature, of which it warns."""
    if (found := deprecated_call(place, name, args, kwargs)) is None:
        return None
    warn_once(found[1], kind="an older signature")
    return found[0]


def is_told(error: Exception) -> bool:
    """Return whether the package, not NumPy, raised an error, so that it is meant to be read."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not trace.tb_frame.f_globals["__name__"].startswith(__package__.partition(".")[0]):
        return False
    code = trace.tb_frame.f_code
    # An attribute that a dtype or a tensor lacks is Python's own error.
    return code.co_name != "__getattr__" and code.co_code[trace.tb_lasti] in _RAISING


_RAISING = frozenset({opmap["RAISE_VARARGS"], opmap["RERAISE"]})
