"""Formatting as rewritten code does it: the texts of values."""

import decimal
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from ....array import dtypes
from ....core import facade
from ....core.device import device
from ....core.size import Size
from ....core.tracer import Tracer
from ....core.value import TensorBase, array_of, shape_of, wrap
from ....tensor.printing import tensor_text
from ..functions import builtin_functions
from ..state.deferred import Applied, Deferred, Elements
from ..state.guards import COMPARED, SCALARS, Guard, answer
from ..state.session import Session, current
from . import calls, operators

#: What writes a class down that says nothing else.
_OF_CLASSES: Any = (type.__repr__, object.__str__)
_CONVERSIONS: dict[int, Callable[[Any], str]] = {1: str, 2: repr, 3: ascii}


def formatted(parts: tuple[Any, int, Any]) -> Any:
    """Return a value as a part of a text."""
    value, conversion, form = parts
    session = current.get()
    if conversion:
        value = text_of(session, value, _CONVERSIONS[conversion])
    if isinstance(value, TensorBase) and is_plain(session, value):
        if not shape_of(value):
            value = builtin_functions.item_of(session, value)
        elif not form:
            return text_of(session, value, str)
    if isinstance(value, Deferred) or isinstance(form, Deferred):
        if not isinstance(value, Deferred) and type(value) not in SCALARS:
            raise session.refusal(f"it writes a {type(value).__name__} into a text")
        return Applied(session, str, format, (value, form or ""))
    if isinstance(value, decimal.Decimal) and form:
        raise session.refusal("it rounds a Decimal, as the thread's context says")
    if is_written_plainly(session, value):
        return format(value, form or "")
    method = session.lookup(type(value), "__format__")
    if type(method) is FunctionType:
        text = calls.call_function(session, method, (value, form or ""), {})
        if isinstance(text, str) or (isinstance(text, Deferred) and text.kind is str):
            return text
        return operators.taken(format, value, "__format__", text)
    if method is object.__format__ and not form:
        return text_of(session, value, str)
    raise session.refusal(f"it writes a {type(value).__name__} into a text")


def is_written_plainly(session: Session, value: Any) -> bool:
    """Return whether the text of a value follows from what is guarded."""
    kind = type(value)
    if kind in SCALARS or kind in (Size, dtypes.dtype, device, range, slice) or kind in COMPARED:
        return True
    if kind in (tuple, list, dict, set, frozenset):
        session.whole(value)
        parts = [*value, *value.values()] if kind is dict else list(value)
        return all(is_written_plainly(session, part) for part in parts)
    return isinstance(value, np.generic)


def text_of(session: Session, value: object, function: Callable[[Any], str]) -> Any:
    """Return ``str(value)``, ``repr(value)`` or ``ascii(value)``."""
    if isinstance(value, Deferred):
        return Applied(session, str, function, (value,))
    if is_written_plainly(session, value):
        return function(value)
    if isinstance(value, BaseException) and all(is_written_plainly(session, a) for a in value.args):
        if type(session.lookup(type(value), "__str__")) is not FunctionType:
            return function(value)
    if isinstance(value, TensorBase) and is_plain(session, value):
        if session.cells.has_history(value):
            raise session.refusal("it writes into a text what made a tensor before the call")
        return Elements(session, str, as_it_is_now(value), _written_like(value))
    meta = type(value)
    if isinstance(value, type) and (meta.__repr__, meta.__str__) == _OF_CLASSES:
        session.note(Guard(answer, repr, (value,), repr(value)), (id(value), "text"))
        return function(value)
    session.typed(value)
    names = ("__str__", "__repr__") if function is str else ("__repr__",)
    for name in names:
        method = session.lookup(type(value), name)
        if type(method) is FunctionType and not isinstance(value, TensorBase):
            text = calls.call_function(session, method, (value,), {})
            if isinstance(text, Deferred) and text.kind is str:
                return Applied(session, str, _escaped, (text,)) if function is ascii else text
            if not isinstance(text, str):
                return operators.taken(function, value, name, text)
            return _escaped(text) if function is ascii else text
        if method is not object.__str__:
            break
    raise session.refusal(f"it writes a {type(value).__name__} into a text")


def _escaped(text: str) -> str:
    """Return a text with what is not ASCII as escapes, as ``ascii`` does to what `repr` gives."""
    return text.encode("ascii", "backslashreplace").decode("ascii")


def is_plain(session: Session, value: object) -> bool:
    """Return whether a value is a traced tensor of the user's level: strided, and of no class of its own."""
    return type(value) is facade.Tensor and session.cells.is_traced(value) and isinstance(
        value._value, Tracer
    )


def as_it_is_now(t: Any) -> Any:
    """Return a tensor with the elements that another one has at this point of the function."""
    return wrap(facade.clone(t._value), None, t._level)


def _written_like(traced: Any) -> Callable[[Any], str]:
    """Return a writer of tensors with the history that a traced one has in the function."""
    node = None if traced.grad_fn is None else type(traced.grad_fn).__name__
    return partial(_text, node, traced.requires_grad)


def _text(node: str | None, requires_grad: bool, t: object) -> str:
    return tensor_text(array_of(t), requires_grad=requires_grad, grad_fn=node)


def concatenate(parts: tuple[Any, ...]) -> Any:
    """Return texts as one."""
    if any(isinstance(part, Deferred) for part in parts):
        return Applied(current.get(), str, _joined, parts)
    return "".join(parts)


def _joined(*parts: str) -> str:
    return "".join(parts)
