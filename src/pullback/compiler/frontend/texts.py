"""Formatting as rewritten code does it: the texts of values."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from ...array import dtypes
from ...core.device import device
from ...core.size import Size
from ...core.value import TensorBase
from . import calls, operations
from .deferred import Applied, Deferred
from .guards import _COMPARED, SCALARS
from .session import Session, current

_CONVERSIONS: dict[int, Callable[[Any], str]] = {1: str, 2: repr, 3: ascii}


def formatted(parts: tuple[Any, int, Any]) -> Any:
    """Return a value as a part of a text."""
    value, conversion, form = parts
    session = current.get()
    if conversion:
        value = text_of(session, value, _CONVERSIONS[conversion])
    if isinstance(value, Deferred) or isinstance(form, Deferred):
        if not isinstance(value, Deferred) and type(value) not in SCALARS:
            raise session.refusal(f"it writes a {type(value).__name__} into a text")
        return Applied(session, str, _format, (value, form or ""))
    if isinstance(value, decimal.Decimal) and form:
        raise session.refusal("it rounds a Decimal, as the thread's context says")
    if is_written_plainly(session, value):
        return format(value, form or "")
    method = session.lookup(type(value), "__format__")
    if type(method) is FunctionType:
        text = calls.call_function(session, method, (value, form or ""), {})
        if isinstance(text, str) or (isinstance(text, Deferred) and text.kind is str):
            return text
        return operations.taken(format, value, "__format__", text)
    if method is object.__format__ and not form:
        return text_of(session, value, str)
    raise session.refusal(f"it writes a {type(value).__name__} into a text")


def _format(value: Any, form: str) -> str:
    return format(value, form)


def is_written_plainly(session: Session, value: Any) -> bool:
    """Return whether the text of a value follows from what is guarded."""
    kind = type(value)
    if kind in SCALARS or kind in (Size, dtypes.dtype, device, range, slice) or kind in _COMPARED:
        return True
    if kind in (tuple, list, dict, set, frozenset):
        session.whole(value)
        parts = [*value, *value.values()] if kind is dict else list(value)
        return all(is_written_plainly(session, part) for part in parts)
    return isinstance(value, np.generic)


def text_of(session: Session, value: Any, function: Callable[[Any], str]) -> Any:
    """Return ``str(value)``, ``repr(value)`` or ``ascii(value)``."""
    if isinstance(value, Deferred):
        return Applied(session, str, function, (value,))
    if is_written_plainly(session, value):
        return function(value)
    if isinstance(value, BaseException) and all(is_written_plainly(session, a) for a in value.args):
        if type(session.lookup(type(value), "__str__")) is not FunctionType:
            return function(value)
    session.typed(value)
    names = ("__str__", "__repr__") if function is str else ("__repr__",)
    for name in names:
        method = session.lookup(type(value), name)
        if type(method) is FunctionType and not isinstance(value, TensorBase):
            text = calls.call_function(session, method, (value,), {})
            if not isinstance(text, str) and not (isinstance(text, Deferred) and text.kind is str):
                return operations.taken(function, value, name, text)
            return ascii(text) if function is ascii else text
        if method is not object.__str__:
            break
    raise session.refusal(f"it writes a {type(value).__name__} into a text")


def concatenate(parts: tuple[Any, ...]) -> Any:
    """Return texts as one."""
    if any(isinstance(part, Deferred) for part in parts):
        return Applied(current.get(), str, _joined, parts)
    return "".join(parts)


def _joined(*parts: str) -> str:
    return "".join(parts)
